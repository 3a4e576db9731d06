import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { AgentMessage, AssembleResult } from "../../src/agent/openclaw/contract.ts";
import { TurnAnswers } from "../../src/agent/openclaw/turn-answers.ts";
import { checkRequest } from "../../src/message/validity.ts";
import { calls, NOON, place, result, says, textOf, user, worked } from "./rig.ts";

const S = { sessionId: "s1", sessionKey: "agent:main:s1" };
const BUDGET = 40_000;
const bytes = ({ messages }: AssembleResult): string => JSON.stringify(messages);
const seeds = ({ messages }: AssembleResult): AgentMessage[] =>
	messages.filter((message) => message["weft"] !== undefined);

test("a short conversation goes out as it is, with the tools' words in the system prompt", async (t) => {
	const weft = place(t).engine();
	const messages = [user("Hello.", 1), says("Hello.", 2), user("What now?", 3)];
	const given = structuredClone(messages);
	const availableTools = new Set(["lcm_grep", "lcm_describe", "lcm_expand", "exec"]);
	const answer = await weft.assemble({ ...S, messages, tokenBudget: BUDGET, availableTools });
	assert.deepEqual(answer.messages, given);
	assert.deepEqual(messages, given);
	assert.equal(answer.promptAuthority, "assembled");
	assert.ok(answer.estimatedTokens > 0 && answer.estimatedTokens < 100);
	assert.match(answer.systemPromptAddition ?? "", /lcm_expand/);
});

test("without the tools nothing is promised of them", async (t) => {
	const weft = place(t).engine();
	const given = { ...S, messages: [user("Hello.", 1)], tokenBudget: BUDGET };
	const without = await weft.assemble({ ...given, availableTools: new Set(["exec"]) });
	assert.equal((await weft.assemble(given)).systemPromptAddition, undefined);
	const all = await weft.assemble({ ...given, availableTools: new Set(["lcm_grep", "lcm_describe", "lcm_expand"]) });
	assert.equal(without.systemPromptAddition, undefined);
	assert.ok(all.systemPromptAddition);
});

