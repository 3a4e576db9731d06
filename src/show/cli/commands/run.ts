/** `weft run AGENT`: the agent with weft for this one session. Nothing of the user's settings is written. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSetup } from "../../../agent/agents.ts";
import type { AgentRun, AgentSession, AgentSetup, AgentStart, FoundAgent } from "../../../agent/setup/contract.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { errorText } from "../../../base/error/error-text.ts";
import type { Context } from "../context.ts";
import type { ExitCode } from "../exit.ts";
import { runInForeground } from "../foreground.ts";
import { type KeptProxy, keepProxy } from "../kept-proxy.ts";
import { weftCommand } from "../weft-command.ts";

export interface RunOptions {
	/** `--no-proxy`: false. */
	readonly proxy?: boolean;
	readonly opaqueSeals?: boolean;
}

export async function run(
	context: Context,
	[name = "", ...args]: readonly string[],
	options: RunOptions = {},
): Promise<ExitCode> {
	const agent = findSetup(name);
	const { env } = context;
	const found = agent.find(env);
	if (!found) throw new EngineError("not-found", `There is no '${name}' on your PATH. Install ${agent.title} first.`);
	const { opaqueSeals } = options;
	if (opaqueSeals && name !== "codex") throw new EngineError("usage", "--opaque-seals is for codex.");
	const session = { env, cwd: context.folder, args, opaqueSeals };
	const proxy = options.proxy === false ? undefined : await startProxy(context, agent, found, session);
	let folder: string | undefined;
	try {
		let start: AgentStart = { file: found.program, args, env };
		try {
			folder = mkdtempSync(join(tmpdir(), `weft-run-${name}-`));
			start = agent.command(found, args, { weft: weftCommand(context), folder, env, ...proxy?.place });
		} catch (error) {
			// Whoever asked for the agent gets the agent.
			context.out.talk(`weft: ${error instanceof Error ? error.message : error} ${agent.title} starts without weft.`);
		}
		return await runInForeground(start.file, start.args, { cwd: context.folder, env: start.env });
	} finally {
		await proxy?.kept.end();
		if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
	}
}

interface StartedProxy {
	readonly kept: KeptProxy;
	readonly place: Pick<AgentRun, "proxy" | "provider">;
}

/** Undefined: the agent goes to its provider directly. */
async function startProxy(
	context: Context,
	agent: AgentSetup,
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
