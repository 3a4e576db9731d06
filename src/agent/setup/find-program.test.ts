import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { findAgent } from "./find-program.ts";

test("an agent is found without being started, and started once for its version", () => {
	const folder = temporaryFolder();
	const runs = join(folder, "runs");
	writeFileSync(join(folder, "agent"), `#!/bin/sh\necho x >>'${runs}'\necho 'agent 1.2.3'\n`, { mode: 0o755 });
	const found = findAgent("agent", { PATH: `${folder}:/bin:/usr/bin` }, folder);
	assert.equal(found?.program, join(folder, "agent"));
	assert.equal(existsSync(runs), false);
	assert.deepEqual([found.version, found.version], ["1.2.3", "1.2.3"]);
	assert.equal(readFileSync(runs, "utf8"), "x\n");
});
