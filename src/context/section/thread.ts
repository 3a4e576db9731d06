/**
 * The thread in a seed: the requests of the session with what became of them, in their order. Every request has a line before any
 * has a second; the rest of the room goes to the sentences that say the most that is not said yet.
 */
import { cutMiddle, cutWithEllipsis } from "../../base/text/cut.ts";
import { wordsInLine } from "../../message/enclosure.ts";
import { isDecision, isFinding, setsRule } from "../../state/thread/cues.ts";
import type { SessionThread, ThreadOrder } from "../../state/thread/thread.ts";
import { bytesOf, makeSection, type Section, type SectionStyle } from "./section.ts";

const W = { edge: 1.6, outcome: 1, share: 0.15, finding: 1.3, rule: 4, words: 2, plan: 1.3, rules: 1, summary: 0.8, dead: 0.8, ...JSON.parse(process.env["TW"] ?? "{}") };

interface Candidate {
	readonly order: ThreadOrder;
	readonly slot: "asked" | "outcome" | "proof" | "said";
	readonly seq: number;
	readonly text: string;
	readonly bytes: number;
	readonly terms: readonly string[];
	readonly weight: number;
}

const TERM = /[\p{L}_$][\p{L}\p{N}_$]*(?:[./:#-][\p{L}\p{N}_$]+)+|\p{Ll}+\p{Lu}[\p{L}\p{N}_]*|[\p{L}]+_[\p{L}\p{N}_]+|#?\p{N}[\p{L}\p{N}.%]*|\p{Lu}[\p{L}\p{N}]{2,}|[\p{L}]{5,}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2,4}/gu;

function termsOf(text: string): string[] {
	return [...new Set(text.match(TERM) ?? [])];
}

export function renderThread(thread: SessionThread | undefined, raw: string, style: SectionStyle, bytes: number): Section {
	if (!thread || thread.orders.length === 0) return makeSection("thread", [], []);
	const rawTerms = new Set(termsOf(raw));
	const orders = thread.orders.filter(({ text }) => !raw.includes(text));
	const count = thread.orders.length;
	const newestSeq = thread.orders.at(-1)?.seq ?? 0;
	const chosen = new Map<ThreadOrder, Candidate[]>();
	const taken = new Map<ThreadOrder, number>();
	let free = bytes - 80;
	const take = (candidate: Candidate) => {
		chosen.set(candidate.order, [...(chosen.get(candidate.order) ?? []), candidate]);
		free -= candidate.bytes;
		taken.set(candidate.order, (taken.get(candidate.order) ?? 0) + candidate.bytes);
	};
	const candidates: Candidate[] = [];
	for (const [at, order] of thread.orders.entries()) {
		const age = count - 1 - at;
		const recency = 0.35 + 0.65 * 0.5 ** (age / 8);
		const add = (slot: Candidate["slot"], text: string, seq: number, weight: number) => {
			const line = wordsInLine(text);
			if (line.length < 3 || raw.includes(text)) return;
			candidates.push({ order, slot, seq, text: line, bytes: Buffer.byteLength(line) + 12, terms: termsOf(line), weight: weight * recency });
		};
		for (const { text, seq } of order.statements) add("said", text, seq, isFinding(text) || isDecision(text) ? W.finding : 1);
		for (const { text, seq } of order.proofs) add("proof", text, seq, 1.6);
		if (order.outcome) {
			const parts = chunks(order.outcome.text);
			for (const [at, part] of parts.entries()) {
				const isEdge = at === 0 || at === parts.length - 1;
				add("outcome", part, order.seq + 1e6 + at, isEdge ? W.edge : W.outcome);
			}
		}
		if (orders.includes(order)) {
			const [first = "", ...rest] = chunks(order.text);
			const line = wordsInLine(cutWithEllipsis(first, 400));
			take({ order, slot: "asked", seq: order.seq, text: line, bytes: Buffer.byteLength(line) + 24, terms: termsOf(line), weight: 3 });
			for (const part of rest) add("asked", part, order.seq, setsRule(part) ? W.rule : W.words);
		}
	}
	const extra = (id: string, lines: readonly string[], weight: number) => {
		const order: ThreadOrder = { handle: id, seq: -1, text: "", via: "message", statements: [], outcome: null, proofs: [], changed: [] };
		extras.push(order);
		for (const [at, text] of lines.entries()) {
			const line = wordsInLine(text);
			if (line.length < 3 || raw.includes(text)) continue;
			candidates.push({ order, slot: "said", seq: at, text: line, bytes: Buffer.byteLength(line) + 4, terms: termsOf(line), weight });
		}
	};
	const extras: ThreadOrder[] = [];
	if (thread.approved) extra(`Plan that the user saw (${thread.approved.handle})`, chunks(thread.approved.text), W.plan);
	for (const { path, handle, lines } of thread.ruleFiles) extra(`Rules in ${path} (${handle})`, lines, W.rules);
	if (thread.summary) extra(`Summary by the model (${thread.summary.handle})`, chunks(thread.summary.text), W.summary);
	extra(
		"Commands that failed, and what worked",
		thread.failedForms.toReversed().slice(0, 25).map(({ command, error, works }) => `\`${cutWithEllipsis(command, 120)}\`: ${error}${works === null ? "" : `; works: \`${cutWithEllipsis(works, 120)}\``}`),
		W.dead,
	);
	void newestSeq;
	const known = new Map<string, number>();
	const know = (terms: readonly string[]) => {
		for (const term of terms) known.set(term, (known.get(term) ?? 0) + 1);
	};
	for (const list of chosen.values()) for (const { terms } of list) know(terms);
	const gain = ({ terms, weight, bytes: size, order }: Candidate) => {
		let value = 0;
		for (const term of terms) {
			const seen = (known.get(term) ?? 0) + (rawTerms.has(term) ? 1 : 0);
			value += termWeight(term) * 0.4 ** seen;
		}
		return (weight * value) / (size + 40) / (1 + (taken.get(order) ?? 0) / (bytes * W.share));
	};
	// Lazy greedy choice: a gain only shrinks, so the best of the old gains is recomputed until it stays the best.
	let queue = candidates.map((candidate) => ({ candidate, value: gain(candidate) })).sort((a, b) => b.value - a.value);
	while (queue.length > 0 && free > 60) {
		const [top, ...rest] = queue;
		if (!top) break;
		if (top.candidate.bytes > free) {
			queue = rest;
			continue;
		}
		const value = gain(top.candidate);
		if (rest[0] && value < rest[0].value * 0.999) {
			top.value = value;
			const at = rest.findIndex((each) => each.value <= value);
			rest.splice(at === -1 ? rest.length : at, 0, top);
			queue = rest;
			continue;
		}
		take(top.candidate);
		know(top.candidate.terms);
		queue = rest;
	}
	const lines = [style.heading("The thread: each request, and what came of it")];
	for (const order of thread.orders) {
		const own = chosen.get(order);
		if (!own) continue;
		const asked = own.filter(({ slot }) => slot === "asked").map(({ text }) => text).join(" ");
		lines.push(`- (${order.handle}) ${order.via === "refusal" ? "Refused a call: " : order.via === "answer" ? "Answered: " : ""}${asked}`);
		const rest = own.filter(({ slot }) => slot !== "asked").sort((a, b) => a.seq - b.seq || (a.slot < b.slot ? 1 : -1));
		for (const { text, slot } of rest) lines.push(slot === "proof" ? `  ✓ ${text}` : `  ${text}`);
	}
	for (const order of extras) {
		const own = chosen.get(order);
		if (own) lines.push(`${order.handle}:`, ...own.sort((a, b) => a.seq - b.seq).map(({ text }) => `  ${text}`));
	}
	void bytesOf;
	void cutMiddle;
	return makeSection("thread", lines, []);
}

function termWeight(term: string): number {
	if (/\p{N}|[_./:#]|\p{Ll}\p{Lu}/u.test(term)) return 3;
	return 1;
}

/** Pieces of a text, each some sentences long. */
function chunks(text: string): string[] {
	const parts: string[] = [];
	for (const line of text.split("\n")) {
		if (line.trim() === "") continue;
		const last = parts.at(-1);
		if (last !== undefined && last.length + line.length < 260) parts[parts.length - 1] = `${last} ${line.trim()}`;
		else for (let at = 0; at < line.length; at += 400) parts.push(line.slice(at, at + 400).trim());
	}
	return parts;
}
