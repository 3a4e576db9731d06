/** The conversation: the user's words, open plans, the agent's remarks, and summaries of the rest. */

import { cutMiddle } from "../../base/text/cut.ts";
import { newestFirst } from "../../log/fold/keyed.ts";
import { ENCLOSURE_BYTES, enclose, nameInLine, wordsInLine } from "../../message/enclosure.ts";
import type { Node } from "../../state/history/types.ts";
import type { Quote, SessionConversation } from "../../state/session/conversation.ts";
import { checklist } from "../../state/session/conversation-fold.ts";
import type { FileSource } from "../../state/work/file-source.ts";
import type { TouchState } from "../../state/work/touch-fold.ts";
import { bytesOf, type ListEntry, renderList, type Section, type SectionList, type SectionStyle } from "./section.ts";

const TASK_SHARE = 0.4;
const USER_SHARE = 0.35;
const REMARK_SHARE = 0.5;
const DOCUMENT = /\.(?:md|markdown|txt|org|rst)$/i;
const MAX_DOCUMENTS = 4;
const NEWEST_WORDS_OF = 3;
const NAMED_CHARS = 8_000;

/** Word for word: always the task, then as many of the newest messages as fit, in their order. */
export function renderUsers(
	said: SessionConversation | undefined,
	raw: string,
	style: SectionStyle,
	bytes: number,
): Section {
	const { task: first = null, users = [], userCount = 0 } = said ?? {};
	// The newest message opens the seed; messages that stay raw are not repeated.
	const told = users.filter((each, at) => at === users.length - 1 || raw.includes(each.text));
	const task = first && !told.some(({ handle }) => handle === first.handle) ? first : null;
	const others = users.filter((each) => each.handle !== first?.handle && !told.includes(each)).reverse();
	const list: SectionList = {
		name: "users",
		title: "What the user said, word for word",
		first: task ? saidEntry("user", "the task", task, bytes * TASK_SHARE, true) : undefined,
		entries: others.map((each) => saidEntry("user", "the user said it", each, bytes * USER_SHARE)),
		more: Math.max(0, userCount - others.length - told.length - (task ? 1 : 0)),
		isReversed: true,
	};
	return renderList(list, style, bytes);
}

/** The agent's findings in its own words, dead ends included. */
export function renderRemarks(
	said: SessionConversation | undefined,
	raw: string,
	style: SectionStyle,
	bytes: number,
): Section {
	const entries = (said?.remarks ?? [])
		.slice(0, -1)
		.filter(({ text }) => !raw.includes(text))
		.toReversed()
		.map((each) => saidEntry("remark", "the agent said it lately", each, bytes * REMARK_SHARE));
	return renderList({ name: "remarks", title: "What you said before that, the newest first", entries }, style, bytes);
}

function saidEntry(kind: string, why: string, { handle, text }: Quote, bytes: number, isTask = false): ListEntry {
	const { until, end } = enclose(text, handle);
	const whose = until === "" ? handle : `${handle}, ${until}`;
	const words = cutMiddle(text, until === "" ? bytes : bytes - ENCLOSURE_BYTES, handle) + end;
	return {
		id: `${kind}:${handle}`,
		kind,
		why,
		handle,
		forms: [[isTask ? `Task (${whose}): ${words}` : `- (${whose}) ${words}`]],
	};
}

/** Open plans: the newest checklist of the conversation, and those in documents that were worked on. */
export function renderPlans(
	said: SessionConversation | undefined,
	files: FileSource,
	{ touches }: TouchState,
	style: SectionStyle,
	bytes: number,
): Section {
	const title = "Open plans";
	const plans = said?.plan ? [{ ...said.plan, name: `said in ${said.plan.handle}` }] : [];
	const documents = newestFirst(touches).filter(([path]) => DOCUMENT.test(path));
	for (const [path] of documents.take(MAX_DOCUMENTS)) {
		const content = files.read(path);
		const list = content.kind === "text" ? checklist(content.text) : undefined;
		if (list !== undefined) plans.push({ name: path, text: list, handle: path });
	}
	const each = (bytes - bytesOf([style.heading(title)])) / plans.length - 1;
	const entries = plans.map(({ name, text, handle }) => {
		const { until, end } = enclose(text, handle);
		const head = `Plan (${nameInLine(name)}${until && `, ${until}`}):\n`;
		const forms = [[cutMiddle(head + text, each - bytesOf([end]), nameInLine(handle)) + end]];
		return { id: `plan:${handle}`, kind: "plan", why: "not all of it is done", handle, forms };
	});
	return renderList({ name: "plans", title, entries }, style, bytes);
}

