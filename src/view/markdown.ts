/**
 * A session for reading: what was said, what was called, what came back, the whole of it. Everything passes through
 * `mask`, because such a page is made to be given away.
 */
import type { EventRecord } from "../event/types.ts";
import type { Log } from "../log/log.ts";
import { type Block, viewMessage } from "../message/view.ts";
import type { SessionState } from "../session/fold.ts";
import { formatCount } from "../text/bytes.ts";
import { printable } from "../text/printable.ts";
import { formatTime } from "../text/time.ts";

export async function* sessionMarkdown(
	log: Log,
	session: SessionState,
	mask: (text: string) => Promise<string>,
): AsyncGenerator<string> {
	yield `# Session ${session.session}`;
	yield "";
	yield `${session.host}, ${formatTime(session.first_ts)} to ${formatTime(session.last_ts)}, ${formatCount(session.messages)} messages${session.cwd ? `, in ${await mask(session.cwd)}` : ""}`;
	for (const record of log.read({ session: session.session, types: ["Message"] })) {
		const text = messageMarkdown(record);
		if (text !== "") yield `\n${await mask(text)}`;
	}
}

function messageMarkdown(record: EventRecord): string {
	const view = viewMessage(record.payload);
	const parts = view.blocks.map(blockMarkdown).filter((part) => part !== "");
	if (view.command) parts.push(fenced(`$ ${view.command.command}\n${view.command.output}`));
	if (parts.length === 0) return "";
	const who = view.tool ? `${view.role}: ${view.tool}` : view.role;
	return [`## ${who} · ${formatTime(record.ts)} · #${record.seq}`, ...parts].join("\n\n");
}

function blockMarkdown(block: Block): string {
	switch (block.kind) {
		case "text":
			return printable(block.text);
		case "thinking":
			return block.text === "" ? "" : `<details><summary>thinking</summary>\n\n${printable(block.text)}\n\n</details>`;
		case "call":
			return `**${block.tool}**\n\n${fenced(JSON.stringify(block.input, null, 2) ?? "", "json")}`;
		case "result":
			return `${block.isError ? "Failed:\n\n" : ""}${fenced(block.text)}`;
		case "image":
			return "*(image)*";
		case "other":
			return `*(${block.name})*`;
	}
}

/** A fence longer than any in the text, so that the text cannot end it. */
function fenced(text: string, language = ""): string {
	const shown = printable(text).trimEnd();
	const longest = Math.max(2, ...[...shown.matchAll(/`{3,}/g)].map(([run]) => run.length));
	const fence = "`".repeat(longest + 1);
	return `${fence}${language}\n${shown}\n${fence}`;
}
