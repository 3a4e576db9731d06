import { SETUPS } from "../../../agent/agents.ts";
import { errorText } from "../../../base/error/error-text.ts";
import { ownVersion } from "../../../base/file/package-file.ts";
import { type HealthCheck, readHealth, renderHealth } from "../../../view/doctor.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import type { Call, CommandResult } from "../frame.ts";
import { nodeProblem } from "../node-version.ts";
import { weftCommand } from "../weft-command.ts";

export function run({ context }: Call<"doctor">): CommandResult {
	const health = readHealth({
		version: ownVersion(),
		nodeProblem: nodeProblem(process.versions.node),
		settings: context.readSettings(),
		project: context.root,
		now: context.now(),
		...context.places(),
	});
	const all = { ...health, checks: [...health.checks, ...checkAgents(context)] };
	return { data: all, lines: (out) => renderHealth(all, out), code: all.ok ? EXIT.ok : EXIT.failed };
}

/** Checks the agents on this machine that weft can be set up in. */
function checkAgents(context: Context): HealthCheck[] {
	const { env } = context;
	const options = { weft: weftCommand(context), dataHome: context.ownHome(), env };
	return SETUPS.flatMap((agent) => {
		try {
			const found = agent.find(env);
			return found ? agent.check(found, options).map((finding) => ({ name: agent.name, ...finding })) : [];
		} catch (error) {
			return [{ name: agent.name, level: "warn", says: errorText(error) } as const];
		}
	});
}
