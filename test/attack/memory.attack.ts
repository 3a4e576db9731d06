/** Memory files under several processes, some of them killed: no acknowledged bullet is lost, no file is half. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openEngine } from "../../src/engine.ts";
import { bulletsOf, parseDocument } from "../../src/state/memory/document.ts";
import { MEMORY, MemoryFiles } from "../../src/state/memory/memory-files.ts";

const WRITER = fileURLToPath(new URL("memory-writer.ts", import.meta.url));
const ROUNDS = 3;

test("processes that write at once, two of them killed at any moment, lose nothing that was acknowledged", async () => {
	const root = mkdtempSync(join(tmpdir(), "weft-memory-attack-"));
	const [cwd, home] = [join(root, "project"), join(root, "home")];
	mkdirSync(cwd);
	try {
		const acknowledged: string[] = [];
		const path = () => {
			const engine = openEngine({ cwd, home, host: "attack", env: {} });
			const found = new MemoryFiles({ log: engine.log }).pathOf(MEMORY);
			engine.close();
			return found;
		};
		for (let round = 0; round < ROUNDS; round++) {
			const run = (section: string, killAfter: number) =>
				new Promise<void>((resolve) => {
					const args = [WRITER, cwd, home, section, `${section}-${round}`, "12"];
					const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
					let told = 0;
					child.stdout.on("data", (chunk: Buffer) => {
						const lines = chunk.toString().split("\n").filter(Boolean);
						acknowledged.push(...lines);
						told += lines.length;
						if (told >= killAfter) setTimeout(() => child.kill("SIGKILL"), (killAfter * 7) % 23);
					});
					child.on("close", () => resolve());
				});
			await Promise.all([run("Facts", 99), run("Preferences", 3 + round), run("Decisions", 5 + round)]);
			appendFileSync(path(), `- mine ${round}\n`);
		}
		const engine = openEngine({ cwd, home, host: "attack", env: {} });
		const files = new MemoryFiles({ log: engine.log });
		const session = { session: "last", host: "attack" };
		files.write({ file: MEMORY, why: "test", session, ts: 0, build: () => [] });
		const told = bulletsOf(parseDocument(readFileSync(path(), "utf8"))).map(({ bullet }) => bullet.text);
		const known = files.store.bullets("memory").map(({ text }) => text);
		engine.close();
		assert.ok(acknowledged.length >= ROUNDS * 20);
		const missing = [...acknowledged, ...Array.from({ length: ROUNDS }, (_, n) => `mine ${n}`)].filter(
			(text) => !told.includes(text),
		);
		assert.deepEqual(missing, []);
		assert.deepEqual(told.toSorted(), known.toSorted());
		assert.equal(new Set(told).size, told.length, "nothing stands there twice");
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
});
