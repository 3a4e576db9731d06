/** How another program starts this weft: by its name where that leads here, else by the files themselves. */
import { realpathSync } from "node:fs";
import { findProgram } from "../hosts/setup/find-program.ts";
import type { WeftCommand } from "../hosts/setup/setup.ts";
import type { Context } from "./context.ts";

/** What may name the data folder. An agent need not pass its environment on to what it starts. */
const NAMES_HOME = ["WEFT_HOME", "WEFT_DB_DIR", "LCM_DB_DIR", "XDG_DATA_HOME"];

export function weftCommand(context: Context): WeftCommand {
	const { env } = context;
	const main = realpathSync(process.argv[1] ?? "");
	const named = findProgram("weft", env);
	const home = context.home ?? (NAMES_HOME.some((name) => env[name]) ? context.ownHome() : undefined);
	const place = home === undefined ? [] : ["--home", home];
	return named !== undefined && realpathSync(named) === main ? ["weft", ...place] : [process.execPath, main, ...place];
}
