/** Replay and `lookAt` reproduce the requests of a session that ran with weft. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { asName } from "../../src/base/json/read.ts";
import { UNKNOWN_PRICES } from "../../src/base/tokens/prices.ts";
import { hostMessages } from "../../src/context/envelope/envelope.ts";
import type { ModeName } from "../../src/context/moment.ts";
import type { MadeRequest, RequestInput } from "../../src/context/request.ts";
import { lookAt } from "../../src/context/request-at.ts";
import { type Engine, openEngine } from "../../src/engine.ts";
import { measureRequests } from "../../src/replay/mode-report.ts";
import { openSession } from "../../src/replay/recording.ts";
import { hasSent, replayRow } from "../../src/replay/requests.ts";
import { messageReader } from "../../src/state/work/translate-message.ts";
import { worked } from "../openclaw/rig.ts";
import { temporaryFolder } from "../rig/temporary-folder.ts";
import { replayAll } from "./rig.ts";

const OF = { session: "s1", host: "test" };
const WINDOW = 40_000;

type Messages = readonly Readonly<Record<string, unknown>>[];

/** Plays these messages as an agent would, and assembles a request before each answer. */
async function runLive(
	t: TestContext,
	messages: Messages,
	modeAt: (nth: number) => ModeName,
	assemble: (engine: Engine, input: RequestInput) => Promise<MadeRequest> = (engine, input) => engine.assemble(input),
): Promise<{ readonly engine: Engine; readonly sent: readonly Messages[] }> {
	const cwd = temporaryFolder();
	let now = Date.UTC(2026, 0, 5);
	const engine = openEngine({ cwd, home: join(cwd, ".home"), host: "test", env: {}, now: () => now });
	t.after(() => engine.close());
	const read = messageReader({ ...OF, cwd });
	const sent: Messages[] = [];
	for (const [at, message] of messages.entries()) {
		if (message["role"] === "assistant") {
			const nth = sent.length;
			const last = nth % 3 === 0 ? `Said for request ${nth} alone.` : undefined;
			const model = asName(message["model"]);
			const request = await assemble(engine, { ...OF, model, mode: modeAt(nth), window: WINDOW, last });
			assert.deepEqual(request.violations, []);
			sent.push(JSON.parse(JSON.stringify(request.messages)) as Messages);
		}
		now += 5_000;
		engine.record(read(message as never, `m${at}`));
	}
	return { engine, sent };
}

const MODES: readonly ModeName[] = ["woven", "warp", "lossless", "off", "woven"];

/** A session whose model thinks before every answer. */
function thoughtful(): Messages {
	return worked(60, 900).map((message, at) => {
		if (message["role"] !== "assistant") return message;
		const thinking = { type: "thinking", thinking: `Thought ${at}.`, thinkingSignature: `signature ${at}` };
		const identity = { api: "anthropic-messages", provider: "anthropic", model: "claude-opus-5-5" };
		return { ...message, ...identity, content: [thinking, ...(message["content"] as object[])] };
	});
}

test("thinking comes back exactly where all before it is as it was, across seals and modes, and replay shows the same", async (t) => {
	const messages = thoughtful();
	const count = messages.filter(({ role }) => role === "assistant").length;
	const { engine, sent } = await runLive(t, messages, (nth) => MODES[Math.floor((nth * MODES.length) / count)]!);
	const madeFrom = new Map<string, string>();
	let [kept, left] = [0, 0];
	for (const [nth, list] of sent.entries()) {
		for (const [at, { role, toolCallId: _, ...message }] of list.entries()) {
			const [first, call] = message["content"] as { type: string; id?: string }[];
			const id = role === "assistant" ? (first!.type === "thinking" ? call : first)!.id : undefined;
			const bound = id === undefined ? undefined : madeFrom.get(id);
			if (bound === undefined) continue;
			const now = JSON.stringify(list.slice(0, at));
			if (first!.type === "thinking")
				assert.equal(now === bound, true, `request ${nth}, message ${at} would be refused`);
			else assert.equal(now === bound, false, `request ${nth}, message ${at} lost valid thinking`);
			if (first!.type === "thinking") kept++;
			else left++;
		}
		const answer = messages.filter(({ role }) => role === "assistant")[nth]!;
		const id = (answer["content"] as { id?: string }[]).find((block) => block.id !== undefined)?.id;
		if (id !== undefined) madeFrom.set(id, JSON.stringify(list));
	}
	assert.ok(kept > 50 && left > 20, `${kept} kept, ${left} left out`);
	const { requests, report } = await replayAll(openSession(engine.history, OF), "sent", WINDOW);
	assert.deepEqual([report.invalid, report.unproven, report.unexplainedBreaks], [0, 0, 0]);
	for (const { call, envelope } of requests)
		assert.deepEqual(JSON.parse(JSON.stringify(hostMessages(envelope))), sent[call.index], `request ${call.index}`);
});

test("replay counts the requests of an older weft whose thinking a provider refuses; those of our modes have none", async (t) => {
	const { engine } = await runLive(
		t,
		thoughtful(),
		() => "woven",
		async (engine, input) => {
			const made = await engine.requests.prepare({ ...input, model: "claude-opus-4-8" });
			engine.requests.record(OF, { ...made, thinking: { ...made.thinking, rule: undefined as unknown as "keep" } });
			return made;
		},
	);
	const recording = openSession(engine.history, OF);
	const of = { prices: UNKNOWN_PRICES, window: WINDOW, profile: "balanced" } as const;
	const report = await measureRequests(replayRow(recording, { row: "sent", ...of }), { ...of, ...recording });
	assert.ok(report.invalid > 0);
	for (const { violations } of report.invalidRequests)
		assert.deepEqual([...new Set(violations.map(({ rule }) => rule))], ["thinking-misplaced"]);
	for (const mode of ["woven", "warp", "lossless"] as const)
		assert.equal((await replayAll(recording, mode, WINDOW)).report.invalid, 0, mode);
});

test("the row of what weft sent, and a look at the moment of each request, are what left, across seals and switches of mode", async (t) => {
	const messages = worked(60, 900);
	const count = messages.filter(({ role }) => role === "assistant").length;
	const { engine, sent } = await runLive(t, messages, (nth) => MODES[Math.floor((nth * MODES.length) / count)]!);
	const { history, log } = engine;
	const recording = openSession(history, OF);
	assert.ok(hasSent(recording));
	const { requests, report } = await replayAll(recording, "sent", WINDOW);
	assert.equal(requests.length, sent.length);
	assert.ok(report.seals > 2);
	assert.equal(report.unexplainedBreaks, 0);
	for (const { call, envelope } of requests) {
		const left = sent[call.index];
		assert.deepEqual(JSON.parse(JSON.stringify(hostMessages(envelope))), left, `request ${call.index}`);
		const settings = { mode: "woven", window: WINDOW, profile: "balanced" } as const;
		const stateAt = (seq: number) => engine.stateAt(seq).state;
		const look = await lookAt(call.upTo, { log, history, session: OF, settings, stateAt });
		assert.deepEqual(JSON.parse(JSON.stringify(hostMessages(look.envelope))), left, `a look at ${call.index}`);
		assert.ok(look.request !== undefined);
	}
});
