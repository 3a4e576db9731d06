/** Hosts make an engine for every turn: a hundred of them leave nothing behind in the process. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { AgentMessage } from "../../src/agent/openclaw/contract.ts";
import { place, says, user } from "./rig.ts";

const WARM_TURNS = 20;
const TURNS = 100;
const TURNS_A_SESSION = 10;
const OPEN_FILES = "/proc/self/fd";
/** Code that the machine compiles late, and noise; one log that stays open has more. */
const MAX_GROWTH_BYTES = 3_000_000;

test("a hundred turns, an engine for each: no handle and no memory grows", async (t) => {
	const { engine, home } = place(t, {}, { disposes: false });
	let rows: AgentMessage[] = [];
	const heap = collector();
	let warm = 0;
	for (let nth = 0; nth < TURNS; nth++) {
		if (nth === WARM_TURNS) warm = heap();
		// Short sessions, one after the other: what is measured is the engines, not the history.
		if (nth % TURNS_A_SESSION === 0) rows = [];
		const sessionId = `s${Math.floor(nth / TURNS_A_SESSION)}`;
		const session = { sessionId, sessionKey: `agent:main:${sessionId}` };
		const readTranscript = async () =>
			({ kind: "page", cursor: `${rows.length}`, hasMore: false, entries: [] }) as const;
		const weft = engine({ readTranscript });
		await weft.bootstrap({ ...session, runtimeContext: { tokenBudget: 64_000 } });
		const given = [...rows];
		for (const messages of [given, given])
			await weft.assemble({ ...session, messages, tokenBudget: 60_000, prompt: "Go on." });
		const turn = [user(`Turn ${nth}.`, nth * 2), says(`Done with ${nth}.`, nth * 2 + 1)];
		rows.push(...turn);
		assert.equal(
			(await weft.commitTurn({ ...session, advancementKey: `t${nth}`, messages: turn })).status,
			"committed",
		);
		await weft.maintain({ ...session, runtimeContext: { allowDeferredCompactionExecution: true } });
		await weft.dispose();
	}
	if (existsSync(OPEN_FILES)) assert.deepEqual(openFiles(home), []);
	const grown = heap() - warm;
	assert.ok(grown < MAX_GROWTH_BYTES, `${grown} bytes more after ${TURNS - WARM_TURNS} turns`);
});

/** Gives the bytes in use after everything that nobody holds is gone. */
function collector(): () => number {
	setFlagsFromString("--expose-gc");
	const collect = runInNewContext("gc") as () => void;
	return () => {
		collect();
		collect();
		return process.memoryUsage().heapUsed;
	};
}

function openFiles(folder: string): string[] {
	const files = readdirSync(OPEN_FILES).map((fd) => {
		try {
			return readlinkSync(`${OPEN_FILES}/${fd}`);
		} catch {
			return "";
		}
	});
	return files.filter((file) => file.startsWith(folder));
}
