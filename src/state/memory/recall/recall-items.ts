/** Everything that a project can recall: its memory files, the user's own file, resolved failures, and past sessions. */
import { join, matchesGlob } from "node:path";
import { asName } from "../../../base/json/read.ts";
import { cutStart } from "../../../base/text/cut.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { handleOf } from "../../../log/handle.ts";
import type { Log } from "../../../log/log.ts";
import { stripRecalled } from "../../../message/recall-tags.ts";
import type { Scope } from "../../session/scope.ts";
import type { Failure } from "../../work/failure/types.ts";
import { plainWords } from "../document.ts";
import type { SessionName } from "../memory-files.ts";
import { itemsIn, memoryItems } from "../memory-items.ts";
import type { Skill } from "../skill/skill.ts";
import { MemoryStore } from "../store.ts";
import type { RecallItem } from "./item-index.ts";
import { isOrdinary, termsOf } from "./terms.ts";

interface RecallSources {
	readonly root: string;
	/** The project's data folder. */
	readonly folder: string;
	readonly log: Log;
	/** The asking session. Undefined: a person asks, outside any session. */
	readonly session: SessionName | undefined;
	/** The sessions whose words may be recalled. */
	readonly scope: Scope;
	/** True: the context of the asking session holds all of its own messages. */
	readonly isWhole: boolean;
	/** The user's words. */
	readonly text: string;
	readonly resolved: readonly Failure[];
}

/** The user's own file in the workspace: read, never written. */
const WORKSPACE_FILE = "MEMORY.md";

export function gatherItems({
	root,
	folder,
	log,
	session,
	scope,
	isWhole,
	text,
	resolved,
}: RecallSources): readonly RecallItem[] {
	const store = new MemoryStore(log);
	const items = [
		...memoryItems({ folder, session, scope, writtenAt: (file) => store.writtenAt(file) }),
		...itemsIn(join(root, WORKSPACE_FILE), "workspace"),
		...resolvedItems(log, resolved, session),
		...pastMessages(log, text, isWhole ? session : undefined, scope),
	];
	return withoutForgotten(items, store.forgottenTexts());
}

/** A shorter bullet is part of many texts that say something else. */
const MIN_FORGOTTEN_TERMS = 3;

/** Drops items that say what the user removed: a session's file or an old message must not bring it back. */
function withoutForgotten(items: readonly RecallItem[], forgotten: readonly string[]): readonly RecallItem[] {
	if (forgotten.length === 0) return items;
	const whole = new Set(forgotten.map(plainWords));
	const parts = forgotten.filter((text) => termsOf(text).length >= MIN_FORGOTTEN_TERMS).map(plainWords);
	return items.filter(({ source, text }) => {
		// The user controls the file in the workspace.
		if (source === "workspace") return true;
		const said = plainWords(text);
		return !whole.has(said) && !parts.some((part) => said.includes(part));
	});
}

const POOL = 30;
const MIN_CHARS = 40;
const MAX_CHARS = 900;
const MAX_PARAGRAPHS = 12;
const ROLES: Readonly<Record<string, string>> = { user: "the user said", assistant: "the agent said" };

/**
 * Paragraphs that were said in earlier sessions of the scope, or before the context of this one begins. The log's index chooses
 * a pool, and recall ranks it like everything else. Tool results are left out: they show an old state of the disk.
 */
function pastMessages(
	log: Log,
	text: string,
	session: SessionName | undefined,
	{ recalled: within }: Scope,
): readonly RecallItem[] {
	const words = termsOf(text).filter((word) => !isOrdinary(word));
	if (words.length === 0) return [];
	const documents = ["user", "assistant"].flatMap((role) => log.search.findAny({ words, limit: POOL, role, within }));
	const seen = new Set<number>();
	return documents.flatMap(({ seq, role, session: of, text: said, ts }) => {
		const heading = ROLES[role];
		if (heading === undefined || isOwn(of, session) || seen.has(seq)) return [];
		seen.add(seq);
		const record = log.get(seq);
		if (!record) return [];
		const handle = handleOf(record);
		const sender = asName(record.payload["sender"]);
		return paragraphs(stripRecalled(said)).map(
			(paragraph, n): RecallItem => ({
				id: n === 0 ? handle : `${handle} (part ${n + 1})`,
				text: paragraph,
				heading: sender === undefined ? heading : `the user ${sender} said`,
				source: "history",
				kind: "message",
				date: ts,
				seq,
				stretch: `${of} ${seq}`,
			}),
		);
	});
}

