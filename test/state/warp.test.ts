import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { estimateTokens } from "../../src/base/tokens/estimate.ts";
import { PROJECT_FOLDS, type ProjectState, projectState } from "../../src/context/project-state.ts";
import { readWarpBudget } from "../../src/context/section/header.ts";
import { contextBudget } from "../../src/context/section/section.ts";
import { renderSeed } from "../../src/context/section/seed.ts";
import { MIN_BUDGET_TOKENS, renderWarp } from "../../src/context/section/warp.ts";
import { isKnown } from "../../src/log/event/check.ts";
import type { EventRecord } from "../../src/log/event/types.ts";
import type { StateFold } from "../../src/log/fold/state-fold.ts";
import { currentFailures } from "../../src/state/work/failure/lifecycle.ts";
import { diskFiles, type FileSource } from "../../src/state/work/file-source.ts";
import { type RecordedFiles, recordedFiles } from "../../src/state/work/recorded-files.ts";
import { temporaryFolder } from "../rig/temporary-folder.ts";
import { type DemoLog, demoLog } from "./demo-log.ts";
import { randomWork } from "./random-work.ts";

let demo: DemoLog;
const disk = temporaryFolder();
before(async () => {
	demo = await demoLog();
});
after(() => demo.remove());

/** What a model sees, for reviewers. `WEFT_WRITE_GOLDEN=1 node --test test/state/warp.test.ts` writes the files again. */
function assertGolden(name: string, text: string): void {
	const path = fileURLToPath(new URL(`golden/${name}.txt`, import.meta.url));
	if (process.env["WEFT_WRITE_GOLDEN"] === "1") {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
	}
	assert.equal(text, readFileSync(path, "utf8"));
}

function at(seq: number, budget: number): { text: string; tokens: number } {
	const { state } = projectState(demo.log, { snapshots: false }).at(seq);
	const files = recordedFiles(demo.log, seq);
	const now = demo.log.get(seq)!.ts + 90_000;
	return renderWarp({ state, files, budget, now });
}

test("the shipped session at its end", () => {
	assertGolden("end", at(demo.log.newestSeq(), 4_000).text);
});

test("a test that fails, decisions, a map of the repository and a call that was refused", async () => {
	const own = await demoLog();
	try {
		const { log } = own;
		const failed = [...log.read({ types: ["CommandRun"] })].find(({ payload }) => payload["exit"] === 1)!;
		const here = { session: failed.session, host: "pi", ts: failed.ts + 30_000 };
		const folders: [string, number][] = [
			["src", 4],
			["test", 1],
		];
		const map = { head: "4be1c0ffee5a11adba5eba11decafbadf005ba11", files: 7, folders, extensions: folders };
		const block = { verdict: "block", rule: "read-first", mode: "enforce", tool: "edit", callId: "c9" } as const;
		const { seqs } = log.append([
			{ ...here, type: "RepoMap", payload: map },
			{
				...here,
				type: "Decision",
				entry: "decision one list",
				payload: { text: "Keep one list per day", rationale: "the callers iterate over days" },
			},
			{ ...here, type: "Decision", entry: "decision dependency", payload: { text: "No new dependency" } },
			{
				...here,
				type: "Verdict",
				payload: { ...block, path: "src/clock.ts", reason: "src/clock.ts has not been read." },
			},
		]);
		const records = [...log.read()].filter(({ seq }) => seq <= failed.seq || seqs.includes(seq));
		const input = { files: recordedFiles(log, failed.seq), budget: 2_000, now: failed.ts + 90_000 };
		assertGolden("failing", renderWarp({ ...input, state: stateOf(records) }).text);
	} finally {
		own.remove();
	}
});

test("the shipped session in the smallest window", () => {
	const budget = contextBudget({ window: 4_000 });
	const { text, tokens } = at(demo.log.newestSeq(), budget);
	assert.ok(tokens <= budget);
	assertGolden("small", text);
});

