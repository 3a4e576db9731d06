/**
 * Searches by a regular expression, newest first. Works in short slices, so that the rest of the process stays responsive, and
 * ends at a deadline. The result says what it did not reach.
 */
import { setImmediate as yieldToLoop } from "node:timers/promises";
import type { Candidates } from "./candidates.ts";
import { type Corpus, makeHit, searchedText } from "./corpus.ts";
import { foldText } from "./letters.ts";
import type { Pattern } from "./pattern.ts";
import type { Clause } from "./required-literals.ts";
import type { Hit, RegexQuery, RegexResult, TextRange } from "./types.ts";

/** Half of what is allowed, because the step that passes it still has to end. */
const SLICE_MS = 25;
const DEFAULT_LIMIT = 20;

export interface RegexPlan {
	readonly pattern: Pattern;
	readonly clauses: readonly Clause[];
	/** The clauses hold for the folded text. */
	readonly folded: boolean;
	readonly candidates: Candidates;
	readonly clock: Clock;
	/** Events that are not indexed yet. */
	readonly behind: number;
}

export async function findRegex(corpus: Corpus, query: RegexQuery, plan: RegexPlan): Promise<RegexResult> {
	const { candidates, clock } = plan;
	const limit = query.limit ?? DEFAULT_LIMIT;
	const hits: Hit[] = [];
	const upTo = (seq: number): RegexResult => {
		const scanned = candidates.countDownTo(seq);
		const complete = scanned === candidates.total;
		return {
			hits,
			scanned,
			total: candidates.total,
			behind: plan.behind,
			complete,
			next: complete ? undefined : seq,
		};
	};
	let last: number | undefined;
	for (let seqs = candidates.next(); seqs.length > 0; seqs = candidates.next()) {
		for (const seq of seqs) {
			if (last !== undefined && clock.isOver()) return upTo(last);
			const hit = await matchDocument(corpus, query, plan, seq);
			// Skips a text that used up the time alone; otherwise no search would get past it.
			if (hit === "undecided") return upTo(last ?? seq);
			if (hit) hits.push(hit);
			last = seq;
			if (hits.length === limit) return upTo(seq);
		}
	}
	const { total } = candidates;
	return { hits, scanned: total, total, behind: plan.behind, complete: plan.behind === 0 };
}

/** When a search must end, and when it must yield to the event loop. */
export class Clock {
	readonly #end: number;
	readonly #signal: AbortSignal | undefined;
	#sliceEnd = performance.now() + SLICE_MS;

	constructor(deadlineMs: number, signal: AbortSignal | undefined) {
		this.#end = performance.now() + deadlineMs;
		this.#signal = signal;
		signal?.throwIfAborted();
	}

	isOver(): boolean {
		return performance.now() > this.#end;
	}

	async pause(): Promise<void> {
		if (performance.now() < this.#sliceEnd) return;
		await yieldToLoop();
		this.#signal?.throwIfAborted();
		this.#sliceEnd = performance.now() + SLICE_MS;
	}
}

async function matchDocument(
	corpus: Corpus,
	query: RegexQuery,
	{ pattern, clauses, folded, clock }: RegexPlan,
	seq: number,
): Promise<Hit | "undecided" | undefined> {
	await clock.pause();
	const found = corpus.document(seq);
	if (!found) return undefined;
	const text = searchedText(found.doc, { thinking: query.thinking ?? false });
	const compared = folded ? foldText(text) : text;
	if (!clauses.every((clause) => clause.some((literal) => compared.includes(literal)))) return undefined;
	const steps = pattern.match(text);
	let step = steps.next();
	while (!step.done) {
		await clock.pause();
		if (clock.isOver()) return "undecided";
		step = steps.next();
	}
	const ranges: readonly TextRange[] | undefined = step.value;
	return ranges && makeHit(found, text, ranges, 0);
}
