import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { fileRead, foreignEvent, recordsOf, verdict } from "../../test/rig/events.ts";
import { given } from "../../test/rig/fold-specification.ts";
import { initialState, step } from "../../test/rig/guarded-session.ts";
import type { EventRecord } from "../log/event/types.ts";
import { emptyRecent, getRecent, newestFirst, putRecent } from "../log/fold/keyed.ts";
import { findRecord } from "./file-record.ts";
import { GUARD_FOLDS } from "./guard.ts";

const HASHES = ["a".repeat(64), "b".repeat(64)];
const names = fc.constantFrom("a.ts", "src/b.ts", "1", "__proto__");
const session = fc.constantFrom("s1", "s2");
const callId = fc.constantFrom("c1", "c2", "c3");
const hash = fc.constantFrom(...HASHES);
const line = fc.integer({ min: 1, max: 40 });
const stat = fc.record({
	size: fc.nat(9),
	mtimeNs: fc.constantFrom("1", "2"),
	ctimeNs: fc.constant("3"),
	ino: fc.constantFrom("7", "8"),
	dev: fc.constant("1"),
	at: fc.nat(9),
});
const real = fc.constantFrom("/p/a.ts", "/p/1", "1");
const maybe = <T>(key: string, value: fc.Arbitrary<T>) =>
	fc.option(value, { nil: undefined }).map((v) => (v === undefined ? {} : { [key]: v }));
const look = fc
	.tuple(maybe("stat", stat), maybe("real", real), maybe("textHash", hash))
	.map((all) => Object.assign({}, ...all) as object);

const events = fc.oneof(
	fc
		.record({ path: names, from: line, to: fc.option(line), sliceHash: hash, tool: fc.constant("read"), callId }, {})
		.chain((p) => fc.tuple(look, maybe("fileHash", hash)).map(([l, f]) => ["FileRead", { ...p, ...l, ...f }] as const)),
	fc
		.record({
			path: names,
			kind: fc.constantFrom("edit", "write", "delete"),
			added: line,
			removed: fc.option(line),
			actor: fc.constantFrom("agent", "shell", "other"),
			callId,
		})
		.chain((p) =>
			fc
				.tuple(
					look,
					maybe("hash", hash),
					maybe("diff", fc.constantFrom("@@ -3,2 +3,4 @@\n", "@@ -1,0 +1 @@\n@@ -9,9 +9 @@\n")),
				)
				.map(([l, h, d]) => ["FileChanged", { ...p, ...l, ...h, ...d }] as const),
		),
	fc
		.record({
			verdict: fc.constantFrom("block", "warn", "refresh"),
			rule: fc.constantFrom("unchanged", "read-first", "__proto__"),
			mode: fc.constant("enforce"),
			reason: fc.string(),
			path: names,
			tool: fc.constant("edit"),
			callId,
			inputHash: fc.constantFrom("1", "2"),
			diffShown: fc.boolean(),
			why: fc.constantFrom("read", "change", "same"),
			lines: fc.nat(50),
		})
		.chain((p) => fc.tuple(look, maybe("hash", hash)).map(([l, h]) => ["Verdict", { ...p, ...l, ...h }] as const)),
	fc.constant(["UserIntent", { text: "do it" }] as const),
	fc
		.record({ tool: fc.constantFrom("grep", "__proto__"), callId, input: fc.constantFrom({ a: 1 }, { b: [] }) })
		.map((p) => ["ToolCalled", p] as const),
	fc.tuple(callId, fc.constantFrom("same", "other")).map(([id, text]) => {
		const message = { role: "toolResult", toolCallId: id, toolName: "grep", content: [{ type: "text", text }] };
		return ["Message", { role: "toolResult", form: "pi", raw: { type: "message", message } }] as const;
	}),
	fc
		.constantFrom("rg x", "npm install", "ls")
		.map(
			(command) =>
				["CommandRun", { command, exit: 0, chars: 0, lines: 0, by: "agent", tool: "bash", callId: "c1" }] as const,
		),
	fc.constant(["Custom", { name: "x" }] as const),
);

