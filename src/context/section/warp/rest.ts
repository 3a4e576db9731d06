/** What is good to know when there is room: what was fixed, what the guard refused, how far it went, how long tools take. */

import { getRecent, newestFirst } from "../../../fold/keyed.ts";
import { shortAge } from "../../../text/age.ts";
import { plural } from "../../../text/bytes.ts";
import { formatDuration } from "../../../text/duration.ts";
import { oneLine } from "../../../text/printable.ts";
import { type ToolLatency, typicalMs } from "../../../work/latency-fold.ts";
import { type ContextItem, cutToBytes, Room, type Section, tokensOf } from "../section.ts";
import { shortName } from "./failures.ts";
import type { WarpInput } from "./input.ts";

const MOST_RESOLVED = 8;
const MOST_BLOCKS = 5;
const MOST_COMMANDS = 5;
const MOST_TOOLS = 6;
const MOST_FILES = 8;
const LINE_BYTES = 240;

export function renderRest(input: WarpInput, session: string | null, bytes: number): Section {
	const room = new Room(bytes);
	const items: ContextItem[] = [];
	const sections = [resolved(input), blocked(input), progress(input, session), latency(input)];
	for (const { title, entries, rest } of sections) {
		if (entries.length === 0) continue;
		let open = false;
		let left = rest;
		for (const entry of entries) {
			const included = left === rest && room.add(...(open ? [] : ["", title]), entry.line);
			if (included) open = true;
			else left++;
			items.push({ ...entry.item, tokens: tokensOf([entry.line]), included });
		}
		if (open && left > 0) room.add(`  … ${left} more: weft state`);
	}
	return { lines: room.lines, items };
}

interface Part {
	readonly title: string;
	readonly entries: readonly { readonly line: string; readonly item: Omit<ContextItem, "tokens" | "included"> }[];
	/** How many there are beyond these. */
	readonly rest: number;
}

function resolved({ state, now }: WarpInput): Part {
	const all = [...state.failures.failures.resolved].reverse();
	const entries = all.slice(0, MOST_RESOLVED).map((failure) => {
		const what = oneLine(failure.class ?? (failure.message || failure.unit || "failed"));
		const when = failure.resolvedTs === null ? "resolved" : `resolved ${shortAge(failure.resolvedTs, now)}`;
		const line = `- ${shortName(failure, LINE_BYTES)} — ${cutToBytes(what, LINE_BYTES)} (${when})`;
		const handle = failure.resolvedHandle ?? failure.lastHandle;
		return { line, item: { id: `resolved:${failure.id}`, kind: "resolved", why: "resolved lately", handle } };
	});
	return { title: "Recently Resolved:", entries, rest: all.length - entries.length };
}

function blocked({ state, now }: WarpInput): Part {
	const all = state.verdicts.recent.filter((note) => note.verdict === "block").reverse();
	const entries = all.slice(0, MOST_BLOCKS).map((note) => {
		const where = note.path === null ? note.tool : `${note.tool} ${note.path}`;
		const passed = note.mode === "report" ? ", let pass" : "";
		const line = `- ${note.rule}: ${cutToBytes(oneLine(where), LINE_BYTES)} (${shortAge(note.ts, now)}${passed}) ${cutToBytes(oneLine(note.reason), LINE_BYTES)}`;
		return { line, item: { id: `block:${note.handle}`, kind: "block", why: "refused lately", handle: note.handle } };
	});
	return { title: "Policy Blocks:", entries, rest: all.length - entries.length };
}

function progress({ state }: WarpInput, session: string | null): Part {
	const known = session === null ? undefined : getRecent(state.progress.sessions, session);
	if (!known) return { title: "", entries: [], rest: 0 };
	const since = known.sinceIntent;
	const failed = since.failedCommands > 0 ? `, ${since.failedCommands} failed` : "";
	const entries = [
		entry(
			"progress",
			`- since the intent: ${plural(since.turns, "turn")}, ${plural(since.calls, "tool call")}, ${plural(since.commands, "command")}${failed}; ${plural(known.turns, "turn")} in the session`,
		),
	];
	if (since.changes > 0) {
		const names = [...since.files].reverse().slice(0, MOST_FILES).map(oneLine).join(", ");
		const more = since.files.length > MOST_FILES ? ", …" : "";
		const line = `- changed since the intent (+${since.added}/-${since.removed} lines): ${names}${more}`;
		entries.push(entry("changes", cutToBytes(line, LINE_BYTES * 3)));
	}
	for (const ran of [...known.recentCommands].reverse().slice(0, MOST_COMMANDS)) {
		const line = `- ran ${cutToBytes(oneLine(ran.command), LINE_BYTES)} → exit ${ran.exit ?? "unknown"}`;
		entries.push(entry(`command:${ran.handle}`, line, ran.handle));
	}
	return { title: "Progress:", entries, rest: Math.max(0, known.commands - MOST_COMMANDS) };
}

function entry(id: string, line: string, handle?: string): Part["entries"][number] {
	return { line, item: { id, kind: "progress", why: "how far it went", handle } };
}

function latency({ state }: WarpInput): Part {
	const tools = [...newestFirst(state.latency.tools)].sort(
		([one, own], [other, others]) => others.totalMs - own.totalMs || (one < other ? -1 : 1),
	);
	const words = ([tool, of]: readonly [string, ToolLatency]) =>
		`${oneLine(tool)} ${formatDuration(typicalMs(of))} (longest ${formatDuration(of.maxMs)}, ${plural(of.calls, "call")})`;
	const line = `- ${cutToBytes(tools.slice(0, MOST_TOOLS).map(words).join("; "), LINE_BYTES * 2)}`;
	const entries =
		tools.length === 0 ? [] : [{ line, item: { id: "latency", kind: "latency", why: "how long tools take" } }];
	return { title: "Latency:", entries, rest: 0 };
}
