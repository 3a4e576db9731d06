/**
 * Folds the conversation of each session, as far as a seed needs it: the user's messages verbatim, the newest checklist, the
 * agent's last remarks. Bounded: the rest is one handle away.
 */

import { asObject, asText } from "../../base/json/read.ts";
import type { EventRecord } from "../../log/event/types.ts";
import { emptyRecent, putRecent } from "../../log/fold/keyed.ts";
import type { StateFold } from "../../log/fold/state-fold.ts";
import { handleOf } from "../../log/handle.ts";
import { type MessageView, messageText, viewMessage } from "../../message/view.ts";
import { type ConversationState, conversationIn, type SessionConversation } from "./conversation.ts";
import { isRequest } from "./intent.ts";

const MAX_SESSIONS = 20;
const MAX_USERS = 80;
const MAX_REMARKS = 8;
const MAX_USER_CHARS = 12_000;
const MAX_REMARK_CHARS = 1_500;
const MAX_PLAN_CHARS = 6_000;

export const conversationFold: StateFold<ConversationState> = {
	name: "said",
	version: 4,
	initial: () => ({ sessions: emptyRecent() }),
	step(state, record) {
		if (record.type !== "Message") return;
		const role = record.payload["role"];
		if (role !== "user" && role !== "assistant") return;
		const said = conversationIn(state, record.session) ?? {
			task: null,
			users: [],
			userCount: 0,
			plan: null,
			remarks: [],
		};
		const view = viewMessage(record.payload);
		if (role === "user") hear(said, record, view);
		else remark(said, record, view);
		putRecent(state.sessions, record.session, said, MAX_SESSIONS);
	},
};

function hear(said: SessionConversation, record: EventRecord, view: MessageView): void {
	const text = messageText(view).trim();
	if (view.injected || text === "") return;
	const handle = handleOf(record);
	if (!isRequest(text)) return;
	const words = { handle, text: bounded(text, MAX_USER_CHARS, handle) };
	said.userCount++;
	said.task ??= words;
	said.users.push(words);
	if (said.users.length > MAX_USERS) said.users.shift();
	notePlan(said, handle, text);
}

function remark(said: SessionConversation, record: EventRecord, view: MessageView): void {
	if (view.stopReason === "aborted" || view.stopReason === "error") return;
	const text = messageText(view).trim();
	if (text !== "") {
		const handle = handleOf(record);
		said.remarks.push({ handle, text: bounded(text, MAX_REMARK_CHARS, handle) });
		if (said.remarks.length > MAX_REMARKS) said.remarks.shift();
		notePlan(said, handle, text);
	}
	for (const block of view.blocks) {
		if (block.kind !== "call") continue;
		const todos = todoList(block.input);
		if (todos !== undefined) said.plan = { handle: handleOf(record), text: todos };
	}
}

function notePlan(said: SessionConversation, handle: string, text: string): void {
	const list = checklist(text);
	if (list !== undefined) said.plan = { handle, text: bounded(list, MAX_PLAN_CHARS, handle) };
}

/** Keeps the beginning and the end, with a mark between them that names the whole. */
function bounded(text: string, most: number, handle: string): string {
	if (text.length <= most) return text;
	const mark = `\n[… cut; whole: ${handle} …]\n`;
	const head = Math.floor((most - mark.length) * 0.7);
	const tail = text.slice(text.length - (most - mark.length - head));
	return `${text.slice(0, head).toWellFormed()}${mark}${tail.toWellFormed()}`;
}

/** The part of a text from its first to its last checkbox, if there are at least two and one is open. */
export function checklist(text: string): string | undefined {
	if (!text.includes("[ ]")) return undefined;
	const lines = text.split("\n");
	const boxes = lines.flatMap((line, at) => (/^\s*[-*+] \[[ xX~-]\]/.test(line) ? [at] : []));
	if (boxes.length < 2 || !lines.some((line) => /^\s*[-*+] \[ \]/.test(line))) return undefined;
	const [first = 0] = boxes;
	const heading = lines.slice(0, first).findLastIndex((line) => /^#{1,6} /.test(line));
	const from = heading >= 0 && first - heading <= 6 ? heading : first;
	return lines.slice(from, (boxes.at(-1) ?? 0) + 1).join("\n");
}

/** The list in a call of a to-do tool: items with a text and a status. */
function todoList(input: unknown): string | undefined {
	const items = asObject(input)?.["todos"];
	if (!Array.isArray(items) || items.length === 0) return undefined;
	const lines = items.flatMap((item) => {
		const fields = asObject(item) ?? {};
		const text = asText(fields["content"]) ?? asText(fields["text"]) ?? asText(fields["title"]);
		if (text === undefined) return [];
		const status = asText(fields["status"]) ?? "";
		const box = status === "completed" || status === "done" ? "x" : status === "in_progress" ? "~" : " ";
		return [`- [${box}] ${text}`];
	});
	return lines.length === 0 ? undefined : lines.join("\n").slice(0, MAX_PLAN_CHARS).toWellFormed();
}
