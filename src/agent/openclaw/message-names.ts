/**
 * Names for messages. OpenClaw hands messages over without ids, the same one in several calls and from several processes,
 * and its text may differ: the host rewrites call ids for a provider and cuts long results. So a message with a time is
 * named by that time and a key (the id of the call that it answers, or of the provider's answer), or by its content if it
 * has no key. A message without a time is named by its content and the message before it: repeated in the same place it is
 * the same message, repeated later it is another.
 */
import { sha256 } from "../../base/hash/sha256.ts";
import { asName } from "../../base/json/read.ts";
import type { AgentMessage } from "./contract.ts";

const HASH_CHARS = 20;

/** Equal for messages of the same role and content. */
export function contentKey(message: AgentMessage): string {
	const { role, content, summary, command, output, toolCallId, customType } = message;
	const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
	const parts = [role, plainIds(blocks), summary, command, output, plainId(toolCallId), customType];
	return sha256(JSON.stringify(parts)).slice(0, HASH_CHARS);
}

/** Providers allow different characters in ids; the host removes the others. */
function plainId(id: unknown): unknown {
	return typeof id === "string" ? id.replace(/[^a-zA-Z0-9]/g, "") : id;
}

function plainIds(blocks: unknown): unknown {
	if (!Array.isArray(blocks)) return blocks;
	return blocks.map((block) => (block?.type === "toolCall" ? { ...block, id: plainId(block.id) } : block));
}

/** The host's own id of it; undefined: only the content identifies it. */
function hostKey({ role, toolCallId, responseId }: AgentMessage): string | undefined {
	const key = { toolResult: plainId(toolCallId), assistant: responseId }[role];
	return typeof key === "string" && key !== "" ? `${role} ${key}` : undefined;
}

/** Undefined: only its place distinguishes it from a message with the same content. */
export function stampOf({ timestamp, id }: AgentMessage): string | undefined {
	const stamps = [timestamp, id].filter((value) => typeof value === "number" || (typeof value === "string" && value));
	return stamps.length > 0 ? stamps.join(" ") : undefined;
}

/** The host hands a message that weft changed back with this field. */
const NAME_FIELD = "weftEntry";

/** A message whose content weft changed: it keeps its name. */
export function withName(message: AgentMessage, name: string): AgentMessage {
	return { ...message, [NAME_FIELD]: name };
}

/** Names in the order of the messages. `before`: name of the message before the first. */
export function nameMessages(messages: readonly AgentMessage[], before?: string): string[] {
	const counts = new Map<string, number>();
	let last = before ?? "";
	return messages.map((message) => {
		const known = asName(message[NAME_FIELD]);
		if (known !== undefined) {
			last = known;
			return last;
		}
		const stamp = stampOf(message);
		const content = contentKey(message);
		if (stamp === undefined) last = `oc:${short(`${last} ${content}`)}`;
		else {
			const name = `oc:${short(`${stamp} ${hostKey(message) ?? content}`)}`;
			const nth = (counts.get(name) ?? 0) + 1;
			counts.set(name, nth);
			last = nth === 1 ? name : `${name}.${nth}`;
		}
		return last;
	});
}

/** The messages of one delivery without those that it has twice: the same object, or the same time and key. */
export function withoutRepeats(messages: readonly AgentMessage[]): readonly AgentMessage[] {
	const seen = new Set<unknown>();
	return messages.filter((message) => {
		const stamp = stampOf(message);
		const keys = [message, ...(stamp === undefined ? [] : [`${stamp} ${hostKey(message) ?? contentKey(message)}`])];
		const isNew = !keys.some((key) => seen.has(key));
		for (const key of keys) seen.add(key);
		return isNew;
	});
}

/** How many of the first `contents` are the last of `known`: the longest overlap of the two lists. */
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
