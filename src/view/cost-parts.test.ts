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
