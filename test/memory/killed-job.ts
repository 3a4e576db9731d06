/** A process that dies by SIGKILL after the nth event that follows a model's answer. Arguments: the scene's folder, and n. */
import { CLAUDE_CODE_PORT } from "../../src/agent/claude-code/port.ts";
import type { Log } from "../../src/log/log.ts";
import { MemoryScene } from "./scene.ts";

const [root, nth] = process.argv.slice(2);
let left = Number(nth);
let log: Log | undefined;

const scene = new MemoryScene(CLAUDE_CODE_PORT, { root });
await scene.session(async (session) => session.tell("Count the gannets of berth twelve.", "Twelve."));
await scene.session(
	async (session) => {
		log = session.engine.log;
		await session.settled();
	},
	{
		models: [
			{
				name: "a/b",
				complete: async () => {
					if (log) dieIn(log);
					const fact = { op: "add", section: "Facts", confidence: 1, necessity: "high" };
					const memory = [{ ...fact, text: "There are twelve gannets." }];
					return { text: JSON.stringify({ memory, history: ["The gannets were counted."] }) };
				},
			},
		],
	},
);

function dieIn(open: Log): void {
	const append = open.append.bind(open);
	open.append = (events, options) => {
		const appended = append(events, options);
		if (--left <= 0) process.kill(process.pid, "SIGKILL");
		return appended;
	};
}
