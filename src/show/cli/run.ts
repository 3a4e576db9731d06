import { CommanderError } from "commander";
import { EngineError } from "../../base/error/engine-error.ts";
import { translateSqliteError } from "../../base/sqlite/sqlite-error.ts";
import type { CommandSpec } from "./catalogue/spec.ts";
import { COMMANDS } from "./catalogue.ts";
import { EXIT, type ExitCode, exitCodeOf } from "./exit-code.ts";
import { GLOBAL_OPTIONS, type OptionSpecs } from "./options.ts";
import { Output, OutputClosed } from "./output.ts";
import { buildProgram } from "./program.ts";

/** Runs one command line and returns its exit status. Never throws. */
export async function run(args: readonly string[]): Promise<ExitCode> {
	let code: ExitCode = EXIT.ok;
	const failed = await runReported(args, () =>
		buildProgram((result) => {
			code = result;
		}).parseAsync(markPassedOn(args), { from: "user" }),
	);
	return failed || code;
}

/** Runs a program of commander's and reports its error, if any, on stderr. */
export async function runReported(args: readonly string[], program: () => Promise<unknown>): Promise<ExitCode> {
	// Without a listener a closed pipe ends the process with a stack trace. Writers still see the error.
	process.stdout.on("error", () => {});
	process.stderr.on("error", () => {});
	try {
		await program();
		return EXIT.ok;
	} catch (error) {
		return report(error, args.includes("--json"));
	}
}

function report(thrown: unknown, json: boolean): ExitCode {
	// SQLite may find its file damaged, or gone, at any statement.
	const error = translateSqliteError(thrown, "The log's database");
	const out = new Output({ json, color: false });
	if (error instanceof OutputClosed) return EXIT.ok;
	// Commander has printed the help.
	if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
	if (error instanceof CommanderError) return report(new EngineError("usage", usageProblem(error.message)), json);
	if (error instanceof EngineError) {
		const { code, message } = error;
		out.talk(json ? JSON.stringify({ error: { code, message } }) : `weft: ${message}`);
	} else {
		const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
		out.talk(`weft: this is a bug. Please report it with the text below.\n${text}`);
	}
	return exitCodeOf(error);
}

/** Turns `error: unknown option '--nope'\n(Did you mean --note?)` into a sentence. */
function usageProblem(message: string): string {
	const [what = "", hint] = message.replace(/^error: /, "").split("\n");
	const said = `${what.charAt(0).toUpperCase()}${what.slice(1)}`.replace(/[.]?$/, ".");
	return `${said} ${hint === undefined ? "See --help." : hint.replace(/^\(|\)$/g, "")}`;
}

/**
 * Marks where the arguments for another program begin: at the first one that is not an option of ours. The `--` inserted there
 * keeps the parser from reading that program's options as our own.
 */
export function markPassedOn(args: readonly string[]): readonly string[] {
	const everywhere = [...flagsOf(GLOBAL_OPTIONS), "-h, --help", "-V, --version"];
	let at = afterOptions(args, 0, everywhere);
	const spec = COMMANDS.find(({ name, passesOn }) => passesOn && name === args[at]);
	if (!spec) return args;
	const own = [...everywhere, ...flagsOf(spec.options ?? {})];
	for (const _ of ["its name", ...required(spec)]) {
		if (args[at] === "--") return args;
		at = afterOptions(args, at + 1, own);
	}
	return at >= args.length || args[at] === "--" ? args : [...args.slice(0, at), "--", ...args.slice(at)];
}

function flagsOf(options: OptionSpecs): string[] {
	return Object.values(options).map(({ flags }) => flags);
}

/** `<agent>` is for weft itself. */
function required({ args = [] }: CommandSpec): readonly string[] {
	return args.flatMap(([syntax]) => (syntax.startsWith("<") ? [syntax] : []));
}

function afterOptions(args: readonly string[], from: number, all: readonly string[]): number {
	let at = from;
	for (;;) {
		const [word = "", value] = (args[at] ?? "").split(/=(.*)/s);
		const flags = all.find((each) => each.split(/[ ,]+/).includes(word));
		if (word === "" || flags === undefined) return at;
		at += flags.includes("<") && value === undefined ? 2 : 1;
	}
}
