/**
 * Consolidates without a model what outlives a session: recorded decisions, the user's rules (on probation, because they may have been
 * meant for one task), and a line about the work. Everything else is working state and stays in SESSION.md.
 */

import { plural } from "../../../base/text/bytes.ts";
import { cutWithEllipsis } from "../../../base/text/cut.ts";
import { getRecent } from "../../../log/fold/keyed.ts";
import { keyOfText } from "../document.ts";
import type { SessionName } from "../memory-files.ts";
import type { CurrentBullet, MemoryOp } from "../operation.ts";
import type { MemorySection } from "../section.ts";
import { draftFromState, type NotedState } from "../session/state-draft.ts";
import { markOf } from "../session-mark.ts";

export const PROBATION_MS = 30 * 24 * 3_600_000;
const STATE = { by: "state" } as const;
const TITLE_CHARS = 80;
const MAX_FILES = 6;

export function memoryFromState(state: NotedState, { session }: SessionName, now: number) {
	return (current: readonly CurrentBullet[]): MemoryOp[] => {
		const { sections, sources } = draftFromState(state, session);
		const add = (section: MemorySection, text: string, until?: number): MemoryOp => ({
			op: "add",
			section,
			text,
			until,
			source: sources?.get(text),
			...STATE,
		});
		return [
			...replacedDecisions(state, session, current),
			...sections.Decisions.map((text) => add("Decisions", text)),
			...sections.Constraints.map((text) => add("Constraints", text, now + PROBATION_MS)),
		];
	};
}

/** Removes replaced decisions from MEMORY.md. */
function replacedDecisions(state: NotedState, session: string, current: readonly CurrentBullet[]): MemoryOp[] {
	const said = new Set(
		state.decisions.superseded
			.filter((each) => each.session === session)
			.flatMap(({ text, rationale }) => [keyOfText(text), keyOfText(`${text} (${rationale})`)]),
	);
	return current
		.filter(({ section, text, by }) => section === "Decisions" && by === "state" && said.has(keyOfText(text)))
		.map(({ id }): MemoryOp => ({ op: "invalidate", id, reason: "another decision replaced it", ...STATE }));
}

/** One line per session and day. The next boundary of that day replaces it. */
export function historyFromState(state: NotedState, { session }: SessionName, day: string) {
	return (current: readonly CurrentBullet[]): MemoryOp[] => {
		const text = lineOf(state, session);
		if (text === undefined) return [];
		const mark = markOf(session);
		const known = current.find((each) => each.section === day && each.text.includes(mark));
		return known
			? [{ op: "supersede", replaces: known.id, text, ...STATE }]
			: [{ op: "add", section: day, text, ...STATE }];
	};
}

function lineOf(state: NotedState, session: string): string | undefined {
	const progress = getRecent(state.progress.sessions, session);
	const { sections } = draftFromState(state, session);
	const [title] = sections["Session Title"];
	if (!progress || title === undefined || progress.turns === 0) return undefined;
	const { files, added, removed } = progress.sinceIntent;
	const names = files.slice(-MAX_FILES).reverse().join(", ");
	const changed = files.length === 0 ? "" : ` Changed ${names} (+${added}/-${removed}).`;
	const mended = sections["Errors & Corrections"].filter((each) => each.startsWith("Was broken"));
	const open = sections["Errors & Corrections"].find((each) => each.startsWith("Open:"));
	return [
		`${cutWithEllipsis(title, TITLE_CHARS)} ${markOf(session)}: ${plural(progress.turns, "turn")}, ${plural(progress.commands, "command")}.`,
		changed.trim(),
		mended.at(-1) ?? "",
		open === undefined ? "" : `Left open: ${open.slice("Open: ".length)}`,
	]
		.filter((part) => part !== "")
		.join(" ");
}