test("the host's own words on memory stay in the system prompt, in every mode and whatever fails", async (t) => {
	const availableTools = new Set(["memory_search", "lcm_grep", "lcm_describe", "lcm_expand"]);
	const given = {
		...S,
		messages: [user("Hello.", 1)],
		tokenBudget: BUDGET,
		availableTools,
		citationsMode: "off",
	} as const;
	const asked: unknown[] = [];
	const memoryPrompt = (params: unknown) => {
		asked.push(params);
		return "## Memory Recall\nSearch first.";
	};
	const said = async (options: object, settings = {}) =>
		(
			await place(t, settings)
				.engine({ memoryPrompt, ...options })
				.assemble(given)
		).systemPromptAddition ?? "";
	const first = await said({});
	assert.match(first, /^## Memory Recall\nSearch first\.\n\n[\s\S]*lcm_expand/);
	assert.equal(await said({}, { WEFT_MODE: "off" }), first, "the head is the same in every mode");
	assert.equal(await said({ cwd: "/dev/null/none", home: "/dev/null/none" }), first, "and where weft has no log");
	const passed = { availableTools, citationsMode: "off", agentSessionKey: S.sessionKey };
	assert.deepEqual(asked, [passed, passed, passed]);
	const failing = () => {
		throw new Error("no memory");
	};
	assert.match(await said({ memoryPrompt: failing }), /^(?!## Memory)[\s\S]*lcm_expand/);
});

test("what is too long is sealed: a seed, then the newest messages untouched, within the budget", async (t) => {
	const { engine, events } = place(t);
	const messages = [...worked(40, 1_000), user("And now?", 500)];
	const answer = await engine().assemble({ ...S, messages, tokenBudget: BUDGET });
	assert.equal(seeds(answer).length, 1);
	assert.equal(seeds(answer)[0], answer.messages[0]);
	assert.deepEqual(answer.messages.slice(1), messages.slice(messages.length - answer.messages.length + 1));
	assert.ok(answer.estimatedTokens <= BUDGET / 2, `${answer.estimatedTokens}`);
	assert.deepEqual(checkRequest(answer.messages, "pi", { original: messages }), []);
	assert.match(textOf(answer.messages[0]), /Please look into part 0/);
	const [seal] = events("Seal");
	const held = events("Transform").find(({ entry }) => entry === seal?.payload["transform"]);
	assert.equal((held!.payload["patch"] as { seedText: string }[])[0]?.seedText, textOf(answer.messages[0]));
	assert.ok(events("Summary").length > 0, "what left was summarised first");
	assert.equal(events("Message").length, messages.length);
});

test("its own answer as the messages of the next call gives the same bytes", async (t) => {
	const weft = place(t).engine();
	const messages = [...worked(40, 1_000), user("And now?", 500)];
	const first = await weft.assemble({ ...S, messages, tokenBudget: BUDGET });
	// The budget of later calls is the whole window; the smallest of the turn counts.
	const second = await weft.assemble({ ...S, messages: first.messages, tokenBudget: 64_000 });
	const third = await weft.assemble({ ...S, messages: structuredClone(second.messages), tokenBudget: 64_000 });
	assert.deepEqual([bytes(second), bytes(third)], [bytes(first), bytes(first)]);
});

test("a seed that lost our mark on the way is still known by its words", async (t) => {
	const weft = place(t).engine();
	const messages = [...worked(40, 1_000), user("And now?", 500)];
	const first = await weft.assemble({ ...S, messages, tokenBudget: BUDGET });
	const unmarked = first.messages.map(({ weft: _, ...message }) => message as AgentMessage);
	const second = await weft.assemble({ ...S, messages: unmarked, tokenBudget: BUDGET });
	assert.equal(bytes(second), bytes(first));
});

test("inside an epoch every request extends the one before it, by its own answer or by the host's history", async (t) => {
	const { engine, events } = place(t);
	let weft = engine();
	const history = worked(60, 700);
	let last: AssembleResult | undefined;
	let breaks = 0;
	for (let end = 1; end <= history.length; end++) {
		if (history[end]?.role === "toolResult") continue;
		const messages = history.slice(0, end);
		if (messages.at(-1)?.role === "assistant") continue;
		const answer = await weft.assemble({ ...S, messages, tokenBudget: BUDGET });
		const before = last ? JSON.stringify(last.messages).slice(0, -1) : "";
		if (!bytes(answer).startsWith(before)) breaks++;
		assert.deepEqual(checkRequest(answer.messages, "pi", { original: messages }), []);
		assert.ok(answer.estimatedTokens <= BUDGET * 0.75 + 2_000, `${answer.estimatedTokens}`);
		last = answer;
		if (end % 7 === 0) weft = engine();
	}
	assert.equal(breaks, events("Seal").length);
	assert.ok(breaks > 0);
});

test("after a restart the same history gives the same bytes", async (t) => {
	const { engine } = place(t);
	const weft = engine();
	const history = worked(50, 900);
	for (let end = 10; end < history.length; end += 10) {
		await weft.assemble({ ...S, messages: history.slice(0, closed(history, end)), tokenBudget: BUDGET });
	}
	const messages = [...history, user("And now?", 900)];
	const before = await weft.assemble({ ...S, messages, tokenBudget: BUDGET });
	await weft.dispose();
	const after = await engine().assemble({ ...S, messages, tokenBudget: BUDGET });
	assert.equal(bytes(after), bytes(before));
});

test("an engine for every turn seals when one engine for all of them would", async (t) => {
	const history = worked(60, 700);
	const seals = async (fresh: boolean) => {
		const { engine, events } = place(t);
		let weft = engine();
		for (let end = 3; end <= history.length; end = closed(history, end + 1)) {
			await weft.assemble({ ...S, messages: history.slice(0, end), tokenBudget: BUDGET });
			if (fresh) weft = engine();
			if (end === history.length) break;
		}
		return events("Seal").map(({ payload }) => [payload["from"], payload["why"]]);
	};
	assert.deepEqual(await seals(true), await seals(false));
});

test("the first call of a turn has the user's words beside the messages", async (t) => {
	const weft = place(t).engine();
	const messages = [user("Hello.", 1), says("Hello.", 2)];
	const answer = await weft.assemble({ ...S, messages, prompt: "What now?", tokenBudget: BUDGET });
	assert.deepEqual(answer.messages, messages);
});

test("a budget that falls within a turn is kept to; one of a token leaves the newest turn, and says so", async (t) => {
	const { engine } = place(t);
	const weft = engine();
	const messages = worked(12, 1_000);
	const first = await weft.assemble({ ...S, messages, tokenBudget: 100_000 });
	assert.ok(first.estimatedTokens > 10_000);
	const second = await weft.assemble({ ...S, messages, tokenBudget: 8_000 });
	assert.ok(second.estimatedTokens <= 8_000, `${second.estimatedTokens}`);
	assert.equal(second.promptAuthority, "assembled");
	const least = await weft.assemble({ ...S, messages, tokenBudget: 1 });
	assert.equal(least.promptAuthority, "preassembly_may_overflow");
	assert.deepEqual(checkRequest(least.messages, "pi"), []);
	assert.deepEqual(least.messages.at(-1), messages.at(-1));
});

test("the smallest budget of a turn holds until the turn is over", async (t) => {
	const weft = place(t).engine();
	const messages = worked(12, 1_000);
	await weft.assemble({ ...S, messages: messages.slice(0, 3), tokenBudget: 8_000 });
	const within = await weft.assemble({ ...S, messages, tokenBudget: 100_000 });
	assert.ok(within.estimatedTokens <= 8_000, `${within.estimatedTokens}`);
	await weft.commitTurn({ ...S, advancementKey: "t1", messages });
	const more = [...messages, says("Done.", 80), user("Next.", 81)];
	const next = await weft.assemble({ ...S, messages: more, tokenBudget: 100_000 });
	assert.equal(seeds(next).length, 1);
	assert.deepEqual(next.messages.at(-1), more.at(-1));
});

test("where the provider's cache has run out, a long history is sealed: it would be written anew in any case", async (t) => {
	const { engine, events } = place(t);
	const messages = worked(30, 1_000);
	const later = engine({ now: () => NOON + 600_000 });
	assert.equal(seeds(await later.assemble({ ...S, messages, tokenBudget: 150_000 })).length, 1);
	assert.deepEqual(
		events("Seal").map(({ payload }) => payload["why"]),
		["cold-cache"],
	);
});

test("a count that is larger than the window was of no request: it takes no room from the messages", async (t) => {
	const weft = place(t).engine();
	const usage = { input: 500_000, output: 9, cacheRead: 0, cacheWrite: 0 };
	const messages = [...worked(10, 500), { ...says("Done.", 100), usage }];
	const runtimeContext = { modelContextWindow: 64_000 };
	await weft.commitTurn({ ...S, advancementKey: "t1", messages, runtimeContext });
	const answer = await weft.assemble({ ...S, messages, tokenBudget: 40_000, prompt: "Go on." });
	assert.deepEqual([answer.messages, answer.promptAuthority], [messages, "assembled"]);
});

test("no budget at all is taken for a large window", async (t) => {
	const weft = place(t).engine();
	const messages = worked(30, 1_000);
	const answer = await weft.assemble({ ...S, messages });
	assert.deepEqual(answer.messages, messages);
	assert.equal(answer.promptAuthority, "assembled");
});

test("a reset under the same id begins another conversation: nothing forgotten comes back", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	const messages = [user("The secret is marmalade.", 1), says("Noted.", 2)];
	await weft.assemble({ ...S, messages, tokenBudget: BUDGET });
	const after = [...worked(40, 1_000, 100), user("And now?", 500)];
	const answer = await engine().assemble({ ...S, messages: after, tokenBudget: BUDGET });
	assert.ok(!bytes(answer).includes("marmalade"));
	assert.deepEqual([events("Message", "s1").length, events("Message", "s1~2").length], [2, after.length]);
	await engine().ingest({ ...S, message: says("Still here.", 600) });
	assert.equal(events("Message", "s1~2").length, after.length + 1);
});

test("a history that the host has damaged is not made worse", async (t) => {
	const weft = place(t).engine();
	const messages = [user("Run it.", 1), calls("c1", "date", 2), user("And?", 3)];
	const answer = await weft.assemble({ ...S, messages, tokenBudget: BUDGET });
	assert.deepEqual(answer.messages, messages);
	const late = [...worked(40, 1_000), calls("late", "sleep 9", 400), user("Meanwhile.", 401), says("Yes.", 402)];
	const given = [...late, result("late", "done", 403), user("So?", 404)];
	const sealed = await weft.assemble({ sessionId: "s2", messages: given, tokenBudget: BUDGET });
	assert.equal(seeds(sealed).length, 1);
	const rules = (list: readonly unknown[]) => new Set(checkRequest(list, "pi").map(({ rule }) => rule));
	const theirs = rules(given);
	assert.deepEqual(
		[...rules(sealed.messages)].filter((rule) => !theirs.has(rule)),
		[],
	);
	const holds = (role: string) =>
		sealed.messages.some((each) => each.role === role && JSON.stringify(each).includes('"late"'));
	assert.equal(holds("assistant"), holds("toolResult"));
});

test("mode off: recorded, and given back as it came; the host compacts", async (t) => {
	const { engine, events } = place(t, { WEFT_MODE: "off" });
	const weft = engine();
	assert.equal(weft.info.ownsCompaction, false);
	const messages = worked(40, 1_000);
	const answer = await weft.assemble({ ...S, messages, tokenBudget: BUDGET });
	assert.equal(answer.messages, messages);
	assert.equal(events("Message").length, messages.length);
	assert.equal(events("Seal").length, 0);
});

test("any session, cut anywhere, gives valid requests that are stable under their own output", async (t) => {
	const { engine } = place(t);
	const step = fc.record({ kind: fc.constantFrom("user", "call", "say"), size: fc.integer({ min: 1, max: 4_000 }) });
	let session = 0;
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
			const id = { sessionId: `p${session++}` };
			const weft = engine();
			const messages: AgentMessage[] = [user("Begin.", 0)];
			for (const [at, { kind, size }] of steps.entries()) {
				const text = `word${at} `.repeat(size);
				if (kind === "user") messages.push(user(text, at + 1));
				else if (kind === "say") messages.push(says(text, at + 1), user("On.", at + 1));
				else messages.push(calls(`c${at}`, "run", at + 1), result(`c${at}`, text, at + 1));
				const answer = await weft.assemble({ ...id, messages, tokenBudget: 20_000 });
				assert.deepEqual(checkRequest(answer.messages, "pi", { original: messages }), []);
				const again = await weft.assemble({ ...id, messages: answer.messages, tokenBudget: 30_000 });
				assert.equal(bytes(again), bytes(answer));
			}
			await weft.dispose();
		}),
		{ numRuns: 15 },
	);
});

