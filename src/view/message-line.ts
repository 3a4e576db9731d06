/** A message of a request in one line: who speaks, with which tool, and how it begins. */

import { cutWithEllipsis } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import type { EnvelopeMessage } from "../context/envelope/envelope.ts";
import { guessForm, readWire } from "../message/view.ts";
import { messageParts } from "./envelope.ts";

export interface MessageLine {
	/** user, assistant, result, seed or system. */
	readonly role: string;
	readonly tool: string | null;
	readonly preview: string;
}

const PREVIEW_CHARS = 240;

export function messageLine(message: EnvelopeMessage): MessageLine {
	const { speaker, role, blocks } = readWire(message, guessForm(message));
	const called = blocks.find((block) => block.kind === "call" || block.kind === "result");
	const tool = called?.kind === "call" || called?.kind === "result" ? (called.tool ?? null) : null;
	const text = messageParts(message)
		.map((part) =>
			`${part.kind === "text" || part.kind === "result" ? "" : part.name} ${cutWithEllipsis(part.text, PREVIEW_CHARS * 2)}`.trim(),
		)
		.join(" · ");
	return {
		role: message.seed ? "seed" : speaker === "other" ? role : speaker,
		tool,
		preview: cutWithEllipsis(oneLine(text), PREVIEW_CHARS),
	};
}
