/** Replay and `lookAt` reproduce the requests of a session that ran with weft. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hostMessages } from "../../src/context/envelope/envelope.ts";
import type { ModeName } from "../../src/context/moment.ts";
import { lookAt } from "../../src/context/request-at.ts";
import { type Engine, openEngine } from "../../src/engine.ts";
import { openSession } from "../../src/replay/recording.ts";
import { hasSent } from "../../src/replay/requests.ts";
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
			const request = await engine.assemble({ ...OF, mode: modeAt(nth), window: WINDOW, last });
			assert.deepEqual(request.violations, []);
			sent.push(JSON.parse(JSON.stringify(request.messages)) as Messages);
		}
		now += 5_000;
		engine.record(read(message as never, `m${at}`));
	}
	return { engine, sent };
}

test("the row of what weft sent, and a look at the moment of each request, are what left, across seals and switches of mode", async (t) => {
	const modes: readonly ModeName[] = ["woven", "warp", "lossless", "off", "woven"];
	const messages = worked(60, 900);
	const count = messages.filter(({ role }) => role === "assistant").length;
	const { engine, sent } = await runLive(t, messages, (nth) => modes[Math.floor((nth * modes.length) / count)]!);
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
