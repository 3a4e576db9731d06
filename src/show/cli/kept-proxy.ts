/**
 * A proxy beside an agent, as a process of its own: whatever happens to it, the agent only sees a connection that dropped. It
 * is started again on the same port, so that the agent's next try goes through.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import type { WeftCommand } from "../../agent/setup/contract.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import { asName, parseObject } from "../../base/json/read.ts";

export interface KeptProxy {
	readonly origin: string;
	end(): Promise<void>;
}

export interface KeptProxyOptions {
	readonly weft: WeftCommand;
	/** For `weft proxy`. */
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
}

const AGAIN_AFTER_MS = 200;
/** One that cannot stay up is not started for ever. */
const MAX_STARTS = 50;

export async function keepProxy(options: KeptProxyOptions): Promise<KeptProxy> {
	let isEnding = false;
	let starts = 1;
	let current = await start(options, []);
	const { origin } = current;
	let starting = Promise.resolve();
	const watch = (child: ChildProcess): void => {
		child.once("exit", () => {
			starting = startAgain();
		});
	};
	const startAgain = async (): Promise<void> => {
		for (;;) {
			await pause(AGAIN_AFTER_MS);
			if (isEnding || ++starts > MAX_STARTS) return;
			try {
				current = await start(options, ["--port", new URL(origin).port]);
				return watch(current.child);
			} catch {
				// Somebody may hold the port, for a moment or for good. Meanwhile the agent says that it cannot connect.
			}
		}
	};
	watch(current.child);
	return {
		origin,
		end: async () => {
			isEnding = true;
			// One that comes up now would outlive us, and keep us here.
			await starting;
			const { child } = current;
			if (child.exitCode !== null || child.signalCode !== null) return;
			const ended = new Promise((done) => child.once("exit", done));
			child.kill("SIGTERM");
			await ended;
		},
	};
}

function start(
	{ weft: [program, ...first], args, cwd, env }: KeptProxyOptions,
	more: readonly string[],
): Promise<{ readonly child: ChildProcess; readonly origin: string }> {
	// Not in the agent's group: Ctrl-C is for the agent.
	// However we end, its standard input ends with us, and so does it.
	const child = spawn(program, [...first, "--json", "proxy", "--until-eof", ...args, ...more], {
		cwd,
		env,
		stdio: ["pipe", "pipe", "ignore"],
		detached: true,
	});
	return new Promise((done, fail) => {
		const failed = () => fail(new EngineError("refused", "weft's proxy did not start. 'weft proxy' says why."));
		child.once("error", failed);
		child.once("exit", failed);
		let text = "";
		child.stdout.on("data", (chunk: Buffer) => {
			text += chunk.toString("utf8");
			const origin = asName(parseObject(text)?.["origin"]);
			if (origin === undefined) return;
			child.off("exit", failed);
			done({ child, origin });
		});
	});
}
