/** Starts an agent with weft for one session, in the foreground. Writes nothing to the user's settings. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findProgramOf } from "../../../agent/agents.ts";
import type {
	AgentProgram,
	AgentRun,
	AgentSession,
	AgentStart,
	FoundAgent,
	WeftCommand,
} from "../../../agent/setup/contract.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { errorText } from "../../../base/error/error-text.ts";
import { asName, parseObject } from "../../../base/json/read.ts";
import type { Context } from "../context.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Call } from "../frame.ts";
import { weftCommand } from "../weft-command.ts";

export async function run({ context, out, args: [name = "", ...args], options }: Call<"run">): Promise<ExitCode> {
	const agent = findProgramOf(name);
	const { env, home } = context;
	const found = agent.find(env);
	if (!found) throw notInstalled(agent);
	const { opaqueSeals } = options;
	if (opaqueSeals && name !== "codex") throw new EngineError("usage", "--opaque-seals is for codex.");
	const session = { env, cwd: context.folder, args, opaqueSeals };
	const proxy = options.noProxy ? undefined : await startProxy(context, agent, found, session);
	let folder: string | undefined;
	try {
		let start: AgentStart = { file: found.program, args, env };
		try {
			folder = mkdtempSync(join(tmpdir(), `weft-run-${name}-`));
			start = agent.command(found, args, { weft: weftCommand(context), folder, env, home, ...proxy?.place });
		} catch (error) {
			// The user asked for the agent, so it starts in any case.
			out.talk(`weft: ${errorText(error)} ${agent.title} starts without weft.`);
		}
		return await runInForeground(start.file, start.args, { cwd: context.folder, env: start.env });
	} finally {
		await proxy?.kept.end();
		if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
	}
}

function notInstalled({ name, title, installedBy }: AgentProgram): EngineError {
	const how = installedBy === undefined ? `Install ${title} first.` : `'${installedBy}' installs it.`;
	return new EngineError("not-found", `There is no '${name}' on your PATH. ${how}`);
}

interface StartedProxy {
	readonly kept: KeptProxy;
	readonly place: Pick<AgentRun, "proxy" | "provider">;
}

/** Undefined: the agent goes to its provider directly. */
async function startProxy(
	context: Context,
	agent: AgentProgram,
	found: FoundAgent,
	session: AgentSession,
): Promise<StartedProxy | undefined> {
	const { env, cwd } = session;
	const without = (why: string) => context.out.talk(`weft: ${why} ${agent.title} starts without weft's proxy.`);
	try {
		const plan = await agent.proxied?.(found, session);
		if (!plan) return undefined;
		if ("why" in plan) {
			without(plan.why);
			return undefined;
		}
		const { args, provider, says } = plan;
		const kept = await keepProxy({ weft: weftCommand(context), args, cwd, env });
		if (says !== undefined) context.out.talk(`weft: ${says}`);
		return { kept, place: { proxy: kept.origin, provider } };
	} catch (error) {
		without(errorText(error));
		return undefined;
	}
}

interface KeptProxy {
	readonly origin: string;
	end(): Promise<void>;
}

interface KeptProxyOptions {
	readonly weft: WeftCommand;
	/** Arguments for `weft proxy`. */
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
}

const RESTART_AFTER_MS = 200;
/** A proxy that keeps dying is not restarted forever. */
const MAX_STARTS = 50;

/**
 * Runs weft's proxy for an agent in its own process: if it dies, the agent only sees a dropped connection. It is restarted on
 * the same port, so the agent's next try succeeds.
 */
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

/** Returns the program's own exit status; after a signal, the status that a shell would return. */
export async function runInForeground(
	file: string,
	args: readonly string[],
	place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<ExitCode> {
	const child = spawn(file, args, { ...place, stdio: "inherit" });
	// The program handles Ctrl-C itself, and weft waits. Ending weft, or closing the window, ends the program.
	const pass = (signal: NodeJS.Signals): void => {
		if (signal !== "SIGINT") child.kill(signal);
	};
	for (const signal of PASSED) process.on(signal, pass);
	try {
		return await new Promise((resolve, reject) => {
			child.once("error", reject);
			child.once("close", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGTERM"]));
		});
	} finally {
		for (const signal of PASSED) process.off(signal, pass);
	}
}

const PASSED = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
