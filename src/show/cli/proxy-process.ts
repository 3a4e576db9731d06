/**
 * Runs weft's proxy for an agent in its own process: if it dies, the agent only sees a dropped connection. It is restarted on
 * the same port, so the agent's next try succeeds.
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
	/** Arguments for `weft proxy`. */
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
}

const RESTART_AFTER_MS = 200;
/** A proxy that keeps dying is not restarted forever. */
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
			await pause(RESTART_AFTER_MS);
			if (isEnding || ++starts > MAX_STARTS) return;
			try {
				current = await start(options, ["--port", new URL(origin).port]);
				return watch(current.child);
			} catch {
				// Another program may hold the port, for a moment or for good. Meanwhile the agent reports that it cannot connect.
			}
		}
	};
	watch(current.child);
	return {
		origin,
		end: async () => {
			isEnding = true;
			// A proxy that comes up now would outlive this process and keep it running.
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
	// Not in the agent's process group, because Ctrl-C is for the agent.
	// The proxy ends when its standard input ends, so it ends however this process does.
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
