import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { openEngine } from "../engine.ts";
import { markFetched } from "./fetched-sessions.ts";

const folder = temporaryFolder();

test("a session that was fetched is in the log and no part of the state; one from an archive counts as before", () => {
	const open = () => openEngine({ cwd: folder, host: "cli", home: join(folder, "home"), env: { HOME: folder } });
	const engine = open();
	const decide = (origin: string | undefined, session: string) =>
		engine.log.append([{ type: "Decision", session, host: "pi", ts: 1, origin, payload: { text: `by ${session}` } }]);
	markFetched(engine.log, { origin: "elsewhere", session: "fetched" }, { isOwn: false });
	decide(undefined, "own");
	decide("elsewhere", "fetched");
	decide("elsewhere", "archived");
	const decided = (of: typeof engine) => of.state().state.decisions.active.map(({ text }) => text);
	assert.deepEqual(decided(engine), ["by own", "by archived"]);
	assert.equal([...engine.log.read({ session: "fetched" })].length, 1);
	engine.log.rebuild();
	engine.close();
	const again = open();
	assert.deepEqual(decided(again), ["by own", "by archived"]);
	again.close();
});
