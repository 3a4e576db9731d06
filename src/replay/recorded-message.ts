/** One message of a recording, read once: the bytes that go out, the words in them, and what they weigh. */

import type { AnyPayload, EventRecord } from "../event/types.ts";
import { sha256 } from "../hash/sha256.ts";
import { asName, asObject, asText, type JsonObject } from "../json/read.ts";
import { collectWords } from "../message/form/content.ts";
import { formOf } from "../message/form/forms.ts";
import {
	type CallBlock,
	isEmpty,
	type MessageView,
	readWire,
	shownText,
	type Usage,
	viewMessage,
} from "../message/view.ts";
import { weighWire } from "../message/weigh.ts";
import { toPlain } from "../message/wire.ts";

/** A message. One answer of the model is one, even where the host wrote it as several lines. */
export interface RecordedMessage {
	/** The host's own id of it. */
	readonly id: string;
	readonly seq: number;
	readonly ts: number;
	/** user, assistant, toolResult, custom, … */
	readonly role: string;
	/** The user's own words. */
	readonly asks: boolean;
	/** As it goes out, in the host's form; undefined: the host does not send it. */
	readonly wire: JsonObject | undefined;
	/** Of its bytes: equal key, equal bytes. */
	readonly key: string;
	/** Every word in it that a model reads. */
	readonly text: string;
	readonly tokens: number;
}

/** What the model answered. */
export interface Answer extends RecordedMessage {
	/** The action: its text and the texts in its arguments, without thinking. */
	readonly said: string;
	readonly calls: readonly CallBlock[];
	readonly usage?: Usage;
	readonly model?: string;
}

/** `records`: the lines of one message; more than one only for an answer. */
export function readMessage(records: readonly EventRecord[]): RecordedMessage | Answer {
	const first = records[0]!;
	const views = records.map((record) => viewMessage(payloadOf(record)));
	const { role } = views[0]!;
	const wire = wireOf(records, views);
	const form = first.payload["form"] === "anthropic" ? "anthropic" : "pi";
	const message = {
		id: first.entry ?? handleOf(first),
		seq: first.seq,
		ts: first.ts,
		role,
		asks: role === "user" && !views[0]!.injected,
		wire,
		key: wire ? keyOf(wire) : "",
		text: wire ? shownText(readWire(wire, form)) : "",
		tokens: wire ? weighWire(wire, form) : 0,
	};
	return role === "assistant" ? { ...message, ...actionOf(views) } : message;
}

export function keyOf(wire: JsonObject): string {
	return sha256(JSON.stringify(wire)).slice(0, 24);
}

function actionOf(views: readonly MessageView[]): Pick<Answer, "said" | "calls" | "usage" | "model"> {
	const calls: CallBlock[] = [];
	const said: string[] = [];
	for (const block of views.flatMap((view) => view.blocks)) {
		if (block.kind === "text") said.push(block.text);
		if (block.kind !== "call") continue;
		calls.push(block);
		said.push(...collectWords(block.input));
	}
	const usage = views.findLast((view) => view.usage)?.usage;
	const model = views[0]?.model;
	return {
		said: said.join("\n"),
		calls,
		...(usage ? { usage } : {}),
		...(model === undefined ? {} : { model }),
	};
}

/** The host's own content blocks, whole; what it never sends (an aborted answer, a note for people) is undefined. */
function wireOf(records: readonly EventRecord[], views: readonly MessageView[]): JsonObject | undefined {
	const own = views.map(({ raw }) => raw);
	if (views.every((view) => isEmpty(view) || !view.isSent)) return undefined;
	if (records[0]!.payload["form"] === "anthropic") {
		const content = own.length === 1 ? own[0]!["content"] : own.flatMap((message) => message["content"]);
		return speaking({ role: own[0]!["role"] === "assistant" ? "assistant" : "user", content }, "anthropic");
	}
	const wire = toPlain(views[0]!, "pi");
	return wire && speaking(sentFields(wire), "pi");
}

/** Without what providers refuse, as hosts leave it out: blank texts, thinking that nobody signed, messages of nothing else. */
function speaking(wire: JsonObject, form: "anthropic" | "pi"): JsonObject | undefined {
	const { content } = wire;
	if (typeof content === "string") return content.trim() === "" ? undefined : wire;
	if (!Array.isArray(content)) return wire;
	const kept = form === "anthropic" ? content.filter((block) => !isMute(asObject(block) ?? {})) : content;
	const spoken = kept.some((block) => {
		const { type, text } = asObject(block) ?? {};
		return type !== "thinking" && type !== "redacted_thinking" && (type !== "text" || asText(text)?.trim() !== "");
	});
	// An answer of one tool and no words has its say; so has a result without output.
	if (!spoken && wire["role"] !== "toolResult") return undefined;
	const said = kept.length === content.length ? wire : { ...wire, content: kept };
	const isSigned = kept.some((block) => asName(asObject(block)?.["thinkingSignature"]) !== undefined);
	const known = ["api", "provider", "model"].every((field) => asName(wire[field]) !== undefined);
	return isSigned && !known ? formOf("pi").unsigned(said) : said;
}

function isMute(block: JsonObject): boolean {
	if (block["type"] === "text") return (asText(block["text"]) ?? "").trim() === "";
	return block["type"] === "thinking" && asName(block["signature"]) === undefined;
}

/** Who thought belongs to it: without that a signature of thinking is worth nothing. */
const SENT_FIELDS = ["role", "toolCallId", "toolName", "content", "isError", "api", "provider", "model"];

function sentFields(message: JsonObject): JsonObject {
	return Object.fromEntries(
		SENT_FIELDS.flatMap((field) => (message[field] === undefined ? [] : [[field, message[field]]])),
	);
}

/** Entries that are no messages in the log, but are sent like ones, are in Pi's form. */
function payloadOf(record: EventRecord): AnyPayload {
	return record.type === "Message" ? record.payload : { ...record.payload, form: "pi" };
}
