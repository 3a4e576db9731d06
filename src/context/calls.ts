/** The calls of the model that a log tells of: each answer, and where the agent stood when it asked. */
import type { EventRecord } from "../event/types.ts";
import type { Log } from "../log/log.ts";
import { answerId } from "../message/sent.ts";
import { viewMessage } from "../message/view.ts";
import type { SessionRef, Tree } from "../session/tree.ts";
import type { RecordedCall } from "./walk.ts";

export interface AnsweredCall extends RecordedCall {
	/** The answer's lines; more than one where the host wrote it so. */
	readonly answer: readonly EventRecord[];
}

/** All calls of these sessions, in the order of the log. Side chains are sessions of their own. */
export function* readCalls(log: Log, tree: Tree, sessions: ReadonlySet<string>): Generator<AnsweredCall> {
	tree.catchUp();
	const waiting = new Map<string, EventRecord[]>();
	const calls: AnsweredCall[] = [];
	for (const record of log.read({ types: ["Message"] })) {
		if (!sessions.has(record.session) || !isAnswer(record)) continue;
		const id = answerId(record.payload);
		const before = id === undefined ? undefined : waiting.get(`${record.session} ${id}`);
		if (before) {
			before.push(record);
			continue;
		}
		const answer = [record];
		if (id !== undefined) waiting.set(`${record.session} ${id}`, answer);
		calls.push({ ...callAt(tree, record.seq, record), answer });
	}
	yield* calls;
}

/** The calls on the way to an entry, oldest first. */
export function callsTo(log: Log, tree: Tree, session: SessionRef, leaf: number | undefined): RecordedCall[] {
	const calls: RecordedCall[] = [];
	const first = new Map<string, number>();
	for (const { seq, role } of tree.upward(leaf ?? null)) {
		const record = role === "assistant" ? log.get(seq) : undefined;
		if (!record || !isAnswer(record)) continue;
		const id = answerId(record.payload);
		// Of an answer in several lines the first counts: it comes last on the way up.
		const known = id === undefined ? undefined : first.get(id);
		if (known !== undefined) calls[known] = callAt(tree, seq, session);
		else {
			if (id !== undefined) first.set(id, calls.length);
			calls.push(callAt(tree, seq, session));
		}
	}
	return calls.sort((one, other) => one.upTo - other.upTo);
}

function callAt(tree: Tree, seq: number, { session, host }: SessionRef): RecordedCall {
	return { session: { session, host }, leaf: tree.get(seq)?.parent ?? undefined, upTo: seq - 1 };
}

/** What Claude Code says by itself, of an error or an interruption, was not a call. */
function isAnswer({ payload }: EventRecord): boolean {
	return payload["role"] === "assistant" && viewMessage(payload).model !== "<synthetic>";
}
