/**
 * Settles conflicts between items. For current work the session's own file is right. For lasting facts the workspace file,
 * which people wrote, is right. Among equals the newer one is.
 */
import type { RecallItem, RecallKind, RecallSource } from "./item.ts";
import { termsOf } from "./terms.ts";

const LASTING: ReadonlySet<RecallKind> = new Set(["decision", "constraint", "preference", "fact"]);
const FOR_WORK: readonly RecallSource[] = ["session", "memory", "workspace", "history"];
const FOR_GOOD: readonly RecallSource[] = ["workspace", "memory", "session", "history"];
/** Two items that share this much of their words are about the same thing. */
const SAME_THING = 0.5;
const MIN_WORDS = 3;
const NO_WORDS: ReadonlySet<string> = new Set();

export interface Overruled {
	readonly item: RecallItem;
	readonly by: RecallItem;
}

/**
 * Of items about the same thing only the most trusted stays. Keeps the order. Only items that stay overrule others: an
 * item is never lost to one that is itself dropped.
 */
export function settleConflicts<Entry extends { readonly item: RecallItem }>(
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
