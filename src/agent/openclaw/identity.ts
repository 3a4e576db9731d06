/**
 * Which message is this? OpenClaw hands messages over without ids, the same one in several calls, from several processes,
 * and not always with the same words: it writes call ids anew for a provider, and cuts results that are too long. So one
 * that says when it was written is known by that and by a key (the id of the call that it answers, or of the provider's
 * answer), and by its content where it has no such key. One without a time is known by
 * its content and the message before it: said again in the same place it is the same, said again later it is another.
 */
import { sha256 } from "../../base/hash/sha256.ts";
import type { AgentMessage } from "./contract.ts";

const HASH_CHARS = 20;

/** What is said, and by whom; equal for equal words. */
export function contentKey(message: AgentMessage): string {
	const { role, content, summary, command, output, toolCallId, customType } = message;
	const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
	const said = [role, plainIds(blocks), summary, command, output, plainId(toolCallId), customType];
	return sha256(JSON.stringify(said)).slice(0, HASH_CHARS);
}

/** Providers differ in which letters an id may have; the host leaves the others out for them. */
function plainId(id: unknown): unknown {
	return typeof id === "string" ? id.replace(/[^a-zA-Z0-9]/g, "") : id;
}

function plainIds(blocks: unknown): unknown {
	if (!Array.isArray(blocks)) return blocks;
	return blocks.map((block) => (block?.type === "toolCall" ? { ...block, id: plainId(block.id) } : block));
}

/** What the host itself calls it; undefined: only its content tells. */
function hostKey({ role, toolCallId, responseId }: AgentMessage): string | undefined {
	const key = { toolResult: plainId(toolCallId), assistant: responseId }[role];
	return typeof key === "string" && key !== "" ? `${role} ${key}` : undefined;
}

/** Undefined: nothing but its place tells it from one that says the same. */
export function stampOf({ timestamp, id }: AgentMessage): string | undefined {
	const said = [timestamp, id].filter((value) => typeof value === "number" || (typeof value === "string" && value));
	return said.length > 0 ? said.join(" ") : undefined;
}

/** Entries for messages in their order; `before`: entry of the message before the first of them. */
export function nameMessages(messages: readonly AgentMessage[], before?: string): string[] {
	const times = new Map<string, number>();
	let last = before ?? "";
	return messages.map((message) => {
		const stamp = stampOf(message);
		const content = contentKey(message);
		if (stamp === undefined) last = `oc:${short(`${last} ${content}`)}`;
		else {
			const name = `oc:${short(`${stamp} ${hostKey(message) ?? content}`)}`;
			const nth = (times.get(name) ?? 0) + 1;
			times.set(name, nth);
			last = nth === 1 ? name : `${name}.${nth}`;
		}
		return last;
	});
}

/**
 * How many of the messages are those that the session ends with: the most for which the end of one is the beginning of
 * the other. `known`: what stands there, the newest last.
 */
export function overlap(known: readonly string[], contents: readonly string[]): number {
	for (let count = Math.min(known.length, contents.length); count > 0; count--) {
		const end = known.slice(known.length - count);
		if (end.every((content, at) => content === contents[at])) return count;
	}
	return 0;
}

function short(text: string): string {
	return sha256(text).slice(0, HASH_CHARS);
}
