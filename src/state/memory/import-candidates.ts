/**
 * Memory files of other agents as candidates: bullets and short paragraphs, each with its file. The user chooses, and chosen
 * ones come on probation, because they were written for another reader.
 */
import { isUtf8 } from "node:buffer";
import { readdirSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { readBounded } from "../../base/file/regular-file.ts";
import { cleanText, keyOfText, parseDocument } from "./document.ts";
import type { MemorySection } from "./section.ts";

export interface ImportCandidate {
	readonly section: MemorySection;
	readonly text: string;
	/** The file it comes from. */
	readonly origin: string;
}

export interface ImportPlaces {
	/** The project's folder, a real path. */
	readonly root: string;
	/** The user's home. */
	readonly home: string;
	readonly env: NodeJS.ProcessEnv;
}

const MAX_FILES = 200;
const MAX_FILE_BYTES = 1_000_000;
const MAX_CANDIDATES = 500;
const MIN_CHARS = 8;
const ITEM_CHARS = 500;

/** Existing files in which Claude Code, Codex and OpenClaw keep their memory of a project. */
export function knownMemoryFiles({ root, home, env }: ImportPlaces): string[] {
	const claude = env["CLAUDE_CONFIG_DIR"] || join(home, ".claude");
	const codex = env["CODEX_HOME"] || join(home, ".codex");
	const slug = root.replace(/[^a-zA-Z0-9]/g, "-");
	return [
		join(root, "CLAUDE.md"),
		join(root, ".claude", "CLAUDE.md"),
		join(root, "CLAUDE.local.md"),
		join(claude, "projects", slug, "memory"),
		join(codex, "memories"),
		join(root, "MEMORY.md"),
		join(root, "memory"),
	].filter((path) => statSync(path, { throwIfNoEntry: false }) !== undefined);
}

/** Reads files and folders of Markdown, in order, each text once. Never throws. */
export function readCandidates(paths: readonly string[]): ImportCandidate[] {
	const found = new Map<string, ImportCandidate>();
	for (const path of paths.flatMap((each) => markdownIn(each)).slice(0, MAX_FILES)) {
		for (const candidate of candidatesIn(path)) {
			const key = keyOfText(candidate.text);
			if (!found.has(key)) found.set(key, candidate);
			if (found.size >= MAX_CANDIDATES) return [...found.values()];
		}
	}
	return [...found.values()];
}

function markdownIn(path: string, depth = 0): string[] {
	const stat = statSync(path, { throwIfNoEntry: false });
	if (stat?.isFile()) return extname(path).toLowerCase() === ".md" ? [path] : [];
	if (!stat?.isDirectory() || depth > 2) return [];
	try {
		return readdirSync(path)
			.sort()
			.flatMap((name) => (name.startsWith(".") ? [] : markdownIn(join(path, name), depth + 1)));
	} catch {
		return [];
	}
}

function candidatesIn(path: string): ImportCandidate[] {
	const reading = readBounded(path, MAX_FILE_BYTES);
	if (reading.kind !== "bytes") return [];
	if (!isUtf8(reading.bytes) || reading.bytes.includes(0)) return [];
	// Headings of any depth count as sections.
	const text = reading.bytes
		.toString("utf8")
		.replace(/^---\n[\s\S]*?\n---\n/, "")
		.replace(/^#{1,6}(?=[ \t])/gm, "##");
	return parseDocument(text).sections.flatMap(({ name, parts }) =>
		parts.flatMap((part): ImportCandidate[] => {
			const words = part.kind === "bullet" ? part.text : paragraphOf(part.lines);
			const clean = cleanText(words, ITEM_CHARS);
			if (clean.length < MIN_CHARS) return [];
			return [{ section: sectionFor(name ?? basename(path), clean), text: clean, origin: path }];
		}),
	);
}

/** Empty for code, tables, comments and imports of other files: these are not facts. */
function paragraphOf(lines: readonly string[]): string {
	const text = lines.join(" ").trim();
	return /^(?:[`~|<>@#=-]|\d+\.\s*$)/.test(text) ? "" : text.replace(/^\d+[.)]\s+/, "");
}

function sectionFor(heading: string, text: string): MemorySection {
	const about = `${heading}: ${text}`;
	if (/\bdecision|\bdecided|\bwe chose\b/i.test(about)) return "Decisions";
	if (/\b(?:todo|open|pending|follow[- ]?up)\b/i.test(heading)) return "Open Loops";
	if (
		/\b(?:never|always|must|do not|don't|required?|forbidden)\b/i.test(text) ||
		/\b(?:rules?|constraints?)\b/i.test(heading)
	)
		return "Constraints";
	if (/\b(?:prefer|style|convention|tone|habit)/i.test(about)) return "Preferences";
	return "Facts";
}
