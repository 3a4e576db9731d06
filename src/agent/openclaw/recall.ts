/**
 * What the project remembers, as a message of ours directly before the current user row, which is the host's. It is stored
 * after the message before it, so that it stands there with the same bytes in every later request.
 */

import { readTransform } from "../../context/patch/transform.ts";
import type { Plan } from "../../context/plan.ts";
import type { RequestInput } from "../../context/request.ts";
import { FIRST_RECALL, recalledAfter } from "../../context/session-patches.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { callsOf } from "../../message/view.ts";
import type { LiveSession } from "../live/session.ts";
import type { AgentMessage, AssembleParams } from "./contract.ts";
import { isRecalled, isSeed, recalledMessage } from "./own-message.ts";
import { viewOf } from "./translate.ts";

/**
 * Where a turn begins: the user's words come beside the messages. Whatever fails, the turn goes on without it. Every call of
 * the turn looks like its first, because the host withholds what was said since. `asked`: the words that were looked up.
 */
export async function recallOnce(
	engine: Engine,
	input: RequestInput,
	{ prompt, messages, citationsMode }: AssembleParams,
	{ asked, liveOf }: Recalling,
): Promise<void> {
	if (engine.log.readOnly || !prompt?.trim()) return;
	if (!isAtRest(messages)) return;
	const words = JSON.stringify([input.session, input.leaf, prompt]);
	if (asked.has(words)) return;
	asked.add(words);
	try {
		const session = liveOf(input);
		const moment = engine.requests.moment(input);
		const block = await session.recall(prompt, input, { moment, namesSources: citationsMode !== "off" });
		if (block && engine.requests.recallBefore(input, block.text, moment)) session.recalled(block);
	} catch (error) {
		engine.debug("recall", { failed: String(error) });
	}
}

export interface Recalling {
	/** What was recalled for, by this engine. */
	readonly asked: Set<string>;
	readonly liveOf: (session: SessionRef) => LiveSession;
}

/**
 * Whether the user's words come next. Where they are among the messages already, as after a compaction inside a turn, it
 * is too late for something before them.
 */
function isAtRest(messages: readonly AgentMessage[]): boolean {
	const last = messages.findLast((message) => !isRecalled(message));
	if (last === undefined || isSeed(last)) return true;
	return last.role === "assistant" && callsOf(viewOf(last)).length === 0;
}

/** What was recalled for the first words of a session: there is no message that it could follow. */
export function firstRecalled({ log }: Engine, { session, host }: SessionRef): string | undefined {
	for (const { entry, payload } of log.read({ session, host, types: ["Transform"], limit: 1 })) {
		if (entry === FIRST_RECALL) return recalledAfter(readTransform(payload))?.text;
	}
	return undefined;
}

interface RecalledInto {
	readonly nameOf: (message: AgentMessage) => string | undefined;
	readonly plan: Plan;
	readonly first: string | undefined;
}

export function withRecalled(
	tail: readonly AgentMessage[],
	{ nameOf, plan, first }: RecalledInto,
): readonly AgentMessage[] {
	const after = new Map<string, string>();
	for (const item of plan.items) {
		const found = item.kind === "transform" ? recalledAfter(item.transform) : undefined;
		if (found) after.set(found.id, found.text);
	}
	const head = first === undefined || plan.opening ? [] : [recalledMessage(first, "root", undefined)];
	if (after.size === 0) return [...head, ...tail];
	return [
		...head,
		...tail.flatMap((message) => {
			const name = nameOf(message);
			const text = name === undefined ? undefined : after.get(name);
			return text === undefined ? [message] : [message, recalledMessage(text, name!, message)];
		}),
	];
}
