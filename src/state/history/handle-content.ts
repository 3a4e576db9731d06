/** The bytes behind a handle: a message as its agent wrote it, a command's output, another event's payload, a blob. */

import { asText } from "../../base/json/read.ts";
import { cutWithEllipsis } from "../../base/text/cut.ts";
import { oneLine } from "../../base/text/printable.ts";
import type { AnyPayload, EventRecord } from "../../log/event/types.ts";
import { handleOf } from "../../log/handle.ts";
import type { Log } from "../../log/log.ts";
import { splitLast } from "../../log/store/payload-text.ts";
import { viewMessage } from "../../message/view.ts";
import { blobHandle, type Handle } from "./handle.ts";

export interface HandleContent {
	/** The canonical spelling. */
	readonly handle: string;
	/** A few words for a header. */
	readonly what: string;
	readonly bytes: Buffer;
}

export type ContentLookup =
	| { readonly ok: true; readonly content: HandleContent }
	| { readonly ok: false; readonly reason: string };

/** Handles are made from content, so a handle that another log showed is unknown here. */
export function findContent(log: Log, handle: Exclude<Handle, { kind: "node" }>): ContentLookup {
	return handle.kind === "blob" ? findBlob(log, handle.hash) : findEvent(log, handle);
}

function findEvent(log: Log, { kind, id }: { readonly kind: "message" | "event"; readonly id: string }): ContentLookup {
	const seq = log.findHandle(id);
	const stored = seq === undefined ? undefined : log.getStored(seq);
	if (!stored) return missing(`There is no ${kind} ${id} in this log. It may have been shown from another one.`);
	if (stored.lost !== undefined) return missing(`${id} ${stored.lost}. 'weft repair' looks for a copy of it.`);
	const { type, text } = stored;
	const handle = handleOf(stored);
	if (kind === "event") return findOutput(log, stored.seq) ?? found(handle, type, text);
	if (type !== "Message") return missing(`${id} is not a message but a ${type}. Try ${handle}.`);
	return found(handle, speaker(text), splitLast(text, "raw") ?? text);
}

/** The whole output of a command or a tool, even if the model saw less. Undefined: the event is neither. */
function findOutput(log: Log, seq: number): ContentLookup | undefined {
	const record = log.get(seq);
	if (!record || record.cause === null || !["CommandRun", "ToolResult"].includes(record.type)) return undefined;
	const message = log.get(record.cause);
	if (message?.type !== "Message") return undefined;
	const view = viewMessage(message.payload);
	const callId = asText(record.payload["callId"]);
	const result = view.blocks.find((block) => block.kind === "result" && block.callId === callId);
	const text = result?.kind === "result" ? result.text : view.command?.output;
	if (text === undefined) return undefined;
	const whole = wholeOutput(log, record, callId);
	const what = record.type === "CommandRun" ? describeCommand(record.payload) : `result of ${record.payload["tool"]}`;
	return { ok: true, content: { handle: handleOf(record), what, bytes: whole ?? Buffer.from(text, "utf8") } };
}

/** The whole output, if it was bounded before the model saw it. */
function wholeOutput(log: Log, { session, host, cause }: EventRecord, callId: string | undefined): Buffer | undefined {
	for (const { payload, cause: from } of log.read({ session, host, types: ["ToolResult"], after: cause ?? 0 })) {
		if (from !== cause) return undefined;
		if (payload["callId"] !== callId) continue;
		const blob = asText(payload["blob"]);
		return blob === undefined ? undefined : log.getBlob(blob);
	}
	return undefined;
}

const MAX_COMMAND_CHARS = 80;

function describeCommand({ command, exit }: AnyPayload): string {
	const line = cutWithEllipsis(oneLine(asText(command) ?? ""), MAX_COMMAND_CHARS);
	return `output of \`${line}\`${typeof exit === "number" ? `, exit ${exit}` : ""}`;
}

/** Renders `toolResult/bash` from the payload's first keys: a payload may be too large to parse for that. */
function speaker(payload: string): string {
	const head = payload.slice(0, 400);
	const [role, tool] = ["role", "tool"].map((key) => new RegExp(`[{,]"${key}":"([\\w.:-]{1,80})"`).exec(head)?.[1]);
	return role === undefined ? "message" : tool === undefined ? role : `${role}/${tool}`;
}

function findBlob(log: Log, prefix: string): ContentLookup {
	const [hash, another] = log.blobHashes(prefix, 2);
	if (hash === undefined) return missing(`There is no blob whose SHA-256 begins with ${prefix}.`);
	if (another !== undefined) return missing(`More than one blob begins with ${prefix}. Give more of its SHA-256.`);
	const bytes = log.getBlob(hash);
	if (!bytes)
		return missing(`The blob ${blobHandle(hash)} ${log.blobLoss(hash)}. 'weft repair' looks for a copy of it.`);
	return { ok: true, content: { handle: blobHandle(hash), what: "blob", bytes } };
}

function found(handle: string, what: string, text: string): ContentLookup {
	return { ok: true, content: { handle, what, bytes: Buffer.from(text, "utf8") } };
}

function missing(reason: string): ContentLookup {
	return { ok: false, reason };
}