test("files that changed on the disk since are stale, with what changed; those that did not are shown", () => {
	const seq = demo.log.newestSeq();
	const known: RecordedFiles = recordedFiles(demo.log, seq);
	for (const path of known.paths()) {
		const content = known.read(path);
		if (content.kind !== "text") continue;
		mkdirSync(dirname(join(disk, path)), { recursive: true });
		const text = path === "CHANGELOG.md" ? content.text.replace("## Unreleased", "## 1.4.0") : content.text;
		writeFileSync(join(disk, path), text);
	}
	rmSync(join(disk, "src/locale/ja.ts"));
	const { state } = projectState(demo.log, { snapshots: false }).current();
	const now = demo.log.get(seq)!.ts + 90_000;
	assertGolden("stale", renderWarp({ state, files: diskFiles(disk), known, budget: 3_000, now }).text);
});

test("the header says the budget that was used, beside the window", () => {
	const { state } = projectState(demo.log, { snapshots: false }).current();
	const files = recordedFiles(demo.log, demo.log.newestSeq());
	const { text } = renderWarp({ state, files, budget: 4_000, window: 32_000, now: 0 });
	assert.equal(text.split("\n")[3], "Budget of this text: 4,000 tokens of a window of 32,000");
	assert.equal(readWarpBudget(text), 4_000);
	assert.equal(readWarpBudget(`Said: ${text}`), undefined);
});

