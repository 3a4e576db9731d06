/** When weft seals, through the engine: talk with pauses, and every policy over the same work. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { pricesFromList, UNKNOWN_PRICES } from "../../src/base/tokens/prices.ts";
import type { RequestInput } from "../../src/context/request.ts";
import { type SealPolicy, sealLimit } from "../../src/context/seal/policy.ts";
import { openEngine } from "../../src/engine.ts";
import { isA } from "../../src/log/event/types.ts";
import { messageReader } from "../../src/state/work/translate-message.ts";
import { temporaryFolder } from "../rig/temporary-folder.ts";

const OF = { session: "s1", host: "test" };
const MINUTE_MS = 60_000;
const FREE = pricesFromList({ input: 0 });

interface TalkOptions {
	readonly seal?: string | undefined;
	readonly window: number;
	/** Characters of each question and answer, and the minutes before each question. */
	readonly turns: readonly { readonly chars: number; readonly pause: number }[];
	readonly input?: Partial<RequestInput>;
}

/** Talks through the engine as an agent does. Gives each request's size and each seal with the turns that stayed. */
async function talk(t: Pick<TestContext, "after">, { seal = "auto", window, turns, input = {} }: TalkOptions) {
	const cwd = temporaryFolder();
	let now = Date.UTC(2026, 0, 1);
	const env = { WEFT_SEAL: seal };
	const engine = openEngine({ cwd, home: join(cwd, ".home"), host: "test", env, now: () => now });
	t.after(() => engine.close());
	engine.record([{ type: "SessionStarted", ...OF, entry: "session", payload: { cwd, format: "test" } }]);
	const read = messageReader({ ...OF, cwd });
	const tell = (role: string, text: string, entry: string) => {
		const content = role === "user" ? text : [{ type: "text", text }];
		engine.record(read({ role, content, timestamp: now } as never, entry));
	};
	const sizes: number[] = [];
	for (const [turn, { chars, pause }] of turns.entries()) {
		now += pause * MINUTE_MS;
		tell("user", `Question ${turn}: ${"word ".repeat(chars / 5)}`, `q${turn}`);
		const { plan, messages } = await engine.assemble({ ...OF, window, ...input });
		sizes.push(plan.tokens);
		if (plan.seal) {
			const newest = JSON.stringify(messages.slice(-1));
			assert.ok(newest.includes(`Question ${turn}: `), "the newest turn stays whole");
		}
		now += 1_000;
		tell("assistant", `Answer ${turn}: ${"word ".repeat(chars / 5)}`, `a${turn}`);
	}
	const seals = [...engine.log.read({ types: ["Seal"] })].flatMap((record) =>
		isA(record, "Seal") ? [record.payload] : [],
	);
	return { sizes, seals, engine };
}

const chat = (count: number) => Array.from({ length: count }, () => ({ chars: 600, pause: 30 }));

test("a month of talk with pauses: each seal pays for what it hides, and most of the window is used before it", async (t) => {
	const { seals } = await talk(t, { window: 64_000, turns: chat(400), input: { prices: UNKNOWN_PRICES } });
	assert.ok(seals.length >= 3, `${seals.length} seals`);
	for (const { tokensBefore, tokensAfter, why } of seals) {
		assert.equal(why, "cold-cache");
		assert.ok(tokensBefore >= 22_000, `sealed at ${tokensBefore}`);
		assert.ok(tokensBefore - tokensAfter >= 16_000, `${tokensBefore} → ${tokensAfter}`);
	}
});

test("without a price, the window's limit decides, also on a cold cache", async (t) => {
	const { seals, sizes } = await talk(t, { window: 64_000, turns: chat(400), input: { prices: FREE } });
	assert.deepEqual([...new Set(seals.map(({ why }) => why))], ["ceiling"]);
	for (const { tokensBefore } of seals) assert.ok(tokensBefore > 54_000 && tokensBefore < 56_000, `${tokensBefore}`);
	assert.ok(Math.max(...sizes) <= 64_000);
});

test("every policy holds its limit, whatever is said and however long the pauses; the newest turn is always whole", async (t) => {
	const turn = fc.record({ chars: fc.integer({ min: 50, max: 6_000 }), pause: fc.integer({ min: 0, max: 60 }) });
	await fc.assert(
		fc.asyncProperty(
			fc.array(turn, { minLength: 20, maxLength: 60 }),
			fc.constantFrom<SealPolicy>("thrift", "window", "late", "host"),
			fc.constantFrom(FREE, UNKNOWN_PRICES),
			async (turns, seal, prices) => {
				const window = 20_000;
				const { seals, sizes } = await talk(t, { seal, window, turns, input: { prices } });
				const limit = sealLimit(seal, { window });
				if (seal === "host") assert.deepEqual(seals, []);
				if (seal === "thrift") return;
				for (const { tokensBefore } of seals) assert.ok(tokensBefore > limit);
				if (seal !== "host") for (const size of sizes) assert.ok(size <= limit, `${size} of ${limit}`);
			},
		),
		{ numRuns: 20 },
	);
});

test("what the agent says of itself decides where the user chose nothing, and the log remembers it", async (t) => {
	const turns = Array.from({ length: 60 }, () => ({ chars: 2_400, pause: 1 }));
	const paid = pricesFromList({ input: 3, cacheRead: 0.3, cacheWrite: 3.75 });
	const size = async (autoSeal: RequestInput["autoSeal"]) => {
		const { sizes, seals, engine } = await talk(t, { window: 100_000, turns, input: { prices: paid, autoSeal } });
		const { policy } = engine.requests.policy({ ...OF, prices: paid });
		return { policy, isSealed: seals.length > 0, most: Math.max(...sizes) };
	};
	assert.deepEqual({ ...(await size(undefined)), most: 0 }, { policy: "thrift", isSealed: true, most: 0 });
	const flat = await size("flat");
	assert.deepEqual([flat.policy, flat.isSealed], ["window", true]);
	assert.ok(flat.most > 55_000 && flat.most <= 60_000, `${flat.most}`);
	assert.deepEqual({ ...(await size("no-compaction")), most: 0 }, { policy: "host", isSealed: false, most: 0 });
});
