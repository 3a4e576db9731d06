/** kill -9 in the middle of keeping and of rewinding, and two agents at once: no byte is lost. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openEngine } from "../../src/engine.ts";
import { openRewind } from "../../src/guard/rewind/request.ts";
import { removeFolder, temporaryFolder } from "../rig/temporary-folder.ts";
import { randomFrom, tellCount } from "./count.ts";
import { rounds } from "./time.ts";

const AGENT = fileURLToPath(new URL("keeping-agent.ts", import.meta.url));

function filesIn(root: string): Map<string, string> {
	const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	return new Map(
		entries.map((entry) => {
			const path = join(entry.parentPath, entry.name);
			return [path, readFileSync(path, "latin1")];
		}),
	);
}

test("kill -9 while an agent keeps, removes and rewinds", { timeout: 600_000 }, async (t) => {
	const folder = temporaryFolder();
	t.after(() => removeFolder(folder));
	const [root, home] = [join(folder, "work"), join(folder, "home")];
	mkdirSync(join(root, "src"), { recursive: true });
	for (let n = 0; n < 60; n++) writeFileSync(join(root, n % 2 ? `f${n}.txt` : `src/f${n}.txt`), `${n} `.repeat(n * 50));
	const before = filesIn(root);
	const random = randomFrom(30);
	const first = openEngine({ cwd: root, host: "pi", home, env: {} });
	const call = { session: "s", host: "pi", cwd: root, tool: "bash", callId: "first", input: { command: "make first" } };
	first.judge(call);
	first.close();
	let missing = 0;
	const kills = rounds(10);
	for (let kill = 0; kill < kills; kill++) {
		const child = spawn(process.execPath, [AGENT, root, home, "loop"], { stdio: ["ignore", "pipe", "inherit"] });
		const ended = new Promise((resolve) => child.on("close", resolve));
		await new Promise((resolve) => child.stdout.once("data", resolve));
		await setTimeout(random() * 500);
		child.kill("SIGKILL");
		await ended;
		missing += before.size - filesIn(root).size;
		const engine = openEngine({ cwd: root, host: "pi", home, env: {} });
		const rewind = openRewind(engine.log, { cwd: root, root, before: "make first", now: Date.now() });
		rewind.apply({ maxBytes: 1e9, now: Date.now, command: "weft rewind" });
		engine.close();
		assert.deepEqual(filesIn(root), before, `after kill ${kill}`);
	}
	tellCount("kills while keeping and rewinding", { kills, "files gone at a kill": missing, lost: 0 });
});

test("two agents at once: all that either took was kept", { timeout: 600_000 }, async (t) => {
	const folder = temporaryFolder();
	t.after(() => removeFolder(folder));
	const [root, home] = [join(folder, "work"), join(folder, "home")];
	mkdirSync(root);
	const outputs = await Promise.all(
		["one", "two"].map(async (name) => {
			const args = [AGENT, root, home, "take", name, String(rounds(20))];
			const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
			let out = "";
			child.stdout.setEncoding("utf8").on("data", (text: string) => {
				out += text;
			});
			assert.equal(await new Promise((resolve) => child.on("close", resolve)), 0);
			return out.trim().split("\n");
		}),
	);
	const engine = openEngine({ cwd: root, host: "pi", home, env: {} });
	const hashes = outputs.flat();
	assert.ok(hashes.length >= 2);
	for (const each of hashes) assert.ok(engine.log.getBlob(each), each);
	engine.close();
	tellCount("two agents at once", { taken: hashes.length, lost: 0 });
});