test("what was left out is reached by tools that the model has; without them it is only counted", () => {
	const { state } = projectState(demo.log, { snapshots: false }).current();
	const files = recordedFiles(demo.log, demo.log.newestSeq());
	const render = (namesTools: boolean) => renderWarp({ state, files, budget: 1_000, now: 0, namesTools }).text;
	const withTools = render(true);
	assert.match(withTools, /\n {2}… \d+ more: lcm_grep\n/);
	assert.match(withTools, /\n {2}Error: Cannot find module .* \[e-[0-9a-f]{12}\]\n/);
	assert.doesNotMatch(withTools, /\bweft (?:state|show|why)\b/);
	const without = render(false);
	assert.match(without, /\n {2}… \d+ more\n/);
	assert.doesNotMatch(without, /lcm_|\[e-/);
});

test("sections stand in the document's order", () => {
	const labels = [
		"[WARP ENGINE CONTEXT]",
		"Repository:",
		"Intent:",
		"Budget of this text:",
		"The task, and what the user said that holds:",
		"Working Set (",
		"Open Failures (",
		"Recently Resolved:",
		"Progress:",
		"[END WARP",
	];
	const { text } = at(demo.log.newestSeq(), 4_000);
	const places = labels.map((label) => text.indexOf(`\n${label}`) + (text.startsWith(label) ? 1 : 0));
	assert.ok(
		places.every((place) => place >= 0),
		String(places),
	);
	assert.deepEqual(
		places,
		[...places].sort((one, other) => one - other),
	);
});

test("items say why they are in, what was left out, and by which handle", () => {
	const seq = demo.log.newestSeq();
	const { state } = projectState(demo.log, { snapshots: false }).at(seq);
	const files = recordedFiles(demo.log, seq);
	const small = renderWarp({ state, files, budget: 500, now: 0, workingSetFiles: 2 });
	const left = small.items.filter(({ included }) => !included);
	assert.ok(left.length > 0);
	for (const { handle } of left.filter(({ kind }) => kind === "file" || kind === "failure"))
		assert.match(handle!, /^e-[0-9a-f]{12}$/);
	assert.deepEqual(
		small.items.filter(({ kind, included }) => kind === "file" && included).map(({ id }) => id),
		["file:src/tides.ts", "file:README.md"],
	);
	assert.ok(small.text.includes("more file"), "the section says that it was cut");
});

const PARTS = Object.entries(PROJECT_FOLDS) as unknown as [keyof ProjectState, StateFold<unknown>][];

function stateOf(records: readonly EventRecord[]): ProjectState {
	const state = Object.fromEntries(PARTS.map(([part, fold]) => [part, fold.initial()])) as unknown as ProjectState;
	for (const record of records) if (isKnown(record)) for (const [part, fold] of PARTS) fold.step(state[part], record);
	return state;
}

/** Files of every kind, by their names alone. */
const oddFiles: FileSource = {
	read(path) {
		if (path === "b.md") return { kind: "partial", parts: [{ from: 7, lines: ["seven", "満".repeat(700)] }] };
		if (path === "/etc/hosts") return { kind: "outside" };
		if (path === "__proto__") return { kind: "binary", bytes: 9 };
		const text = Array.from({ length: 400 }, (_, n) => `${n} ${"x満".repeat(n % 40)}`).join("\n");
		return { kind: "text", text, hash: path.length % 2 === 0 ? "a".repeat(64) : "b".repeat(64) };
	},
};

/** The same value with its keys in another order. */
function reversedKeys<Value>(value: Value): Value {
	if (Array.isArray(value)) return value.map(reversedKeys) as Value;
	if (value === null || typeof value !== "object") return value;
	return Object.fromEntries(
		Object.entries(value)
			.reverse()
			.map(([key, own]) => [key, reversedKeys(own)]),
	) as Value;
}

test("at any window from 4k to 2M the budget holds, and header, failures and footer are there", () => {
	const windows = fc.oneof(fc.integer({ min: 4_000, max: 40_000 }), fc.integer({ min: 4_000, max: 2_000_000 }));
	const answers = fc.option(fc.integer({ min: 1, max: 128_000 }), { nil: undefined });
	fc.assert(
		fc.property(randomWork, windows, answers, (records, window, maxTokens) => {
			const budget = contextBudget({ window, maxTokens });
			const input = {
				state: stateOf(records),
				seq: records.length,
				files: oddFiles,
				known: oddFiles,
				budget,
				now: 99_000,
			};
			const { text, tokens, items } = renderWarp(input);
			assert.equal(tokens, estimateTokens(text));
			assert.ok(tokens <= budget, `${tokens} of ${budget}`);
			assert.ok(text.startsWith("[WARP ENGINE CONTEXT]\nRepository: "));
			assert.match(text, /\nIntent: /);
			assert.match(text, /\nOpen Failures \(\d+\):/);
			assert.match(text, /\n\[END WARP ENGINE CONTEXT; [^\n]+\]\n$/);
			const open = currentFailures(input.state.failures.failures).length;
			assert.equal(items.filter(({ kind }) => kind === "failure").length, open);
			if (open > 0)
				assert.ok(
					items.some(({ kind, included }) => kind === "failure" && included),
					"one at least is named",
				);
		}),
		{ numRuns: 250 },
	);
});

test("rendering is a function of its input: the same bytes again, whatever the order of keys", () => {
	fc.assert(
		fc.property(randomWork, fc.integer({ min: MIN_BUDGET_TOKENS, max: 9_000 }), (records, budget) => {
			const state = stateOf(records);
			const input = { state, files: oddFiles, known: oddFiles, budget, now: 99_000 };
			const before = JSON.stringify(state);
			const once = renderWarp(input);
			assert.deepEqual(renderWarp(input), once);
			assert.equal(JSON.stringify(state), before, "it changes nothing");
			assert.deepEqual(renderWarp({ ...input, state: reversedKeys(JSON.parse(before) as ProjectState) }), once);
		}),
		{ numRuns: 60 },
	);
});

test("a seed keeps its budget too, says nothing of the clock, and counts what it leaves out", () => {
	fc.assert(
		fc.property(randomWork, fc.integer({ min: 1_500, max: 30_000 }), (records, budget) => {
			const input = { state: stateOf(records), session: "s", host: "pi", files: oddFiles, root: "/p", raw: "", budget };
			const seed = renderSeed(input);
			assert.equal(seed.tokens, estimateTokens(seed.text));
			assert.ok(seed.tokens <= budget, `${seed.tokens} of ${budget}`);
			assert.deepEqual(renderSeed(input), seed);
			assert.doesNotMatch(seed.text, /\d[smhd] ago|just now/);
			const failures = seed.items.filter(({ kind }) => kind === "failure");
			assert.equal(failures.length, currentFailures(input.state.failures.failures).length);
			const left = seed.sections.find(({ name }) => name === "failures")?.left ?? 0;
			assert.equal(failures.filter(({ included }) => !included).length, left);
		}),
		{ numRuns: 150 },
	);
});
