/** Finds the sessions on this machine for `weft import` without paths, and lists them before anything is imported. */

import { isAbsolute } from "node:path";
import { READERS } from "../../agent/agents.ts";
import { discover, type FoundFile, peekSessions } from "../../agent/recorded/session-files.ts";
import type { SessionReader } from "../../agent/recorded/session-reader.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import { formatBytes, formatCount, plural } from "../../base/text/bytes.ts";
import { oneLine } from "../../base/text/printable.ts";
import { formatDay } from "../../base/text/time.ts";
import type { Engine } from "../../engine.ts";
import { isForeignPath, projectRoot } from "../../log/home.ts";
import { renderRuled } from "../../view/text-style.ts";
import { askYes } from "./confirmation.ts";
import type { Context } from "./context.ts";
import { readTime } from "./options.ts";

interface FindOptions {
	readonly agent?: string | undefined;
	readonly since?: string | undefined;
}

/** The sessions of one agent in one project. */
interface FoundGroup {
	readonly agent: string;
	/** The folder in which they ran; null: unknown. */
	readonly project: string | null;
	readonly sessions: number;
	readonly bytes: number;
	/** ms since the epoch. */
	readonly newest: number;
}

interface FoundSessions {
	/** Project by project, parents before their sub-agents. */
	readonly files: readonly FoundFile[];
	readonly groups: readonly FoundGroup[];
	/** They lead out of the agents' folders, and were not followed. */
	readonly links: readonly string[];
}

export async function findSessions(context: Context, options: FindOptions): Promise<FoundSessions> {
	const readers = readAgents(options.agent);
	const since = readTime("--since", options.since, context.now());
	const links: string[] = [];
	const files = discover({ env: context.env, readers, since, onOutside: (link) => links.push(link) });
	const groups = new Map<string, FoundGroup>();
	const folders = new Map<string, string>();
	const seen = new Set<string>();
	for (const { agent, path, bytes, changed } of files) {
		const found = await peekSessions(path, READERS);
		folders.set(path, found[0]?.cwd ?? "");
		for (const [at, { cwd, session }] of found.entries()) {
			const key = `${agent} ${cwd ?? ""}`;
			const group = groups.get(key) ?? { agent, project: cwd ?? null, sessions: 0, bytes: 0, newest: 0 };
			// Sub-agents belong to the session that began them.
			const isNew = !session.includes("/") && !seen.has(`${key} ${session}`);
			seen.add(`${key} ${session}`);
			groups.set(key, {
				...group,
				sessions: group.sessions + (isNew ? 1 : 0),
				bytes: group.bytes + (at === 0 ? bytes : 0),
				newest: Math.max(group.newest, changed),
			});
		}
	}
	// Sorting is stable: parents stay before their sub-agents.
	const byFolder = files.toSorted((one, other) => compare(folders.get(one.path) ?? "", folders.get(other.path) ?? ""));
	const sorted = [...groups.values()].sort(
		(one, other) => compare(one.agent, other.agent) || other.newest - one.newest,
	);
	return { files: byFolder, groups: sorted, links };
}

export function reportLinks(
	{ out }: Pick<Context, "out">,
	links: readonly string[],
	toTakeIt = "To import its target, name it: weft import PATH.",
): void {
	const [first] = links;
	if (first === undefined) return;
	const what = links.length === 1 ? "a link" : plural(links.length, "link");
	out.talk(`Skipped ${what} out of the folder (${oneLine(first)}). ${toTakeIt}`);
}

export function noSessions({ agent }: FindOptions, env: NodeJS.ProcessEnv): EngineError {
	const places = readAgents(agent).flatMap((reader) => reader.places(env, env["HOME"] || "~").map(({ path }) => path));
	return new EngineError("not-found", `No sessions found. Looked in: ${places.join(", ")}.`);
}

export function renderFound({ out }: Context, groups: readonly FoundGroup[]): string[] {
	const columns = [
		{ title: "agent" },
		{ title: "project", shrink: true },
		{ title: "sessions", align: "right" },
		{ title: "size", align: "right" },
		{ title: "newest" },
	] as const;
	return renderRuled(
		out,
		columns,
		groups.map(({ agent, project, sessions, bytes, newest }) => [
			agent,
			oneLine(project ?? "–"),
			formatCount(sessions),
			formatBytes(bytes),
			formatDay(newest),
		]),
	);
}

/** The command that imports the listed sessions without asking. */
export function yesCommand({ agent, since, follow }: FindOptions & { readonly follow?: boolean }): string {
	const agents = agent && readAgents(agent).map(({ kind }) => kind);
	const words = [
		"weft import --yes",
		agents && `--agent ${agents.join(",")}`,
		since && `--since ${/\s/.test(since) ? `'${since}'` : since}`,
		follow && "--follow",
	];
	return words.filter(Boolean).join(" ");
}

/** Undefined: there is no terminal to ask on. */
export async function ask({ out }: Context, groups: readonly FoundGroup[]): Promise<boolean | undefined> {
	const sessions = groups.reduce((sum, group) => sum + group.sessions, 0);
	return askYes(out, `Import ${plural(sessions, "session")}?`);
}

export function readAgents(given: string | undefined): readonly SessionReader[] {
	if (given === undefined) return READERS;
	return given.split(",").map((name) => {
		const reader = READERS.find(({ kind }) => kind === name.trim().toLowerCase());
		if (reader) return reader;
		const known = READERS.map(({ kind }) => kind).join(", ");
		throw new EngineError("usage", `Unknown agent '${name}'. --agent takes ${known}, separated by commas.`);
	});
}

function compare(one: string, other: string): number {
	return one < other ? -1 : one > other ? 1 : 0;
}

/**
 * Which log does a session go to? To the log of its own folder, also if that is gone or on another machine; `--project`
 * decides for all. One log is open at a time, because a user may have sessions of hundreds of projects.
 */
export class ImportLogs {
	readonly #context: Context;
	readonly #onClose: (engine: Engine) => void;
	#open: Engine | undefined;

	constructor(context: Context, onClose: (engine: Engine) => void) {
		this.#context = context;
		this.#onClose = onClose;
	}

	/** The engine for a session that ran in `cwd`. It stays open until another project's log is needed. */
	for(cwd: string | undefined): Engine {
		const folder = this.#folderFor(cwd);
		if (this.#open && this.#open.project.root === projectRoot(folder)) return this.#open;
		this.close();
		this.#open = this.#context.openForWriting(folder);
		return this.#open;
	}

	close(): void {
		const engine = this.#open;
		this.#open = undefined;
		if (!engine) return;
		try {
			this.#onClose(engine);
		} finally {
			engine.close();
		}
	}

	/** A folder that is gone keeps its own project, by its recorded path: sessions of two projects never share a log. */
	#folderFor(cwd: string | undefined): string {
		if (this.#context.projectGiven || cwd === undefined) return this.#context.folder;
		return isAbsolute(cwd) || isForeignPath(cwd) ? cwd : this.#context.folder;
	}
}
