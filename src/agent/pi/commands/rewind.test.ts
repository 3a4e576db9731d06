import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { EngineProject } from "../../../../test/rig/engine-agent.ts";
import { run } from "./rewind.ts";

test("/rewind lists the moments, plans, and with --yes brings a file back", async () => {
	using project = new EngineProject();
	const { engine } = project;
	const cwd = project.folder();
	const live = { engine, cwd };
	writeFileSync(join(cwd, "a b.txt"), "mine\n");
	const call = { session: "s", host: "pi", cwd, tool: "bash", callId: "c1", input: { command: "rm -f 'a b.txt'" } };
	engine.judge(call);
	rmSync(join(cwd, "a b.txt"));
	assert.match(await run({ live, args: "" }), /before: rm -f 'a b\.txt' \(1 file kept\)\n\/rewind \[FILE \.\.\.\]/);
	assert.match(
		await run({ live, args: "'a b.txt' --before 'rm -f' --diff" }),
		/write {3}a b\.txt[\s\S]*\+mine[\s\S]*--yes/,
	);
	assert.match(await run({ live, args: "'a b.txt' --before 'rm -f' --yes" }), /Done\. To undo it/);
	assert.equal(readFileSync(join(cwd, "a b.txt"), "utf8"), "mine\n");
	assert.match(await run({ live, args: "--nope" }), /Unknown option '--nope'/);
});
