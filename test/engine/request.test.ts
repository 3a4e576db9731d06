import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import { cachedText, segmentsOf } from "../../src/context/envelope/bytes.ts";
import type { ModeName } from "../../src/context/moment.ts";
import { ceilingTokens } from "../../src/context/seal/rule.ts";
import { type Engine, type EngineOptions, openEngine } from "../../src/engine.ts";
import { handleOf } from "../../src/log/handle.ts";
import { checkRequest } from "../../src/message/validity.ts";
import { weighWire } from "../../src/message/weight.ts";
import { messageReader } from "../../src/state/work/translate-message.ts";
import { worked } from "../openclaw/rig.ts";
import { temporaryFolder } from "../rig/temporary-folder.ts";

const OF = { session: "s1", host: "test" };
const WINDOW = 40_000;
const MODES: readonly ModeName[] = ["woven", "warp", "lossless", "off"];

function project(t: TestContext): { readonly cwd: string; open(options?: Partial<EngineOptions>): Engine } {
	const cwd = temporaryFolder();
	const engines: Engine[] = [];
	t.after(() => {
		for (const engine of engines) engine.close();
	});
	return {
		cwd,
		open(options = {}) {
			const engine = openEngine({ cwd, home: join(cwd, ".home"), host: "test", env: {}, now: () => 1_000, ...options });
			engines.push(engine);
			return engine;
		},
	};
}

/** Records the first so many messages of a session; those that are there already are not written again. */
function tell(engine: Engine, cwd: string, messages: readonly Record<string, unknown>[]): void {
	const read = messageReader({ ...OF, cwd });
	engine.record(messages.flatMap((message, at) => read(message as never, `m${at}`)));
}

for (const mode of MODES) {
	test(`${mode}: valid requests from the log, each part with its reason`, async (t) => {
		const { cwd, open } = project(t);
		const engine = open();
		const messages = worked(60, 700);
		for (const end of [1, 3, 42, 84, messages.length]) {
			tell(engine, cwd, messages.slice(0, end));
			const request = await engine.assemble({ ...OF, mode, window: WINDOW });
			assert.deepEqual(request.violations, []);
			assert.deepEqual(checkRequest(request.messages, "pi"), []);
			assert.equal(request.mode, mode);
			if (mode !== "off")
				assert.ok(request.tokens <= ceilingTokens(WINDOW) + 3_000, `${mode} at ${end}: ${request.tokens}`);
			assert.ok(request.parts.every(({ why }) => why !== ""));
			assert.deepEqual(request.messages.at(-1), messages[end - 1]);
		}
		assert.deepEqual([...engine.log.read({ types: ["Fault"] })], []);
		const requests = [...engine.log.read({ types: ["Request"] })];
		assert.deepEqual(
			requests.map(({ payload }) => payload["mode"]),
			Array(5).fill(mode),
		);
	});
}

test("inside an epoch each request extends the one before it; a break says why in the ledger", async (t) => {
	const { cwd, open } = project(t);
	const engine = open();
	const messages = worked(50, 900);
	let before = "";
	for (let end = 3; end <= messages.length; end += 2) {
		if (messages[end - 1]?.["role"] !== "toolResult") end++;
		tell(engine, cwd, messages.slice(0, end));
		const request = await engine.assemble({ ...OF, window: WINDOW });
		const text = cachedText(segmentsOf(request.envelope));
		if (!text.startsWith(before)) assert.match(request.reasons.join(), /^sealed: /);
		before = text;
	}
	const seals = [...engine.log.read({ types: ["Seal"] })].length;
	const breaks = [...engine.log.read({ types: ["Request"] })].filter(({ payload }) => payload["difference"] !== null);
	assert.ok(seals > 0);
	assert.equal(breaks.length, seals);
	assert.ok(breaks.every(({ payload }) => (payload["reasons"] as string[]).length > 0));
});

test("explain says what the next request would hold, and writes nothing", async (t) => {
	const { cwd, open } = project(t);
	const engine = open();
	tell(engine, cwd, worked(60, 700));
	const newest = engine.log.newestSeq();
	for (const mode of MODES) {
		const items = engine.explain({ ...OF, mode, window: WINDOW });
		assert.ok(items.length > 5, mode);
	}
	const woven = engine.explain({ ...OF, window: WINDOW });
	assert.match(woven[0]?.id ?? "", /^newest:m-/);
	assert.match(woven.at(-1)?.handle ?? "", /^m-[0-9a-f]{12}$/);
	assert.equal(engine.log.newestSeq(), newest);
	const request = await engine.assemble({ ...OF, window: WINDOW });
	// The summaries of what leaves are written with the seal; a look writes none.
	const made = request.parts.map(({ id }) => id).filter((id) => !id.startsWith("node:"));
	assert.deepEqual(
		made,
		woven.map(({ id }) => id),
	);
});