/** The next place at which every call has its result. */
function closed(messages: readonly AgentMessage[], end: number): number {
	let at = Math.min(end, messages.length);
	while (at < messages.length && (messages[at]?.role === "toolResult" || messages[at - 1]?.role === "assistant")) at++;
	return at;
}

test("the clock of the seed is that of the message behind it", async (t) => {
	const messages = [...worked(40, 1_000), user("And now?", 500)];
	const answer = await place(t)
		.engine({ now: () => NOON + 1 })
		.assemble({ ...S, messages, tokenBudget: BUDGET });
	assert.equal(answer.messages[0]?.["timestamp"], answer.messages[1]?.["timestamp"]);
});

for (const mode of ["warp", "lossless"]) {
	test(`mode ${mode}: valid, within the budget, stable under its own output, the newest messages untouched`, async (t) => {
		const { engine, events } = place(t, { WEFT_MODE: mode });
		const weft = engine();
		assert.equal(weft.info.ownsCompaction, mode === "lossless");
		const history = worked(60, 700);
		for (let end = 3; end < history.length; end = closed(history, end + 17)) {
			const messages = history.slice(0, end);
			const answer = await weft.assemble({ ...S, messages, tokenBudget: BUDGET });
			assert.deepEqual(checkRequest(answer.messages, "pi", { original: messages }), []);
			assert.ok(answer.estimatedTokens <= BUDGET, `${answer.estimatedTokens}`);
			assert.deepEqual(answer.messages.at(-1), messages.at(-1));
			const again = await weft.assemble({ ...S, messages: answer.messages, tokenBudget: 64_000 });
			assert.equal(bytes(again), bytes(answer));
		}
		const last = await weft.assemble({ ...S, messages: history, tokenBudget: BUDGET });
		assert.equal(seeds(last).length, 1);
		assert.match(textOf(last.messages[0]), mode === "warp" ? /WARP ENGINE CONTEXT/ : /Summary IDs/);
		assert.equal(events("Seal").length > 0, mode === "lossless");
		assert.deepEqual(events("Fault"), []);
	});
}

