/** The messages that left: summaries of them, and the names in the words of the user and the agent. */

import { cutWithEllipsis } from "../../base/text/cut.ts";
import { wordsInLine } from "../../message/enclosure.ts";
import type { Node } from "../../state/history/types.ts";
import { sentencesOf } from "../../state/thread/sentences.ts";
import type { SessionThread } from "../../state/thread/thread.ts";
import { bytesOf, renderList, type Section, type SectionStyle } from "./section.ts";
import { laterMark } from "./thread-account.ts";

const NEWEST_WORDS_OF = 3;
const NAMED_CHARS = 8_000;

/** A node, with what models wrote about it. */
export type HistoryNode = Node & { readonly gist?: string | undefined };

/**
 * The nodes of the history, one line each, newest first, with the handle of what has left. Texts by models get more room
 * once every node has its line.
 */
export function renderHistory(
	nodes: readonly HistoryNode[],
	thread: SessionThread | undefined,
	style: SectionStyle,
	bytes: number,
): Section {
	const title = `Earlier stretches${style.namesTools ? " (lcm_expand with the id gives them back)" : ""}`;
	const lines = nodes.toReversed().map((node) => ({ node, short: historyLine(node, topicOf(node, thread)) }));
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

/** A topic quotes a request of its stretch: without the sentences that later ones replaced. */
function topicOf({ topic, first, last }: Node, thread: SessionThread | undefined): string {
	const words = wordsInLine(topic);
	const beginning = words.replace(/…$/, "").trim();
	const order = thread?.orders.find(
		({ seq, text }) => seq >= first && seq <= last && wordsInLine(text).includes(beginning),
	);
	if (!thread || !order) return words;
	const sentences = sentencesOf(order.text);
	const held = sentences.filter((sentence) => laterMark(thread, sentence, order.seq) === "");
	return held.length === sentences.length ? words : cutWithEllipsis(wordsInLine(held.join(" ")), topic.length);
}

const FORBIDS =
	/\b(?:do not|don'?t|never|must not|mustn'?t|should not|shouldn'?t|without)\b[^.\n]{0,40}?\b(?:touch|chang|edit|modif|writ|updat|read|open)\w*\b([^.\n]*(?:\.\w[^.\n]*)*)/gi;

/** Files that the user said to leave alone. */
export function forbiddenNames(orders: readonly { readonly text: string }[]): ReadonlySet<string> {
	const names = new Set<string>();
	for (const { text } of orders) {
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
export function namedWords(said: readonly { readonly text: string }[]): ReadonlySet<string> {
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
