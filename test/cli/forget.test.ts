/** What a person asks to be forgotten is nowhere any more, and comes back from its archive. */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { type Engine, openEngine } from "../../src/engine.ts";
import { verify } from "../../src/log/repair/verify.ts";
import { restoreArchive } from "../../src/log/retention/restore.ts";
import { agentSessions } from "../../src/state/session/find-session.ts";
import { forgetProject, forgetSession, NO_ARCHIVE } from "../../src/view/forget.ts";

const WORD = "xylophonequartz";

async function project(t: { after(done: () => void): void }): Promise<{ engine: Engine; folder: string }> {
	const folder = mkdtempSync(join(tmpdir(), "weft-forget-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const engine = openEngine({ cwd: folder, home: join(folder, "home"), host: "test", env: {}, trusted: false });
	t.after(() => engine.close());
	const { log } = engine;
	for (const [id, text] of [
		["keep", "An ordinary question."],
		["drop", `Tell nobody: ${WORD}.`],
	] as const) {
		const header = { type: "session", version: 3, id, timestamp: "2026-01-05T10:00:00.000Z", cwd: folder };
		const message = { role: "user", content: text };
		const entry = { type: "message", id: `${id}1`, parentId: null, timestamp: "2026-01-05T10:00:01.000Z", message };
		const file = join(folder, `${id}.jsonl`);
		writeFileSync(file, `${JSON.stringify(header)}\n${JSON.stringify(entry)}\n`);
		await importFile(file, {
			readers: READERS,
			logFor: () => ({ append: (each) => log.append(each), read: (query) => log.read(query) }),
		});
	}
	engine.state();
	log.search.catchUp({});
	return { engine, folder };
}

function names({ log }: Engine): string[] {
	return agentSessions(log)
		.map(({ session }) => session)
		.sort();
}

/** The files that hold the word, wherever they lie. */
function filesWith(folder: string, word: string): string[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(word))
		.map(({ name }) => name);
}

test("a forgotten session is in no table, no index and no file but its archive, which brings it back", async (t) => {
	const { engine, folder } = await project(t);
	const { log } = engine;
	const plan = await forgetSession(log, "drop", { now: 0, apply: false });
	assert.deepEqual([plan.applied, plan.events > 0, names(engine)], [false, true, ["drop", "keep"]]);

	const { archive } = await forgetSession(log, "drop", { now: 0, apply: true });
	log.flush();
	assert.deepEqual(names(engine), ["keep"]);
	assert.equal(log.search.find({ text: WORD }).hits.length, 0);
	assert.deepEqual(filesWith(join(folder, "home", "projects"), WORD), [archive!.split("/").at(-1)]);
	assert.deepEqual(verify(log).problems, []);

	await restoreArchive(log, archive!);
	log.rebuild();
	assert.deepEqual(names(engine), ["drop", "keep"]);
	assert.equal(log.search.find({ text: WORD }).hits.length, 1);
	assert.deepEqual(verify(log).problems, []);
});

test("without an archive nothing is left; a whole project leaves with its folder", async (t) => {
	const { engine, folder } = await project(t);
	const { log, close } = engine;
	const gone = await forgetSession(log, "drop", { now: 0, archive: NO_ARCHIVE, apply: true });
	assert.equal(gone.archive, null);
	log.flush();
	assert.deepEqual(filesWith(join(folder, "home"), WORD), []);
	const { archive, events } = await forgetProject(log, { now: 0, apply: true, close });
	assert.ok(events > 0);
	assert.equal(existsSync(log.folder), false);
	assert.ok(existsSync(archive!));
});
