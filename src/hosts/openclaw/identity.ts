/**
 * Which message is this? OpenClaw hands messages over without ids, the same one in several calls, from several processes.
 * One that says when it was written is known by that and its content. One that does not is known by its content and the
 * message before it: said again in the same place it is the same, said again later it is another. Fields that the host
 * adds when it saves a message do not count.
 */
import { sha256 } from "../../hash/sha256.ts";
import type { AgentMessage } from "./contract.ts";

const HASH_CHARS = 20;

/** What is said, and by whom; equal for equal words. */
export function contentKey(message: AgentMessage): string {
	const { role, content, summary, command, output, toolCallId, customType } = message;
	const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
	return sha256(JSON.stringify([role, blocks, summary, command, output, toolCallId, customType])).slice(0, HASH_CHARS);
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
		const content = contentKey(message);
		const stamp = stampOf(message);
		if (stamp === undefined) last = `oc:${short(`${last} ${content}`)}`;
		else {
			const name = `oc:${short(`${stamp} ${content}`)}`;
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
