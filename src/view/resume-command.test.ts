import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { FORMATS } from "../../test/formats/formats.ts";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { openEngine } from "../engine.ts";
import { resumeCommand } from "./resume-command.ts";

test("a session goes on in its own agent, under the name that its sessions are recorded with", async () => {
	const home = temporaryFolder();
	const commands: Record<string, string | null> = {};
	for (const host of new Set(FORMATS.map(({ agent }) => agent))) {
		const engine = openEngine({ cwd: home, home: join(home, "data"), host, session: "5f3c", env: {} });
		engine.record([{ type: "SessionStarted", payload: { cwd: "/looms/old mill" } }]);
		commands[host] = resumeCommand(engine.log, { session: "5f3c", host });
		engine.close();
	}
	const go = "cd '/looms/old mill' && ";
	assert.deepEqual(commands, {
		"claude-code": `${go}claude --resume 5f3c`,
		cline: null,
		codex: `${go}codex resume 5f3c`,
		continue: null,
		"copilot-cli": `${go}copilot --resume 5f3c`,
		"gemini-cli": `${go}gemini --resume 5f3c`,
		kilo: null,
		openclaw: null,
		opencode: `${go}opencode --session 5f3c`,
		pi: `${go}pi --session 5f3c`,
		"qwen-code": `${go}qwen --resume 5f3c`,
	});
});
