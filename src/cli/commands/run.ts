/** `weft run AGENT`: the agent with weft for this one session. Nothing of the user's settings is written. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../../error/engine-error.ts";
import { findAgent } from "../../hosts/setup/agents.ts";
import type { Context } from "../context.ts";
import type { ExitCode } from "../exit.ts";
import { runInForeground } from "../foreground.ts";
import { weftCommand } from "../weft-command.ts";

export async function run(context: Context, [name = "", ...args]: readonly string[]): Promise<ExitCode> {
	const agent = findAgent(name);
	const { env } = context;
	const found = agent.find(env);
	if (!found) throw new EngineError("not-found", `There is no '${name}' on your PATH. Install ${agent.title} first.`);
	const folder = mkdtempSync(join(tmpdir(), `weft-run-${name}-`));
	try {
		const place = { weft: weftCommand(context), folder, env };
		const start = agent.command(found, args, place);
		return await runInForeground(start.file, start.args, { cwd: context.folder, env: start.env });
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
