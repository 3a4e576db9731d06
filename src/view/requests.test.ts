import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { openEngine } from "../engine.ts";
import { SessionRequests } from "./requests.ts";

const folder = temporaryFolder();

test("a request that the host made without weft saved nothing, not zero", () => {
	const savedBy = (mode: string) => {
		const engine = openEngine({ cwd: folder, home: join(folder, "home"), host: "x", session: mode, env: {} });
		const segments = [{ name: "tail", bytes: 40, tokens: 10, sha256: "0".repeat(64) }];
		const predicted = { read: 0, write: 10, input: 0 };
		const made = {
			request: "r",
			model: "m",
			mode,
			segments,
			kept: 0,
			items: [],
			reasons: [],
			difference: null,
			predicted,
		};
		engine.record([{ type: "Request", payload: made }]);
		const saved = new SessionRequests(engine.history, { session: mode, host: "x" }).saved();
		engine.close();
		return saved;
	};
	assert.equal(savedBy("host"), undefined);
	assert.equal(savedBy("woven"), 0);
});
