import assert from "node:assert/strict";
import { test } from "node:test";
import { type LiveReport, renderLiveReport, renderStatusLine } from "./live-status.ts";
import { renderRewriteNotice } from "./rewrite-notice.ts";
import { PLAIN } from "./text-style.ts";

const REPORT: LiveReport = {
	mode: "woven",
	session: "s1",
	messages: 847,
	summaries: 23,
	depth: 3,
	lastRequest: { tokens: 41_000, ceiling: 100_000, messages: 60 },
	lastSeal: { ts: 0, tokensBefore: 90_000, tokensAfter: 15_000, why: "regret" },
	cost: { dollars: 1.2, estimated: false, assumed: false },
	bytes: 2_100_000,
	seals: 2,
	blocked: 1,
	log: { path: "/data/log.db", events: 5_000 },
};

test("the status line says in one line how a session stands, and leaves out what there is not", () => {
	assert.equal(
		renderStatusLine(REPORT, { dollars: 0.12, now: 300_000 }),
		"weft woven · 41k/100k tokens · cost $1.20 · saved $0.12 · sealed 5m ago · 847 msgs · 23 nodes (depth 3) · 2.1 MB",
	);
	assert.equal(
		renderStatusLine(
			{
				...REPORT,
				mode: "off",
				lastRequest: null,
				lastSeal: null,
				cost: { dollars: 1.2, estimated: true, assumed: false },
			},
			{ dollars: 0.001, now: 0 },
		),
		"weft off · cost ~$1.20 · 847 msgs · 23 nodes (depth 3) · 2.1 MB",
	);
	assert.equal(
		renderStatusLine({ ...REPORT, mode: "lossless" }, { dollars: 0.12, now: 300_000 }),
		"LCM: 847 msgs | 23 summaries (depth 3) | 2.1 MB",
	);
});

test("the line and a notice say what the next request writes again, and what it would write after a seal", () => {
	const prices = { input: 3, output: 5, read: 0.1, write: 1.25, writeLong: 2 };
	const rewrite = { why: "pause", tokens: 83_000, sealed: 27_000, prices, isLong: false } as const;
	assert.equal(
		renderStatusLine({ ...REPORT, rewrite }, { dollars: 0.12, now: 300_000 }),
		"weft woven · 41k/100k tokens · cache cold: next writes 83k (sealed 27k) · cost $1.20 · saved $0.12 · sealed 5m ago · 847 msgs · 23 nodes (depth 3) · 2.1 MB",
	);
	assert.equal(
		renderRewriteNotice(rewrite),
		"the pause emptied the provider's cache, so the next request writes 83,000 tokens again ($0.31). With a seal first (/compact) it would write about 27,000 tokens ($0.10).",
	);
	assert.match(renderRewriteNotice({ ...rewrite, isLong: true }), /83,000 tokens again \(\$0\.50\)/, "for an hour");
	const free = { ...rewrite, why: "model", sealed: 83_000, prices: { ...prices, input: 0 } } as const;
	assert.equal(
		renderRewriteNotice(free),
		"another model has its own cache, so the next request writes 83,000 tokens again.",
	);
});

test("where less than nothing was saved, the line says how much more it was and why", () => {
	const told = (report: LiveReport) => renderStatusLine(report, { dollars: -0.05, now: 0 }).split(" · ").at(3);
	assert.equal(told(REPORT), "$0.05 more so far: the last seal has yet to pay off");
	assert.equal(told({ ...REPORT, mode: "warp" }), "$0.05 more so far: each run begins with a new context");
	assert.equal(told({ ...REPORT, lastSeal: null }), "$0.05 more so far: the cache was written again");
});

test("the report has a row for each question", () => {
	assert.deepEqual(renderLiveReport(REPORT, PLAIN), [
		"mode     woven: epochs: a frozen seed and the raw messages since",
		"session  s1, 847 messages",
		"context  41,000 of at most 100,000 tokens in 60 messages",
		"seals    2, the last from 90,000 to 15,000 tokens (keeping more costs more)",
		"cost     $1.20, output included",
		"history  23 summaries, depth 3",
		"guard    1 call blocked lately",
		"log      /data/log.db (5,000 events, 2.1 MB)",
	]);
	const late = renderLiveReport({ ...REPORT, policy: "late" }, PLAIN);
	assert.ok(late.includes("sealing  late: near the window's limit"), late.join("\n"));
	const gone = renderLiveReport({ ...REPORT, log: { ...REPORT.log, isGone: true } }, PLAIN).at(-1);
	assert.equal(gone, "log      /data/log.db was deleted: nothing is recorded any more. Start the session again");
	const back = renderLiveReport({ ...REPORT, lastRequest: null }, PLAIN);
	assert.equal(back[2], "context  known with the next request", "an old session that sent nothing in this process");
	const none = { lastRequest: null, lastSeal: null, seals: 0, blocked: 0, messages: 0 };
	const fresh = renderLiveReport({ ...REPORT, ...none }, PLAIN);
	assert.deepEqual(
		[fresh[2], fresh[3], fresh[6]],
		["context  no request yet", "seals    none yet", "guard    nothing blocked lately"],
	);
});
