import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { projectState } from "../../src/context/project-state.ts";
import { type Engine, openEngine } from "../../src/engine.ts";
import type { EventRecord, NewEvent } from "../../src/log/event/types.ts";
import { checkArchives } from "../../src/log/retention/archived-events.ts";
import { prune } from "../../src/log/retention/prune.ts";
import { momentOf, wholeMoment } from "../../src/show/cli/commands/project-state.ts";
import { readFileStory } from "../../src/view/file-story.ts";
import { recallEvents, renderRecalled } from "../../src/view/pruning.ts";
import { SESSION, session } from "../cli/session.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);
const root = realpathSync(mkdtempSync(join(tmpdir(), "weft-recall-")));
after(() => rmSync(root, { recursive: true, force: true }));

let clock = NOW;
let places = 0;
let sessionFile = "";

/** A recorded session of a month ago, with a verdict and a change by somebody else that no message tells of. */
async function recorded(): Promise<Engine> {
	const cwd = join(root, `project-${++places}`);
	mkdirSync(join(cwd, ".git"), { recursive: true });
	const file = join(root, `session-${places}.jsonl`);
	writeFileSync(
		file,
		session(cwd)
			.map((entry) => `${JSON.stringify(entry)}\n`)
			.join(""),
	);
	clock = NOW - 30 * DAY_MS;
	const engine = openEngine({ cwd, home: join(root, "home"), host: "test", env: {}, now: () => clock });
	await importFile(file, { readers: READERS, logFor: () => engine.log });
	sessionFile = file;
	const base = { session: SESSION, host: "pi", ts: clock };
	const path = "src/header.ts";
	engine.record([
		{
			...base,
			type: "Verdict",
			payload: { verdict: "warn", rule: "edit", mode: "report", reason: "stale", tool: "edit", callId: "c2", path },
		},
		{
			...base,
			type: "FileChanged",
			payload: { path, kind: "edit", added: 1, removed: 1, actor: "other", tool: "", callId: "" },
		},
		{ ...base, type: "Custom", payload: { name: "end" } },
	] as NewEvent[]);
	clock = NOW;
	return engine;
}

const withoutIds = (records: Iterable<EventRecord>) => [...records].map(({ id: _, ...rest }) => rest);

test("after a prune, a file's story and the state of the past are answered from the archive, and it is said", async () => {
	const engine = await recorded();
	const { log } = engine;
	const story = await readFileStory(engine, "src/header.ts", engine.project.root);
	assert.equal(story.recalled, undefined);
	const at = log.newestSeq();
	const past = [5, 9, 14, at].map((seq) => projectState(log, { snapshots: false }).at(seq).state);
	await prune(log, { now: NOW, minEvents: 0, apply: true });

	const told = await readFileStory(engine, "src/header.ts", engine.project.root);
	assert.deepEqual(told.events, story.events);
	assert.deepEqual(told.recalled, { archived: 4, derived: 0, files: told.recalled!.files, problems: [] });
	assert.deepEqual(
		[...renderRecalled(told.recalled!)],
		["4 events of these left the log. Read from events-5-21.jsonl."],
	);
	await assert.rejects(readFileStory(engine, "src/other.ts", engine.project.root), {
		message: /^No tool has read or changed 'src\/other\.ts' in this project's log or in what left it\./,
	});

	for (const [n, seq] of [5, 9, 14, at].entries()) {
		const moment = await wholeMoment(engine, momentOf(engine, { at: seq }));
		assert.deepEqual([moment.complete, moment.state], [true, past[n]], `at ${seq}`);
	}
	const hits = await recallEvents(log, { file: "src/", types: ["FileRead"] });
	assert.deepEqual(
		hits?.events.map(({ type, seq }) => [type, seq]),
		[["FileRead", 8]],
	);
	engine.close();
});

test("without its archive, what the messages tell is derived again, event for event, and what is missing is named", async () => {
	const engine = await recorded();
	const { log } = engine;
	const before = [...log.read()];
	const { archive } = await prune(log, { now: NOW, minEvents: 0, gzip: true, apply: true });
	assert.deepEqual(await checkArchives(log), [{ archive, events: 11, state: "whole" }]);
	renameSync(archive!, `${archive}.away`);

	assert.equal((await checkArchives(log))[0]?.state, "missing");
	writeFileSync(archive!, "something else");
	assert.equal((await checkArchives(log))[0]?.state, "changed");
	rmSync(archive!);

	const past = (await recallEvents(log, {}))!;
	const derivable = before.filter(({ seq, cause }) => !log.get(seq) && cause !== null);
	assert.deepEqual(withoutIds(past.events), withoutIds(derivable));
	assert.equal(past.events.length, 9);
	assert.deepEqual(past.recalled, { archived: 0, derived: 9, files: [], problems: [`${archive} is not there.`] });
	assert.deepEqual(
		[...renderRecalled(past.recalled)],
		[
			"9 of these left the log and were derived again from the messages.",
			`${archive} is not there.`,
			"Verdicts and changes by others that only such an archive holds are missing here.",
		],
	);
	// The state of now, where no snapshot from before the prune is left.
	const { state, complete } = projectState(log, { snapshots: false }).current();
	assert.equal(complete, false);
	assert.deepEqual(Object.keys(state.files.files), ["src/header.ts"]);
	assert.equal(state.failures.failures.open.length, 1);
	const story = await readFileStory(engine, "src/header.ts", engine.project.root);
	assert.deepEqual(
		story.events.map(({ type }) => type),
		["FileRead", "FileChanged"],
	);
	engine.close();
});

test("importing a session again brings back nothing that was pruned", async () => {
	const engine = await recorded();
	await prune(engine.log, { now: NOW, minEvents: 0, apply: true });
	const count = engine.log.count();
	const { sessions } = await importFile(sessionFile, { readers: READERS, logFor: () => engine.log });
	assert.deepEqual([engine.log.count(), sessions[0]?.events], [count, 0]);
	engine.close();
});
