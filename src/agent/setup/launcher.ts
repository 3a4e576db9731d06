/**
 * A launcher in front of an agent's command. It runs the agent through `weft run`, behind weft's proxy. No settings file
 * names the proxy's address, so if weft is gone or fails at its start, the launcher starts the agent itself.
 */
import { join } from "node:path";
import { quoteWord } from "../../base/shell/quote-word.ts";
import { readForPlan } from "./apply.ts";
import type { AgentSetup, FoundAgent, SetupChange, SetupOptions } from "./contract.ts";
import { LAUNCHER_HEAD, programVariable } from "./find-program.ts";

/** A folder to put on the PATH. */
export function launcherFolder({ dataHome }: Pick<SetupOptions, "dataHome">): string {
	return join(dataHome, "bin");
}

export function launcherChange({ name, title }: AgentSetup, found: FoundAgent, options: SetupOptions): SetupChange {
	const file = join(launcherFolder(options), name);
	const weft = options.weft.map(quoteWord).join(" ");
	const program = quoteWord(found.program);
	const after = `${LAUNCHER_HEAD}${title} behind weft's proxy; without weft, ${title} itself.
if [ -d "$PWD" ] && ${weft} --version >/dev/null 2>&1; then
	${programVariable(name)}=${program} exec ${weft} run ${name} -- "$@"
fi
exec ${program} "$@"
`;
	return { file, what: `Starts ${title} behind weft's proxy.`, before: readForPlan(file), after, mode: 0o755 };
}
