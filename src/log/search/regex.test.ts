import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import type { EventRecord, NewEvent } from "../event/types.ts";
import { Log } from "../log.ts";
import type { LogOptions, SearchDoc } from "../types.ts";
import type { RegexQuery } from "./types.ts";

const root = temporaryFolder();

let folders = 0;
function openLog(options: Partial<LogOptions> = {}): Log {
	return new Log({ folder: join(root, `${++folders}`), origin: "here", searchable, ...options });
}

function searchable(record: EventRecord): SearchDoc | undefined {
	return record.payload["data"] as SearchDoc | undefined;
}

function say(text: string, more: { role?: string; thinking?: string; ts?: number } = {}): NewEvent {
	const { ts = 0, ...doc } = more;
	return {
		type: "Custom",
		session: "s",
		host: "test",
		ts,
		payload: { name: "n", data: { role: "user", text, ...doc } },
	};
}

function logWith(...texts: readonly string[]): Log {
	const log = openLog();
	log.append(texts.map((text) => say(text)));
	return log;
}

async function find(log: Log, pattern: string, more: Omit<RegexQuery, "pattern"> = {}): Promise<number[]> {
	return (await log.search.findRegex({ pattern, ...more })).hits.map((hit) => hit.seq);
}

/** Each hung some engine, or came near: the table of the field, and two that make automata explode. */
const HANGING = [
	"(a+)+$",
	"(a*a)*$",
	"((a)+)+$",
	"(a|a)*$",
	"(a|aa)+$",
	"a*a*a*a*a*a*a*b",
	"(.*,){12}P",
	"^(([a-z])+.)+[A-Z]([a-z])+$",
	"(\\w+\\s?)+$",
	"(a?){300}a{300}!",
	"[ab]*a[ab]{200}[^ab]",
];

test("finds what matches, newest first, with the matches marked", async () => {
	using log = logWith("port 80", "no number", "ports 443 and 8080");
	const result = await log.search.findRegex({ pattern: "\\d{2,4}" });
	assert.deepEqual(
		{ ...result, hits: result.hits.map((hit) => hit.seq) },
		{ hits: [3, 1], scanned: 3, total: 3, behind: 0, complete: true },
	);
	assert.deepEqual(result.hits[0]!.snippet, "ports 443 and 8080");
	assert.deepEqual(result.hits[0]!.ranges, [
		{ start: 6, end: 9 },
		{ start: 14, end: 18 },
	]);
});

test("case counts unless it is ignored, by option or by flag; thinking only on request", async () => {
	using log = openLog();
	log.append([say("Error"), say("error"), say("fine", { role: "assistant", thinking: "error inside" })]);
	assert.deepEqual(await find(log, "Error"), [1]);
	assert.deepEqual(await find(log, "ERROR", { ignoreCase: true }), [2, 1]);
	assert.deepEqual(await find(log, "(?i)ERROR"), [2, 1]);
	assert.deepEqual(await find(log, "error", { thinking: true }), [3, 2]);
});

test("case 17: an invalid pattern rejects with bad-pattern, never with an empty list", async () => {
	using log = logWith("a");
	for (const pattern of ["(", "[", "a(?=b)", "(a)\\1", "x".repeat(501)]) {
		await assert.rejects(
			log.search.findRegex({ pattern }),
			(error) => error instanceof EngineError && error.code === "bad-pattern",
		);
	}
});

test("case 22: a limit ends the search as partial, and the rest follows below next", async () => {
	using log = openLog();
	log.append(Array.from({ length: 700 }, (_, n) => say(n % 10 === 0 ? `needle ${n}` : "hay")));
	const seen: number[] = [];
	let beforeSeq: number | undefined;
	let calls = 0;
	for (;;) {
		const result = await log.search.findRegex({
			pattern: "n[e]+dle",
			limit: 30,
			...(beforeSeq === undefined ? {} : { beforeSeq }),
		});
		seen.push(...result.hits.map((hit) => hit.seq));
		calls++;
		if (result.complete) {
			assert.equal(result.next, undefined);
			break;
		}
		assert.ok(result.scanned < result.total);
		beforeSeq = result.next;
	}
	assert.deepEqual(
		seen,
		Array.from({ length: 70 }, (_, n) => 691 - n * 10),
	);
	assert.equal(calls, 3);
});

