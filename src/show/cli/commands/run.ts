/** Starts an agent with weft for one session, in the foreground. Writes nothing to the user's settings. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgramOf } from "../../../agent/agents.ts";
import type { AgentProgram, AgentRun, AgentSession, AgentStart, FoundAgent } from "../../../agent/setup/contract.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { errorText } from "../../../base/error/error-text.ts";
import type { Context } from "../context.ts";
import type { ExitCode } from "../exit-code.ts";
import { runInForeground } from "../foreground-program.ts";
import type { Call } from "../frame.ts";
import { type KeptProxy, keepProxy } from "../proxy-process.ts";
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
