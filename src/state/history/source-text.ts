/**
 * The text that a model summarises: who said what, in order. Thinking is left out, pictures are mentioned, calls and
 * results name their tools. A very long stretch is cut in the middle and says so. Secrets are masked.
 */

import { plainJson } from "../../base/json/read.ts";
import { cutStart } from "../../base/text/cut.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { bytesOfTokens } from "../../base/tokens/estimate.ts";
import type { EventRecord } from "../../log/event/types.ts";
import { handleOf } from "../../log/handle.ts";
import { enclose, nameInLine } from "../../message/enclosure.ts";
import { type Block, type MessageView, viewMessage } from "../../message/view.ts";

/** More of one message does not improve the summary. */
const MAX_MESSAGE_TOKENS = 6_000;
const MAX_SOURCE_TOKENS = 24_000;

export async function sourceText(parts: Iterable<string>): Promise<string> {
	const masked: string[] = [];
	// Mask before shortening: half a secret is not recognised.
	for (const part of parts) masked.push(shorten(await maskSecrets(part), MAX_MESSAGE_TOKENS));
	return shorten(masked.join("\n\n"), MAX_SOURCE_TOKENS);
}

/** The messages among the records, one part each. */
export function* messageParts(records: Iterable<EventRecord>): Generator<string> {
	for (const record of records) {
		if (record.type !== "Message") continue;
		const view = viewMessage(record.payload);
		if (view.role !== "system") yield messagePart(view, handleOf(record));
	}
}

export function messagePart(view: MessageView, handle: string): string {
	const who = view.tool === undefined ? view.role : `${view.role} ${view.tool}`;
	const blocks = view.blocks.map(blockText).filter((text) => text !== "");
	if (view.command) blocks.push(`$ ${view.command.command}\n${view.command.output}`);
	const text = blocks.join("\n");
	const { until, end } = enclose(text, handle);
	return `[${handle} ${nameInLine(who)}${view.injected ? ", by a program" : ""}${until && `, ${until}`}]\n${text}${end}`;
}

function blockText(block: Block): string {
	switch (block.kind) {
		case "text":
			return block.text;
		case "thinking":
			return "";
		case "image":
			return "[Media attachment]";
		case "call":
			return `[calls ${block.tool}: ${plainJson(block.input)}]`;
		case "result":
			return block.isError ? `[error]\n${block.text}` : block.text;
		case "other":
			return `[${block.name}]`;
	}
}

/** Keeps the beginning and the end, with a line between them that says how much is missing. */
export function shorten(text: string, maxTokens: number): string {
	const bytes = Buffer.byteLength(text, "utf8");
	const most = bytesOfTokens(maxTokens);
	if (bytes <= most) return text;
	const units = Math.floor((most / bytes) * text.length * 0.95);
	const head = cutStart(text, Math.floor(units * 0.6));
	const tail = text.slice(text.length - Math.floor(units * 0.4)).toWellFormed();
	return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
}