/** True for the session itself and its sub-agents, whose answers it has seen. */
function isOwn(of: string, session: SessionName | undefined): boolean {
	return session !== undefined && (of === session.session || of.startsWith(`${session.session}--`));
}

/** Tool calls come last, and their input may have many lines. */
const CALLS = /^\[tool: [\w.:-]+\([\s\S]*$/m;

/** Paragraphs that are worth showing whole. */
function paragraphs(text: string): readonly string[] {
	return text
		.replace(CALLS, "")
		.split(/\n{2,}/)
		.map((each) => each.trim())
		.filter(({ length }) => length >= MIN_CHARS && length <= MAX_CHARS)
		.slice(0, MAX_PARAGRAPHS);
}

const MESSAGE_CHARS = 400;
const COMMAND_CHARS = 160;
const MAX_CHANGES = 200;
const MAX_FILES = 5;

/** Failures that earlier sessions resolved, each with its fix. */
function resolvedItems(
	log: Log,
	resolved: readonly Failure[],
	session: SessionName | undefined,
): readonly RecallItem[] {
	return resolved.flatMap((failure) => {
		const { resolvedSeq } = failure;
		const record = resolvedSeq === null ? undefined : log.get(resolvedSeq);
		// The session's own failures are in its history.
		if (resolvedSeq === null || record?.session === session?.session) return [];
		return [itemOf(log, failure, resolvedSeq)];
	});
}

function itemOf(log: Log, failure: Failure, resolvedSeq: number): RecallItem {
	const files = changedBetween(log, failure.lastSeq, resolvedSeq);
	const place = [failure.file, failure.name].filter((each) => each !== null).join(" ");
	const fix =
		files.length === 0
			? "Resolved without a change of a file that was seen."
			: `Resolved by changes in ${files.join(", ")}.`;
	const look = [failure.lastHandle, failure.resolvedHandle].filter((each) => each !== null).join(", then ");
	return {
		id: failure.resolvedHandle ?? failure.lastHandle,
		text: [
			`${cutStart(oneLine(failure.command), COMMAND_CHARS)} failed${place === "" ? "" : ` in ${place}`}: ${cutStart(oneLine(failure.message), MESSAGE_CHARS)}`,
			`${fix} The runs: ${look}.`,
		].join("\n"),
		heading: "Resolved failures",
		source: "history",
		kind: "error",
		date: failure.resolvedTs ?? undefined,
		paths: failure.file === null ? files : [...new Set([failure.file, ...files])],
	};
}

function changedBetween(log: Log, after: number, upTo: number): readonly string[] {
	const files = new Set<string>();
	for (const { payload } of log.read({ types: ["FileChanged"], after, upTo, limit: MAX_CHANGES })) {
		const { path } = payload as { readonly path?: unknown };
		if (typeof path === "string") files.add(path);
	}
	return [...files].slice(0, MAX_FILES);
}

const PATH = /(?:^|[\s`"'(])((?:[\w@.-]+\/)*[\w@-]+\.\w{1,8})(?=$|[\s`"'),:;.?!])/g;
const MAX_PATHS = 20;

/** Skills as items for recall: by their `when_to_use`, and by the files that the message names. */
export function skillItems(skills: readonly Skill[], text: string): readonly RecallItem[] {
	const named = [...text.matchAll(PATH)].slice(0, MAX_PATHS).map(([, path = ""]) => path);
	return skills.flatMap((skill): RecallItem[] => {
		const fitting = named.filter((path) => skill.paths.some((glob) => fits(path, glob)));
		if (skill.whenToUse === undefined && fitting.length === 0) return [];
		const why = [skill.whenToUse, ...(fitting.length > 0 ? [`It is for files like ${fitting.join(", ")}.`] : [])];
		return [
			{
				id: `skill:${skill.name}`,
				text: `The skill ${skill.name} may fit: read ${skill.file}. ${why.filter((each) => each !== undefined).join(" ")}`,
				heading: "Skills",
				source: "workspace",
				kind: "preference",
			},
		];
	});
}

function fits(path: string, glob: string): boolean {
	try {
		return matchesGlob(path, glob) || (!glob.includes("/") && matchesGlob(path, `**/${glob}`));
	} catch {
		return false;
	}
}
