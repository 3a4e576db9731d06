/**
 * Chooses the items that go to the model with the user's message, and says why the others do not. Local and deterministic:
 * the same items, text and clock give the same answer. If the ranking is close, a model may reorder the best ones; it has
 * three seconds, and its answer is optional.
 */
import { plainWords } from "../bullet.ts";
import { withoutMark } from "../session-mark.ts";
import { settleConflicts } from "./conflicts.ts";
import { evidenceOf } from "./evidence.ts";
import type { RecallItem, RecallKind, RecallSource } from "./item.ts";
import { ItemIndex } from "./item-index.ts";
import { type RecallTerm, rank } from "./rank.ts";
import { kindsAsked, rankOfKind } from "./status-question.ts";
import { termsOf } from "./terms.ts";

const SHORTLIST = 12;
const MAX_ITEMS = 6;
const BUDGET_BYTES = 4_000;
/** Higher than any rank: an item whose kind was asked for comes before all others. */
const ASKED_SCORE = 1_000;
/** With this lead of the best item no model is asked. */
const CLEAR_LEAD = 1.3;

/** In percent, added to the score. */
const PRIORITY: Readonly<Record<RecallSource, number>> = { session: 12, memory: 9, workspace: 6, history: 4 };
const SESSION_PRIORITY: Readonly<Partial<Record<RecallKind, number>>> = {
	state: 18,
	next: 17,
	error: 16,
	constraint: 15,
	intent: 15,
};
const DAY_MS = 86_400_000;
const RECENT = [
	{ days: 1, percent: 6 },
	{ days: 7, percent: 4 },
	{ days: 30, percent: 2 },
];

export interface RecallOptions {
	/** ms since the epoch. */
	readonly now: number;
	readonly maxItems?: number | undefined;
	readonly budgetBytes?: number | undefined;
	/** True: the model's context already has the item. */
	readonly isKnown?: ((item: RecallItem) => boolean) | undefined;
	/** A remark on the item's files on disk. Undefined: none. */
	readonly onDisk?: ((item: RecallItem) => string | undefined) | undefined;
	/** Returns the ids of relevant items in a better order. Undefined: no opinion. */
	readonly rerank?:
		| ((text: string, items: readonly RecallItem[]) => Promise<readonly string[] | undefined>)
		| undefined;
}

export type RecallVerdict =
	| "recalled"
	| "too little evidence"
	| "says nothing new"
	| "known already"
	| "overruled"
	| "beyond the budget"
	| "left out by the model";

export interface Considered {
	readonly item: RecallItem;
	readonly score: number;
	readonly matched: readonly string[];
	readonly evidence: number;
	readonly verdict: RecallVerdict;
	/** The item that overrules it. */
	readonly by?: string | undefined;
	/** The remark on its files on disk. */
	readonly remark?: string | undefined;
}

export interface RecallResult {
	/** Best first. */
	readonly items: readonly RecalledItem[];
	/** Number of items with enough evidence that did not fit. */
	readonly left: number;
	/** All items considered, best first. */
	readonly considered: readonly Considered[];
	readonly terms: readonly RecallTerm[];
}

export interface RecalledItem {
	readonly item: RecallItem;
	readonly remark?: string | undefined;
}

export async function recall(
	items: readonly RecallItem[],
	text: string,
	options: RecallOptions,
): Promise<RecallResult> {
	const { telling, echoes } = withoutEchoes(items, text);
	const { entries, terms } = shortlist(telling, text, options.now);
	const enough = entries.filter(({ isEnough }) => isEnough);
	const { isKnown } = options;
	const fresh = isKnown ? enough.filter(({ item }) => !isKnown(item)) : enough;
	const { kept, overruled } = settleConflicts(fresh);
	const most = options.maxItems ?? MAX_ITEMS;
	const chosen = isAmbiguous(kept, most) ? await reranked(kept, text, options) : kept;
	const fitting = withinBudget(chosen, most, options.budgetBytes ?? BUDGET_BYTES);
	const remarks = new Map(fitting.map(({ item }) => [item, options.onDisk?.(item)]));
	const verdictOf = (entry: RecallEntry): Pick<Considered, "verdict" | "by"> => {
		if (!entry.isEnough) return { verdict: "too little evidence" };
		if (!fresh.includes(entry)) return { verdict: "known already" };
		const rule = overruled.find(({ item }) => item === entry.item);
		if (rule) return { verdict: "overruled", by: rule.by.id };
		if (!chosen.includes(entry)) return { verdict: "left out by the model" };
		return { verdict: fitting.includes(entry) ? "recalled" : "beyond the budget" };
	};
	return {
		items: fitting.map(({ item }) => ({ item, remark: remarks.get(item) })),
		left: chosen.length - fitting.length,
		considered: [
			...entries.map((entry) => ({
				item: entry.item,
				score: entry.score,
				matched: entry.matched,
				evidence: entry.evidence,
				remark: remarks.get(entry.item),
				...verdictOf(entry),
			})),
			...echoes
				.slice(0, SHORTLIST)
				.map((item) => ({ item, score: 0, matched: [], evidence: 0, verdict: "says nothing new" as const })),
		],
		terms,
	};
}

