/**
 * Reading the same unchanged lines again and again after a seal: the first reading is served whole, because what was read
 * before has left; the next one points to where it stands in the conversation.
 */
import type { EventRecord } from "../event/types.ts";
import { emptyRecent, getRecent, putRecent, type Recent } from "../fold/keyed.ts";
import type { StateFold } from "../fold/state-fold.ts";
import { sha256 } from "../hash/sha256.ts";
import { handleOf, type Named, nameOf } from "../log/handle.ts";
import { UNCHANGED } from "../message/note.ts";

interface Served {
	readonly hash: string;
	/** The message that showed it last. */
	readonly message: Named;
}

interface Reads {
	sealed: boolean;
	served: Recent<Served>;
}

export interface ReadAgainState {
	/** The newest message: what was read in it comes next. */
	message: { readonly seq: number; readonly entry: string | null; readonly id: string } | null;
	sessions: Recent<Reads>;
}

const MOST_SESSIONS = 20;
const MOST_READS = 200;
/** Shorter texts are not worth a pointer. */
const LEAST_CHARS = 600;

export const readAgainFold: StateFold<ReadAgainState> = {
	name: "read-again",
	version: 3,
	initial: () => ({ message: null, sessions: emptyRecent() }),
	step(state, record) {
		if (record.type === "Message") state.message = { seq: record.seq, entry: record.entry, id: record.id };
		if (record.type !== "Seal" && record.type !== "FileRead") return;
		const key = `${record.host} ${record.session}`;
		const reads = getRecent(state.sessions, key) ?? { sealed: false, served: emptyRecent<Served>() };
		if (record.type === "Seal") {
			reads.sealed = true;
			reads.served = emptyRecent();
		} else if (state.message?.seq === record.cause)
			note(reads, record, nameOf({ ...state.message, session: record.session, host: record.host, type: "Message" }));
		putRecent(state.sessions, key, reads, MOST_SESSIONS);
	},
};

/** The text to show in place of one that stands in the conversation already; undefined: show it. */
export function pointerTo(
	state: ReadAgainState,
	of: { readonly session: string; readonly host: string },
	shown: { readonly path: string; readonly from: number; readonly to: number | null; readonly text: string },
): string | undefined {
	if (shown.text.length < LEAST_CHARS) return undefined;
	const reads = getRecent(state.sessions, `${of.host} ${of.session}`);
	if (!reads) return undefined;
	const served = getRecent(reads.served, keyOf(shown.path, shown.from, shown.to));
	if (!reads.sealed || served?.hash !== sha256(shown.text)) return undefined;
	const message = handleOf(served.message);
	return `${UNCHANGED}${shown.path} is as you read it in ${message}, further up in this conversation. If you cannot see it there, lcm_expand ${message} gives it back.`;
}

function note(reads: Reads, { payload }: EventRecord, message: Named): void {
	const { path, from, to, sliceHash: hash } = payload;
	if (typeof path !== "string" || typeof hash !== "string") return;
	const key = keyOf(path, Number(from), typeof to === "number" ? to : null);
	putRecent(reads.served, key, { hash, message }, MOST_READS);
}

function keyOf(path: string, from: number, to: number | null): string {
	return `${from}-${to ?? ""} ${path}`;
}
