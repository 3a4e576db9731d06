import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { importedSession } from "../../test/cli/imported-session.ts";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { READERS } from "../agent/agents.ts";
import { importFile } from "../agent/recorded/import.ts";
import { costOfSession } from "../context/session-cost.ts";
import { openEngine } from "../engine.ts";
import { chooseSession } from "../state/session/find-session.ts";
import { type CostOfSession, costOfRequests, renderCostWhy, sumCosts } from "./cost-parts.ts";
import { renderReport, reportHome } from "./report.ts";
import { PLAIN } from "./text-style.ts";

const folder = temporaryFolder();

test("the parts of a session's cost add up to the cost that every view shows", async () => {
	const file = join(folder, "session.jsonl");
	const lines = importedSession(folder).map((line) => `${JSON.stringify(line)}\n`);
	writeFileSync(file, lines.join(""));
	const engine = openEngine({ cwd: folder, home: join(folder, "home"), host: "x", env: {} });
	await importFile(file, { readers: READERS, logFor: () => engine.log });
	const session = chooseSession(engine.log, undefined);
	const cost = costOfRequests(engine, session, {});
	const why = sumCosts([cost], "This session");
	const isSame = (one: number, other: number) => assert.ok(Math.abs(one - other) < 1e-9, `${one} is not ${other}`);
	isSame(why.dollars, costOfSession(engine.log, session).dollars);
	isSame(
		why.parts.reduce((sum, { dollars }) => sum + dollars, 0),
		why.dollars,
	);
	isSame(
		why.days.reduce((sum, { dollars }) => sum + dollars, 0),
		why.dollars,
	);
	const tokens = new Map(why.parts.map((part) => [part.name, part.tokens]));
	assert.deepEqual([tokens.get("cold"), tokens.get("compaction")], [21_500, 5_004]);
	assert.match(
		why.sentence,
		/^This session cost ~\$0\.\d\d\. ~\$0\.\d\d of it \(\d+\.\d %\) was paid again, .*because the cache went cold in a pause \(1 time\)\.$/,
	);
	const report = reportHome([cost], undefined, undefined);
	isSame(
		report.projects.reduce((sum, { dollars }) => sum + dollars, 0),
		why.dollars,
	);
	assert.equal(report.findings[0]?.session, session.session);
	engine.close();
});

test("the sentence names misses that cost nothing, and tells no usage from no session", () => {
	const session = (requests: number, parts: CostOfSession["parts"]): CostOfSession => ({
		session: "one",
		agent: "pi",
		title: "one",
		project: "/home/dev/one",
		last: 0,
		requests,
		dollars: parts.reduce((sum, { dollars }) => sum + dollars, 0),
		estimated: false,
		assumed: false,
		ranWithWeft: false,
		parts,
		dearest: [],
		days: [],
	});
	const sentence = (...costs: CostOfSession[]) => sumCosts(costs, "This session").sentence;
	const output = { name: "output", dollars: 4, tokens: 1_000, requests: 9 } as const;
	const broken = { name: "broken", dollars: 0, tokens: 594_335, requests: 11 } as const;
	assert.equal(
		sentence(session(9, [output, broken])),
		"This session cost $4.00. Nearly none of it was paid again, but the cache did not hold 11 times: 594,335 tokens were written again.",
	);
	assert.match(
		sentence(session(9, [{ ...broken, requests: 1 }])),
		/^This session cost \$0\.00\. Nearly none .* 1 time: /,
	);
	assert.equal(sentence(session(9, [output])), "This session cost $4.00. The cache held: nothing was paid again.");
	assert.equal(sentence(session(0, [])), "This session: no request with its usage was found, so no cost is known.");
	assert.match(sentence(), /^Nothing has been recorded here yet/);
});

