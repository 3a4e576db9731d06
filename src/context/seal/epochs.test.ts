import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Seed } from "../section/seed/seed.ts";
import { type EpochMessage, type EpochPlan, Epochs } from "./epochs.ts";
import { ceilingTokens } from "./seal-rule.ts";

const PRICES = { input: 3, read: 0.1, write: 1.25 };
const WINDOW = 64_000;
const open = (seals?: Epochs["seals"]) =>
	new Epochs({ prices: PRICES, profile: "balanced", window: WINDOW, hidden: 5_000, ...(seals ? { seals } : {}) });

let seeds = 0;
function seed(_first: number, budget: number): Seed {
	return { text: `seed ${++seeds}`, tokens: Math.min(budget, 6_000), sections: [] };
}

/** Turns of an answer with results, now and then a user message; closed, as before every request. */
const session = fc
	.array(
		fc.record({
			user: fc.option(fc.integer({ min: 1, max: 3_000 }), { nil: undefined, freq: 3 }),
			answer: fc.integer({ min: 10, max: 1_500 }),
			results: fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 3 }),
			cold: fc.boolean(),
		}),
		{ minLength: 1, maxLength: 80 },
	)
	.map((turns) => {
		const messages: EpochMessage[] = [];
		const add = (role: string, tokens: number) => messages.push({ id: `m${messages.length}`, role, tokens });
		add("user", 200);
		const requests: { count: number; cold: boolean }[] = [{ count: 1, cold: false }];
		for (const turn of turns) {
			add("assistant", turn.answer);
			for (const tokens of turn.results) add("toolResult", tokens);
			if (turn.user !== undefined) add("user", turn.user);
			requests.push({ count: messages.length, cold: turn.cold });
		}
		return { messages, requests };
	});

function sent(plan: EpochPlan, messages: readonly EpochMessage[]): string[] {
	return [...(plan.seal ? [plan.seal.seed.text] : []), ...messages.slice(plan.first).map((message) => message.id)];
}

test("inside an epoch every request extends the one before; a seal is never silent", () => {
	fc.assert(
		fc.property(session, ({ messages, requests }) => {
			const epochs = open();
			let last: string[] = [];
			for (const { count, cold } of requests) {
				const path = messages.slice(0, count);
				const plan = epochs.next(path, { cold }, seed);
				const now = sent(plan, path);
				if (!plan.fresh) assert.deepEqual(now.slice(0, last.length), last);
				else assert.ok(plan.seal && ["regret", "ceiling", "cold-cache"].includes(plan.decision.why));
				last = now;
			}
		}),
	);
});

test("no request starts with a tool's result, and the newest turn is always whole", () => {
	fc.assert(
		fc.property(session, ({ messages, requests }) => {
			const epochs = open();
			for (const { count, cold } of requests) {
				const path = messages.slice(0, count);
				const { first } = epochs.next(path, { cold }, seed);
				assert.notEqual(path[first]!.role, "toolResult");
				const newest = path.findLastIndex((message) => message.role === "assistant" || message.role === "user");
				assert.ok(first <= newest);
			}
		}),
	);
});

test("no request is larger than the ceiling and its newest turn, however long the session", () => {
	fc.assert(
		fc.property(session, ({ messages, requests }) => {
			const epochs = open();
			let before = 0;
			for (const { count, cold } of requests) {
				const path = messages.slice(0, count);
				const plan = epochs.next(path, { cold }, seed);
				const added = path.slice(before).reduce((sum, message) => sum + message.tokens, 0);
				assert.ok(plan.tokens <= ceilingTokens(WINDOW) + added + 6_000, `${plan.tokens}`);
				before = count;
			}
		}),
	);
});

test("from its seals alone a new process plans the same bytes", () => {
	fc.assert(
		fc.property(session, ({ messages, requests }) => {
			const epochs = open();
			for (const { count, cold } of requests) {
				const path = messages.slice(0, count);
				const plan = epochs.next(path, { cold }, seed);
				const again = open(epochs.seals).next(path, { cold: false }, () => assert.fail("it sealed again at once"));
				if (!plan.fresh && again.fresh) continue;
				assert.deepEqual(sent(again, path), sent(plan, path));
			}
		}),
		{ numRuns: 50 },
	);
});

test("after a jump to another branch an older seal stands, or none; back again, the newer one", () => {
	const epochs = open();
	const trunk: EpochMessage[] = [{ id: "u0", role: "user", tokens: 100 }];
	const grow = (name: string, turns: number) => {
		for (let n = 0; n < turns; n++) {
			trunk.push(
				{ id: `${name}a${n}`, role: "assistant", tokens: 200 },
				{ id: `${name}r${n}`, role: "toolResult", tokens: 6_000 },
			);
			epochs.next([...trunk], { cold: false }, seed);
		}
	};
	grow("x", 12);
	const newest = epochs.seals.at(-1)!;
	const whole = [...trunk];
	const fork = whole.slice(0, 5);
	const jumped = epochs.next(fork, { cold: false }, seed);
	assert.ok(jumped.seal !== newest);
	assert.equal(epochs.next(whole, { cold: false }, seed).seal, newest);
});
