import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { keepProxy } from "./run.ts";

/** Writes down each start; the first one dies, the next two do not come up, the fourth stays. */
const PROXY = `
import { appendFileSync, readFileSync } from "node:fs";
const file = process.argv[2];
appendFileSync(file, process.argv.slice(3).join(" ") + "\\n");
const starts = readFileSync(file, "utf8").split("\\n").length - 1;
if (starts === 2 || starts === 3) process.exit(1);
console.log(JSON.stringify({ origin: "http://127.0.0.1:18999" }));
setTimeout(() => process.exit(), starts === 1 ? 50 : 60_000);
`;

test("a proxy that died is started again on its port, also where the first tries fail", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "weft-kept-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const [program, starts] = [join(folder, "proxy.mjs"), join(folder, "starts")];
	writeFileSync(program, PROXY);
	const kept = await keepProxy({
		weft: [process.execPath, program, starts],
		args: ["--for", "claude"],
		cwd: folder,
		env: process.env,
	});
	assert.equal(kept.origin, "http://127.0.0.1:18999");
	const lines = () => readFileSync(starts, "utf8").trim().split("\n");
	while (lines().length < 4) await pause(20);
	await kept.end();
	const first = "--json proxy --until-eof --for claude";
	assert.deepEqual(lines(), [first, ...Array.from({ length: 3 }, () => `${first} --port 18999`)]);
});
