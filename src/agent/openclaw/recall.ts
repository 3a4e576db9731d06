/**
 * The project's memory, as a message directly before the user's current row, which the host adds. The log stores it after
 * the message before it, so every later request has it in the same place with the same bytes.
 */

import { readTransform } from "../../context/patch/transform.ts";
import type { Plan } from "../../context/plan.ts";
import type { RequestInput } from "../../context/request.ts";
import { FIRST_RECALL, recalledAfter } from "../../context/session-patches.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { userWords } from "../../message/user-words.ts";
import { callsOf } from "../../message/view.ts";
import type { LiveSession } from "../live/session.ts";
import type { AgentMessage, AssembleParams } from "./contract.ts";
import { isRecalled, isSeed, recalledMessage } from "./own-message.ts";
import { OPENCLAW_HOST, viewOf } from "./translate.ts";

/**
 * Recalls at the beginning of a turn, when the prompt is not among the messages yet. A failure only leaves the recall out.
 * Every call of the turn looks like its first, because the host withholds the current turn, so `asked` keeps the prompts
 * that were looked up.
 */
export async function recallOnce(
	engine: Engine,
	input: RequestInput,
	{ prompt, messages, citationsMode }: AssembleParams,
	{ asked, liveOf }: Recalling,
): Promise<void> {
	if (engine.log.readOnly || !prompt?.trim()) return;
	if (!isPromptNext(messages)) return;
	const words = JSON.stringify([input.session, input.leaf, prompt]);
	if (asked.has(words)) return;
	asked.add(words);
	try {
		const session = liveOf(input);
		const moment = engine.requests.moment(input);
		const block = await session.recall(userWords(prompt, OPENCLAW_HOST), input, {
			moment,
			namesSources: citationsMode !== "off",
		});
		if (block && engine.requests.recallBefore(input, block.text, moment)) session.recalled(block);
	} catch (error) {
		engine.debug("recall", { failed: String(error) });
	}
}

export interface Recalling {
	/** Prompts that this engine has looked up. */
	readonly asked: Set<string>;
	readonly liveOf: (session: SessionRef) => LiveSession;
}

/** False if the prompt is among the messages already, as after a compaction inside a turn: nothing fits before it then. */
function isPromptNext(messages: readonly AgentMessage[]): boolean {
	const last = messages.findLast((message) => !isRecalled(message));
	if (last === undefined || isSeed(last)) return true;
	return last.role === "assistant" && callsOf(viewOf(last)).length === 0;
}

/** Memory recalled for a session's first prompt: there is no message that it could follow. */
export function firstRecalled({ log }: Engine, { session, host }: SessionRef): string | undefined {
	for (const { entry, payload } of log.read({ session, host, types: ["Transform"], limit: 1 })) {
		if (entry === FIRST_RECALL) return recalledAfter(readTransform(payload))?.text;
	}
	return undefined;
}

interface RecallPlaces {
	readonly nameOf: (message: AgentMessage) => string | undefined;
	readonly plan: Plan;
	readonly first: string | undefined;
}

export function withRecalled(
	tail: readonly AgentMessage[],
	{ nameOf, plan, first }: RecallPlaces,
): readonly AgentMessage[] {
	const after = new Map<string, string>();
	for (const item of plan.items) {
		const found = item.kind === "transform" ? recalledAfter(item.transform) : undefined;
		if (found) after.set(found.id, found.text);
	}
	const head = first === undefined ? [] : [recalledMessage(first, "root", undefined)];
	if (after.size === 0) return [...head, ...tail];
	return [
		...head,
		...tail.flatMap((message) => {
			const name = nameOf(message) ?? "";
			const text = after.get(name);
			return text === undefined ? [message] : [message, recalledMessage(text, name, message)];
		}),
	];
}
