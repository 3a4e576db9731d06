/**
 * A recorded session as a list of model calls, each with the way to it. Read from a log, whichever host wrote it. A call
 * names only what came since the call before it on its path: a path of ten thousand messages is never copied per call.
 */

import type { EventRecord } from "../event/types.ts";
import { asName, asObject, asText } from "../json/read.ts";
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import type { Form } from "../message/view.ts";
import { type SessionRef, Tree } from "../session/tree.ts";
import { CallNames } from "./call-names.ts";
import { type Answer, type RecordedMessage, readMessage } from "./recorded-message.ts";
import { sendable } from "./sendable.ts";

export interface RecordedCall {
	/** Ordinal of the model call, from 0, in the order of the file. */
	readonly index: number;
	readonly session: SessionRef;
	/** seq of the entry at which the agent stood when it asked; null: the session was empty. */
	readonly leaf: number | null;
	readonly answer: Answer;
	/** The call before it on its path; undefined: it is the first one there. */
	readonly before: RecordedCall | undefined;
	/** What its path has beyond that call's own, oldest first; the answer of that call among them. */
	readonly added: readonly PathStep[];
}

export type PathStep =
	| { readonly kind: "message"; readonly message: RecordedMessage }
	/** The host replaced what stood before by a summary. */
	| {
			readonly kind: "compaction";
			readonly id: string;
			readonly summary: string;
			/** Entry of the first message that stays beside the summary; undefined: none does. */
			readonly firstKept: string | undefined;
	  };

interface Node {
	readonly seq: number;
	readonly parent: number | null;
	readonly step: PathStep | undefined;
	readonly session: SessionRef;
	call?: RecordedCall;
}

/** `sessions`: those of one file, in its order. Side chains are sessions of their own: leave them out. */
export function readCalls(log: Log, sessions: readonly string[], format: Form): RecordedCall[] {
	const nodes = new Map<number, Node>();
	const calls: RecordedCall[] = [];
	const names = new CallNames();
	for (const node of readNodes(log, sessions)) nodes.set(node.seq, node);
	for (const node of nodes.values()) {
		const answer = answerOf(node.step);
		if (!answer) continue;
		const { before, added } = wayTo(node, nodes);
		const { session, parent: leaf } = node;
		const call = { index: calls.length, session, leaf, answer, before, added: sendable(added, format, names) };
		node.call = call;
		calls.push(call);
	}
	return calls;
}

/** Upwards as far as the newest call on the way: its path is known. */
function wayTo(node: Node, nodes: ReadonlyMap<number, Node>): Pick<RecordedCall, "before" | "added"> {
	const added: PathStep[] = [];
	for (let at = node.parent; at !== null; ) {
		const above = nodes.get(at);
		if (above?.step) added.push(above.step);
		if (above?.call) return { before: above.call, added: added.reverse() };
		// A parent always came before: a damaged entry cannot lead in circles.
		at = above && above.parent !== null && above.parent < at ? above.parent : null;
	}
	return { before: undefined, added: added.reverse() };
}

function answerOf(step: PathStep | undefined): Answer | undefined {
	if (step?.kind !== "message" || !("said" in step.message)) return undefined;
	const answer = step.message as Answer;
	// What Claude Code says by itself, of an error or an interruption, was no call.
	return answer.model === "<synthetic>" ? undefined : answer;
}

/** An answer in several lines, and the results that came between them. */
interface SplitAnswer {
	/** Index of its node. */
	readonly at: number;
	readonly records: EventRecord[];
	/** seqs of its lines and of results right behind them. */
	readonly members: Set<number>;
	newest: number;
}

/**
 * The entries of the sessions, in the order of the file. Claude Code writes one answer as several lines of one message id,
 * with tool results between them, each hung on the line of its call: the lines become one answer at the place of the
 * first, and the results follow it, whichever line they hang on.
 */
function readNodes(log: Log, sessions: readonly string[]): Node[] {
	const tree = new Tree(log);
	tree.catchUp();
	const nodes: Node[] = [];
	const answers = new Map<string, SplitAnswer>();
	const memberOf = new Map<number, SplitAnswer>();
	const byEntry = new Map<string, number>();
	const wanted = new Set(sessions);
	for (const record of log.read({ types: ["Message", "Entry"] })) {
		if (!wanted.has(record.session)) continue;
		const { seq } = record;
		const session = { session: record.session, host: record.host };
		// A session that goes on with another one's messages names its parent there.
		const elsewhere = byEntry.get(asName(record.payload["parent"]) ?? "") ?? null;
		const declared = tree.get(seq)?.parent ?? elsewhere;
		if (record.entry !== null && record.entry !== undefined) byEntry.set(record.entry, seq);
		const id = answerId(record);
		const answer = id === undefined ? undefined : answers.get(id);
		const around = answer ?? (isResult(record) && declared !== null ? memberOf.get(declared) : undefined);
		if (around) {
			const parent = around.members.has(declared ?? 0) ? around.newest : declared;
			around.members.add(seq);
			around.newest = seq;
			memberOf.set(seq, around);
			nodes.push({ seq, parent, session, step: answer ? undefined : stepOf(record) });
			if (!answer) continue;
			answer.records.push(record);
			nodes[answer.at] = { ...nodes[answer.at]!, step: { kind: "message", message: readMessage(answer.records) } };
			continue;
		}
		if (id !== undefined) {
			const split = { at: nodes.length, records: [record], members: new Set([seq]), newest: seq };
			answers.set(id, split);
			memberOf.set(seq, split);
		}
		nodes.push({ seq, parent: declared, session, step: stepOf(record) });
	}
	return nodes;
}

function isResult({ payload }: EventRecord): boolean {
	return payload["form"] === "anthropic" && payload["role"] === "toolResult";
}

/** Only hosts in Anthropic's form split an answer; elsewhere one entry is one answer. */
function answerId(record: EventRecord): string | undefined {
	if (record.payload["form"] !== "anthropic" || record.payload["role"] !== "assistant") return undefined;
	return asName(asObject(asObject(record.payload["raw"])?.["message"])?.["id"]);
}

function stepOf(record: EventRecord): PathStep | undefined {
	const raw = asObject(record.payload["raw"]) ?? {};
	if (record.type === "Entry" && record.payload["kind"] === "compaction") {
		// One of our own seals: the host by itself would not have compacted here.
		if (asObject(raw["details"])?.["weft"] !== undefined) return undefined;
		const summary = asText(raw["summary"]) ?? "";
		return { kind: "compaction", id: handleOf(record), summary, firstKept: asName(raw["firstKeptEntryId"]) };
	}
	if (record.type === "Entry" && record.payload["kind"] !== "branch_summary") return undefined;
	const message = readMessage([record]);
	if (message.role === "compactionSummary") {
		return { kind: "compaction", id: handleOf(record), summary: message.text, firstKept: undefined };
	}
	return { kind: "message", message };
}
