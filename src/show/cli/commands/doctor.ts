import { SETUPS } from "../../../agent/agents.ts";
import { errorText } from "../../../base/error/error-text.ts";
import { ownVersion } from "../../../base/file/package-file.ts";
import { type Check, readHealth, renderHealth } from "../../../view/doctor.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { supportedNode } from "../node-version.ts";
import { weftCommand } from "../weft-command.ts";

export async function run(context: Context): Promise<ExitCode> {
	const { out } = context;
	const health = readHealth({
		version: ownVersion(),
		nodeProblem: supportedNode(process.versions.node),
		settings: context.readSettings(),
		project: context.root,
		now: Date.now(),
		...context.places(),
	});
	const all = { ...health, checks: [...health.checks, ...checkAgents(context)] };
	if (out.json) await out.document(all);
	else await out.lines(renderHealth(all, out));
	return all.ok ? EXIT.ok : EXIT.failed;
}

/** The agents on this machine that weft can be set up in. */
function checkAgents(context: Context): Check[] {
	const { env } = context;
	const options = { weft: weftCommand(context), dataHome: context.ownHome(), env };
	return SETUPS.flatMap((agent) => {
		try {
			const found = agent.find(env);
			return found ? agent.check(found, options).map((finding) => ({ name: agent.name, ...finding })) : [];
		} catch (error) {
			const says = errorText(error);
			return [{ name: agent.name, level: "warn", says } as const];
		}
	});
}
