import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { runInForeground } from "./run.ts";

test("gives the status of the program", async () => {
	assert.equal(await runInForeground(process.execPath, ["-e", "process.exit(7)"], { cwd: ".", env: {} }), 7);
});

/** In a process of its own: the signal is a real one. */
const OUTER = `
	const { runInForeground } = await import(${JSON.stringify(new URL("run.ts", import.meta.url).href)});
	const inner = "console.log('ready'); setInterval(() => {}, 1000)";
	const code = await runInForeground(process.execPath, ["-e", inner], { cwd: ".", env: {} });
	console.log("after", code, process.listenerCount("SIGTERM"));
`;

test("whoever ends us ends the program, and what stands after it still runs", async () => {
	const outer = spawn(process.execPath, ["--input-type=module", "-e", OUTER], { stdio: ["ignore", "pipe", "inherit"] });
	let said = "";
	outer.stdout.setEncoding("utf8").on("data", (text: string) => {
		if (!said.includes("ready") && `${said}${text}`.includes("ready")) outer.kill("SIGTERM");
		said += text;
	});
	await once(outer, "close");
	assert.equal(said, "ready\nafter 143 0\n");
});
