import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { IMPORTED_SESSION, IMPORTED_USAGE, importedSession } from "../../test/cli/imported-session.ts";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { READERS } from "../agent/agents.ts";
import { importFile } from "../agent/recorded/import.ts";
import { type Engine, openEngine } from "../engine.ts";
import { viewHostNow } from "./host-now.ts";
import { renderRequest, viewRequest } from "./request.ts";
import { SessionRequests } from "./requests.ts";
import { PLAIN } from "./text-style.ts";
import { viewVitals } from "./vitals.ts";

const folder = temporaryFolder();
const session = { session: IMPORTED_SESSION, host: "claude-code" };
const NOW = Date.parse("2026-11-17T12:00:00Z");

async function imported(edit: (line: string, at: number) => string = (line) => line): Promise<Engine> {
	const file = join(folder, "session.jsonl");
	writeFileSync(
		file,
		importedSession(folder)
			.map((line, at) => `${edit(JSON.stringify(line), at)}\n`)
			.join(""),
	);
	const home = mkdtempSync(join(folder, "home-"));
	const engine = openEngine({ cwd: folder, home, host: "x", env: {} });
	await importFile(file, { readers: READERS, logFor: () => engine.log });
	return engine;
}

test("a session without weft is shown as it was, and its parts add up to what was reported", async () => {
	const engine = await imported();
	const requests = new SessionRequests(engine.history, session);
	const rows = requests.rows();
	const reported = IMPORTED_USAGE.map(([read, write]) => read + write + 4);
	assert.deepEqual(
		rows.map(({ tokens, miss, compaction }) => [tokens, miss?.state ?? null, compaction?.tokensBefore ?? null]),
		[
			[reported[0], null, null],
			[reported[1], null, null],
			[reported[2], "cold", null],
			[reported[3], "compaction", reported[2]],
			[reported[4], null, null],
		],
	);
	assert.equal(rows[2]?.miss?.tokens, 21_500);
	assert.equal(rows[2]?.miss?.pauseMs, 19 * 60_000);
	assert.equal(rows[3]?.compaction?.tokensAfter, reported[3]);

	const { view, text } = viewHostNow(engine, requests, session, { now: NOW });
	assert.deepEqual([view.as, view.window, view.tokens], ["host", 200_000, reported[4]]);
	assert.equal(
		view.items.reduce((sum, { tokens }) => sum + tokens, 0),
		reported[4],
	);
	assert.deepEqual(
		view.items.map(({ group }) => group),
		["system", "seed", "tail", "tail"],
	);
	assert.match(text("opening") ?? "", /harbour tables were sorted/);
	assert.equal(view.leftOut.messages, 6);
	assert.equal(view.isReported, true);
	assert.equal(view.isWindowAssumed, false);
	const vitals = viewVitals(engine, requests, session, { now: NOW });
	assert.deepEqual(
		[vitals.full.tokens, vitals.full.ceiling, vitals.isHosts, vitals.isImported],
		[reported[4], 200_000, true, true],
	);
	assert.equal(
		vitals.full.segments.reduce((sum, { tokens }) => sum + tokens, 0),
		reported[4],
	);
	assert.equal(
		vitals.cost.dollars,
		rows.reduce((sum, { dollars }) => sum + (dollars ?? 0), 0),
	);

	const third = viewRequest(engine, requests, session, 3);
	assert.equal(third.break, null);
	const lines = [...renderRequest(third, PLAIN)].join("\n");
	assert.match(
		lines,
		/The cache was cold after 19m without a request: 21,500 tokens paid again, ~\$0\.1236\. 1,504 tokens were new\./,
	);
	assert.doesNotMatch(lines, /Nothing that was sent before has changed/);
	engine.close();
});

test("a session whose agent reported no usage has estimates and no numbers that look reported", async () => {
	const engine = await imported((line) => line.replace(/"usage":\{[^}]*\}/, '"usage":{}'));
	const requests = new SessionRequests(engine.history, session);
	assert.ok(requests.rows().every(({ reported }) => reported === null));
	const { view } = viewHostNow(engine, requests, session, { now: NOW });
	const sum = view.items.reduce((tokens, item) => tokens + item.tokens, 0);
	assert.ok(sum > 0);
	assert.ok(view.items.every(({ cached }) => cached === null));
	assert.deepEqual([view.isReported, view.isWindowAssumed], [false, true]);
	const { full, cost } = viewVitals(engine, requests, session, { now: NOW });
	assert.deepEqual([full.tokens, full.guess, cost.counted, cost.requests], [sum, "messages", 0, 5]);
	assert.ok(full.isWindowAssumed, "the model's own window says nothing of an agent that reported no prompt");
	const last = viewRequest(engine, requests, session, 5);
	assert.equal(last.sent, sum);
	const text = [...renderRequest(last, PLAIN)].join("\n");
	assert.match(text, /^sent +~[\d,]+ tokens, the messages alone; the agent reported no usage$/m);
	assert.doesNotMatch(text, /^of it|reported$|^cost/m);
	engine.close();
});

test("a newest request without usage is as large as its messages and the head that other requests show", async () => {
	const lines = importedSession(folder).map((line) => JSON.stringify(line));
	const newest = lines.findLastIndex((line) => line.includes('"usage":{'));
	const engine = await imported((line, at) => (at === newest ? line.replace(/"usage":\{[^}]*\}/, '"usage":{}') : line));
	const requests = new SessionRequests(engine.history, session);
	const { full, cost } = viewVitals(engine, requests, session, { now: NOW });
	assert.deepEqual([full.guess, cost.counted, cost.requests], ["all", 4, 5]);
	const head = full.segments.find(({ name }) => name === "system")?.tokens ?? 0;
	assert.ok(head > 0 && full.tokens > head);
	const { view } = viewHostNow(engine, requests, session, { now: NOW });
	assert.equal(view.tokens, full.tokens);
	engine.close();
});
