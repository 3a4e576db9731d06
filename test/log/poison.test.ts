/** One malformed event must not disable a project: at the door it is refused, in the log it is passed over and named. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { EngineError } from "../../src/base/error/engine-error.ts";
import { type Engine, openEngine } from "../../src/engine.ts";
import { wrongIn } from "../../src/log/event/check.ts";
import type { NewEvent } from "../../src/log/event/types.ts";
import { messageReader } from "../../src/state/work/translate-message.ts";
import { worked } from "../openclaw/rig.ts";
import { askEverything } from "../rig/every-reader.ts";
import { type Poison, poison } from "../rig/poison.ts";
import { KNOWN_TYPES, oddPayloads, rightPayload } from "../rig/wrong-shapes.ts";

const OF = { session: "s1", host: "test" };

function open(t: TestContext): Engine {
	const cwd = mkdtempSync(join(tmpdir(), "weft-poison-"));
	const engine = openEngine({ cwd, home: join(cwd, ".home"), host: "test", session: "s1", env: {}, now: () => 1_000 });
	t.after(() => {
		engine.close();
		rmSync(cwd, { recursive: true, force: true });
	});
	const read = messageReader({ ...OF, cwd });
	engine.record(worked(8, 300).flatMap((message, at) => read(message as never, `m${at}`)));
	return engine;
}

test("the door refuses every wrong shape of every type by its name, and nothing of the batch is written", (t) => {
	const { log, record } = open(t);
	const before = log.newestSeq();
	const good = { type: "Custom", payload: { name: "good" } } as const;
	let refused = 0;
	for (const type of KNOWN_TYPES) {
		for (const [at, payload] of oddPayloads(type).entries()) {
			if (wrongIn(type, 1, payload) === undefined || at % 3 > 0) continue;
			assert.throws(
				() => record([good, { type, payload } as unknown as NewEvent]),
				(error) =>
					error instanceof EngineError &&
					error.code === "bad-event" &&
					error.message.startsWith(`Event 2 of 2 (${type}) was refused, nothing was written: `),
			);
			refused++;
		}
	}
	assert.ok(refused > 400, `${refused} refused`);
	assert.equal(log.newestSeq(), before);
	const broken = { type: "Entry", payload: { kind: "x" }, raw: '{"a":1},"kind":5' } as const;
	assert.throws(() => record([broken]), /raw must be JSON/);
});

test("malformed events in the log are passed over and counted by everybody who reads, and verify names them", async (t) => {
	const engine = open(t);
	const state = JSON.stringify(engine.state().state);
	const wrong: Poison[] = KNOWN_TYPES.flatMap((type) =>
		oddPayloads(type)
			.filter((payload) => wrongIn(type, 1, payload) !== undefined)
			.filter((_, at) => at % 7 === 0)
			.map((payload) => ({ ...OF, type, payload })),
	);
	const unknown = KNOWN_TYPES.map((type) => ({ ...OF, type, payload: {}, v: 2 }));
	poison(engine.log, [...wrong, { ...OF, type: "Message", payload: "not JSON" }, ...unknown]);
	const after = engine.state();
	assert.equal(JSON.stringify(after.state), state);
	assert.deepEqual(
		{ unknown: after.unknown, malformed: after.malformed },
		{ unknown: unknown.length, malformed: wrong.length + 1 },
	);
	const report = await askEverything(engine, OF);
	assert.deepEqual(report.problems, []);
	assert.equal(report.malformedCount, wrong.length + 1);
	assert.match(report.malformed[0]!, /^event \d+ \(SessionStarted\) is malformed: cwd /);
	engine.log.rebuild();
	assert.deepEqual((await askEverything(engine, OF)).problems, []);
	await engine.endSession();
});

test("whatever a payload holds where it may hold anything, no reader fails", async (t) => {
	const engine = open(t);
	const odd: Poison[] = KNOWN_TYPES.flatMap((type) =>
		[rightPayload(type), ...oddPayloads(type)]
			.filter((payload) => wrongIn(type, 1, payload) === undefined)
			.map((payload) => ({ ...OF, type, payload })),
	);
	poison(engine.log, odd);
	assert.deepEqual((await askEverything(engine, OF)).malformed, []);
});
