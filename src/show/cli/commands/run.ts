/** Starts an agent with weft for one session, in the foreground. Writes nothing to the user's settings. */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { findProgramOf } from "../../../agent/agent-programs.ts";
import type { AgentProgram, AgentRun, AgentSession, AgentStart, FoundAgent } from "../../../agent/setup/contract.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { errorText } from "../../../base/error/error-text.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Call } from "../frame.ts";
import { type KeptProxy, keepProxy } from "../kept-proxy.ts";
import type { LoglessContext } from "../logless-context.ts";
import { placeOfResident } from "../pass-to-resident.ts";
import { weftCommand } from "../weft-command.ts";

export async function run({ context, out, args: [name = "", ...args], options }: Call<"run">): Promise<ExitCode> {
	const agent = findProgramOf(name);
	const { wholeEnv: env, home } = context;
	const found = agent.find(env);
	if (!found) throw notInstalled(agent);
	const { opaqueSeals } = options;
	if (opaqueSeals && name !== "codex") throw new EngineError("usage", "--opaque-seals is for codex.");
	const { seal } = context.readSettings().settings;
	const session = { env, cwd: context.folder, args, opaqueSeals, seal };
	const proxy = options.noProxy ? undefined : await startProxy(context, agent, found, session);
	let folder: string | undefined;
	try {
		let start: AgentStart = { file: found.program, args, env };
		try {
			folder = mkdtempSync(join(tmpdir(), `weft-run-${name}-`));
			start = agent.command(found, args, { weft: weftCommand(context), folder, env, seal, home, ...proxy?.place });
		} catch (error) {
			// The user asked for the agent, so it starts in any case.
			out.talk(`weft: ${errorText(error)} ${agent.title} starts without weft.`);
		}
		if (start.says !== undefined) out.talk(`weft: ${start.says}`);
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
	context: LoglessContext,
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
		const weft = weftCommand(context);
		const home = weft.indexOf("--home");
		const resident = placeOfResident(home < 0 ? [] : weft.slice(home), cwd);
		const kept = await keepProxy({ weft, args, resident, cwd, env });
		if (says !== undefined) context.out.talk(`weft: ${says}`);
		return { kept, place: { proxy: kept.address, provider } };
	} catch (error) {
		without(errorText(error));
		return undefined;
	}
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
