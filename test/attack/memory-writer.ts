/** A process that writes bullets into MEMORY.md until it is killed, and says each one that was acknowledged. */
import { openEngine } from "../../src/engine.ts";
import { MEMORY, MemoryFiles } from "../../src/state/memory/memory-files.ts";

const [cwd, home, section, name, count] = process.argv.slice(2) as [string, string, string, string, string];
const engine = openEngine({ cwd, home, host: "attack", session: name, env: {} });
const files = new MemoryFiles({ log: engine.log, lockMs: 60_000 });
const session = { session: name, host: "attack" };
for (let n = 0; n < Number(count); n++) {
	const text = `${name} ${n}`;
	files.write({
		file: MEMORY,
		why: "test",
		session,
		ts: Date.now(),
		build: () => [{ op: "add", section, text, by: "state" }],
	});
	process.stdout.write(`${text}\n`);
}
engine.close();
