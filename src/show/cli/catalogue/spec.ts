/** What a command says of itself. Nothing of its own code is loaded before it runs. */
import type { Context } from "../context.ts";
import type { ExitCode } from "../exit.ts";

export interface CommandModule {
	run(
		context: Context,
		args: readonly string[],
		options: Readonly<Record<string, unknown>>,
	): Promise<ExitCode> | Promise<void>;
}

export interface CommandSpec {
	/** `log`, or `log add` for one inside another. */
	readonly name: string;
	/** As commander writes them: `<file...>`, `[text]`. */
	readonly args?: readonly (readonly [syntax: string, description: string])[];
	readonly summary: string;
	/** More than the summary, for the command's own help. */
	readonly description?: string;
	readonly options?: readonly (readonly [flags: string, description: string])[];
	/** Whatever follows its own options is for the program that it starts. */
	readonly passesOn?: true;
	readonly examples: readonly string[];
	readonly load: () => Promise<CommandModule>;
}

/** Options that several commands take. */
export const SINCE = [
	"--since <when>",
	"from this time on: a date, a time, or a span back from now (7d, 12h)",
] as const;
export const UNTIL = ["--until <when>", "before this time"] as const;
export const AT = ["--at <seq>", "as it was when this was the newest event"] as const;
export const ALL = ["--all", "in all projects, of all agents"] as const;
export const SESSION = ["--session <id>", "only this session; the beginning of its id is enough"] as const;
