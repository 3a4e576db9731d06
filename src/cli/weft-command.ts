/** How another program starts this weft: by its name where that leads here, else by the files themselves. */
import { realpathSync } from "node:fs";
import { findProgram } from "../hosts/setup/find-program.ts";
import type { WeftCommand } from "../hosts/setup/setup.ts";
import type { Context } from "./context.ts";

export function weftCommand({ env, home }: Context): WeftCommand {
	const main = realpathSync(process.argv[1] ?? "");
	const named = findProgram("weft", env);
	const place = home === undefined ? [] : ["--home", home];
	return named !== undefined && realpathSync(named) === main ? ["weft", ...place] : [process.execPath, main, ...place];
}