test("case 22: a deadline ends the search as partial: it says n of m and how to go on", async () => {
	for (const fullText of [true, false]) {
		using log = openLog({ fullText });
		log.append([say("needle"), ...Array.from({ length: 20 }, () => say("hay"))]);
		log.search.catchUp();
		const partial = await log.search.findRegex({ pattern: "n\\wed", deadlineMs: -1 });
		assert.deepEqual(partial, { hits: [], scanned: 1, total: 21, behind: 0, complete: false, next: 21 });
		const rest = await log.search.findRegex({ pattern: "n\\wed", beforeSeq: 21 });
		assert.deepEqual([rest.hits.map((hit) => hit.seq), rest.scanned, rest.total, rest.complete], [[1], 20, 20, true]);
	}
});

test("what is not indexed at the deadline is counted as behind", async () => {
	using log = openLog();
	log.append(Array.from({ length: 500 }, () => say("needle ".repeat(1_000))));
	const { behind, complete, next } = await log.search.findRegex({ pattern: "needle", deadlineMs: -1 });
	assert.ok(behind > 0);
	assert.deepEqual([complete, next !== undefined], [false, true]);
});

test("case 23: filters hold for patterns too", async () => {
	using log = openLog();
	log.append([say("needle", { ts: 10 }), say("needle", { ts: 20, role: "assistant" }), say("needle", { ts: 30 })]);
	assert.deepEqual(await find(log, "needle", { since: 20 }), [3, 2]);
	assert.deepEqual(await find(log, "needle", { until: 20 }), [1]);
	assert.deepEqual(await find(log, "needle", { role: "assistant" }), [2]);
	assert.deepEqual(await find(log, "needle", { session: "another" }), []);
	assert.deepEqual(await find(log, "ne+dle", { afterSeq: 1, beforeSeq: 3 }), [2]);
});

test("case 24: a message of 100,000 characters is searched to its end", async () => {
	using log = logWith(`${"x ".repeat(50_000)}needle-7`, "short");
	assert.deepEqual(await find(log, "needle-\\d$"), [1]);
});

test("an abort rejects with its reason", async () => {
	using log = logWith("a");
	await assert.rejects(
		log.search.findRegex({ pattern: "a", signal: AbortSignal.abort(new Error("enough")) }),
		/enough/,
	);
	const many = openLog();
	many.append(Array.from({ length: 2_000 }, () => say("hay ".repeat(500))));
	const controller = new AbortController();
	setTimeout(() => controller.abort(new Error("enough")), 5);
	await assert.rejects(many.search.findRegex({ pattern: "([a-z]+ )+Z", signal: controller.signal }), /enough/);
	many.close();
});

test("others can work while a pattern is searched", async () => {
	using log = openLog();
	log.append(Array.from({ length: 1_500 }, () => say("hay and straw ".repeat(300))));
	let turns = 0;
	const timer = setInterval(() => turns++, 1);
	const { complete } = await log.search.findRegex({ pattern: "([a-z]+ )+[A-Z]", deadlineMs: 60_000 });
	clearInterval(timer);
	assert.equal(complete, true);
	assert.ok(turns >= 3, `only ${turns} turns`);
});

test("cases 18 and 19: no pattern hangs, whatever the text", () => {
	const child = `
		const { Log } = await import(${JSON.stringify(new URL("../log.ts", import.meta.url).href)});
		const searchable = (record) => ({ role: "user", text: record.payload.data });
		using log = new Log({ folder: ${JSON.stringify(join(root, "redos"))}, origin: "there", searchable });
		const texts = ["a".repeat(50_000) + "!", "1,".repeat(25_000), "word ".repeat(10_000) + "!", "aB".repeat(25_000), "ab".repeat(25_000)];
		log.append(texts.map((data) => ({ type: "Custom", session: "s", host: "h", ts: 0, payload: { name: "n", data } })));
		const found = {};
		for (const pattern of ${JSON.stringify(HANGING)}) {
			const { hits, complete } = await log.search.findRegex({ pattern, deadlineMs: 120_000 });
			found[pattern] = [complete, hits.length];
		}
		console.log(JSON.stringify(found));
	`;
	const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", child], {
		encoding: "utf8",
		timeout: 120_000,
	});
	const found = JSON.parse(stdout || `"nothing: ${stderr}"`) as Record<string, [boolean, number]>;
	assert.deepEqual(Object.keys(found), HANGING);
	for (const [pattern, [complete]] of Object.entries(found)) assert.ok(complete, pattern);
	assert.deepEqual(found["(a+)+$"], [true, 0]);
	assert.deepEqual(found["(.*,){12}P"], [true, 0]);
});
