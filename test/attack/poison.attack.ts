/** Malformed events by schema: at the door and in the log, one wrong field or many, in every type. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { EngineError } from "../../src/base/error/engine-error.ts";
import { openEngine } from "../../src/engine.ts";
import { wrongIn } from "../../src/log/event/check.ts";
import type { AnyPayload, NewEvent } from "../../src/log/event/types.ts";
import { messageReader } from "../../src/state/work/translate-message.ts";
import { worked } from "../openclaw/rig.ts";
import { askEverything } from "../rig/every-reader.ts";
import { type Poison, poison } from "../rig/poison.ts";
import { KNOWN_TYPES, nested, oddPayloads, rightPayload } from "../rig/wrong-shapes.ts";
import { randomFrom, tellCount } from "./count.ts";
import { rounds } from "./time.ts";

const OF = { session: "s1", host: "test" };
const EVENTS_PER_ROUND = 150;
const root = mkdtempSync(join(tmpdir(), "weft-attack-poison-"));
after(() => rmSync(root, { recursive: true, force: true }));

const draw = randomFrom(3);
const below = (n: number): number => Math.floor(draw() * n);
const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)]!;
const odd = new Map(KNOWN_TYPES.map((type) => [type, oddPayloads(type)]));

test("fuzz by schema", async () => {
	const told = { refused: 0, taken: 0, malformed: 0, unknown: 0, rounds: 0 };
	for (let n = 0; n < rounds(6); n++) {
		const cwd = join(root, `${n}`);
		mkdirSync(cwd);
		const engine = openEngine({ cwd, home: join(cwd, "home"), host: "test", session: "s1", env: {} });
		const read = messageReader({ ...OF, cwd });
		engine.record(worked(6, 300).flatMap((message, at) => read(message as never, `m${at}`)));
		const events = Array.from({ length: EVENTS_PER_ROUND }, strange);
		for (const { type, payload, v } of events) {
			try {
				engine.record([{ type, payload, v, entry: `door ${below(1e9)}` } as unknown as NewEvent]);
				told.taken++;
			} catch (error) {
				assert.ok(error instanceof EngineError && error.code === "bad-event", String(error));
				told.refused++;
			}
		}
		poison(engine.log, events);
		const { malformed, unknown } = engine.state();
		const wrong = events.filter(({ type, payload, v }) => v === 1 && wrongIn(type, 1, payload) !== undefined);
		assert.equal(malformed, wrong.length);
		const report = await askEverything(engine, OF);
		assert.equal(report.malformedCount, wrong.length);
		assert.deepEqual(
			report.problems.filter((problem) => !problem.startsWith("the gaps that")),
			[],
		);
		told.malformed += malformed;
		told.unknown += unknown;
		told.rounds++;
		await engine.endSession();
	}
	const { refused, taken, malformed, unknown } = told;
	const counts = { rounds: told.rounds, "refused at the door": refused, "taken well formed": taken };
	tellCount("fuzz by schema", { ...counts, "malformed passed over": malformed, "unknown passed over": unknown });
});

function strange(): Poison & { readonly v: number; readonly payload: AnyPayload } {
	const type = pick(KNOWN_TYPES);
	const base = pick([...odd.get(type)!, rightPayload(type)]);
	const payload: Record<string, unknown> = { ...base };
	for (let n = below(3); n > 0; n--) {
		const key = pick([...Object.keys(rightPayload(type)), "path", "tool", "blob", "raw", "text"]);
		payload[key] = pick([null, 0, "", [], {}, true, "a".repeat(5_000), nested(500), { ...payload }, Number.MAX_VALUE]);
	}
	return { ...OF, type, payload, v: below(10) === 0 ? 2 : 1 };
}