test("a question mark follows every cost in which the price of a model is assumed, and no other", () => {
	const part = { name: "output", dollars: 1, tokens: 1_000, requests: 1 } as const;
	const session = (name: string, day: string, assumed: boolean): CostOfSession => ({
		session: name,
		agent: "pi",
		title: name,
		project: `/home/dev/${name}`,
		last: 0,
		requests: 1,
		dollars: 1,
		estimated: true,
		assumed,
		ranWithWeft: false,
		parts: [part],
		dearest: [],
		days: [{ day, dollars: 1, again: 0, assumed }],
	});
	const all = [session("listed", "2026-11-15", false), session("unknown", "2026-11-16", true)];
	const report = [...renderReport(reportHome(all, undefined, undefined), PLAIN)];
	const marked = (lines: readonly string[], name: RegExp) =>
		lines.flatMap((line) => (name.test(line) ? (line.match(/~\$\S+/g)?.at(-1) ?? []) : []));
	assert.deepEqual(marked(report, /^(output|all) /), ["~$2.00?", "~$2.00?"]);
	assert.deepEqual(marked(report, /^2026-/), ["~$1.00", "~$1.00?"]);
	assert.deepEqual(marked(report, /^(\/home\/dev\/)?listed /), ["~$1.00", "~$1.00"], "by project, and as a session");
	assert.deepEqual(marked(report, /^(\/home\/dev\/)?unknown /), ["~$1.00?", "~$1.00?"]);
	const why = [...renderCostWhy(sumCosts(all, "All"), PLAIN)];
	assert.deepEqual(marked(why, /^(listed|unknown) /), ["~$1.00", "~$1.00?"]);
	for (const lines of [report, why]) assert.match(lines.join("\n"), /\n\n\? no list has the price of a model in it/);
	const known = [...renderReport(reportHome(all.slice(0, 1), undefined, undefined), PLAIN)].join("\n");
	assert.doesNotMatch(known, /\?/);
});

test("a file that several sessions read is one line, and the project is named where two have the same file", () => {
	const readme = { kind: "file", name: "README.md", times: 2, tokens: 100, dollars: 1 } as const;
	const session = (name: string, project: string): CostOfSession => ({
		session: name,
		agent: "pi",
		title: name,
		project,
		last: 0,
		requests: 1,
		dollars: 3,
		estimated: true,
		assumed: false,
		ranWithWeft: false,
		parts: [{ name: "output", dollars: 3, tokens: 1_000, requests: 1 }],
		dearest: [{ ...readme, project }],
		days: [{ day: "2026-11-15", dollars: 3, again: 0, assumed: false }],
	});
	const own = [session("one", "/dev/harbour"), session("two", "/dev/harbour")];
	assert.deepEqual(sumCosts(own, "All").dearest, [
		{ ...readme, project: "/dev/harbour", times: 4, tokens: 200, dollars: 2 },
	]);
	const why = [...renderCostWhy(sumCosts([...own, session("three", "/dev/light")], "All"), PLAIN)];
	assert.deepEqual(
		why.flatMap((line) => line.match(/^README\.md.*?(?= {2})/) ?? []),
		["README.md (harbour)", "README.md (light)"],
	);
});

test("the report says which recorded sessions its sentence does not count, and which days its table leaves out", () => {
	const session = (name: string, requests: number, days: number): CostOfSession => ({
		session: name,
		agent: "codex",
		title: name,
		project: "/dev/harbour",
		last: 0,
		requests,
		dollars: days,
		estimated: true,
		assumed: false,
		ranWithWeft: false,
		parts: [{ name: "output", dollars: days, tokens: 1_000, requests }],
		dearest: [],
		days: Array.from({ length: days }, (_, at) => ({
			day: `2026-${String(1 + Math.floor(at / 28)).padStart(2, "0")}-${String(1 + (at % 28)).padStart(2, "0")}`,
			dollars: 1,
			again: 0,
			assumed: false,
		})),
	});
	const report = reportHome([session("a", 40, 40), session("a/b", 1, 1), session("c", 0, 0)], undefined, undefined);
	assert.match(report.sentence, /^1 session of 1 project cost/);
	assert.equal(
		report.uncounted,
		"3 sessions recorded; not counted above: 1 sub-agent or fork (their cost is included); 1 session whose agent reported no usage.",
	);
	const text = [...renderReport(report, PLAIN)].join("\n");
	assert.match(text, /\nthe last 31 of 40 days with requests; all: weft cost --by day --all\n/);
	assert.equal(reportHome([session("a", 1, 1)], undefined, undefined).uncounted, null);
});