test("mode lossless compacts by writing summaries; in warp the host compacts", async (t) => {
	const messages = worked(60, 700);
	const lossless = place(t, { WEFT_MODE: "lossless" }).engine();
	await lossless.ingestBatch({ ...S, messages });
	const done = await lossless.compact({ ...S, force: true });
	assert.deepEqual([done.ok, done.compacted], [true, true]);
	assert.ok(done.result!.tokensAfter! < done.result!.tokensBefore);
	await lossless.compact({ ...S, force: true });
	// Only the newest turn is left: nothing more can leave.
	assert.equal((await lossless.compact({ ...S, force: true })).compacted, false);
	const warp = place(t, { WEFT_MODE: "warp" }).engine();
	await warp.ingestBatch({ ...S, messages });
	assert.deepEqual(
		[await warp.compact({ ...S, force: true })].map(({ ok, compacted }) => [ok, compacted]),
		[[false, false]],
	);
});

test("a long history is read from the newest seal on: messages behind it are not looked at again", async (t) => {
	const weft = place(t).engine();
	const messages = [...worked(40, 1_000), user("And now?", 500)];
	const first = await weft.assemble({ ...S, messages, tokenBudget: BUDGET });
	const unread = new Proxy(messages[5]!, {
		ownKeys: () => assert.fail("it was read"),
		get: (message, field) => (field === "weft" ? undefined : assert.fail(`${message.role}: ${String(field)} was read`)),
	});
	const second = await weft.assemble({ ...S, messages: messages.with(5, unread), tokenBudget: BUDGET });
	assert.equal(bytes(second), bytes(first));
});

