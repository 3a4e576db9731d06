import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { type Engine, openEngine } from "../../src/engine.ts";
import { databaseOf } from "../../src/log/database.ts";
import type { NewEvent } from "../../src/log/event/types.ts";
import { verify } from "../../src/log/repair/verify.ts";
import { PRUNABLE_TYPES } from "../../src/log/retention/prunable-types.ts";
import { prune } from "../../src/log/retention/prune.ts";
import { temporaryFolder } from "../rig/temporary-folder.ts";
import { rightPayload } from "../rig/wrong-shapes.ts";

const root = temporaryFolder();

let homes = 0;
function open(home = join(root, `home-${++homes}`)): Engine {
	return openEngine({ cwd: root, home, host: "test", env: {}, now: () => 1e12 });
}

/** Every row of every projection: the folds' tables, and what the full text indexes hold, term by term. */
function state(engine: Engine): string[] {
	const db = databaseOf(engine.log);
	engine.log.catchUp();
	engine.log.search.catchUp();
	const rows = [...engine.log.projection!.dump()];
	for (const table of ["search_doc", "search_state", "handle", "handle_state"]) {
		for (const row of db.prepare(`SELECT * FROM ${table} ORDER BY 1`).all())
			rows.push(`${table} ${JSON.stringify(row)}`);
	}
	for (const index of ["search_words", "search_grams"]) {
		db.exec(`CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', '${index}', 'instance')`);
		for (const row of db.prepare("SELECT * FROM temp.terms ORDER BY term, doc, col, offset").iterate()) {
			rows.push(`${index} ${JSON.stringify(row)}`);
		}
		db.exec("DROP TABLE temp.terms");
	}
	return rows;
}

function rebuild(engine: Engine): void {
	engine.log.rebuild();
}

const words = fc.stringMatching(/^[a-zA-Z_ 数据库🔥.,0-9]{0,40}$/u);
const message = fc.record({
	role: fc.constantFrom("user", "assistant", "toolResult"),
	text: words,
	session: fc.constantFrom("a", "b"),
});

function asEvent({ role, text, session }: { role: string; text: string; session: string }, n: number): NewEvent {
	const content = [{ type: "text", text }];
	const raw = JSON.stringify({ type: "message", id: `${n}`, message: { role, content, toolName: "bash" } });
	return { type: "Message", session, host: "pi", ts: n * 1_000, entry: `${n}`, payload: { role, form: "pi" }, raw };
}

test("rebuild equals live, row by row, whenever the folds and the index caught up in between", () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(message, fc.boolean()), { minLength: 1, maxLength: 60 }), (steps) => {
			const engine = open();
			for (const [n, [each, settle]] of steps.entries()) {
				engine.log.append([
					asEvent(each, n),
					{ type: "UserIntent", session: each.session, host: "pi", ts: n, payload: { text: each.text } },
				]);
				if (!settle) continue;
				engine.log.settle({ all: true });
				engine.log.search.catchUp();
				engine.log.projection!.catchUp();
			}
			const live = state(engine);
			rebuild(engine);
			assert.deepEqual(state(engine), live);
			assert.deepEqual(verify(engine.log).problems, []);
			engine.close();
		}),
		{ numRuns: 15 },
	);
});

test("rebuild equals live after events were pruned", async () => {
	const engine = open();
	for (let n = 0; n < 60; n++) {
		engine.log.append([
			asEvent({ role: "user", text: `message ${n}`, session: "a" }, n),
			...PRUNABLE_TYPES.map(
				(type) => ({ type, session: "a", host: "pi", ts: n, payload: rightPayload(type) }) as unknown as NewEvent,
			),
		]);
	}
	// Folded before they leave: what was made from them must not stay.
	state(engine);
	await prune(engine.log, { now: 9e12, minEvents: 0, apply: true });
	const live = state(engine);
	rebuild(engine);
	assert.deepEqual(state(engine), live);
	engine.close();
});

test("case 83: a second start does no work again: the file is not written to", () => {
	const home = join(root, "twice");
	const first = open(home);
	first.log.append(Array.from({ length: 300 }, (_, n) => asEvent({ role: "user", text: `word${n}`, session: "a" }, n)));
	const expected = state(first);
	first.close();
	const second = open(home);
	const changes = databaseOf(second.log).prepare("SELECT total_changes() AS n");
	second.log.search.catchUp();
	second.log.catchUp();
	assert.deepEqual({ ...changes.get() }, { n: 0 });
	assert.deepEqual(state(second), expected);
	second.close();
});

test("case 34: what is known of a session is not erased by a later event that does not say it", () => {
	const engine = open();
	const start = { type: "SessionStarted", session: "a", host: "pi" } as const;
	engine.log.append([{ ...start, ts: 1, payload: { cwd: "/somewhere" } }]);
	engine.log.append([{ ...start, ts: 2, payload: { cwd: "" } }]);
	engine.log.projection!.catchUp();
	const row = databaseOf(engine.log).prepare("SELECT cwd, last_seq FROM session_state").get();
	assert.deepEqual({ ...row }, { cwd: "/somewhere", last_seq: 2 });
	engine.close();
});

test("any single changed byte of an event is found by verify", () => {
	fc.assert(
		fc.property(fc.integer({ min: 1, max: 20 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (seq, at, flip) => {
			const engine = open();
			engine.log.append(
				Array.from({ length: 20 }, (_, n) => asEvent({ role: "user", text: `text ${n}`, session: "a" }, n)),
			);
			const { payload } = databaseOf(engine.log).prepare("SELECT payload FROM event WHERE seq = ?").get(seq) as {
				payload: string;
			};
			const bytes = Buffer.from(payload);
			bytes[at % bytes.length]! ^= flip;
			databaseOf(engine.log).prepare("UPDATE event SET payload = CAST(? AS TEXT) WHERE seq = ?").run(bytes, seq);
			const found = verify(engine.log).problems;
			engine.close();
			assert.ok(found.length > 0);
		}),
		{ numRuns: 25 },
	);
});
