import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { claudeSetup } from "../claude-code/setup.ts";
import { applyChanges } from "./apply.ts";
import { findProgram } from "./find-program.ts";
import { launcherChange } from "./launcher.ts";

test("a launcher starts the agent by weft, and by itself where weft is gone or broken", (t) => {
	const root = mkdtempSync(join(tmpdir(), "weft launcher-"));
	t.after(() => rmSync(root, { recursive: true, force: true }));
	const script = (name: string, text: string) => {
		writeFileSync(join(root, name), `#!/bin/sh\n${text}\n`);
		chmodSync(join(root, name), 0o755);
		return join(root, name);
	};
	const program = script("the agent", 'echo "agent: $*"');
	const weft = script("weft", 'echo "weft: $* for $WEFT_PROGRAM_CLAUDE"');
	const options = { weft: [weft] as const, dataHome: join(root, "home"), env: {} };
	const change = launcherChange(claudeSetup, { program, version: undefined, folder: root }, options);
	applyChanges(options.dataHome, "claude", root, [change]);
	const run = () => execFileSync(change.file, ["-p", "two words"], { encoding: "utf8" });
	assert.equal(run(), `weft: run claude -- -p two words for ${program}\n`);
	assert.equal(findProgram("claude", { PATH: join(root, "home/bin"), WEFT_PROGRAM_CLAUDE: program }), program);
	assert.equal(findProgram("claude", { PATH: join(root, "home/bin") }), undefined, "a launcher is not the agent");
	const gone = join(root, "gone");
	mkdirSync(gone);
	const fromGone = `cd '${gone}' && rmdir '${gone}' && exec '${change.file}' -p x`;
	assert.equal(
		execFileSync("sh", ["-c", fromGone], { encoding: "utf8" }),
		"agent: -p x\n",
		"a folder that was removed",
	);
	script("weft", "exit 1");
	assert.equal(run(), "agent: -p two words\n");
	rmSync(weft);
	assert.equal(run(), "agent: -p two words\n");
});