test("handlers of code shape requests; what they change for good is replayed after a restart, and survives a seal", async (t) => {
	const { cwd, open } = project(t);
	const messages = worked(60, 700);
	const first = open();
	first.on("context", ({ reason, state }) => {
		if (reason === "ephemeral") {
			return { patch: [{ op: "tail_set", scope: "uncached", messages: [{ role: "user", content: "Last words." }] }] };
		}
		if (reason !== "before_request" || state.envelope.system.parts.length > 0) return;
		const set = { op: "system_part_set", scope: "cached", partName: "p", text: "Policy." } as const;
		return { transformerName: "policy", patch: [{ ...set, invalidateCacheReason: "wanted" }] };
	});
	tell(first, cwd, messages.slice(0, 3));
	const request = await first.assemble({ ...OF, window: WINDOW });
	assert.equal(request.envelope.system.compiled, "Policy.");
	assert.deepEqual(request.messages.at(-1), { role: "user", content: "Last words." });
	assert.deepEqual(
		[...first.log.read({ types: ["Transform"] })].map(({ payload }) => payload["reason"]),
		["before_request", "ephemeral"],
	);
	first.close();
	const second = open();
	tell(second, cwd, messages);
	const later = await second.assemble({ ...OF, window: WINDOW });
	assert.equal(later.envelope.messages.cached[0]?.seed, true);
	assert.equal(later.envelope.system.compiled, "Policy.");
	assert.ok(!JSON.stringify(later.messages).includes("Last words."));
});

test("message handlers finish a message; those of a turn's end see the turn", async (t) => {
	const { cwd, open } = project(t);
	const engine = open();
	const seen: number[] = [];
	const off = engine.on("message", ({ message }) => ({ message: { ...message, content: "finished" } }));
	engine.on("context", ({ reason, state }) => {
		if (reason === "turn_end") seen.push(state.envelope.messages.cached.length);
	});
	const messages = worked(2, 100);
	tell(engine, cwd, messages.slice(0, 1));
	const request = await engine.assemble(OF);
	assert.deepEqual(await request.finish({ role: "assistant", content: "raw" }), {
		role: "assistant",
		content: "finished",
	});
	off();
	assert.deepEqual(await request.finish({ role: "assistant", content: "raw" }), { role: "assistant", content: "raw" });
	tell(engine, cwd, messages.slice(0, 3));
	await request.endTurn();
	assert.deepEqual(seen, [3]);
});

test("the setting handlers loads files in trusted projects only; one that fails is said, and a Fault where it throws", async (t) => {
	const { cwd, open } = project(t);
	mkdirSync(join(cwd, ".weft"));
	const config = { handlers: ["./good.mjs", "./missing.mjs"] };
	writeFileSync(join(cwd, ".weft", "config.json"), JSON.stringify(config));
	const patch = `{ op: "messages_uncached_append", scope: "uncached", messages: [{ role: "user", content: "From a file." }] }`;
	const on = (body: string) => `export default (weft) => { weft.on("context", ({ reason }) => { ${body} }); };`;
	writeFileSync(join(cwd, ".weft", "good.mjs"), on(`if (reason === "ephemeral") return { patch: [${patch}] };`));
	writeFileSync(join(cwd, ".weft", "throws.mjs"), on(`if (reason === "ephemeral") throw new Error("no luck");`));
	const warnings: string[] = [];
	const trusted = open({ trusted: true, warn: (message) => warnings.push(message) });
	tell(trusted, cwd, worked(1, 10));
	const request = await trusted.assemble(OF);
	assert.equal(request.messages.at(-1)?.["content"], "From a file.");
	assert.match(warnings.join(), /missing\.mjs/);
	const all = { handlers: ["./good.mjs", "./throws.mjs"] };
	writeFileSync(join(cwd, ".weft", "config.json"), JSON.stringify(all));
	const failing = open({ trusted: true, warn: (message) => warnings.push(message) });
	for (let time = 0; time < 2; time++)
		assert.equal((await failing.assemble(OF)).messages.at(-1)?.["role"], "toolResult");
	assert.deepEqual(warnings.slice(1), [
		"the handler .weft/throws.mjs failed (ephemeral): no luck. The request goes out without the changes of handlers.",
	]);
	assert.deepEqual(
		[...trusted.log.read({ types: ["Fault"] })].map(({ payload }) => [
			basename(String(payload["where"])),
			payload["message"],
		]),
		[["throws.mjs", "no luck"]],
	);
	const stranger = open();
	assert.equal((await stranger.assemble(OF)).messages.at(-1)?.["role"], "toolResult");
});

test("judge blocks an edit of a file that was not read, and writes its verdict down", (t) => {
	const { cwd, open } = project(t);
	const engine = open();
	writeFileSync(join(cwd, "a.ts"), "export const a = 1;\n");
	const input = { path: "a.ts", edits: [{ oldText: "1", newText: "2" }] };
	const outcome = engine.judge({ ...OF, cwd, tool: "edit", callId: "c1", input });
	assert.equal(outcome.action, "block");
	assert.deepEqual(
		[...engine.log.read({ types: ["Verdict"] })].map(({ payload }) => [payload["verdict"], payload["rule"]]),
		[["block", "read-first"]],
	);
});

