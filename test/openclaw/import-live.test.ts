import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { READERS } from "../../src/agent/agents.ts";
import type { AgentMessage } from "../../src/agent/openclaw/contract.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { importTarget } from "../../src/agent/recorded/intake.ts";
import { openEngine } from "../../src/engine.ts";
import { type Place, place, says, user, worked } from "./rig.ts";

const S = { sessionId: "s1", sessionKey: "agent:main:s1" };

/** The host's own database, with these messages. */
function store({ home, cwd }: Place, messages: readonly AgentMessage[]): string {
	const path = join(home, "..", `host-${messages.length}.sqlite`);
	const db = new DatabaseSync(path);
	db.exec("CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER)");
	const insert = db.prepare("INSERT INTO transcript_events VALUES ('s1', ?, ?, 1)");
	insert.run(0, JSON.stringify({ type: "session", version: 4, id: "s1", timestamp: "2026-03-03T11:00:00.000Z", cwd }));
	insert.run(1, JSON.stringify({ type: "model_change", id: "r1", parentId: null, modelId: "fake-1" }));
	for (const [at, message] of messages.entries()) {
		const row = { type: "message", id: `r${at + 2}`, parentId: `r${at + 1}`, message };
		insert.run(at + 2, JSON.stringify({ ...row, timestamp: new Date(message["timestamp"] as number).toISOString() }));
	}
	db.close();
	return path;
}

/** How many events are new. */
async function importStore({ home, cwd }: Place, path: string): Promise<number> {
	const engine = openEngine({ cwd, home, host: "test", env: {} });
	try {
		const { sessions } = await importFile(path, { readers: READERS, logFor: () => importTarget(engine.log) });
		return sessions.reduce((sum, { events }) => sum + events, 0);
	} finally {
		engine.close();
	}
}

const said = (at: Place) => at.events("Message").map(({ session, payload }) => [session, payload["role"]]);

test("what the plugin recorded live and its host's database hold is there once", async (t) => {
	const here = place(t);
	const messages = [...worked(4, 50), says("Done.", 90)];
	const weft = here.engine();
	await weft.ingestBatch({ ...S, messages: messages.slice(0, -1) });
	await weft.ingest({ ...S, message: messages.at(-1)! });
	const before = said(here);
	const results = here.events("ToolResult").length;
	assert.equal(before.length, messages.length);
	const path = store(here, messages);
	await importStore(here, path);
	assert.deepEqual(said(here), before);
	assert.equal(here.events("ToolResult").length, results);
	assert.equal(await importStore(here, path), 0);
	// The rows themselves are kept as they stand.
	assert.equal(here.events("ForeignLine").length, messages.length + 2);
	// What came without the plugin goes on where it stopped.
	const more = [...messages, user("And this?", 100), says("That too.", 101)];
	const longer = store(here, more);
	await importStore(here, longer);
	assert.deepEqual(said(here), [...before, ["s1", "user"], ["s1", "assistant"]]);
	assert.equal(await importStore(here, longer), 0);
	// And the plugin knows what was imported.
	assert.deepEqual(await weft.ingestBatch({ ...S, messages: more }), { ingestedCount: 0 });
	const onPath = here.look(({ history }) => {
		history.tree.catchUp();
		const tip = history.tree.tip({ session: "s1", host: "openclaw" }) ?? null;
		return [...history.tree.upward(tip)].filter(({ role }) => role !== null).length;
	});
	assert.equal(onPath, more.length);
});

test("a session that was imported before the plugin came is not recorded a second time", async (t) => {
	const here = place(t);
	const messages = worked(4, 50);
	await importStore(here, store(here, messages));
	const before = said(here);
	const weft = here.engine();
	assert.deepEqual(await weft.ingestBatch({ ...S, messages }), { ingestedCount: 0 });
	await weft.afterTurn({ ...S, messages: [...messages, says("Done.", 90)], prePromptMessageCount: messages.length });
	assert.deepEqual(said(here), [...before, ["s1", "assistant"]]);
});
