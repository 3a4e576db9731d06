import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { estimateTokens } from "../../src/base/tokens/estimate.ts";
import type { EventRecord, NewEvent } from "../../src/log/event/types.ts";
import { compact } from "../../src/state/history/compact.ts";
import { deterministic, deterministicTokens } from "../../src/state/history/deterministic/summarise.ts";
import { holdEvents, stretchRecords } from "../../src/state/history/stretch-records.ts";
import { filler, type OpenedLog, openHistory, PiSession, START } from "./rig.ts";

async function summarise(opened: OpenedLog, session: PiSession, tokens = 4_000): Promise<string> {
	const messages = opened.history.path(session.ref).runs.flat();
	const records = () =>
		stretchRecords(
			opened.log,
			session.ref,
			messages.map(({ seq }) => seq),
		);
	return (await deterministic.summarise({ prompt: "", maxTokens: 0, source: { depth: 0, tokens, records } })).text;
}

function story(session: PiSession, log: { append(events: readonly NewEvent[]): unknown }): void {
	session.user("Make parseHeader accept tabs.\nKeep the old tests.");
	session.turn("read", { path: "src/header.ts" }, "export function parseHeader() {}\n");
	session.turn(
		"bash",
		{ command: "npm test" },
		"TypeError: line.split is not a function\n    at parse\n1 failing\n\nCommand exited with code 1",
		true,
	);
	session.turn(
		"edit",
		{ path: "src/header.ts", oldText: "' '", newText: "/[ \\t]/\n// tabs too" },
		"Successfully replaced text.",
	);
	log.append([
		{
			type: "Decision",
			...session.ref,
			ts: START,
			payload: { text: "Split on blanks and tabs", rationale: "old files use both" },
		},
	]);
	session.turn("bash", { command: "npm test" }, "all good");
	session.turn("bash", { command: "npm run lint" }, "src/header.ts: error no-tabs\n\nCommand exited with code 2", true);
	session.turn("bash", { command: "grep -rn tabs src" }, "\n\nCommand exited with code 1", true);
	session.assistant("Tabs are accepted now; the linter still complains.");
}

test("a file that somebody else changed is not a change of the session", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	session.user("Make parseHeader accept tabs.");
	const payload = { path: "a.js", kind: "edit", added: 2, removed: 2, actor: "other" } as const;
	opened.log.append([{ type: "FileChanged", ...session.ref, ts: START, payload }]);
	session.assistant("Done.");
	const text = await summarise(opened, session);
	assert.match(text, /^Changed by somebody else: a\.js$/m);
	assert.doesNotMatch(text, /^Changed: /m);
});

test("it says what a colleague needs: requests, outcome, decisions, failures, changes, errors", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	story(session, opened.log);
	const handle = (seq: number) => opened.log.handleAt(seq);
	assert.equal(
		await summarise(opened, session),
		`${handle(1)} to ${handle(34)}, 14 messages, 2026-01-05 10:00 to 2026-01-05 10:00
Asked: "Make parseHeader accept tabs. Keep the old tests." (${handle(1)})
Outcome: Tabs are accepted now; the linter still complains. (${handle(34)})
Decided: Split on blanks and tabs (because old files use both) (${handle(18)})
Still failing: npm run lint → 2
Failed, then passed: npm test (failed 1×)
Changed: src/header.ts +2 −1
Errors:
- TypeError: line.split is not a function (${handle(10)})
- 1 failing (${handle(10)})
- src/header.ts: error no-tabs (${handle(26)})
Ran: grep -rn tabs src → 1`,
	);
});

