/**
 * The name of a failure: `bash:<command>:<8 hex>`. Each error has a hash of what a recogniser found (unit, class, message),
 * and the run has one of the set of its errors, so neither the order of parallel tests nor the mixing of stdout and stderr
 * matters. Without a recogniser the hash is made from the set of lines that report an error.
 */

import { posix } from "node:path";
import { sha256 } from "../../../base/hash/sha256.ts";
import type { CommandIdentity } from "../../../base/shell/identity.ts";
import { NORMALISER_VERSION, normalise } from "./normalise.ts";
import type { Recognised, UnitError } from "./recognise/types.ts";
import type { ShellRun } from "./run-reading.ts";

/** One error of a run. */
export interface Mark {
	readonly id: string;
	readonly hash: string;
	/** The failed unit, normalised. null: the output does not say. */
	readonly unit: string | null;
	readonly file: string | null;
	readonly name: string | null;
	readonly class: string | null;
	/** The first line of the error, as printed. */
	readonly message: string;
}

export interface Fingerprint {
	/** The id of all errors together, or of the only one. */
	readonly id: string;
	readonly hash: string;
	readonly tool: string | null;
	readonly command: string;
	/** Relative to the root if it is inside. */
	readonly cwd: string;
	readonly normaliser: number;
	readonly marks: readonly Mark[];
}

const MAX_MESSAGE_CHARS = 300;

export function fingerprintOf(
	run: ShellRun,
	identity: CommandIdentity,
	lines: readonly string[],
	recognised: Recognised | null,
): Fingerprint {
	const cwd = placeOf(identity, run);
	const roots = [identity.cwd, run.cwd, run.root].filter((path) => path?.startsWith("/") === true) as string[];
	const name = `${run.host ?? "bash"}:${identity.command}`;
	const errors = recognised === null ? [] : recognised.errors;
	const marks =
		errors.length > 0
			? errors.map((error) => markOf(error, name, cwd, roots))
			: [plainMark(run, lines, name, cwd, roots)];
	const kept = [...new Map(marks.map((mark) => [mark.hash, mark])).values()].sort((a, b) => (a.hash < b.hash ? -1 : 1));
	const [only, ...others] = kept;
	const hash = only && others.length === 0 ? only.hash : hash8(kept.map((mark) => mark.hash));
	const tool = errors.length > 0 ? (recognised?.tool ?? null) : null;
	return {
		id: `${name}:${hash}`,
		hash,
		tool,
		command: identity.command,
		cwd,
		normaliser: NORMALISER_VERSION,
		marks: kept,
	};
}

/** The folder of a command, relative to the project's root. */
export function placeOf(identity: CommandIdentity, run: Pick<ShellRun, "cwd" | "root">): string {
	const root = run.root ?? run.cwd;
	if (root === undefined || !identity.cwd.startsWith("/")) return identity.cwd;
	const path = posix.relative(root, identity.cwd);
	return path === "" ? "." : path.startsWith("..") ? identity.cwd : path;
}

function markOf(error: UnitError, name: string, cwd: string, roots: readonly string[]): Mark {
	const unit = normalise(error.unit, { roots });
	const key = (error.key ?? error.message.slice(0, 1)).map((line) => normalise(line, { roots })).filter(Boolean);
	// Not every output names the class of a failed assertion.
	const kind = error.class === null || error.class === "AssertionError" ? "" : error.class;
	const hash = hash8([cwd, unit, kind, ...key]);
	return {
		id: `${name}:${hash}`,
		hash,
		unit,
		file: error.file === null ? null : normalise(error.file, { roots }),
		name: error.name,
		class: error.class,
		message: (error.message[0] ?? "").slice(0, MAX_MESSAGE_CHARS),
	};
}

function plainMark(run: ShellRun, lines: readonly string[], name: string, cwd: string, roots: readonly string[]): Mark {
	const errors = errorLines(lines);
	const set = [...new Set(errors.map((line) => normalise(line, { roots })).filter(Boolean))].sort();
	const hash = hash8([cwd, ...(set.length > 0 ? set : [`exit ${run.exit ?? "unknown"}`])]);
	const message = (errors[0]?.trim() ?? `exit ${run.exit ?? "unknown"}, no output`).slice(0, MAX_MESSAGE_CHARS);
	return { id: `${name}:${hash}`, hash, unit: null, file: null, name: null, class: null, message };
}

function hash8(parts: readonly string[]): string {
	return sha256(JSON.stringify([NORMALISER_VERSION, ...parts])).slice(0, 8);
}

/** In an output that no recogniser knows: lines that say what went wrong. */
const TELLING =
	/\b(?:error|errors|err!|fail|fails|failed|failure|failing|exception|fatal|panic|panicked|cannot|can't|could not|couldn't|unable|undefined|unresolved|unknown|not found|no such|denied|refused|unexpected|invalid|missing|abort|aborted|segmentation|killed|assert\w*|expected|mismatch|conflict|rejected|timed out|timeout|unsupported|illegal|must|duplicate|already|received|actual|got|want|which is|but was|issues|is not|are not|did not|does not|has no)\b|[✖✗✘×]/i;
/** A line that names the place, the test or the two values of an error nearby. */
const PLACE =
	/^\s*(?:\d+\) \S|(?:left|right|lhs|rhs)\s*:|on \S+ line \d+|\[(?:warn|error)\] \S)|^\S+\.[a-z]\w{0,5}:\d+:\d+(?: \S|$)/;
/** Lines that report a failure without saying which, or that name another log each time. */
const EMPTY =
	/^(?:npm (?:ERR!|error) (?:A complete log|errno|Lifecycle|Exit status|.*\.log$|path |command |workspace )|error Command failed with exit code|info Visit |\s*at \S|ELIFECYCLE|make(?:\[\d+\])?: (?:Entering|Leaving)|Node\.js v\d|\d+ (?:errors?|warnings?|failures?)(?: generated)?\.?$|\s*\S+\.(?:png|zip|log|txt|webm|html|xml)$|note: |warning: |hint: |\[\d+:0x\w+\] +\d+ ms: )/i;
const MAX_LINES = 60;
const MAX_TAIL_LINES = 5;

function errorLines(lines: readonly string[]): readonly string[] {
	const found: string[] = [];
	for (const [i, raw] of lines.entries()) {
		if (found.length >= MAX_LINES) break;
		const line = raw.replace(/^[│|] /, "");
		if (line.trim() === "" || EMPTY.test(line) || !(TELLING.test(line) || PLACE.test(line))) continue;
		found.push(withoutPrefix(line));
		// A heading announces the line below it.
		const next = lines[i + 1] ?? "";
		if (line.trimEnd().endsWith(":") && next.trim() !== "") found.push(withoutPrefix(next));
	}
	const specific = found.filter(
		(line) =>
			!/^(?:make(?:\[\d+\])?: \*\*\*|.*exited with code \d+$|.*exit(?:ed)? (?:code|status):? \d+\.?$)/i.test(line),
	);
	if (specific.length > 0) return specific;
	if (found.length > 0) return found;
	return lines.filter((line) => line.trim() !== "" && !EMPTY.test(line)).slice(-MAX_TAIL_LINES);
}

function withoutPrefix(line: string): string {
	return line
		.replace(/^npm (?:ERR!|error) /, "")
		.replace(/^\[\w+\] /, "")
		.replace(/^\s*\d+\) /, "");
}
