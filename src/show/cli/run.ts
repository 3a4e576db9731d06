import { CommanderError } from "commander";
import { EngineError } from "../../base/error/engine-error.ts";
import { translateSqliteError } from "../../base/sqlite/sqlite-error.ts";
import { EXIT, type ExitCode, exitCodeOf } from "./exit.ts";
import { Output, OutputClosed } from "./output.ts";
import { markPassedOn } from "./passed-on.ts";
import { buildProgram } from "./program.ts";

/** Runs one command line and says how it went. Never throws. */
export async function run(args: readonly string[]): Promise<ExitCode> {
	// Without a listener a closed pipe ends the process with a stack trace; writers see the error where they write.
	process.stdout.on("error", () => {});
	process.stderr.on("error", () => {});
	let code: ExitCode = EXIT.ok;
	try {
		await buildProgram((result) => {
			code = result;
		}).parseAsync(markPassedOn(args), { from: "user" });
		return code;
	} catch (error) {
		return report(error, args.includes("--json"));
	}
}

function report(thrown: unknown, json: boolean): ExitCode {
	// SQLite may find its file damaged, or gone, at any statement.
	const error = translateSqliteError(thrown, "The log's database");
	const out = new Output({ json, color: false });
	if (error instanceof OutputClosed) return EXIT.ok;
	// The help that was asked for has been printed.
	if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
	if (error instanceof CommanderError) return report(new EngineError("usage", usageProblem(error.message)), json);
	if (error instanceof EngineError) {
		const { code, message } = error;
		out.talk(json ? JSON.stringify({ error: { code, message } }) : `weft: ${message}`);
	} else {
		const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
		out.talk(`weft: this should not have happened. Please report it with the text below.\n${text}`);
	}
	return exitCodeOf(error);
}

/** `error: unknown option '--nope'\n(Did you mean --note?)`, as a sentence of ours. */
function usageProblem(message: string): string {
	const [what = "", hint] = message.replace(/^error: /, "").split("\n");
	const said = `${what.charAt(0).toUpperCase()}${what.slice(1)}`.replace(/[.]?$/, ".");
	return `${said} ${hint === undefined ? "--help shows what is possible." : hint.replace(/^\(|\)$/g, "")}`;
}
