/**
 * A process that dies by SIGKILL after the nth event that follows a model's answer. Arguments: the scene's folder, n, and `thread` for an
 * answer with operations on the thread.
 */
import { CLAUDE_CODE_PORT } from "../../src/agent/claude-code/port.ts";
import type { Log } from "../../src/log/log.ts";
import { MemoryScene } from "./scene.ts";

const [root, nth, what] = process.argv.slice(2);
let left = Number(nth);
let log: Log | undefined;

const scene = new MemoryScene(CLAUDE_CODE_PORT, { root });
if (what !== "thread")
	await scene.session(async (session) => session.tell("Count the gannets of berth twelve.", "Twelve."));
await scene.session(
	async (session) => {
		log = session.engine.log;
		if (what === "thread") {
			session.tell("Count the gannets of berth twelve.", "The crates at the berth hide four gannets.");
			session.tell("Count the herons.", "Nine.");
		}
		await session.settled();
	},
	{
		models: [
			{
				name: "a/b",
				complete: async (prompt) => {
					if (log) dieIn(log);
					if (what === "thread") {
						const source = /assistant (m-\w+): The crates/.exec(prompt)?.[1];
						const op = { op: "add", kind: "finding", text: "The crates at the berth hide four gannets.", source };
						return { text: JSON.stringify({ currentState: ["Counting."], thread: [op] }) };
					}
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
