/**
 * The README's test command: the tests beside the code in two processes, without one for each file, which saves half of
 * their time; then the tests that start programs, each file in a process of its own.
 */
import { spawn } from "node:child_process";

const passed = await Promise.all(
	[1, 2].map((part) => test("--test-isolation=none", `--test-shard=${part}/2`, "src/**/*.test.ts")),
);
passed.push(await test("--test-concurrency=2", "test/**/*.test.ts"));
process.exitCode = passed.every(Boolean) ? 0 : 1;

/** What a run prints stays together. */
function test(...args: readonly string[]): Promise<boolean> {
	return new Promise((resolve) => {
		const child = spawn(process.execPath, ["--test", ...args], { stdio: ["ignore", "pipe", "inherit"] });
		const said: Buffer[] = [];
		child.stdout.on("data", (chunk: Buffer) => said.push(chunk));
		child.on("close", (code) => process.stdout.write(Buffer.concat(said), () => resolve(code === 0)));
	});
}