/** A node, with what models wrote about it. */
export type HistoryNode = Node & { readonly gist?: string | undefined };

/**
 * The nodes of the history, one line each, newest first, with the handle of what has left. Texts by models get more room
 * once every node has its line.
 */
export function renderHistory(nodes: readonly HistoryNode[], style: SectionStyle, bytes: number): Section {
	const title = `Earlier stretches${style.namesTools ? " (lcm_expand with the id gives them back)" : ""}`;
	const lines = nodes.toReversed().map((node) => ({ node, short: historyLine(node, wordsInLine(node.topic)) }));
	let spare = bytes - bytesOf([style.heading(title), ...lines.map(({ short }) => short)]);
	const entries = lines.map(({ node, short }) => {
		const long = node.gist === undefined ? short : historyLine(node, wordsInLine(node.gist));
		const more = bytesOf([long]) - bytesOf([short]);
		const isLong = more > 0 && more <= spare;
		if (isLong) spare -= more;
		const { id } = node;
		const forms = [[isLong ? long : short]];
		return { id: `node:${id}`, kind: "node", why: "stands for messages that left", handle: id, forms };
	});
	return renderList({ name: "history", title, entries, way: "lcm_describe" }, style, bytes);
}

const FORBIDS =
	/\b(?:do not|don'?t|never|must not|mustn'?t|should not|shouldn'?t|without)\b[^.\n]{0,40}?\b(?:touch|chang|edit|modif|writ|updat|read|open)\w*\b([^.\n]*(?:\.\w[^.\n]*)*)/gi;

/** Files that the user said to leave alone. */
export function forbiddenNames(said: SessionConversation | undefined): ReadonlySet<string> {
	const names = new Set<string>();
	for (const { text } of said?.users ?? []) {
		for (const [, rest = ""] of text.slice(0, NAMED_CHARS).matchAll(FORBIDS)) {
			for (const [name] of rest.matchAll(/[\w@./-]*[\w-]\.[A-Za-z]\w{0,7}\b/g)) names.add(name.replace(/^\.\//, ""));
		}
	}
	return names;
}

function historyLine({ id, depth, messages }: Node, gist: string): string {
	return `- ${id} (depth ${depth}, ${messages} messages): ${gist}`;
}

/** Identifiers and file names in the newest words of the user. */
export function namedWords(said: readonly Pick<Quote, "text">[]): ReadonlySet<string> {
	const words = new Set<string>();
	for (const { text } of said.slice(-NEWEST_WORDS_OF)) {
		for (const [word] of text.slice(0, NAMED_CHARS).matchAll(/[\w$./-]{4,}/g)) {
			words.add(word.replace(/^[./-]+|[./-]+$/g, ""));
			words.add(word.slice(word.lastIndexOf("/") + 1).replace(/[.-]+$/, ""));
		}
	}
	return words;
}

const OWN_HALF_LIFE_ANSWERS = 8;
export const OWN_ANSWERS = 40;
const MAX_OWN_WEIGHT = 1.5;

/** Identifiers in the agent's newest answers, the newest first; the older, the less they weigh. */
export function ownWords(answers: Iterable<string>): ReadonlyMap<string, number> {
	const words = new Map<string, number>();
	let weight = 1;
	for (const text of answers) {
		for (const word of new Set(text.match(/[A-Za-z_$][\w$]{3,}/g))) {
			// Ordinary words do not point to a place in a file.
			if (/[A-Z_]/.test(word.slice(1))) words.set(word, Math.min(MAX_OWN_WEIGHT, (words.get(word) ?? 0) + weight));
		}
		weight *= 0.5 ** (1 / OWN_HALF_LIFE_ANSWERS);
	}
	return words;
}
