import assert from "node:assert/strict";
import { test } from "node:test";
import { pricesOf } from "../../tokens/prices.ts";
import type { Seal } from "./epochs.ts";
import { Epochs } from "./epochs.ts";
import type { Weave, WovenMessage } from "./weave.ts";
import { Weaver } from "./weaver.ts";

const WINDOW = 40_000;

/** A weave whose seeds are short texts; seals are those of a log that all weavers share. */
function weaver(log: Seal[], options: { readonly seedTokens?: number; readonly summarised?: string[] } = {}): Weaver {
	const { seedTokens = 500, summarised = [] } = options;
	const make = (): Weave => {
		const of = { prices: pricesOf(undefined), profile: "balanced", window: WINDOW, hidden: 20_000 } as const;
		const epochs = new Epochs({ ...of, seals: log });
		const seed = (first: number) => ({ text: `seed before ${first}`, tokens: seedTokens, sections: [] });
		return {
			epochs,
			wouldSeal: epochs.wouldSeal.bind(epochs),
			next: (messages: readonly WovenMessage[], next: never) => epochs.next(messages, next, seed),
		} as unknown as Weave;
	};
	return new Weaver({
		make,
		summarise: async ({ id }) => {
			summarised.push(id);
		},
		record: (seal) => {
			if (log.some(({ from }) => from === seal.from)) return { seqs: [1], added: 0 };
			log.push(seal);
			return { seqs: [1], added: 1 };
		},
	});
}

function path(requests: number, tokens = 1_000): WovenMessage[] {
	const messages: WovenMessage[] = [{ id: "u", role: "user", tokens: 50, text: "" }];
	for (let nth = 0; nth < requests; nth++) {
		messages.push({ id: `a${nth}`, role: "assistant", tokens: 50, text: "" });
		messages.push({ id: `r${nth}`, role: "toolResult", tokens, text: "" });
	}
	return messages;
}

const closed = (messages: readonly WovenMessage[]) =>
	messages.flatMap(({ role }, at) => (role === "assistant" ? [] : [at + 1]));

test("the same path asked twice has the same plan, whole or from its seal on", async () => {
	const one = weaver([]);
	const messages = path(40);
	const first = await one.next(messages, { cold: false });
	assert.ok(first.fresh && first.seal);
	const again = await one.next(messages, { cold: false });
	const tail = await one.next(messages.slice(first.first), { cold: false });
	assert.deepEqual([again.first, again.seal, again.tokens], [first.first, first.seal, first.tokens]);
	assert.deepEqual([tail.first, tail.seal, tail.tokens], [0, first.seal, first.tokens]);
});

test("a weaver for every request decides as one for all of them", async () => {
	const messages = path(120, 600);
	const seals = async (fresh: boolean): Promise<(string | undefined)[]> => {
		const log: Seal[] = [];
		let one = weaver(log);
		for (const end of closed(messages)) {
			if (fresh) one = weaver(log);
			await one.next(messages.slice(0, end), { cold: false });
		}
		return log.map(({ from, decision }) => `${from} ${decision.why}`);
	};
	const expected = await seals(false);
	assert.ok(expected.length > 1);
	assert.deepEqual(await seals(true), expected);
});

test("what leaves is summarised before the seal, and only then", async () => {
	const summarised: string[] = [];
	const log: Seal[] = [];
	const one = weaver(log, { summarised });
	await one.next(path(2), { cold: false });
	assert.deepEqual(summarised, []);
	await one.next(path(40), { cold: false });
	assert.deepEqual(summarised, [log[0]!.from]);
});

test("where another process has sealed at the same message, its seed is the one that counts", async () => {
	const log: Seal[] = [];
	const [one, two] = [weaver(log), weaver(log)];
	const messages = path(40);
	// Made before the other has sealed.
	await two.next(messages.slice(0, 3), { cold: false });
	const first = await one.next(messages, { cold: false });
	const second = await two.next(messages, { cold: false });
	assert.equal(log.length, 1);
	assert.equal(second.seal, log[0]);
	assert.equal(second.first, first.first);
});

test("a seal that would make the request larger is not made", async () => {
	const log: Seal[] = [];
	const one = weaver(log, { seedTokens: 5_000 });
	const messages = path(3);
	const plan = await one.next(messages, { cold: false, force: true });
	assert.deepEqual([plan.fresh, plan.seal, plan.first, log.length], [false, undefined, 0, 0]);
});

test("behind an answer nothing is asked, so nothing is paid", async () => {
	const one = weaver([]);
	const messages = path(4);
	const plan = await one.next(messages.slice(0, -1), { cold: false });
	assert.deepEqual([plan.fresh, plan.decision.regret], [false, 0]);
});
