import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { openEngine } from "../engine.ts";
import { findSession } from "../state/session/find-session.ts";
import { shortSession } from "./short-session.ts";

test("what a list shows of a session names it again, that of a sub-agent too", () => {
	const folder = temporaryFolder();
	const engine = openEngine({ cwd: folder, home: join(folder, "home"), host: "codex", env: {} });
	try {
		const ids = [
			"01a1e16b-0a75-76c1-ae2b-c33effc0a22f",
			"01a1e16b-0a75-76c1-ae2b-c33effc0a22f/01a1e16b-0e00-7ce2-a70a-bbda395e2467",
			"01a1e16b-0a75-76c1-ae2b-c33effc0a22f/agent_7",
		];
		for (const session of ids) engine.record([{ type: "SessionStarted", session, payload: { cwd: folder } }]);
		assert.deepEqual(ids.map(shortSession), ["01a1e16b-0a75", "/01a1e16b-0e00", "/agent_7"]);
		assert.deepEqual(
			ids.map((id) => findSession(engine.log, shortSession(id)).session),
			ids,
		);
		assert.throws(() => findSession(engine.log, "/"), /More than one session begins with '\/'/);
		assert.throws(() => findSession(engine.log, "nowhere"), /There is no session 'nowhere'/);
	} finally {
		engine.close();
	}
});