test("two engines that seal the same history at once send the same seed", async (t) => {
	const { engine, events } = place(t);
	const messages = [...worked(40, 1_000), user("And now?", 500)];
	const answers = await Promise.all(
		[engine(), engine(), engine()].map((weft) => weft.assemble({ ...S, messages, tokenBudget: BUDGET })),
	);
	assert.deepEqual(
		answers.map((answer) => bytes(answer) === bytes(answers[0]!)),
		[true, true, true],
	);
	assert.equal(events("Seal").length, 1);
	assert.equal(events("Message").length, messages.length);
});

test("sessions that are assembled at once by one engine keep to themselves", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	const history = (name: string) => [user(`I am ${name}.`, 0), ...worked(40, 1_000), user("And now?", 500)];
	const alone = await place(t)
		.engine()
		.assemble({ sessionId: "s2", messages: history("two"), tokenBudget: BUDGET });
	const [one, two] = await Promise.all(
		["one", "two"].map((name, at) =>
			weft.assemble({ sessionId: `s${at + 1}`, messages: history(name), tokenBudget: BUDGET }),
		),
	);
	assert.ok(textOf(one!.messages[0]).includes("I am one.") && !textOf(one!.messages[0]).includes("I am two."));
	assert.ok(textOf(two!.messages[0]).includes("I am two.") && !textOf(two!.messages[0]).includes("I am one."));
	assert.equal(two!.messages.length, alone.messages.length);
	assert.deepEqual([events("Seal", "s1").length, events("Seal", "s2").length], [1, 1]);
});

