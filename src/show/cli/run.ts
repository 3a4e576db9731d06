import { CommanderError } from "commander";
import { EngineError } from "../../base/error/engine-error.ts";
import { translateSqliteError } from "../../base/sqlite/sqlite-error.ts";
import { markPassedOn } from "./agent-arguments.ts";
import { EXIT, type ExitCode, exitCodeOf } from "./exit-code.ts";
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
