import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Place } from "./place.ts";
import { SESSION, session } from "./session.ts";

const place = new Place();
before(async () => {
	await place.weft("import", place.file("session.jsonl", session(place.project)));
});
after(() => place.remove());

interface Found {
	readonly hits: { seq: number; id: string; session: string; role: string; snippet: string }[];
	readonly found: number | null;
	readonly scanned: number;
	readonly total: number;
	readonly ms: number;
	readonly complete: boolean;
	readonly goOn?: string;
}

const seqs = async (...args: string[]): Promise<number[]> =>
	(await place.json<Found>("grep", ...args)).hits.map(({ seq }) => seq);

test("finds words and shows where they stand, the match marked", async () => {
	const { code, out, err } = await place.weft("grep", "parseHeader", "tabs");
	assert.deepEqual([code, err], [0, ""]);
	assert.match(
		out,
		/^Make parseHeader accept tabs\. .* {2}0199c0de-0000, pi\n2 {2}2026-01-05 10:00:01 {2}user {2}Make «parseHeader» accept «tabs»\. The token is/,
	);
	const colored = await place.weftIn({ FORCE_COLOR: "1" }, "grep", "tabs");
	assert.ok(colored.out.includes("\u001b["), "the match has a colour");
	assert.ok(!colored.out.includes("«"));
});

test("--json has hits with their times, how many there are in all, and how much was scanned", async () => {
	const { hits, found, scanned, total, complete } = await place.json<Found>("grep", "失敗");
	assert.deepEqual(
		hits.map(({ id: _, ...hit }) => hit),
		[
			{
				seq: 19,
				session: SESSION,
				title: "Make parseHeader accept tabs. The token is ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8.",
				agent: "pi",
				role: "assistant",
				ts: Date.UTC(2026, 0, 5, 10, 0, 8),
				time: "2026-01-05T10:00:08.000Z",
				snippet: "ヘッダーの解析を直しました。テストは一つ失敗しています。",
			},
		],
	);
	assert.match(hits[0]?.id ?? "", /^[0-9a-f-]{36}$/);
	assert.deepEqual([found, scanned, total, complete], [1, 8, 8, true]);
});

test("filters narrow the search", async () => {
	assert.deepEqual(await seqs("header", "--role", "user", "--agent", "pi"), [2]);
	assert.deepEqual(await seqs("parseHeader", "--path", "src/"), await seqs("parseHeader", "--file", "src/"));
	assert.match((await place.weft("grep", "header", "--agent", "pie")).err, /Unknown --agent 'pie'\. This log has pi\./);
	assert.match((await place.weft("grep", "x", "--file", "a", "--path", "a")).err, /are the same/);
	assert.deepEqual(await seqs("header", "--role", "user"), [2]);
	assert.deepEqual(await seqs("parseHeader", "--tool", "read", "--role", "toolResult"), [6]);
	assert.deepEqual(await seqs("parseHeader", "--since", "2026-01-05T10:00:02Z"), [6]);
	assert.deepEqual(await seqs("parseHeader", "--until", "2026-01-05T10:00:02Z"), [2]);
	assert.deepEqual(await seqs("parseHeader", "--session", "0199", "--recent"), [6, 2]);
	assert.equal((await place.weft("grep", "x", "--session", "nobody")).code, 3);
	const role = await place.weft("grep", "x", "--role", "robot");
	assert.deepEqual([role.code, role.out], [2, ""]);
	assert.match(role.err, /Unknown --role 'robot'\. This log has assistant, .*user\.$/m);
	const everywhere = await place.weft("grep", "x", "--all", "--role", "robot");
	assert.deepEqual([everywhere.code, everywhere.out], [2, ""]);
	assert.match(everywhere.err, /Unknown --role 'robot'\. This log has assistant, .*user\.$/m);
	const tool = await place.weft("grep", "x", "--tool", "saw");
	assert.match(tool.err, /Unknown --tool 'saw'\. This log has .*\bread\b/);
});

test("pages follow each other and say how to go on", async () => {
	const first = await place.weft("grep", "parseHeader", "--recent", "--limit", "1");
	assert.match(first.out, /^6 /m);
	assert.match(first.err, /Continue with --offset 1\n$/);
	assert.deepEqual(await seqs("parseHeader", "--recent", "--limit", "1", "--offset", "1"), [2]);
});

test("text is literal: operators, quotes and stars never break a search", async () => {
	for (const text of ['"', "*", "a AND", "NEAR(", "col:x", "-", "%", "'", "(", "^x", ""]) {
		const { code, err } = await place.weft("grep", "--", text);
		assert.ok(code === 0 || (code === 1 && err.startsWith("Nothing found")), `${text}: ${err}`);
	}
});

test("a search without hits says what was scanned, and ends with 1 as grep does", async () => {
	const { code, out, err } = await place.weft("grep", "nowhere");
	assert.deepEqual([code, out, err], [1, "", "Nothing found in 8 texts searched.\n"]);
	const json = await place.weft("grep", "nowhere", "--json");
	const { ms, ...told } = JSON.parse(json.out) as Found;
	assert.deepEqual(told, { hits: [], found: 0, scanned: 8, total: 8, complete: true });
	assert.deepEqual([json.code, typeof ms], [1, "number"]);
});

test("--regex finds patterns newest first, and refuses what it cannot run", async () => {
	assert.deepEqual(await seqs("--regex", "parse[A-Z]\\w+"), [6, 2]);
	assert.deepEqual(await seqs("--regex", "PARSEHEADER", "--ignore-case", "--role", "user"), [2]);
	const page = await place.weft("grep", "--regex", "parse[A-Z]\\w+", "--limit", "1");
	assert.match(page.out, /«parseHeader»/);
	assert.match(page.err, /Continue with --before 6\n$/);
	assert.deepEqual(await seqs("--regex", "parse[A-Z]\\w+", "--before", "6"), [2]);
	const bad = await place.weft("grep", "--regex", "(");
	assert.deepEqual([bad.code, bad.out], [2, ""]);
	assert.doesNotMatch(bad.err, /\n\s+at /);
	assert.equal((await place.weft("grep", "word", "--regex", "x")).code, 2);
});
