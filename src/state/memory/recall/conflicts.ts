/**
 * Who is right. For the work in hand the session's own file comes first. For what is meant to last, what people wrote in the
 * workspace comes first. Among equals the newer one is right. The disk is right about files, whatever was written of them.
 */
import type { RecallItem, RecallKind, RecallSource } from "./item.ts";
import { termsOf } from "./terms.ts";

const LASTING: ReadonlySet<RecallKind> = new Set(["decision", "constraint", "preference", "fact"]);
const FOR_WORK: readonly RecallSource[] = ["session", "memory", "workspace", "history"];
const FOR_GOOD: readonly RecallSource[] = ["workspace", "memory", "session", "history"];
/** Two items with this share of their words say something about the same thing. */
const SAME_THING = 0.5;
const MIN_WORDS = 3;

export interface Overruled {
	readonly item: RecallItem;
	readonly by: RecallItem;
}

/**
 * What is left when of two that speak of the same thing only the more trusted stays. The order is kept. Only what stays
 * overrules: an item is never lost to one that is itself left out.
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
		const by = open.find((item) => !open.some((rival) => overrules(rival, item))) ?? open[0]!;
		kept.add(by);
		for (const item of open) if (overrules(by, item)) overruled.push({ item, by });
		open = open.filter((item) => item !== by && !overrules(by, item));
	}
	return { kept: entries.filter(({ item }) => kept.has(item)), overruled };
}

/** Of one source, lines that are alike may list different things: only the same words are the same thing. */
function isAboutSame(one: RecallItem, other: RecallItem, words: ReadonlyMap<RecallItem, ReadonlySet<string>>): boolean {
	const [mine, theirs] = [words.get(one)!, words.get(other)!];
	const shared = [...mine].filter((word) => theirs.has(word)).length;
	if (one.source === other.source || Math.min(mine.size, theirs.size) < MIN_WORDS) {
		return shared === mine.size && shared === theirs.size;
	}
	return shared / (mine.size + theirs.size - shared) >= SAME_THING;
}

function isMoreTrusted(one: RecallItem, other: RecallItem): boolean {
	// Where one of the two is meant to last, it is a question of what lasts: a question that was asked is no answer.
	const order = [one, other].some(({ kind }) => kind !== undefined && LASTING.has(kind)) ? FOR_GOOD : FOR_WORK;
	const [a, b] = [order.indexOf(one.source), order.indexOf(other.source)];
	if (a !== b) return a < b;
	if (one.kind === "message" || other.kind === "message") return false;
	const [newer, older] = [one.date ?? 0, other.date ?? 0];
	return newer === older ? one.id < other.id : newer > older;
}