test("what pruning took away is read from the messages again", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	story(session, opened.log);
	const messages = opened.history
		.path(session.ref)
		.runs.flat()
		.map(({ seq }) => seq);
	const all = [...stretchRecords(opened.log, session.ref, messages)];
	const left = all.filter(({ type }) => ["Message", "Decision", "UserIntent"].includes(type));
	assert.ok(left.length < all.length);
	const text = async (records: readonly EventRecord[]) =>
		(
			await deterministic.summarise({
				prompt: "",
				maxTokens: 0,
				source: { depth: 0, tokens: 4_000, records: () => records },
			})
		).text;
	assert.equal(await text(left), await text(all));
});

test("events that are held in memory are those of the log, in every stretch of them and beyond", () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	story(session, opened.log);
	for (let n = 0; n < 6; n++) session.round(n);
	const messages = opened.history
		.path(session.ref)
		.runs.flat()
		.map(({ seq }) => seq);
	const held = holdEvents(opened.log, messages.slice(2, -4));
	assert.notEqual(held, opened.log);
	for (let from = 0; from < messages.length; from++) {
		for (let to = from + 1; to <= messages.length; to++) {
			const some = messages.slice(from, to);
			const [fromMemory, fromLog] = [held, opened.log].map((log) =>
				[...stretchRecords(log, session.ref, some)].map(({ seq }) => seq),
			);
			assert.deepEqual(fromMemory, fromLog);
		}
	}
});

test("at most 15 % of the tokens from a thousand on, and never more than what it stands for", async () => {
	const words = fc.oneof(
		fc.integer({ min: 1, max: 300 }).map((n) => filler(n, n)),
		fc.string({ unit: "grapheme", maxLength: 400 }),
		fc.constant("検索の結果を表示する。".repeat(30)),
	);
	await fc.assert(
		fc.asyncProperty(
			fc.array(words, { minLength: 1, maxLength: 25 }),
			fc.integer({ min: 50, max: 9_000 }),
			async (texts, tokens) => {
				using opened = openHistory();
				const session = new PiSession(opened.log);
				for (const [at, text] of texts.entries()) {
					if (at % 3 === 0) session.user(text);
					else session.turn("bash", { command: text.slice(0, 60) }, text, at % 2 === 0);
				}
				const text = await summarise(opened, session, tokens);
				assert.ok(
					estimateTokens(text) <= deterministicTokens(tokens),
					`${estimateTokens(text)} of ${tokens}:\n${text}`,
				);
				assert.ok(tokens < 1_000 || deterministicTokens(tokens) <= tokens * 0.15);
				assert.ok(text.isWellFormed());
			},
		),
		{ numRuns: 40 },
	);
});

test("two stretches of work never get the same text, even where the same was said", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 40; n++) {
		session.user("continue");
		session.turn("bash", { command: "make" }, filler(1, 80));
	}
	const settings = { leafChunkTokens: 300, keepTokens: 1, ceilingTokens: 1 };
	await compact(opened.history, { session: session.ref, settings, now: () => START });
	const texts = [...opened.log.read({ types: ["Summary"] })].map(({ payload }) => payload["text"]);
	assert.ok(texts.length > 20);
	assert.equal(new Set(texts).size, texts.length);
});

test("it takes at most forty times as long as parsing the same events", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 60; n++) session.round(n);
	const messages = opened.history
		.path(session.ref)
		.runs.flat()
		.map(({ seq }) => seq);
	const records = [...stretchRecords(opened.log, session.ref, messages)];
	const texts = records.map(({ payload }) => JSON.stringify(payload));
	const ratios: number[] = [];
	for (let round = 0; round < 15; round++) {
		const start = performance.now();
		for (const text of texts) JSON.parse(text);
		const parsed = performance.now();
		await deterministic.summarise({
			prompt: "",
			maxTokens: 0,
			source: { depth: 0, tokens: 30_000, records: () => records },
		});
		ratios.push((performance.now() - parsed) / (parsed - start));
	}
	const [fastest] = ratios.sort((a, b) => a - b);
	// The bound is 40; the best of many rounds is compared, because other processes disturb a test.

	assert.ok(fastest! < 40, `${fastest} times`);
});
