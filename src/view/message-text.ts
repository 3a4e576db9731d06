/** An event as a person reads it: a message's parts one under the other, anything else as indented JSON. */
import type { EventRecord } from "../event/types.ts";
import { type Block, viewMessage } from "../message/view.ts";

export function readableText(record: EventRecord): string {
	if (record.type !== "Message") return JSON.stringify(record.payload, null, 2);
	const view = viewMessage(record.payload);
	const parts = view.blocks.map(blockText);
	if (view.command) parts.push(`$ ${view.command.command}\n${view.command.output}`);
	return parts.join("\n\n");
}

function blockText(block: Block): string {
	switch (block.kind) {
		case "text":
		case "result":
			return block.text;
		case "thinking":
			return `[thinking]\n${block.text}`;
		case "call":
			return `[call ${block.tool}]\n${JSON.stringify(block.input, null, 2)}`;
		case "image":
			return `[image${block.mimeType ? ` ${block.mimeType}` : ""}]`;
		case "other":
			return `[${block.name}]`;
	}
}
