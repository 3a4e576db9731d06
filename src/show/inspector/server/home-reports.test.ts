import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { importedSession } from "../../../../test/cli/imported-session.ts";
import { READERS } from "../../../agent/agents.ts";
import { importFile } from "../../../agent/recorded/import.ts";
import { openEngine } from "../../../engine.ts";
import { listSessions } from "../../../state/session/find-session.ts";
import { costOfRequests } from "../../../view/cost-parts.ts";
import { reportHome } from "../../../view/report.ts";
import { HomeReports } from "./home-reports.ts";
import { Projects } from "./projects.ts";

test("sessions are read in a thread: until it is done, the answer is what was read, and this thread opens no log", async (t) => {
	const folder = mkdtempSync(join(realpathSync(tmpdir()), "weft-report-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const [home, root] = [join(folder, "home"), join(folder, "project")];
	mkdirSync(join(root, ".git"), { recursive: true });
	const file = join(folder, "claude.jsonl");
	writeFileSync(
		file,
		importedSession(root)
			.map((line) => `${JSON.stringify(line)}\n`)
			.join(""),
	);
	const open = (cwd: string) => openEngine({ cwd, home, host: "x", env: {} });
	const engine = open(root);
	await importFile(file, { readers: READERS, logFor: () => engine.log });
	const costs = listSessions(engine.log).map((each) => costOfRequests(engine, each, {}));
	engine.close();

	const opened: string[] = [];
	const projects = new Projects({
		home,
		root,
		now: () => 0,
		open: (each) => {
			opened.push(each);
			return open(each);
		},
	});
	t.after(() => projects.close());
	const reports = new HomeReports(home, projects, async () => null);
	t.after(() => reports.close());
	const readAll = async () => {
		for (;;) {
			const report = await reports.read(undefined, { replay: false });
			if (!("progress" in report)) return report;
			assert.equal(report.sessions.length, report.progress.done);
			assert.deepEqual(opened, []);
		}
	};
	const { keys, unreplayed, ...whole } = await readAll();
	assert.deepEqual(whole, reportHome(costs, undefined, undefined));
	assert.deepEqual([Object.keys(keys ?? {}), unreplayed], [[root], 1]);
	opened.length = 0;
	assert.equal((await readAll()).dollars, whole.dollars, "costs that are known are used again");
});
