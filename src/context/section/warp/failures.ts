/** What is broken. Always present, the newest first; the least of a failure is its name. */
import { oneLine } from "../../../text/printable.ts";
import type { Failure } from "../../../work/failure/fold.ts";
import { bytesOf, type ContextItem, cutToBytes, Room, type Section, tokensOf } from "../section.ts";
import type { WarpInput } from "./input.ts";

const NAME_BYTES = 240;
const LEAST_NAME_BYTES = 60;
const MESSAGE_BYTES = 400;
const NOTICE_BYTES = 90;

export function renderFailures({ state }: WarpInput, bytes: number): Section {
	const failures = [...state.failures.failures.open].sort(
		(one, other) => other.lastSeq - one.lastSeq || (one.id < other.id ? -1 : 1),
	);
	const more = state.failures.failures.dropped;
	const title = ["", failures.length === 0 ? "Open Failures (0): none" : `Open Failures (${failures.length}):`];
	const room = new Room(bytes - (failures.length > 0 ? NOTICE_BYTES : 0));
	room.add(...title);
	const items: ContextItem[] = [];
	let left = 0;
	for (const [index, failure] of failures.entries()) {
		const name = heading(failure, NAME_BYTES);
		const forms = [[name, ...detail(failure)], [name]];
		if (index === 0) forms.push([heading(failure, Math.max(LEAST_NAME_BYTES, room.left - 40))]);
		const shown = left === 0 ? forms.find((lines) => room.add(...lines)) : undefined;
		if (!shown) left++;
		items.push({
			id: `failure:${failure.id}`,
			kind: "failure",
			tokens: tokensOf(shown ?? forms[0]!),
			why: shown ? "open" : "open, but its section's share was used up",
			included: shown !== undefined,
			handle: failure.lastHandle,
		});
	}
	const notice =
		left > 0 ? [`  … ${left} more, older: weft state`] : more > 0 ? [`  … ${more} more were too many to keep`] : [];
	return { lines: [...room.lines, ...(bytesOf(notice) <= NOTICE_BYTES ? notice : [])], items };
}

export function heading(failure: Failure, bytes: number): string {
	const notes = [
		`attempt ${failure.attempts}`,
		failure.repeats > 0 ? `repeated ${failure.repeats}× without a change` : "",
		failure.regressions > 0 ? `regressed ${failure.regressions}×` : "",
		failure.flaky ? "flaky" : "",
	].filter((note) => note !== "");
	return `${shortName(failure, bytes)} (${notes.join(", ")})`;
}

/** `tool:command:8 hex`, the command cut where it is long; the hex digits always stay. */
export function shortName(failure: Failure, bytes: number): string {
	const name = oneLine(failure.id);
	const end = name.slice(name.lastIndexOf(":"));
	return cutToBytes(name.slice(0, name.length - end.length), Math.max(1, bytes - Buffer.byteLength(end))) + end;
}

function detail(failure: Failure): string[] {
	const words = [failure.unit, failure.class, failure.message].filter((word) => word !== null && word.trim() !== "");
	return words.length === 0 ? [] : [`  ${cutToBytes(oneLine(words.join(": ")), MESSAGE_BYTES)}`];
}
