/**
 * A Continue session as events; `docs/formats/continue.md` describes it. Its messages have no ids and no times, so their
 * position names them. One item holds a call and its result.
 */

import { asList, asName, asNumber, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { countLines } from "../../base/text/lines.ts";
import type { NewEvent } from "../../log/event/types.ts";
import { callBlock } from "../../message/dialect/openai-chat/to-pi.ts";
import { imageOfUrl, type PiBlock, textBlock } from "../../message/dialect/pi/message.ts";
import type { Usage } from "../../message/usage.ts";
import { notedRead, type ReaderNotes } from "../../state/session/reader-notes.ts";
import { SessionWriter } from "../recorded/session-writer.ts";

export const CONTINUE = "continue";

export interface ContinueSession {
	readonly session: string;
	readonly cwd: string | undefined;
	/** ms since the epoch. */
	readonly started: number;
	/** How many items the history has. */
	readonly items: number;
}

export class ContinueTranslator {
	readonly #of: ContinueSession;
	readonly #writer: SessionWriter;
	#item = 0;

	constructor(of: ContinueSession) {
		this.#of = of;
		this.#writer = new SessionWriter(CONTINUE, of.session);
	}

	translate(record: JsonObject, raw: string): NewEvent[] {
		const { cwd, started } = this.#of;
		const start = this.#writer.start({ ts: started, cwd });
		if (Array.isArray(record["history"])) return [...start, this.#writer.record("session", raw, started)];
		const ts = started + this.#item++;
		const kept = this.#writer.record("item", raw, ts);
		return [...start, kept, ...this.#read(record, `#${this.#item}`, ts, kept.entry)];
	}

	#read(item: JsonObject, entry: string, ts: number, from: string): NewEvent[] {
		const message = asObject(item["message"]) ?? {};
		const content = contentOf(message["content"]);
		switch (message["role"]) {
			case "system":
				return this.#writer.say({ entry, message: { role: "system", content }, ts, from });
			case "user":
				return this.#writer.say({ entry, message: { role: "user", content }, ts, from });
			case "assistant":
				// Continue writes the file again when the tools have answered.
				return this.#isOpen(item) ? [] : this.#answer(item, message, content, entry, ts, from);
			default:
				return [];
		}
	}

	#isOpen(item: JsonObject): boolean {
		const isLast = this.#item === this.#of.items;
		return isLast && statesOf(item).some(({ status }) => !/^(?:done|errored|canceled|cancelled)$/.test(String(status)));
	}

	#answer(
		item: JsonObject,
		message: JsonObject,
		said: readonly PiBlock[],
		entry: string,
		ts: number,
		from: string,
	): NewEvent[] {
		const calls = asList(message["toolCalls"]).map(callOf);
		const usage = asObject(message["usage"]);
		const model = asName(usage?.["model"]) ?? asName(asObject(message["model"])?.["model"]) ?? "unknown";
		const content = [...said, ...calls.map((call): PiBlock => ({ type: "toolCall", ...call }))];
		const events = this.#writer.say({
			entry,
			message: {
				role: "assistant",
				content,
				api: "continue",
				provider: "unknown",
				model,
				usage: usageOf(usage, model),
			},
			ts,
			from,
		});
		const states = new Map(statesOf(item).map((state) => [asName(state["toolCallId"]) ?? "", state]));
		for (const call of calls) {
			const state = states.get(call.id);
			if (!state) continue;
			const text = asList(state["output"])
				.map((part) => asText(asObject(part)?.["content"]) ?? "")
				.join("\n");
			const isError = state["status"] !== "done";
			const input = asObject(state["parsedArgs"]) ?? call.arguments;
			const noted = notesOf(call.name, input, text, isError);
			events.push(
				...this.#writer.say({
					entry: `${entry}/${call.id}`,
					message: {
						role: "toolResult",
						toolCallId: call.id,
						toolName: call.name,
						content: textBlock(text),
						isError,
						details: noted && { noted },
					},
					ts,
					from,
				}),
			);
		}
		return events;
	}
}

function statesOf(item: JsonObject): JsonObject[] {
	return asList(item["toolCallStates"]).map((state) => asObject(state) ?? {});
}

function callOf(value: unknown): { readonly id: string; readonly name: string; readonly arguments: JsonObject } {
	const { id, name, arguments: input } = callBlock(asObject(value) ?? {});
	return { id, name, arguments: asObject(input) ?? {} };
}

function contentOf(content: unknown): PiBlock[] {
	if (typeof content === "string") return textBlock(content);
	return asList(content).flatMap((value): PiBlock[] => {
		const part = asObject(value) ?? {};
		const image = imageOfUrl(asText(asObject(part["imageUrl"])?.["url"]) ?? "");
		return image ? [image] : textBlock(asText(part["text"]) ?? "");
	});
}

function notesOf(tool: string, input: JsonObject, text: string, isError: boolean): ReaderNotes | undefined {
	const path = asName(input["filepath"]) ?? asName(input["file_path"]) ?? asName(input["path"]);
	if (tool === "Bash") {
		const command = asText(input["command"]);
		const code = /\(exit code (-?\d+)\)/.exec(text.slice(0, 200))?.[1];
		const exit = code !== undefined ? Number(code) : isError ? null : 0;
		return command === undefined ? {} : { runs: [{ command, exit }] };
	}
	if (!["Read", "Edit", "MultiEdit", "Write"].includes(tool)) return undefined;
	if (isError || path === undefined) return {};
	if (tool === "Read") {
		const shown = text.replace(/^Content of [^\n]*:\n/, "");
		return { reads: [notedRead(path, 1, countLines(shown), shown)] };
	}
	const at = text.indexOf("Diff:\n");
	const patch = at === -1 ? undefined : text.slice(at + "Diff:\n".length);
	if (tool !== "Write") return { changes: [{ path, kind: "edit", patch }] };
	const created = /^Successfully created\b/.test(text);
	return { changes: [{ path, kind: "write", created, patch, content: asText(input["content"]) }] };
}

/** Anthropic's models count input without the cache, the others with it. */
function usageOf(usage: JsonObject | undefined, model: string): Usage | undefined {
	if (!usage) return undefined;
	const details = asObject(usage["prompt_tokens_details"]);
	const cacheRead = asNumber(details?.["cache_read_tokens"]) ?? asNumber(details?.["cached_tokens"]) ?? 0;
	const cacheWrite = asNumber(details?.["cache_write_tokens"]) ?? 0;
	const prompt = asNumber(usage["prompt_tokens"]) ?? 0;
	const isInside = !/claude/i.test(model) && prompt >= cacheRead + cacheWrite;
	const cents = asNumber(usage["cost_cents"]) ?? 0;
	return {
		input: isInside ? prompt - cacheRead - cacheWrite : prompt,
		output: asNumber(usage["completion_tokens"]) ?? 0,
		cacheRead,
		cacheWrite,
		cost: cents > 0 ? cents / 100 : undefined,
	};
}
