/**
 * What a fold makes of events:
 *
 * ```ts
 * given(decision("tabs"), decision("spaces", { supersedes: 1 }))
 * 	.when(decisionFold, ({ active }) => active.map(({ text }) => text))
 * 	.then(["spaces"]);
 * ```
 */
import assert from "node:assert/strict";
import type { EventRecord } from "../../src/log/event/types.ts";
import type { StateFold } from "../../src/log/fold/state-fold.ts";
import { recordsOf, type SessionWords } from "./events.ts";
import { assertSame, Expectation } from "./expectation.ts";

interface FoldSpecification {
	when<State>(fold: StateFold<State>): Expectation<[expected: State]>;
	/** `ask`: the part of the state, or the question to it, that the test is about. */
	when<State, Answer>(fold: StateFold<State>, ask: (state: State) => Answer): Expectation<[expected: unknown]>;
}

export function given(...words: SessionWords): FoldSpecification {
	return {
		when: (fold: StateFold<unknown>, ask: (state: never) => unknown = (state) => state) =>
			new Expectation((expected: unknown) => {
				const state = foldRecords(fold, recordsOf(words));
				assertSame(ask(state as never), expected, `given ${typesOf(words)}, when folded by ${fold.name}:`);
			}),
	};
}

/** The state after the records, which is plain JSON. */
export function foldRecords<State>(fold: StateFold<State>, records: readonly EventRecord[]): State {
	const state = fold.initial();
	for (const record of records) fold.step(state, record);
	assert.deepEqual(JSON.parse(JSON.stringify(state)), state, "the state is plain JSON");
	return state;
}

/** The state after the words, for what a function makes of it. */
export function stateAfter<State>(fold: StateFold<State>, ...words: SessionWords): State {
	return foldRecords(fold, recordsOf(words));
}

/** `Seal, 30 Message`: events of one type in a row are counted. */
function typesOf(words: SessionWords): string {
	const runs: { readonly type: string; readonly count: number }[] = [];
	for (const { type } of recordsOf(words)) {
		const last = runs.at(-1)?.type === type ? runs.pop() : undefined;
		runs.push({ type, count: (last?.count ?? 0) + 1 });
	}
	return runs.map(({ type, count }) => (count === 1 ? type : `${count} ${type}`)).join(", ") || "nothing";
}
