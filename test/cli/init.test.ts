import assert from "node:assert/strict";
import { chmodSync, existsSync } from "node:fs";
import { dirname } from "node:path";
import { after, test } from "node:test";
import { Place } from "./place.ts";

test("without a terminal weft init names the command that does it, with the options that were given", async () => {
	const place = new Place();
	after(() => place.remove());
	const program = place.file("bin/claude", "#!/bin/sh\necho 2.1.325\n");
	chmodSync(program, 0o755);
	const config = place.file("claude/none", "");
	const env = { PATH: `${dirname(program)}:/usr/bin:/bin`, CLAUDE_CONFIG_DIR: dirname(config) };
	const { code, err } = await place.weftIn(env, "init", "claude", "--no-compaction", "--proxy", "--status-line");
	assert.equal(code, 2);
	assert.equal(err, "Nothing was changed. To do it: weft init claude --proxy --no-compaction --status-line --yes\n");
	assert.ok(!existsSync(`${dirname(config)}/settings.json`));
});

test("for Pi, weft init names Pi's own command", async () => {
	const place = new Place();
	after(() => place.remove());
	const { code, err } = await place.weftIn({}, "init", "pi");
	assert.equal(code, 2);
	assert.match(err, /Pi installs weft by itself\. Run 'pi install npm:weft-context'\./);
});

test("for OpenClaw, weft init and weft run name OpenClaw's own command", async () => {
	const place = new Place();
	after(() => place.remove());
	for (const command of ["init", "run"]) {
		const { code, err } = await place.weftIn({}, command, "openclaw");
		assert.equal(code, 2);
		assert.match(err, /OpenClaw installs weft as a plugin: .*'openclaw plugins install npm-pack:/);
	}
});

test("weft in a project without a log names the import and the set-up", async () => {
	const place = new Place();
	after(() => place.remove());
	const { code, out } = await place.weftIn({}, "status");
	assert.equal(code, 0);
	assert.match(out, /^ {2}weft import {2,}finds the sessions .*\n {2}weft init {2,}sets your agents up/m);
});
