import { MIN_WINDOW_TOKENS } from "../../../base/tokens/prices.ts";
import type { OptionSpecs } from "../options.ts";
import { flag, text, time, wholeNumber } from "../options.ts";

/**
 * The things that the frame opens before a command runs, and closes after it.
 *
 * - `nothing`: the command opens what it needs, or needs no log.
 * - `no-log`: the command never needs a log, so the code for one is not loaded.
 * - `log`: the project's log, which must exist. It is never made, and only read where it cannot be written.
 * - `writable-log`: the project's log, which is made if there is none.
 * - `session`: the log, and the session that `--session` names, or else the last active one.
 * - `fleet`: the log, and a connection to the fleet's server.
 */
export type OpenedResource = "nothing" | "no-log" | "log" | "writable-log" | "session" | "fleet";

/** A command as data. Its own code is loaded only when it runs. */
export interface CommandSpec {
	readonly opens: OpenedResource;
	/** As commander writes them: `<file...>`, `[text]`. */
	readonly args?: readonly (readonly [syntax: string, description: string])[];
	readonly summary: string;
	/** More than the summary, for the command's own help. */
	readonly description?: string;
	readonly options?: OptionSpecs;
	/** Everything after its own options is for the program that it starts. */
	readonly passesOn?: true;
	readonly examples: readonly string[];
}

/** The commands of one group of the help, by name: `log`, or `log add` for one inside another. */
export type CommandGroup = Readonly<Record<string, CommandSpec>>;

/** Options that several commands take. */
export const SINCE = time("--since <when>", "from this time on: a date, a time, or a span back from now (7d, 12h)");
export const UNTIL = time("--until <when>", "before this time");
export const AT = wholeNumber("--at <seq>", "as it was when this was the newest event", { min: 1 });
export const ALL = flag("--all", "in all projects, of all agents");
export const SESSION = text("--session <id>", "only this session; the beginning of its id is enough");
export const WINDOW = wholeNumber("--window <tokens>", "the model's window (default 200000)", {
	min: MIN_WINDOW_TOKENS,
});
export const ROLE = text("--role <role>", "only one role: user, assistant, toolResult, …");
export const TOOL = text("--tool <name>", "only messages and results of this tool");
export const FILE = text("--file <path>", "only where this file was worked on; a folder ends in /");
export const TYPE = text("--type <types>", "only these event types, separated by commas");
export const THINKING = flag("--thinking", "search the model's thinking too");
export const RECENT = flag("--recent", "newest first, instead of best first");
export const SKIP = wholeNumber("--offset <n>", "skip the first ones");
export const PORT = wholeNumber("--port <n>", "listen on this port (default: a free one)", { max: 65_535 });
