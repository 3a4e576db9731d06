/**
 * An agent that keeps, removes and rewinds, for attacks that kill it. `loop`: takes all files and brings them back, again and
 * again. `take NAME COUNT`: takes files of its own that nobody else has, and prints their hashes.
 */
import { hash } from "node:crypto";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openEngine } from "../../src/engine.ts";
import { openRewind } from "../../src/guard/rewind/request.ts";

const [root = "", home = "", role = "loop", name = "", count = "0"] = process.argv.slice(2);
const engine = openEngine({ cwd: root, host: "pi", home, env: {} });
const of = { session: `agent ${name}`, host: "pi", cwd: root, tool: "bash" };

if (role === "loop") {
	process.stdout.write("up\n");
	for (let n = 0; ; n++) {
		engine.judge({ ...of, callId: `${process.pid}-${n}`, input: { command: "rm -rf ./*" } });
		const [kept] = engine.log.read({ types: ["FilesKept"], order: "newest", limit: 1 });
		for (const entry of readdirSync(root)) if (entry !== ".git") rmSync(join(root, entry), { recursive: true });
		openRewind(engine.log, { cwd: root, root, to: String(kept?.seq), now: Date.now() }).apply({
			maxBytes: 1e9,
			now: Date.now,
			command: "weft rewind",
		});
	}
}

for (let n = 0; n < Number(count); n++) {
	const path = join(root, `${name}-${n % 3}.txt`);
	const text = `${name} ${n} ${"x".repeat(n * 37)}\n`;
	writeFileSync(path, text);
	engine.judge({ ...of, callId: `${name}-${n}`, input: { command: `rm -f ${name}-*` } });
	rmSync(path);
	process.stdout.write(`${hash("sha256", text)}\n`);
}
engine.close();
