/** What must hold of an agent's requests on the wire, whoever compacts. */
import assert from "node:assert/strict";
import type { ModelRequest } from "../../test/rig/answer.ts";

interface Block {
	readonly type: string;
	readonly id?: string;
	readonly tool_use_id?: string;
}

interface Message {
	readonly role: string;
	readonly content: string | readonly Block[];
}

/** Messages without cache marks, all content as blocks. */
export function messagesOf({ json }: ModelRequest): { readonly role: string; readonly content: readonly Block[] }[] {
	return (json["messages"] as readonly Message[]).map(({ role, content }) => ({
		role,
		content: (typeof content === "string" ? [{ type: "text", text: content }] : content).map((block) => {
			const { cache_control: _, ...rest } = block as Block & { cache_control?: unknown };
			return rest;
		}),
	}));
}

/** Where a request does not extend the one before: a new epoch begins there. */
export function epochStarts(requests: readonly ModelRequest[]): number[] {
	return requests.flatMap((request, at) => {
		const before = requests[at - 1];
		return before && !extendsIt(messagesOf(before), messagesOf(request)) ? [at] : [];
	});
}

function extendsIt(before: readonly unknown[], after: readonly unknown[]): boolean {
	return before.every((message, at) => JSON.stringify(message) === JSON.stringify(after[at]));
}

/** Every call has its result in the next message of the user, and no result is without its call. */
export function assertPairs(request: ModelRequest): void {
	const messages = messagesOf(request).filter(({ role }) => role !== "system");
	for (const [at, { role, content }] of messages.entries()) {
		const calls = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
		if (role !== "assistant" || calls.length === 0) continue;
		const results = messages[at + 1]?.content.flatMap((block) =>
			block.type === "tool_result" ? [block.tool_use_id] : [],
		);
		assert.deepEqual(results?.toSorted(), calls.toSorted(), `request ${request.index}`);
	}
	const all = new Set(messages.flatMap(({ content }) => content.flatMap(({ id }) => id ?? [])));
	for (const { content } of messages)
		for (const block of content) if (block.type === "tool_result") assert.ok(all.has(block.tool_use_id ?? ""));
}
