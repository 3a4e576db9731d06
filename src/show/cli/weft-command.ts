/** The command with which another program starts this weft: by name where the PATH leads here, else by its files. */
import { realpathSync } from "node:fs";
import type { WeftCommand } from "../../agent/setup/contract.ts";
import { findProgram } from "../../agent/setup/find-program.ts";
import { nodeProgram } from "../../agent/setup/node-program.ts";
import { dataHome } from "../../log/home.ts";
import type { LoglessContext } from "./logless-context.ts";

/** What the user types to run this weft: `npx weft-context` runs it from npm's cache, where no `weft` is on the PATH. */
export function typedCommand(): string {
	return isFromNpmCache() ? "npx weft-context" : "weft";
}

/** npm empties its cache now and then, so nothing that lasts may point there. */
export function isFromNpmCache(program = process.argv[1] ?? ""): boolean {
	return /[\\/]_npx[\\/]/.test(program);
}

export function weftCommand(context: LoglessContext): WeftCommand {
	const { env } = context;
	const main = realpathSync(process.argv[1] ?? "");
	const named = findProgram("weft", env);
	// The other program may pass on little of this environment, but must find the same log.
	const home = context.ownHome();
	const place = home === dataHome(undefined, {}) ? [] : ["--home", home];
	return named !== undefined && realpathSync(named) === main ? ["weft", ...place] : [nodeProgram(env), main, ...place];
}