test("expand gives a message back page by page, and says what is wrong with a handle", async (t) => {
	const { cwd, open } = project(t);
	const engine = open();
	const messages = worked(1, 3_000);
	tell(engine, cwd, messages);
	const [, , result] = [...engine.log.read({ types: ["Message"] })];
	let text = "";
	for (let offset: number | undefined = 0; offset !== undefined; ) {
		const page = await engine.expand(handleOf(result!), { offset, maxTokens: 1_000 });
		text += page.text.slice(page.text.indexOf("\n") + 1, page.text.lastIndexOf("\n"));
		offset = page.details["next"] as number | undefined;
	}
	assert.equal(text, engine.log.rawText(result!.seq));
	assert.equal((await engine.expand("nonsense")).isError, true);
});

test("what cannot be meant is refused in plain words", (t) => {
	const { open } = project(t);
	const { plan, on } = open();
	assert.throws(() => plan({ ...OF, mode: "knitted" as ModeName }), {
		code: "usage",
		message: /Unknown mode 'knitted'/,
	});
	assert.throws(() => plan({ ...OF, window: 0 }), { code: "usage", message: /give a number above 0/ });
	assert.throws(() => plan({ ...OF, leaf: 99 }), { code: "not-found", message: /There is no entry 99/ });
	assert.throws(() => on("knitted" as "context", () => {}), { code: "usage" });
});

test("warp computes its context once per run, or for every request where the setting says so", async (t) => {
	const openings = async (env: NodeJS.ProcessEnv): Promise<number> => {
		const { cwd, open } = project(t);
		const engine = open({ env });
		const messages = worked(6, 300);
		const texts = new Set<string>();
		for (const end of [3, 5, 7]) {
			tell(engine, cwd, messages.slice(0, end));
			const request = await engine.assemble({ ...OF, mode: "warp", window: WINDOW });
			texts.add(request.plan.opening?.text ?? "");
		}
		return texts.size;
	};
	assert.deepEqual([await openings({}), await openings({ WEFT_WARP_PER: "request" })], [1, 3]);
});

test("a provider that counts twice what we do is believed: requests stay below its window, and a smaller model seals first", async (t) => {
	const { cwd, open } = project(t);
	const engine = open();
	const messages: Record<string, unknown>[] = worked(30, 1_400);
	const base = { systemParts: [{ name: "prompt", text: "word ".repeat(1_600) }] };
	const real: number[] = [];
	for (const [at, answer] of messages.entries()) {
		if (answer["role"] !== "assistant") continue;
		tell(engine, cwd, messages.slice(0, at));
		const request = await engine.assemble({ ...OF, mode: "woven", model: "m", window: WINDOW, base });
		real.push(request.tokens * 2);
		const usage = { input: request.tokens * 2, output: 1, cacheRead: 0, cacheWrite: 0 };
		messages[at] = { ...answer, model: "m", usage };
	}
	// Before the first answers nobody knows; from then on the ceiling is that of real tokens.
	const ceiling = engine.requests.ceiling({ ...OF, model: "m", window: WINDOW });
	assert.ok(ceiling < WINDOW, String(ceiling));
	assert.ok(Math.max(...real) <= ceiling, `${Math.max(...real)} of ${ceiling}`);
	assert.ok([...engine.log.read({ types: ["Seal"] })].length > 1);
	const { parts } = engine.requests.plan({ ...OF, mode: "woven", model: "m", window: WINDOW, decide: false });
	const sections = parts.filter(({ kind }) => kind === "seed");
	assert.ok(sections.length > 3);
	assert.equal(new Set(sections.map(({ why }) => why)).size, sections.length, "each section has its own rule");
	for (const { why, left = 0 } of sections) assert.equal(/; (\d+) more did not fit$/.test(why), left > 0, why);
	const next = { ...OF, mode: "woven", model: "m", decide: true } as const;
	assert.equal(engine.requests.dueWhy({ ...next, window: 400_000 }), undefined);
	assert.equal(engine.requests.dueWhy({ ...next, window: 16_000 }), "ceiling");
});

test("recalled text counts in the tokens of the plan, in the message and after it, as what is sent weighs", async (t) => {
	const { cwd, open } = project(t);
	const engine = open();
	const input = { ...OF, mode: "woven", window: WINDOW } as const;
	const weight = async () =>
		(await engine.assemble(input)).messages.reduce((sum, each) => sum + weighWire(each, "pi"), 0);
	tell(engine, cwd, [{ role: "user", content: "Which port?", timestamp: 1 }]);
	const bare = engine.plan(input).tokens;
	assert.ok(
		engine.requests.recallInto(input, `<runtime_context>\n${"The relay listens. ".repeat(200)}</runtime_context>`),
	);
	const within = engine.plan(input).tokens;
	assert.ok(within > bare + 500, `${bare} ${within}`);
	assert.equal(within, await weight());
	tell(engine, cwd, [
		{ role: "user", content: "Which port?", timestamp: 1 },
		{ role: "assistant", content: [{ type: "text", text: "7443." }], timestamp: 2 },
	]);
	assert.ok(engine.requests.recallBefore(input, "The tower answers. ".repeat(200)));
	assert.equal(engine.plan(input).tokens, await weight());
});
