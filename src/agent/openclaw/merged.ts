/**
 * Words that were never answered. The host shows several of the user's messages in a row as one, with the time of the
 * last, and after a compaction the newest of them stands in its prompt alone. Where a seed stands for the first of them,
 * they must be told apart again: one that was too long for the window would come back with each that follows it.
 */

import { asObject } from "../../base/json/read.ts";
import type { Plan } from "../../context/plan.ts";
import type { Engine } from "../../engine.ts";
import { isMessage, type TreeMessage } from "../../state/session/tree.ts";
import type { AgentMessage } from "./contract.ts";
import type { OpenClawSession } from "./session.ts";

/** How far back the parts are looked for. */
const MAX_STEPS_BACK = 200;

/** The messages, each that the host has put together as the log has its parts. */
export function apart(
	messages: readonly AgentMessage[],
	engine: Engine,
	session: OpenClawSession,
): readonly AgentMessage[] {
	const suspects = messages.filter(({ role, content }) => role === "user" && blocksOf(content).length > 1);
	if (suspects.length === 0) return messages;
	const said = newestFirst(engine, session).filter(({ role }) => role === "user");
	const raws = said.map(({ seq }) => rawOf(engine, seq));
	return messages.flatMap((message) => (suspects.includes(message) ? partsOf(message, raws) : [message]));
}

function partsOf(message: AgentMessage, newestFirst: readonly AgentMessage[]): readonly AgentMessage[] {
	const last = newestFirst.findIndex(({ timestamp }) => timestamp === message["timestamp"]);
	if (last < 0) return [message];
	let left = blocksOf(message["content"]);
	const parts: AgentMessage[] = [];
	for (const raw of newestFirst.slice(last)) {
		const blocks = blocksOf(raw["content"]);
		const end = left.slice(left.length - blocks.length);
		if (blocks.length === 0 || JSON.stringify(end) !== JSON.stringify(blocks)) break;
		parts.unshift(raw);
		left = left.slice(0, left.length - blocks.length);
		if (left.length === 0) return parts;
	}
	return [message];
}

/** True: nothing but answers without words lies between the newest that the host shows and what the seal keeps. */
export function isSealedWhole(
	engine: Engine,
	session: OpenClawSession,
	{ opening, messages }: Plan,
	leaf: number | undefined,
): boolean {
	const from = opening && messages[0] ? session.seqOf(messages[0].id) : undefined;
	if (from === undefined || leaf === undefined) return false;
	for (const entry of engine.history.tree.upward(from)) {
		if (entry.seq === leaf) return entry.seq !== from;
		if (entry.seq !== from && isMessage(entry) && !isWordless(rawOf(engine, entry.seq))) return false;
	}
	return false;
}

/** What the host writes down where the provider refused. */
function isWordless({ role, content }: AgentMessage): boolean {
	return role === "assistant" && blocksOf(content).length === 0;
}

function newestFirst({ history }: Engine, { ref }: OpenClawSession): TreeMessage[] {
	const found: TreeMessage[] = [];
	let steps = 0;
	for (const entry of history.tree.upward(history.tree.tip(ref) ?? null)) {
		if (++steps > MAX_STEPS_BACK) break;
		if (isMessage(entry)) found.push(entry);
	}
	return found;
}

function rawOf({ log }: Engine, seq: number): AgentMessage {
	return (asObject(log.get(seq)?.payload["raw"]) ?? { role: "" }) as AgentMessage;
}

function blocksOf(content: unknown): readonly unknown[] {
	if (typeof content === "string") return [{ type: "text", text: content }];
	return Array.isArray(content) ? content : [];
}
