/** `weft import` without paths: which sessions there are, shown before any of them is read in. */

import { READERS } from "../../agent/agents.ts";
import { discover, type FoundFile, peekSessions } from "../../agent/recorded/session-files.ts";
import type { SessionReader } from "../../agent/recorded/session-reader.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import { formatBytes, formatCount, plural } from "../../base/text/bytes.ts";
import { oneLine } from "../../base/text/printable.ts";
import { formatDay } from "../../base/text/time.ts";
import { renderRuled } from "../../view/style.ts";
import { pointInTime } from "./arguments.ts";
import { askYes } from "./ask-yes.ts";
import type { Context } from "./context.ts";

export interface FindOptions {
	readonly agent?: string | undefined;
	readonly since?: string | undefined;
}

/** What lies in one project's name, of one agent. */
export interface FoundGroup {
	readonly agent: string;
	/** The folder in which they ran; null: they do not say. */
	readonly project: string | null;
	readonly sessions: number;
	readonly bytes: number;
	/** ms since the epoch. */
	readonly newest: number;
}

export interface FoundSessions {
	/** One project's after the other's, parents before their sub-agents. */
	readonly files: readonly FoundFile[];
	readonly groups: readonly FoundGroup[];
}

export async function findSessions(context: Context, options: FindOptions): Promise<FoundSessions> {
	const readers = readAgents(options.agent);
	const since = pointInTime("--since", options.since, context.now());
	const files = discover({ env: context.env, readers, since });
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
	const order = new Map(files.map(({ path }, at) => [path, at]));
	const byFolder = files.toSorted(
		(one, other) =>
			compare(folders.get(one.path) ?? "", folders.get(other.path) ?? "") ||
			order.get(one.path)! - order.get(other.path)!,
	);
	const sorted = [...groups.values()].sort(
		(one, other) => compare(one.agent, other.agent) || other.newest - one.newest,
	);
	return { files: byFolder, groups: sorted };
}

export function noSessions({ agent }: FindOptions, env: NodeJS.ProcessEnv): EngineError {
	const places = readAgents(agent).flatMap((reader) => reader.places(env, env["HOME"] || "~").map(({ path }) => path));
	return new EngineError("not-found", `No sessions were found. Looked in: ${places.join(", ")}.`);
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

/** The command that imports what was shown, without a question. */
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

/** Undefined: nobody can be asked. */
export async function ask({ out }: Context, groups: readonly FoundGroup[]): Promise<boolean | undefined> {
	const sessions = groups.reduce((sum, group) => sum + group.sessions, 0);
	return askYes(out, `Read in ${plural(sessions, "session")}?`);
}

export function readAgents(given: string | undefined): readonly SessionReader[] {
	if (given === undefined) return READERS;
	return given.split(",").map((name) => {
		const reader = READERS.find(({ kind }) => kind === name.trim().toLowerCase());
		if (reader) return reader;
		const known = READERS.map(({ kind }) => kind).join(", ");
		throw new EngineError("usage", `--agent takes ${known}, separated by commas, not '${name}'.`);
	});
}

function compare(one: string, other: string): number {
	return one < other ? -1 : one > other ? 1 : 0;
}