/** An answer of a model that binds its thinking to what is before it. */
function thoughtOver(message: AgentMessage, at: number): AgentMessage {
	if (message.role !== "assistant") return message;
	const thinking = { type: "thinking", thinking: `Thought ${at}.`, thinkingSignature: `signature ${at}` };
	const identity = { api: "anthropic-messages", provider: "anthropic", model: "claude-opus-5-5" };
	return { ...message, ...identity, content: [thinking, ...(message["content"] as object[])] };
}

test("after a seal the kept turns go out without their thinking, also when the host hands our answer back", async (t) => {
	const here = place(t);
	const weft = here.engine();
	const messages = worked(60, 900).map(thoughtOver);
	const asked = { ...S, tokenBudget: BUDGET, model: "claude-opus-5-5" };
	const sealed = await weft.assemble({ ...asked, messages });
	assert.equal(seeds(sealed).length, 1);
	const answers = ({ messages: sent }: AssembleResult) => sent.filter(({ role }) => role === "assistant");
	const withThinking = (of: AssembleResult) => answers(of).filter((each) => JSON.stringify(each).includes("Thought "));
	assert.ok(answers(sealed).length > 1);
	assert.deepEqual(withThinking(sealed), []);
	const last = messages.at(-1)!;
	const later = (at: number) => Number(last["timestamp"]) + at;
	const next = [
		{
			...(messages.findLast(({ role }) => role === "assistant") as AgentMessage),
			timestamp: later(1),
			responseId: "r1",
		},
		user("And then?", later(2) - NOON),
	];
	const again = await weft.assemble({ ...asked, messages: [...sealed.messages, ...next] });
	assert.equal(withThinking(again).length, 1, "what the model thought since the seal stays");
	assert.deepEqual(again.messages.slice(0, sealed.messages.length), sealed.messages);
});

test("a seal waits for the next turn where the current one has thinking that is bound to what is before it", async (t) => {
	const here = place(t);
	const notices: string[] = [];
	const engine = () => here.engine({ notify: (notice) => notices.push(notice) });
	const messages = worked(60, 900).map(thoughtOver);
	const asked = { ...S, tokenBudget: 100_000, model: "claude-opus-5-5" };
	const weft = engine();
	await weft.assemble({ ...asked, messages: messages.slice(0, 9) });
	const within = await weft.assemble({ ...asked, messages });
	assert.deepEqual([seeds(within), notices], [[], []]);
	const smaller = await weft.assemble({ ...asked, messages, tokenBudget: 30_000 });
	assert.equal(seeds(smaller).length, 1, "it does not wait where the turn would not fit");
	assert.equal(notices.length, 1);
	assert.match(notices[0] ?? "", /^sealed \(.+\): \d+ messages left the context, .+ To get them back: \/lcm search/);

	const other = { ...asked, sessionId: "s2", sessionKey: "agent:main:s2" };
	await engine().assemble({ ...other, messages: messages.slice(0, 9) });
	const next = await engine().assemble({ ...other, messages });
	assert.equal(seeds(next).length, 1, "another turn begins");
});

