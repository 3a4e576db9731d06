/** The output of a run: where a message holds it, and how much of it is read. */
import type { MessageView } from "../../message/message.ts";

/** Hosts bound what they show a model well below this. */
const MOST_CHARS_PER_END = 100_000;

/** What the runs of a message printed, bounded, by call id; "" for a command that the user ran by hand. */
export function outputsOf(view: MessageView): Map<string, string> {
	const outputs = new Map<string, string>();
	if (view.command) outputs.set("", boundOutput(view.command.output));
	for (const block of view.blocks) if (block.kind === "result") outputs.set(block.callId, boundOutput(block.text));
	return outputs;
}

/** Tools say what they ran at the start, and what failed at the end. Bounding a bounded text changes nothing. */
export function boundOutput(text: string): string {
	if (text.length <= 2 * MOST_CHARS_PER_END + 1) return text;
	return `${text.slice(0, MOST_CHARS_PER_END)}\n${text.slice(-MOST_CHARS_PER_END)}`.toWellFormed();
}
