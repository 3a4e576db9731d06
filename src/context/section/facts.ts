/** Short lists of facts: decisions, commands, refusals and progress. */

import { commandIdentity } from "../../base/shell/identity.ts";
import { kindOf } from "../../base/shell/kind.ts";
import { plural } from "../../base/text/bytes.ts";
import { cutToBytes } from "../../base/text/cut.ts";
import { shortAge } from "../../base/text/time.ts";
import type { GuardState } from "../../guard/guard.ts";
import { getRecent } from "../../log/fold/keyed.ts";
import { wordsInLine } from "../../message/enclosure.ts";
import type { DecisionState } from "../../state/work/decision-fold.ts";
import type { ProgressState, SessionProgress } from "../../state/work/progress.ts";
import { type ListEntry, renderList, type Section, type SectionStyle } from "./section.ts";

const DECISION_BYTES = 600;
const LINE_BYTES = 240;
const MAX_BLOCKS = 5;
const MAX_COMMANDS = 5;
const MAX_FILES = 8;

export function renderDecisions({ active }: DecisionState, style: SectionStyle, bytes: number): Section {
	const entries = active.toReversed().map(({ handle, text, rationale }) => {
		const words = cutToBytes(wordsInLine(rationale ? `${text} (${rationale})` : text), DECISION_BYTES);
		const forms = [[`- ${words}${style.reference(handle)}`]];
		return { id: `decision:${handle}`, kind: "decision", why: "holds", handle, forms };
	});
	return renderList({ name: "decisions", title: "Decisions", entries }, style, bytes);
}

export function renderBlocks({ recent }: GuardState["verdicts"], style: SectionStyle, bytes: number): Section {
	const all = recent.filter((note) => note.verdict === "block").reverse();
	const entries = all.slice(0, MAX_BLOCKS).map(({ rule, tool, path, mode, ts, reason, handle }) => {
		const where = cutToBytes(wordsInLine(path === null ? tool : `${tool} ${path}`), LINE_BYTES);
		const notes = [style.now === undefined ? "" : shortAge(ts, style.now), mode === "report" ? "let pass" : ""];
		const words = notes.filter((note) => note !== "").join(", ");
		const line = `- ${rule}: ${where}${words && ` (${words})`} ${cutToBytes(wordsInLine(reason), LINE_BYTES)}`;
		return { id: `block:${handle}`, kind: "block", why: "refused lately", handle, forms: [[line]] };
	});
	return renderList(
		{ name: "blocks", title: "Policy Blocks", entries, more: all.length - entries.length },
		style,
		bytes,
	);
}

/** The commands of a session, each once with its last result. */
export function renderCommands(
	state: ProgressState,
	session: string,
	raw: string,
	style: SectionStyle,
	bytes: number,
): Section {
	const progress = getRecent(state.sessions, session);
	const recent = progress?.recentCommands.filter(({ command }) => isWork(command) && !raw.includes(command)) ?? [];
	const looks = (progress?.recentCommands.length ?? 0) - recent.length;
	const work = progress && { ...progress, recentCommands: recent, commands: progress.commands - looks };
	const { entries, more } = commandEntries(work, "- ", style);
	const title = "Commands, the newest first";
	return renderList({ name: "commands", title, entries, more, needsEntry: true }, style, bytes);
}

/** Tests, builds, programs. What a look showed is in the files, and what git did is proved elsewhere. */
function isWork(command: string): boolean {
	const { kind, parts } = commandIdentity(command);
	const isRead = parts.some(({ words }) => words.length > 1 || !words[0]?.includes(" "));
	if (kind !== "work" || isRead) return kind === "work";
	// A line that was cut cannot be parsed: its first command decides.
	const words = command.replace(/^(?:cd [^&;|]+(?:&&|;)\s*)+/, "").split(/\s+/);
	return kindOf(words, []) === "work";
}

/** How far a session has come, with its last commands. */
export function renderProgress(
	state: ProgressState,
	session: string | null,
	style: SectionStyle,
	bytes: number,
): Section {
	const known = session === null ? undefined : getRecent(state.sessions, session);
	const commands = commandEntries(known, "- ran ", style, MAX_COMMANDS);
	const entries = [...(known ? progressEntries(known) : []), ...commands.entries];
	return renderList({ name: "progress", title: "Progress", entries, more: commands.more }, style, bytes);
}

function progressEntries({ sinceIntent: since, turns }: SessionProgress): ListEntry[] {
	const failed = since.failedCommands > 0 ? `, ${since.failedCommands} failed` : "";
	const counts = `${plural(since.turns, "turn")}, ${plural(since.calls, "tool call")}, ${plural(since.commands, "command")}${failed}`;
	const far = `- since the intent: ${counts}; ${plural(turns, "turn")} in the session`;
	const names = since.files.toReversed().slice(0, MAX_FILES).map(wordsInLine).join(", ");
	const more = since.files.length > MAX_FILES ? ", …" : "";
	const changed = `- changed since the intent (+${since.added}/-${since.removed} lines): ${names}${more}`;
	const entry = { kind: "progress", why: "how far it went" };
	return [
		{ ...entry, id: "progress", forms: [[far]] },
		...(since.changes > 0 ? [{ ...entry, id: "changes", forms: [[cutToBytes(changed, LINE_BYTES * 3)]] }] : []),
	];
}

/** Both do the same, whatever folder, pipe or environment is around it. */
function sameCommand(one: string, other: string): boolean {
	return one === other || commandIdentity(one).command === commandIdentity(other).command;
}

function commandEntries(
	progress: SessionProgress | undefined,
	start: string,
	style: SectionStyle,
	most = Number.POSITIVE_INFINITY,
): { readonly entries: ListEntry[]; readonly more: number } {
	const { recentCommands = [], commands = 0 } = progress ?? {};
	const distinct = recentCommands
		.toReversed()
		.filter(({ command }, at, all) => all.findIndex((other) => sameCommand(other.command, command)) === at);
	const entries = distinct.slice(0, most).map(({ command, exit, handle }) => {
		const line = `${start}${cutToBytes(wordsInLine(command), LINE_BYTES)} → exit ${exit ?? "unknown"}${style.reference(handle)}`;
		return { id: `command:${handle}`, kind: "command", why: "ran lately", handle, forms: [[line]] };
	});
	return { entries, more: distinct.length - entries.length + Math.max(0, commands - recentCommands.length) };
}