interface RecallEntry {
	readonly item: RecallItem;
	readonly score: number;
	readonly matched: readonly string[];
	readonly evidence: number;
	readonly isEnough: boolean;
}

function shortlist(
	items: readonly RecallItem[],
	text: string,
	now: number,
): { readonly entries: readonly RecallEntry[]; readonly terms: readonly RecallTerm[] } {
	using index = new ItemIndex(items);
	const { ranked, terms } = rank(index, text, { limit: SHORTLIST * 2 });
	const found = new Map<RecallItem, RecallEntry>();
	for (const each of ranked) {
		const item = items[each.row];
		if (!item) continue;
		const { amount, isEnough } = evidenceOf(each, terms, items.length, { isLoose: item.kind === "message" });
		const score = each.score * (1 + priorityOf(item, now) / 100);
		found.set(item, { item, score, matched: each.matched.map(({ word }) => word), evidence: amount, isEnough });
	}
	const kinds = kindsAsked(text);
	// Only of the newest session: older next steps are done.
	const newest = items.find(({ source }) => source === "session")?.file;
	for (const item of kinds.length === 0 ? [] : items) {
		const rank = item.file === newest ? rankOfKind(item, kinds) : -1;
		if (rank < 0) continue;
		const known = found.get(item);
		const score = ASKED_SCORE - rank + (known?.score ?? 0) / ASKED_SCORE;
		found.set(item, { item, matched: [], evidence: 0, ...known, score, isEnough: true });
	}
	const order = new Map(items.map((item, at) => [item, at]));
	const placeOf = ({ item }: RecallEntry) => order.get(item) ?? 0;
	const entries = [...found.values()].sort((a, b) => b.score - a.score || placeOf(a) - placeOf(b));
	return { entries: entries.slice(0, SHORTLIST), terms };
}

function priorityOf({ source, kind, date }: RecallItem, now: number): number {
	const base = (source === "session" && kind ? SESSION_PRIORITY[kind] : undefined) ?? PRIORITY[source];
	const age = date === undefined ? Number.POSITIVE_INFINITY : (now - date) / DAY_MS;
	return base + (RECENT.find(({ days }) => age <= days)?.percent ?? 0);
}

/**
 * Removes items that only repeat the message, usually the same question asked before, and duplicates of what a session says
 * about itself. They go before anything is counted: otherwise a word would prove less each time it is asked for.
 */
function withoutEchoes(
	items: readonly RecallItem[],
	text: string,
): { readonly telling: readonly RecallItem[]; readonly echoes: readonly RecallItem[] } {
	const asked = new Set(termsOf(text, { stopWords: false }));
	const echoes: RecallItem[] = [];
	const seen = new Set<string>();
	const telling = items.filter((item) => {
		if (item.text.length > MAX_ECHO_CHARS || (item.kind !== undefined && !PASSING.has(item.kind))) return true;
		const said = withoutMark(item.text).trim();
		const key = plainWords(said);
		// "Never" matters in a rule, but not in a question.
		const isEcho = termsOf(said, { stopWords: /[?？]$/.test(said) }).every((word) => asked.has(word));
		if (isEcho) echoes.push(item);
		const isNew = !isEcho && !seen.has(key);
		seen.add(key);
		return isNew;
	});
	return { telling, echoes };
}

const MAX_ECHO_CHARS = 600;
/** Kinds that were true or wanted at one time. A title has no kind. */
const PASSING: ReadonlySet<RecallKind> = new Set(["intent", "work", "message"]);

/** True: there are more items than fit, and the first has no clear lead. */
function isAmbiguous(entries: readonly RecallEntry[], most: number): boolean {
	const [first, second] = entries;
	return entries.length > most && first !== undefined && first.score < (second?.score ?? 0) * CLEAR_LEAD;
}

/** Keeps the order if anything goes wrong. */
async function reranked(
	entries: readonly RecallEntry[],
	text: string,
	{ rerank }: RecallOptions,
): Promise<readonly RecallEntry[]> {
	if (!rerank) return entries;
	try {
		const ids = await rerank(
			text,
			entries.map(({ item }) => item),
		);
		if (!ids) return entries;
		const byId = new Map(entries.map((entry) => [entry.item.id, entry]));
		return [...new Set(ids)].flatMap((id) => byId.get(id) ?? []);
	} catch {
		return entries;
	}
}

/** Whole items only. A smaller item may still fit after a larger one did not. */
function withinBudget(entries: readonly RecallEntry[], most: number, budget: number): readonly RecallEntry[] {
	let left = budget;
	const fitting: RecallEntry[] = [];
	for (const entry of entries) {
		const bytes = Buffer.byteLength(entry.item.text) + Buffer.byteLength(entry.item.heading);
		if (fitting.length === most || bytes > left) continue;
		left -= bytes;
		fitting.push(entry);
	}
	return fitting;
}
