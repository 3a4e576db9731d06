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
import { costOfRequests, sumCosts } from "./cost-parts.ts";
import { reportHome } from "./report.ts";

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
