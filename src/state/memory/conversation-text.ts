/**
 * The conversation that a model reads to write memory: the newest messages of user and agent that fit. Tool results are left
 * out, because the text of a file or a page must not write itself into memory. Recalled text is stripped, secrets are masked.
 */
import { sha256 } from "../../base/hash/sha256.ts";
import { cutStart, cutWithEllipsis } from "../../base/text/cut.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { handleOf } from "../../log/handle.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { stripRecalled } from "../../message/recall-tags.ts";
import { messageText, viewMessage } from "../../message/view.ts";
import type { History } from "../history/history.ts";
import type { ShownMessage } from "../thread/thread-ops.ts";

const MAX_MESSAGES = 400;
const MAX_CHARS = 24_000;
const MAX_MESSAGE_CHARS = 4_000;

export interface ConversationText {
	/** Empty: nothing was said. */
	readonly text: string;
	/** The messages in it by handle, whole and without secrets. */
	readonly said: ReadonlyMap<string, ShownMessage>;
}

/** Reads the path that ends at `leaf`, or at the session's newest entry. */
export async function conversation(history: History, session: SessionRef, leaf?: number): Promise<ConversationText> {
	history.catchUp();
	const parts: string[] = [];
	const whole = new Map<string, ShownMessage>();
	let left = MAX_CHARS;
	let read = 0;
	for (const { seq, role } of history.tree.upward(leaf ?? history.tree.tip(session) ?? null)) {
		if (left <= 0 || ++read > MAX_MESSAGES) break;
		if (role !== "user" && role !== "assistant") continue;
		const record = history.log.get(seq);
		const view = record && viewMessage(record.payload);
		if (!record || !view || view.injected || view.stopReason === "error") continue;
		const said = stripRecalled(messageText(view)).trim();
		const calls = view.blocks.flatMap((block) => (block.kind === "call" ? [block.tool] : []));
		const called = calls.length > 0 ? `[calls ${calls.join(", ")}]` : "";
		if (said === "" && called === "") continue;
		const masked = await maskSecrets(said);
		const words = cutWithEllipsis(masked, Math.min(left, MAX_MESSAGE_CHARS));
		if (said !== "") whole.set(handleOf(record), { role, text: masked });
		const part = `${role} ${handleOf(record)}: ${[words, called].filter((each) => each !== "").join("\n")}`;
		parts.push(part);
		left -= part.length;
	}
	return { text: parts.reverse().join("\n\n"), said: whole };
}

/** Fences a text with tags whose name depends on it, so that it cannot close them. */
export function fenced(text: string, what: string): string {
	const tag = `${what}-${sha256(text).slice(0, 12)}`;
	return `<${tag}>\n${cutStart(text, MAX_CHARS * 2)}\n</${tag}>`;
}