test("a seal within a turn takes the thinking out of the answers that the host appends, and of later requests", async (t) => {
	const here = place(t);
	const answers = new TurnAnswers();
	let now = NOON;
	const weft = here.engine({ turnAnswers: answers, now: () => now });
	const asked = { ...S, tokenBudget: 100_000, model: "claude-opus-5-5" };
	const history = worked(60, 900).map(thoughtOver);
	const hasThought = (message: AgentMessage) => JSON.stringify(message).includes("Thought ");
	answers.begin(S.sessionKey);
	const first = await weft.assemble({ ...asked, messages: history.slice(0, 60) });
	const answer = (at: number) => ({
		...thoughtOver(says(`Answer ${at}.`), at),
		timestamp: ++now,
		responseId: `a${at}`,
	});
	const early = answer(1);
	answers.written(early, S.sessionKey);
	await weft.assemble({ ...asked, messages: first.messages, tokenBudget: 99_000 });
	assert.ok(hasThought(early), "nothing before it has changed");
	now++;
	const sealed = await weft.assemble({
		...asked,
		messages: first.messages,
		tokenBudget: Math.floor(first.estimatedTokens * 0.8),
	});
	assert.equal(seeds(sealed).length, 1);
	assert.ok(!hasThought(early), "the host appends it without its thinking");
	now++;
	const late = answer(2);
	answers.written(late, S.sessionKey);
	await weft.assemble({ ...asked, messages: sealed.messages, tokenBudget: Math.floor(first.estimatedTokens * 0.79) });
	assert.ok(hasThought(late));
	// The host's transcript has both as they were.
	const turn = [user("Go on.", 5_900), { ...thoughtOver(says("Answer 1."), 1), ...idsOf(early) }, late];
	await weft.commitTurn({ ...S, advancementKey: "turn", messages: turn });
	const next = [...history.slice(0, 60), ...turn, user("And then?", 9_000_000)];
	const again = await here.engine({ now: () => now }).assemble({ ...asked, messages: next });
	const shown = again.messages.filter(({ role }) => role === "assistant").filter(hasThought);
	assert.deepEqual(shown.map(textOf), [textOf(late)]);
});

test("thinking of a turn that the host repeated after an overflow is not sent in later turns", async (t) => {
	for (const trigger of ["overflow", "budget"] as const) {
		const here = place(t);
		let now = NOON;
		const clock = () => now;
		const asked = { ...S, tokenBudget: 100_000, model: "claude-opus-5-5" };
		const history = worked(10, 900).map(thoughtOver);
		const hasThought = (message: AgentMessage) => JSON.stringify(message).includes("Thought ");
		const weft = here.engine({ now: clock });
		await weft.assemble({ ...asked, messages: history });
		await weft.compact({ ...S, runtimeContext: { trigger } });
		const repeated = await weft.assemble({ ...asked, messages: history });
		const answer = { ...thoughtOver(says("Done."), 1), timestamp: ++now, responseId: "done" };
		await weft.commitTurn({ ...S, advancementKey: "turn", messages: [user("Go on.", 5_900), answer] });
		now++;
		const next = here.engine({ now: clock });
		const messages = [...repeated.messages, user("Go on.", 5_900), answer, user("And then?", 9_000_000)];
		const again = await next.assemble({ ...asked, messages });
		assert.equal(again.messages.some(hasThought), trigger === "budget", trigger);
		const later = { ...thoughtOver(says("Later."), 2), timestamp: ++now, responseId: "later" };
		await next.commitTurn({ ...S, advancementKey: "next", messages: [user("And then?", 9_000_000), later] });
		const last = await here.engine({ now: clock }).assemble({ ...asked, messages: [...again.messages, later] });
		assert.ok(last.messages.some(hasThought), "the thinking of an ordinary turn stays");
	}
});

function idsOf({ timestamp, responseId }: AgentMessage) {
	return { timestamp, responseId };
}

test("a turn begins with half of the budget free where thinking is bound, however small the last turn was", async (t) => {
	const here = place(t);
	const messages = [...worked(28, 900).map(thoughtOver), user("And then?", 9_000_000)];
	const begin = async (session: string, model: string, tokenBudget: number) => {
		const turn = { sessionId: session, sessionKey: `agent:main:${session}`, model, tokenBudget };
		await here.engine().assemble({ ...turn, messages: messages.slice(0, 9) });
		return here.engine().assemble({ ...turn, messages });
	};
	const { estimatedTokens } = await begin("s1", "claude-sonnet-4-5", 100_000);
	const budget = Math.ceil(estimatedTokens * 1.5);
	assert.equal(seeds(await begin("s2", "claude-sonnet-4-5", budget)).length, 0);
	const sealed = await begin("s3", "claude-opus-5-5", budget);
	assert.equal(seeds(sealed).length, 1);
	assert.ok(sealed.estimatedTokens <= budget / 2, `${sealed.estimatedTokens} of ${budget}`);
});
