/**
 * Chooses the items that go to the model with the user's message, and says why the others do not. Local and deterministic:
 * the same items, text and clock give the same answer. If the ranking is close, a model may reorder the best ones; it has
 * three seconds, and its answer is optional.
 */
import { plainWords } from "../document.ts";
import { withoutMark } from "../session-mark.ts";
import { evidenceOf } from "./evidence.ts";
import { ItemIndex, type RecallItem, type RecallKind, type RecallSource } from "./item-index.ts";
import { type RecallTerm, rank } from "./rank.ts";
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
	/** The words that replaced an item's text. Undefined: it holds. */
	readonly replacedBy?: ((item: RecallItem) => string | undefined) | undefined;
	/** A remark on the item's files on disk. Undefined: none. */
	readonly onDisk?: ((item: RecallItem) => string | undefined) | undefined;
	/** Returns the ids of relevant items in a better order. Undefined: no opinion. */
	readonly rerank?:
		| ((text: string, items: readonly RecallItem[]) => Promise<readonly string[] | undefined>)
		| undefined;
}

type RecallVerdict =
	| "recalled"
	| "too little evidence"
	| "says nothing new"
	| "known already"
	| "superseded"
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
	const { entries, stale, terms } = shortlist(telling, text, options);
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
			...stale.map(({ entry, by }) => ({
				item: entry.item,
				score: entry.score,
				matched: entry.matched,
				evidence: entry.evidence,
				verdict: "superseded" as const,
				by,
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

interface Shortlist {
	readonly entries: readonly RecallEntry[];
	/** Entries that would have been on it, each with the words that replaced it. */
	readonly stale: readonly { readonly entry: RecallEntry; readonly by: string }[];
	readonly terms: readonly RecallTerm[];
}

function shortlist(items: readonly RecallItem[], text: string, { now, replacedBy }: RecallOptions): Shortlist {
	using index = new ItemIndex(items);
	const { ranked, terms } = rank(index, text, { limit: SHORTLIST * 4 });
	const found = new Map<RecallItem, RecallEntry>();
	for (const each of ranked) {
		const item = items[each.row];
		if (!item) continue;
		const { amount, isEnough } = evidenceOf(each, terms, items.length, {
			isLoose: item.kind === "message" || (item.kind === "work" && item.source === "history"),
			isKept: item.source === "memory",
		});
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
	const last = kinds === WHERE_WE_WERE ? newestWork(items) : undefined;
	if (last) found.set(last, { item: last, score: ASKED_SCORE, matched: [], evidence: 0, isEnough: true });
	const order = new Map(items.map((item, at) => [item, at]));
	const placeOf = ({ item }: RecallEntry) => order.get(item) ?? 0;
	const sorted = [...found.values()].sort((a, b) => b.score - a.score || placeOf(a) - placeOf(b));
	const entries: RecallEntry[] = [];
	const stale: { entry: RecallEntry; by: string }[] = [];
	for (const entry of sorted) {
		if (entries.length === SHORTLIST) break;
		const by = entry.isEnough ? replacedBy?.(entry.item) : undefined;
		if (by === undefined) entries.push(entry);
		else stale.push({ entry, by });
	}
	return { entries, stale, terms };
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

const LASTING: ReadonlySet<RecallKind> = new Set(["decision", "constraint", "preference", "fact"]);
const FOR_WORK: readonly RecallSource[] = ["session", "memory", "workspace", "history"];
const FOR_GOOD: readonly RecallSource[] = ["workspace", "memory", "session", "history"];
/** Two items that share this much of their words are about the same thing. */
const SAME_THING = 0.5;
const MIN_WORDS = 3;
const NO_WORDS: ReadonlySet<string> = new Set();

interface Overruled {
	readonly item: RecallItem;
	readonly by: RecallItem;
}

/**
 * Settles conflicts between items. For current work the session's own file is right. For lasting facts the workspace
 * file, which people wrote, is right. Among equals the newer one is. Of items about the same thing only the most
 * trusted stays. Keeps the order. Only items that stay overrule others: an item is never lost to one that is itself
 * dropped.
 */
function settleConflicts<Entry extends { readonly item: RecallItem }>(
	entries: readonly Entry[],
): { readonly kept: readonly Entry[]; readonly overruled: readonly Overruled[] } {
	const words = new Map(entries.map(({ item }) => [item, new Set(termsOf(item.text))]));
	const overrules = (one: RecallItem, other: RecallItem) =>
		one !== other && isAboutSame(one, other, words) && isMoreTrusted(one, other);
	const kept = new Set<RecallItem>();
	const overruled: Overruled[] = [];
	let open = entries.map(({ item }) => item);
	while (open.length > 0) {
		const by = open.find((item) => !open.some((rival) => overrules(rival, item))) ?? open[0];
		if (!by) break;
		kept.add(by);
		for (const item of open) if (overrules(by, item)) overruled.push({ item, by });
		open = open.filter((item) => item !== by && !overrules(by, item));
	}
	return { kept: entries.filter(({ item }) => kept.has(item)), overruled };
}

/** Similar lines of one source may list different things: there only equal words mean the same thing. */
function isAboutSame(one: RecallItem, other: RecallItem, words: ReadonlyMap<RecallItem, ReadonlySet<string>>): boolean {
	const [mine, theirs] = [words.get(one) ?? NO_WORDS, words.get(other) ?? NO_WORDS];
	const shared = [...mine].filter((word) => theirs.has(word)).length;
	if (one.source === other.source || Math.min(mine.size, theirs.size) < MIN_WORDS) {
		return shared === mine.size && shared === theirs.size;
	}
	return shared / (mine.size + theirs.size - shared) >= SAME_THING;
}

function isMoreTrusted(one: RecallItem, other: RecallItem): boolean {
	// If either is a lasting fact, lasting facts decide: an old question is not an answer.
	const order = [one, other].some(({ kind }) => kind !== undefined && LASTING.has(kind)) ? FOR_GOOD : FOR_WORK;
	const [a, b] = [order.indexOf(one.source), order.indexOf(other.source)];
	if (a !== b) return a < b;
	if (one.kind === "message" || other.kind === "message") return false;
	const [newer, older] = [one.date ?? 0, other.date ?? 0];
	return newer === older ? one.id < other.id : newer > older;
}

interface StatusQuestion {
	readonly asked: RegExp;
	readonly kinds: readonly RecallKind[];
}

const WHERE_WE_WERE: readonly RecallKind[] = ["state", "next"];
const WHAT_IS_NEXT: readonly RecallKind[] = ["next", "state"];

const INTENTS: readonly StatusQuestion[] = [
	{
		asked:
			/\bwhere (?:were|are) we\b|\bwhere did (?:we|i|you) (?:leave|stop)|\bleft off\b|\bwhat (?:were|was|are) (?:we|i|you) (?:doing|working)|\bpick (?:it )?up where\b|\bcatch me up\b|\bwhat(?:'s| is) the (?:current )?(?:state|status)\b|\bwo waren wir\b|\bworan (?:waren|arbeiten) wir\b|\bwie weit sind wir\b|\boù en (?:étions|sommes|étai[st]|est)\b|\bpor dónde (?:íbamos|vamos)|\bdónde (?:estábamos|quedamos|lo dejamos)|\bdove eravamo|\bwaar (?:waren|zijn) we\b|\bna czym (?:skończyli|stanę)|на ч[её]м (?:мы )?остановились|\bonde (?:paramos|estávamos)|做到哪|进展到|上次.{0,6}(?:哪|做|停)|どこまで|前回の続き|어디까지/iu,
		kinds: WHERE_WE_WERE,
	},
	{
		asked:
			/\bwhat(?:'s| is| comes| should come) next\b|\bnext steps?\b|\bwhat(?:'s| is| remains) (?:left|still open)\b|\bremains to (?:be )?do|\bwas kommt als nächstes\b|\bnächste[nr]? schritte?\b|\bwas ist noch (?:offen|zu tun)\b|\bprochaines? étapes?\b|\bsiguientes? pasos?\b|\bpróximos passos\b|下一步|还剩|次は何|次のステップ|다음 (?:단계|작업)/iu,
		kinds: WHAT_IS_NEXT,
	},
];

/** Longer texts name their subject. */
const MAX_CHARS = 160;

/**
 * Questions about the work itself ("where were we?"): they share no word with their answers. The kinds of items that a
 * question asks for without naming them.
 */
function kindsAsked(text: string): readonly RecallKind[] {
	if (text.length > MAX_CHARS) return [];
	return INTENTS.find(({ asked }) => asked.test(text))?.kinds ?? [];
}

/** The line of HISTORY.md on the newest work. */
function newestWork(items: readonly RecallItem[]): RecallItem | undefined {
	const lines = items.filter(({ source, kind }) => source === "history" && kind === "work");
	const newest = Math.max(...lines.map(({ date }) => date ?? 0));
	return lines.findLast(({ date }) => (date ?? 0) === newest);
}

/** The place of an item's kind among those asked for. -1: it was not asked for. */
function rankOfKind({ source, kind }: RecallItem, kinds: readonly RecallKind[]): number {
	return source === "session" && kind !== undefined ? kinds.indexOf(kind) : -1;
}