const records = fc
	.array(fc.tuple(session, events), { maxLength: 40, size: "max" })
	.map((all) => recordsOf(all.map(([of, [type, payload]]) => foreignEvent(type, payload, { session: of }))));

function fold(all: readonly EventRecord[], from = initialState()) {
	for (const record of all) step(from, record);
	return from;
}

test("folding all equals folding the rest onto any prefix that went through JSON", () => {
	fc.assert(
		fc.property(records, (all) => {
			const whole = JSON.stringify(fold(all));
			for (let cut = 0; cut <= all.length; cut++) {
				const prefix = JSON.parse(JSON.stringify(fold(all.slice(0, cut))));
				assert.equal(JSON.stringify(fold(all.slice(cut), prefix)), whole);
			}
		}),
		{ numRuns: 100 },
	);
});

test("a bounded map keeps the newest, in order, through JSON", () => {
	fc.assert(
		fc.property(
			fc.array(fc.constantFrom("1", "2", "10", "x", "__proto__", "a"), { maxLength: 60 }),
			fc.integer({ min: 1, max: 5 }),
			(keys, most) => {
				let recent = emptyRecent<number>();
				for (const [i, key] of keys.entries()) {
					putRecent(recent, key, i, most);
					recent = JSON.parse(JSON.stringify(recent));
					assert.equal(getRecent(recent, key), i);
					assert.equal(Object.keys(recent.items).length, recent.count);
					assert.ok(recent.count <= most);
				}
				const order = [...newestFirst(recent)].map(([, i]) => i);
				assert.deepEqual(
					order,
					order.toSorted((a, b) => b - a),
				);
			},
		),
	);
});

describe("what a session knows of a file", () => {
	const of = { session: "s", host: "pi" };
	const [hash0, hash1] = HASHES as [string, string];
	const read = (callId: string, more: object = {}) => fileRead("a.ts", { sliceHash: hash0, callId, ...more });

	test("a refresh that comes before the event of the same read gives the bytes, the event the lines", () => {
		const look = { hash: hash1, real: "/p/a.ts", lines: 20 };
		const refresh = verdict({
			verdict: "refresh",
			rule: "unchanged",
			path: "a.ts",
			callId: "c2",
			why: "read",
			...look,
		});
		const state = fold(recordsOf([refresh, read("c2")]));
		const record = findRecord(state.files, of, "a.ts");
		assert.deepEqual([record?.hash, record?.shown, record?.real, record?.seq], [hash1, [[1, 9]], "/p/a.ts", 2]);
		assert.equal(findRecord(state.files, of, "elsewhere", "/p/a.ts"), record);
	});

	test("a read without a refresh makes older bytes unknown", () => {
		given(read("c1", { fileHash: hash0 }), read("c2"))
			.when(GUARD_FOLDS.files, (files) => {
				const record = findRecord(files, of, "a.ts");
				return [record?.hash, record?.slices];
			})
			.then([null, [{ from: 1, to: 9, hash: hash0 }]]);
	});

	test("survives a payload that another version wrote", () => {
		fold(recordsOf([foreignEvent("FileRead", {}), foreignEvent("Verdict", { path: 3 })]));
	});

	test("recent verdicts are bounded, the newest last", () => {
		const blocks = Array.from({ length: 30 }, (_, i) =>
			verdict({ verdict: "block", rule: "read-first", reason: `no ${i + 1}\nmore`, path: "a.ts", tool: "edit" }),
		);
		given(...blocks)
			.when(GUARD_FOLDS.verdicts, ({ recent, counts }) => [recent.length, recent.at(-1)?.reason, counts])
			.then([20, "no 30", { "read-first": { block: 30, warn: 0 } }]);
	});
});
