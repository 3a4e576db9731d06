/** How another program starts this weft: by its name where that leads here, else by the files themselves. */
import { realpathSync } from "node:fs";
import type { WeftCommand } from "../../agent/setup/contract.ts";
import { findProgram } from "../../agent/setup/find-program.ts";
import { dataHome } from "../../log/home.ts";
import type { Context } from "./context.ts";

export function weftCommand(context: Context): WeftCommand {
	const { env } = context;
	const main = realpathSync(process.argv[1] ?? "");
	const named = findProgram("weft", env);
	// Whoever starts it may pass on little of this environment, and must find the same log.
	const home = context.ownHome();
	const place = home === dataHome(undefined, {}) ? [] : ["--home", home];
	return named !== undefined && realpathSync(named) === main ? ["weft", ...place] : [process.execPath, main, ...place];
}
