/**
 * Notes: short remarks about what changed in the state of the work since an event, for the newest tool result. Each is
 * said once, because the caller moves `since` on; none is ever changed afterwards.
 */
import type { Failure, FailureState } from "../work/failure/fold.ts";

const MOST_NOTES = 5;

/** Failures that opened, came back or were resolved after `since`, by the events that `counts` lets through. */
export function failureNotes(
	state: FailureState,
	since: number,
	counts: (seq: number) => boolean = () => true,
): string[] {
	const isNew = (seq: number | null | undefined) => typeof seq === "number" && seq > since && counts(seq);
	const notes = [
		...state.open.flatMap((failure) => (isNew(failure.history.at(-1)?.seq) ? openNote(failure) : [])),
		...state.resolved.flatMap((failure) => (isNew(failure.resolvedSeq) ? [`resolved: ${failure.id}`] : [])),
	];
	if (notes.length <= MOST_NOTES) return notes;
	return [...notes.slice(0, MOST_NOTES), `and ${notes.length - MOST_NOTES} more failures changed`];
}

function openNote(failure: Failure): string[] {
	switch (failure.history.at(-1)?.what) {
		case "regressed":
			return [`came back after it was resolved: ${failure.id}`];
		case "attempt":
			return [`still failing, attempt ${failure.attempts}: ${failure.id}`];
		case "opened":
			return [`new failure: ${failure.id}`];
		default:
			return [];
	}
}
