/** The model calls in a log: each answer, and the entry before it. */

import { asObject } from "../base/json/read.ts";
import type { PriceList, Prices } from "../base/tokens/prices.ts";
import type { EventRecord } from "../log/event/types.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { answerId } from "../message/outgoing-message.ts";
import { viewMessage } from "../message/view.ts";
import type { Tree } from "../state/session/tree.ts";
import { SessionPrices } from "./session-prices.ts";

/** A model call in a recorded session. */
export interface RecordedCall {
	readonly session: SessionRef;
	/** seq of the newest entry when the call was made; undefined: the session was empty. */
	readonly leaf: number | undefined;
	/** The newest event that it could know. */
	readonly upTo: number;
	/** The model, if its answer names it. */
	readonly model?: string | undefined;
}

export interface AnsweredCall extends RecordedCall {
	/** The answer's lines; several where the agent wrote it so. */
	readonly answer: readonly EventRecord[];
}

/** All calls of these sessions, in the order of the log. Side chains are sessions of their own. */
export function readCalls(log: Log, tree: Tree, sessions: readonly SessionRef[]): AnsweredCall[] {
	tree.catchUp();
	const calls = sessions.flatMap((session) => callsOf(log, tree, session));
	return calls.sort((one, other) => one.upTo - other.upTo);
}

function callsOf(log: Log, tree: Tree, { session, host }: SessionRef): AnsweredCall[] {
	const calls: AnsweredCall[] = [];
	const answers = new Map<string, EventRecord[]>();
	for (const record of log.read({ session, host, types: ["Message"] })) {
		if (!isAnswer(record)) continue;
		const id = answerId(record.payload);
		const before = id === undefined ? undefined : answers.get(id);
		if (before) {
			before.push(record);
			continue;
		}
		const answer = [record];
		if (id !== undefined) answers.set(id, answer);
		const leaf = tree.get(record.seq)?.parent ?? undefined;
		const { model } = viewMessage(record.payload);
		calls.push({ session: { session, host }, leaf, upTo: record.seq - 1, model, answer });
	}
	return calls;
}

/** The model that answered most often; undefined: the answers do not say. */
export function mainModel(calls: readonly AnsweredCall[]): string | undefined {
	const counts = new Map<string, number>();
	for (const { answer } of calls) {
		const model = answer[0] && viewMessage(answer[0].payload).model;
		if (model !== undefined) counts.set(model, (counts.get(model) ?? 0) + 1);
	}
	return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}

/** Prices of the main model of these calls, on their last day: the agent's own figures, else the settings and our table. */
export function mainPrices(calls: readonly AnsweredCall[], settings: PriceList = {}): Prices {
	const told = new SessionPrices(settings);
	for (const { answer } of calls) if (answer[0]) told.take(answer[0]);
	return told.of(mainModel(calls), calls.at(-1)?.answer[0]?.ts);
}

/**
 * No calls: texts that Claude Code writes itself about an error or an interruption, messages copied into a fork, and
 * calls known only by their usage.
 */
function isAnswer({ payload }: EventRecord): boolean {
	if (payload["role"] !== "assistant" || asObject(payload["raw"])?.["isCopy"] === true) return false;
	const { model, blocks } = viewMessage(payload);
	return (
		model !== "<synthetic>" && (blocks.length > 0 || payload["from"] === undefined || payload["answer"] !== undefined)
	);
}
