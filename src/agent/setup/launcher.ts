/**
 * A launcher in front of an agent's command: starts it by `weft run`, behind weft's proxy. No address of a proxy is written
 * anywhere, so with weft gone, or failing at its start, the launcher starts the agent itself, against its provider.
 */
import { join } from "node:path";
import { readForPlan } from "./apply.ts";
import { quoted } from "./claude-plugin.ts";
import { LAUNCHER_HEAD, programVariable } from "./find-program.ts";
import type { AgentSetup, Change, Found, PlanOptions } from "./setup.ts";

/** For a shell's PATH. */
export function launcherFolder({ dataHome }: Pick<PlanOptions, "dataHome">): string {
	return join(dataHome, "bin");
}

export function launcherChange({ name, title }: AgentSetup, found: Found, options: PlanOptions): Change {
	const file = join(launcherFolder(options), name);
	const weft = options.weft.map(quoted).join(" ");
	const program = quoted(found.program);
	const after = `${LAUNCHER_HEAD}${title} behind weft's proxy; without weft, ${title} itself.
if [ -d "$PWD" ] && ${weft} --version >/dev/null 2>&1; then
	${programVariable(name)}=${program} exec ${weft} run ${name} -- "$@"
fi
exec ${program} "$@"
`;
	return { file, what: `Starts ${title} behind weft's proxy.`, before: readForPlan(file), after, mode: 0o755 };
}
