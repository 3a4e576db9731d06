/** A session gets the same context whether its log has other sessions or not. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { madeUpSession } from "../../bench/session.ts";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { lookAt } from "../../src/context/request-at.ts";
import { type Engine, openEngine } from "../../src/engine.ts";
import { Log } from "../../src/log/log.ts";
import type { ReadQuery } from "../../src/log/types.ts";
import { openSession } from "../../src/replay/recording.ts";
import { agentSessions } from "../../src/state/session/find-session.ts";
import { temporaryFolder } from "../rig/temporary-folder.ts";
import { replayAll, texts } from "./rig.ts";

const WINDOW = 64_000;

test("a session that ran without weft gets the same context among others as alone, and nothing of the others is read", async (t) => {
	const folder = temporaryFolder();
	const files = [1, 2, 3].map((seed) => {
		const file = join(folder, `${seed}.jsonl`);
		const [head = "", ...lines] = madeUpSession({ seed, requests: 40, lines: 120 }).split("\n");
		writeFileSync(file, [JSON.stringify({ ...JSON.parse(head), id: `session-${seed}` }), ...lines].join("\n"));
		return file;
	});
	using alone = await imported(join(folder, "alone"), files.slice(1, 2));
	using among = await imported(join(folder, "among"), files);

	const readFrom = new Set<string>();
	const { read } = Log.prototype;
	const watched = t.mock.method(Log.prototype, "read", function* (this: Log, query?: ReadQuery) {
		for (const record of read.call(this, query)) {
			readFrom.add(record.session);
			yield record;
		}
	});
	const seen = await contextOf(among.engine, "session-2");
	watched.mock.restore();
	assert.deepEqual([...readFrom], ["session-2"]);

	const expected = await contextOf(alone.engine, "session-2");
	assert.equal(seen, expected);
	const rows = await Promise.all([alone, among].map(({ engine }) => replayed(engine)));
	assert.deepEqual(rows[1], rows[0]);
	assert.match(seen, /work so far/, "the session was long enough to be sealed");
});

async function imported(home: string, files: readonly string[]): Promise<{ engine: Engine; [Symbol.dispose](): void }> {
	const engine = openEngine({ cwd: home, home, host: "test", env: {}, trusted: false });
	const logFor = () => ({
		append: (events: Parameters<Log["append"]>[0]) => engine.log.append(events, { packed: true }),
		read: (query: Parameters<Log["read"]>[0]) => engine.log.read(query),
	});
	for (const file of files) await importFile(file, { readers: READERS, logFor });
	// An import would run the checkpointed folds too.
	engine.log.catchUp();
	return { engine, [Symbol.dispose]: () => engine.close() };
}

async function contextOf(engine: Engine, id: string): Promise<string> {
	const { log, history, stateAt } = engine;
	const { session, host } = agentSessions(log).find((each) => each.session === id)!;
	const settings = { mode: "woven", window: WINDOW, profile: "balanced" } as const;
	const look = { log, history, session: { session, host }, settings, stateAt: (seq: number) => stateAt(seq).state };
	const { plan, envelope } = await lookAt(log.newestSeq(), look);
	return JSON.stringify([plan.opening?.text, envelope.messages]);
}

async function replayed(engine: Engine): Promise<readonly (readonly string[])[]> {
	const { session, host } = agentSessions(engine.log).find((each) => each.session === "session-2")!;
	const { requests } = await replayAll(openSession(engine.history, { session, host }), "woven", WINDOW);
	return requests.map(texts);
}
