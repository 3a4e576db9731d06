/** Open and resolved failures, newest first. A failure is cut down to its name at most. */
import { describeExit } from "../../base/shell/exit.ts";
import { cutToBytes } from "../../base/text/cut.ts";
import { shortAge } from "../../base/text/time.ts";
import { nameInLine, wordsInLine } from "../../message/enclosure.ts";
import { currentFailures, fixedIn, isLeftOut, whatFailed } from "../../state/work/failure/lifecycle.ts";
import type { Failure, FailureState } from "../../state/work/failure/types.ts";
import type { FilesState } from "../../state/work/file-fold.ts";
import { type ListEntry, renderList, type Section, type SectionStyle } from "./section.ts";

const NAME_BYTES = 240;
const MIN_NAME_BYTES = 60;
const MESSAGE_BYTES = 400;
const MAX_RESOLVED = 3;

export function renderFailures(state: FailureState, style: SectionStyle, bytes: number): Section {
	const open = currentFailures(state).toSorted(
		(one, other) =>
			Number(isLeftOut(one)) - Number(isLeftOut(other)) || other.lastSeq - one.lastSeq || (one.id < other.id ? -1 : 1),
	);
	const entries = [...Map.groupBy(open, runOf).values()].map((failed): ListEntry => {
		const [failure] = failed as [Failure];
		const alone = [[failureHeading(failure, NAME_BYTES), detail(failure, style)]];
		const forms = [
			...(failed.length === 1 ? alone : runForms(failed as [Failure], style)),
			[failureHeading(failure, NAME_BYTES)],
			[failureHeading(failure, MIN_NAME_BYTES)],
		];
		return { id: `failure:${failure.id}`, kind: "failure", why: "open", handle: failure.lastHandle, forms };
	});
	const left = open.filter(isLeftOut).length;
	const title = `Open Failures (${open.length - left}${left === 0 ? "" : `, ${left} skipped since`})`;
	return renderList({ name: "failures", title, entries, more: state.dropped }, style, bytes);
}

/** What one run showed is told together. */
function runOf(failure: Failure): string {
	return [failure.lastHandle, failure.command, failure.cwd, isLeftOut(failure)].join("\n");
}

/** One heading, and a line for each failure; those with the same words in other files are one. */
function runForms(failed: readonly [Failure, ...Failure[]], style: SectionStyle): string[][] {
	const [{ command, exit, lastHandle }] = failed;
	const lines = [...Map.groupBy(failed, wordsOf).values()].map(([first, ...others]) => {
		if (!first) return "";
		const places = others.map((each) => placeOf(each, first)).join(", ");
		const more = places === "" ? "" : `; the same in ${places}`;
		const notes = notesOf(first);
		return `  ${cutToBytes(wordsInLine(whatFailed(first) + more), MESSAGE_BYTES)}${notes === "" ? "" : ` (${notes})`}`;
	});
	const status = exit && !isLeftOut(failed[0]) ? ` — ${describeExit(exit)}` : "";
	const skipped = isLeftOut(failed[0]) ? ", skipped since" : "";
	const heading = `bash:${cutToBytes(wordsInLine(command), NAME_BYTES)}${status} (${failed.length} in one run${skipped})${style.reference(lastHandle)}`;
	const cut = (most: number) => [heading, ...lines.slice(0, most), `  … ${lines.length - most} more`];
	return [[heading, ...lines], ...[8, 4, 2].filter((most) => most < lines.length).map(cut)];
}

function wordsOf({ id, class: kind, message }: Failure): string {
	return message === "" ? id : `${kind}\n${message}`;
}

function placeOf({ unit, file, name }: Failure, beside: Failure): string {
	return (file === beside.file ? name : file) ?? unit ?? "another place";
}

/** What failed, and what changed before it passed. */
export function renderResolved(state: FailureState, ledger: FilesState, style: SectionStyle, bytes: number): Section {
	const lately = state.resolved.slice(-MAX_RESOLVED).map((failure) => {
		const said = `${cutToBytes(wordsInLine(whatFailed(failure)), NAME_BYTES)}${fixedBy(failure, ledger)}`;
		return { failure, said: `${said}${resolvedWhen(failure, style)}` };
	});
	// What one change mended for one reason is one line, under however many names it failed.
	const entries = [...Map.groupBy(lately.toReversed(), ({ said }) => said)].flatMap(([said, [newest, ...others]]) => {
		if (!newest) return [];
		const { failure } = newest;
		const also = others.length > 0 ? ` and ${others.length} more` : "";
		const line = `- ${shortName(failure, NAME_BYTES)}${also} — ${said}`;
		const handle = failure.resolvedHandle ?? failure.lastHandle;
		return [{ id: `resolved:${failure.id}`, kind: "resolved", why: "resolved lately", handle, forms: [[line]] }];
	});
	const more = state.resolved.length - lately.length;
	const title = "Recently Resolved";
	return renderList({ name: "resolved", title, entries, more, needsEntry: true }, style, bytes);
}

function fixedBy(failure: Failure, ledger: FilesState): string {
	const files = fixedIn(failure, ledger);
	return files.length === 0 ? "" : `; fixed in ${files.map(nameInLine).join(", ")}`;
}

/** `bash:npm test:1a2b3c4d — exit 1 (attempt 2, flaky)` */
export function failureHeading(failure: Failure, bytes: number): string {
	const notes = [`attempt ${failure.attempts}`, notesOf(failure), isLeftOut(failure) ? "skipped since" : ""].filter(
		(note) => note !== "",
	);
	const exit =
		failure.state === "open" && failure.exit && !isLeftOut(failure) ? ` — ${describeExit(failure.exit)}` : "";
	return `${shortName(failure, bytes)}${exit} (${notes.join(", ")})`;
}

function notesOf({ attempts, repeats, regressions, flaky }: Failure): string {
	// One red run after a green one may be due to a change that no event tells of: a sub-agent's, a program's.
	const isFlaky = flaky && attempts > 1;
	return [
		repeats > 0 ? `${repeats} without a change before` : "",
		regressions > 0 ? `regressed ${regressions}×` : "",
		isFlaky ? "flaky" : "",
	]
		.filter((note) => note !== "")
		.join(", ");
}

/** `tool:command:8 hex`: a long command is cut, the hex digits always stay. */
function shortName(failure: Failure, bytes: number): string {
	const name = wordsInLine(failure.id);
	const end = name.slice(name.lastIndexOf(":"));
	return cutToBytes(name.slice(0, name.length - end.length), Math.max(1, bytes - Buffer.byteLength(end))) + end;
}

function detail(failure: Failure, style: SectionStyle): string {
	return `  ${cutToBytes(wordsInLine(whatFailed(failure)), MESSAGE_BYTES)}${style.reference(failure.lastHandle)}`;
}

function resolvedWhen({ resolvedTs }: Failure, { now }: SectionStyle): string {
	if (now === undefined) return "";
	return resolvedTs === null ? " (resolved)" : ` (resolved ${shortAge(resolvedTs, now)})`;
}
