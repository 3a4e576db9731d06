/**
 * Sessions as no agent should write them, through import, search, patterns and export: lone surrogates, NUL, `__proto__`,
 * JSON thousands of levels deep, lines of five megabytes, wrong types wherever a field is looked at.
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { EngineError } from "../../src/base/error/engine-error.ts";
import { TableFolds } from "../../src/log/fold/table-folds.ts";
import { Log } from "../../src/log/log.ts";
import { verify } from "../../src/log/repair/verify.ts";
import { searchable } from "../../src/state/session/searchable.ts";
import { sessionFold } from "../../src/state/session/session-fold.ts";
import { treeFold } from "../../src/state/session/tree-fold.ts";
import { sessionEntries } from "../../src/view/export.ts";
import { gist } from "../../src/view/gist.ts";

const root = mkdtempSync(join(tmpdir(), "weft-fuzz-"));
after(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

function openLog(): Log {
	return new Log({
		folder: join(root, `${++folders}`),
		origin: "here",
		projection: () => new TableFolds([sessionFold, treeFold]),
		searchable,
	});
}

/** The text of a JSON value, as odd as JSON allows it to be. */
const oddScalar = fc.oneof(
	fc.constantFrom("null", "true", "-0", "1e400", "1.0", "0.10E+2", '""', "[]", "{}", '"\\ud800"', '"\\udc00x\\u0000"'),
	fc.string({ unit: "binary", maxLength: 12 }).map((text) => JSON.stringify(text)),
	fc.constantFrom('"bash"', '"/etc/passwd"', '"../../x"', '"[["', '"<system-reminder>"', '"\\u2028 \\/ "'),
);
const deep = fc.integer({ min: 1, max: 3_000 }).map((levels) => "[".repeat(levels) + "]".repeat(levels));
const oddKey = fc.constantFrom(
	...["type", "id", "role", "content", "text", "name", "arguments", "input", "tool_use_id", "toolCallId", "isError"],
	...["path", "command", "old_string", "edits", "thinking", "signature", "usage", "details", "data"],
	...["__proto__", "constructor", "toString", "", "raw", "blob", "tool"],
);
const { value: oddValue } = fc.letrec<{ value: string }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4, withCrossShrink: true },
		oddScalar,
		deep,
		fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(" ,")}]`),
		fc
			.array(fc.tuple(oddKey, tie("value")), { maxLength: 4 })
			.map((pairs) => `{ ${pairs.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(",")}}`),
	),
}));
const blocks = fc
	.array(
		fc.tuple(fc.constantFrom("text", "thinking", "toolCall", "tool_use", "tool_result", "image"), oddKey, oddValue),
		{
			maxLength: 3,
		},
	)
	.map((all) => `[${all.map(([type, key, value]) => `{"type":"${type}",${JSON.stringify(key)}:${value}}`).join(",")}]`);
const message = fc
	.tuple(
		fc.constantFrom("user", "assistant", "toolResult", "bashExecution", "system"),
		fc.oneof(oddValue, blocks),
		oddKey,
		oddValue,
	)
	.map(([role, content, key, value]) => `{"role":"${role}",${JSON.stringify(key)}:${value},"content":${content}}`);

const piLines = fc.array(
	fc.tuple(fc.constantFrom("message", "custom", "compaction", "label"), oddKey, oddValue, message),
	{
		minLength: 1,
		maxLength: 12,
	},
);
const claudeLines = fc.array(fc.tuple(fc.constantFrom("user", "assistant", "system"), oddKey, oddValue, message), {
	minLength: 1,
	maxLength: 12,
});

function piSession(lines: readonly (readonly [string, string, string, string])[]): string[] {
	const header = '{"type":"session","version":3,"id":"odd","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/nowhere"}';
	const entries = lines.map(
		([type, key, value, of], n) =>
			`{${JSON.stringify(`x${key}`)}:${value},"type":"${type}","id":"e${n}","parentId":null,"message":${of}}`,
	);
	return [header, ...entries];
}

function claudeSession(lines: readonly (readonly [string, string, string, string])[]): string[] {
	return lines.map(
		([type, key, value, of], n) =>
			`{${JSON.stringify(`x${key}`)}:${value},"type":"${type}","uuid":"u${n}","parentUuid":null,"sessionId":"odd","cwd":"/nowhere","message":${of}}`,
	);
}

const session = fc.oneof(piLines.map(piSession), claudeLines.map(claudeSession));

test("whatever entries hold, they come out byte for byte, a second import adds nothing, and the log is whole", async () => {
	await fc.assert(
		fc.asyncProperty(session, async (lines) => {
			using log = openLog();
			const path = join(root, "odd.jsonl");
			writeFileSync(path, `${lines.join("\n")}\n`);
			const report = await importFile(path, { readers: READERS, logFor: () => log });
			assert.deepEqual(report.malformed, []);
			assert.deepEqual([...sessionEntries(log, "odd")], lines);
			const count = log.count();
			await importFile(path, { readers: READERS, logFor: () => log });
			assert.equal(log.count(), count);
			for (const record of log.read()) assert.ok(gist(record).length < 2_000);
			assert.deepEqual(verify(log).problems, []);
		}),
		{ numRuns: 150 },
	);
	assert.equal(({} as Record<string, unknown>)["a"], undefined);
	assert.deepEqual(Object.keys(Object.prototype), []);
});

test("whatever entries hold, neither words nor patterns from them make a search throw or hang", async () => {
	const fragment = fc.oneof(
		oddScalar,
		oddKey,
		deep.map((text) => text.slice(0, 400)),
		fc.string({ unit: "binary" }),
	);
	await fc.assert(
		fc.asyncProperty(session, fc.array(fragment, { minLength: 1, maxLength: 4 }), async (lines, fragments) => {
			using log = openLog();
			const path = join(root, "odd.jsonl");
			writeFileSync(path, `${lines.join("\n")}\n`);
			await importFile(path, { readers: READERS, logFor: () => log });
			for (const text of fragments) {
				log.search.find({ text, thinking: true });
				log.search.find({ text, tool: text, file: text, role: text });
				try {
					await log.search.findRegex({ pattern: text, thinking: true });
				} catch (error) {
					assert.ok(error instanceof EngineError && error.code === "bad-pattern", String(error));
				}
			}
			assert.deepEqual(log.search.check(), []);
		}),
		{ numRuns: 80 },
	);
});

test("a line of five megabytes is imported, found by a word and by a pattern at its end, and comes out the same", async () => {
	const filler = ["\\u0000", "\\ud83d", "x", "移", "[", "a "];
	for (const [n, unit] of filler.entries()) {
		using log = openLog();
		const text = unit.repeat(Math.ceil(5_000_000 / unit.length));
		const lines = [
			'{"type":"session","version":3,"id":"odd","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/nowhere"}',
			`{"type":"message","id":"e1","parentId":null,"message":{"role":"user","content":"${text} needle${n}Haystack"}}`,
		];
		const path = join(root, "long.jsonl");
		writeFileSync(path, `${lines.join("\n")}\n`);
		const report = await importFile(path, { readers: READERS, logFor: () => log });
		assert.equal(report.malformedCount, 0);
		assert.equal(log.search.find({ text: `needle${n}` }).hits.length, 1, JSON.stringify(unit));
		const { hits, complete } = await log.search.findRegex({ pattern: `needle${n}H\\w+`, deadlineMs: 60_000 });
		assert.deepEqual([hits.length, complete], [1, true], JSON.stringify(unit));
		assert.ok([...sessionEntries(log, "odd")][1] === lines[1]);
	}
});
