import { Command, CommanderError } from "commander";
import { EngineError } from "../../base/error/engine-error.ts";
import { ownVersion } from "../../base/file/package-file.ts";
import { quoteWord } from "../../base/shell/quote-word.ts";
import { translateSqliteError } from "../../base/sqlite/sqlite-error.ts";
import { closest } from "../../base/text/closest-word.ts";
import { showWhenBusy } from "./busy-indicator.ts";
import type { CommandSpec } from "./catalogue/spec.ts";
import { COMMANDS, type CommandName, commandSpec, DEFAULT_COMMAND, type NamedCommand } from "./catalogue.ts";
import { EXIT, type ExitCode, exitCodeOf } from "./exit-code.ts";
import type { LoglessContext } from "./logless-context.ts";
import { GLOBAL_OPTIONS, type GlobalOptions, type OptionSpecs, readOptions } from "./options.ts";
import { Output, OutputClosed } from "./output.ts";

/** Runs one command line and returns its exit status. Never throws. */
export async function run(args: readonly string[]): Promise<ExitCode> {
	let code: ExitCode = EXIT.ok;
	const failed = await runReported(args, async () =>
		buildProgram((result) => {
			code = result;
		}).parseAsync(markPassedOn(asHelpOption(args)), { from: "user" }),
	);
	return failed || code;
}

/** `help memory add` as `memory add --help`: commander's own help knows only the outermost commands. */
function asHelpOption(args: readonly string[]): readonly string[] {
	const at = afterOptions(args, 0, flagsOf(GLOBAL_OPTIONS));
	const [first, second] = args.slice(at + 1).filter((word) => !word.startsWith("-"));
	if (args[at] !== "help" || first === undefined) return args;
	const inner = innerCommands(first);
	if (first !== "help" && !COMMANDS.some(({ name }) => name === first)) throw unknownCommand(first);
	if (second === undefined || inner.length === 0) return [first, "--help"];
	if (!inner.includes(second)) throw unknownInner(first, second);
	return [first, second, "--help"];
}

/** The commands inside a command: `add` of `memory add`. */
function innerCommands(outer: string): string[] {
	return COMMANDS.flatMap(({ name }) => (name.startsWith(`${outer} `) ? [name.slice(outer.length + 1)] : []));
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
	if (message.includes("unknown option '--html'"))
		return "Unknown option '--html'. 'weft inspect' shows it in a browser; its --export FILE writes a session as HTML.";
	const [what = "", hint] = message.replace(/^error: /, "").split("\n");
	const said = `${what.charAt(0).toUpperCase()}${what.slice(1)}`.replace(/[.]?$/, ".");
	return `${said} ${hint === undefined ? "See --help." : hint.replace(/^\(|\)$/g, "")}`;
}

/**
 * Marks where the arguments for another program begin: at the first one that is not an option of ours. The `--` inserted there
 * keeps the parser from reading that program's options as our own.
 */
export function markPassedOn(args: readonly string[]): readonly string[] {
	const about = ["-h, --help", "-V, --version"];
	const everywhere = flagsOf(GLOBAL_OPTIONS);
	let at = afterOptions(args, 0, [...everywhere, ...about]);
	const spec = COMMANDS.find(({ name, passesOn }) => passesOn && name === args[at]);
	if (!spec) return args;
	const own = [...everywhere, ...flagsOf(spec.options ?? {})];
	let words = 1 + ownArguments(spec).length;
	while (words-- > 0) {
		if (args[at] === "--") return args;
		// After the last word of ours, the other program is asked for its help.
		at = afterOptions(args, at + 1, words > 0 ? [...own, ...about] : own);
	}
	return at >= args.length || args[at] === "--" ? args : [...args.slice(0, at), "--", ...args.slice(at)];
}

function flagsOf(options: OptionSpecs): string[] {
	return Object.values(options).map(({ flags }) => flags);
}

/** `<agent>` and `[agent]` are for weft itself, `[args...]` is for the other program. */
function ownArguments({ args = [] }: CommandSpec): readonly string[] {
	return args.flatMap(([syntax]) => (syntax.includes("...") ? [] : [syntax]));
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

/** The whole command line. `done` receives the exit status of the command that ran. */
export function buildProgram(done: (code: ExitCode) => void): Command {
	const program = new Command("weft")
		.description("Everything your coding agent did, in one log: look at it, search it, see what it cost.")
		.version(ownVersion(), "-V, --version", "print the version")
		.helpOption("-h, --help", "print this help")
		.helpCommand("help [command]", "print help for a command")
		.configureHelp({ showGlobalOptions: true, sortSubcommands: false })
		// `run` reports errors once, in our own words.
		.configureOutput({ writeErr: () => {} })
		.exitOverride()
		.allowExcessArguments();
	for (const { flags, description } of Object.values(GLOBAL_OPTIONS)) program.option(flags, description);
	program.addHelpText(
		"after",
		examples(["weft import ~/.pi/agent/sessions", "weft log --follow", "weft grep 'parse error'"]),
	);
	// A command inside another comes after it, whatever their groups.
	const outermost = (spec: NamedCommand) => !spec.name.includes(" ");
	for (const spec of [...COMMANDS.filter(outermost), ...COMMANDS.filter((spec) => !outermost(spec))])
		addCommand(program, spec, done);
	program.action(async (_options, command: Command) => {
		const [word] = command.args;
		if (word !== undefined) throw unknownCommand(word);
		done(await runParsed(DEFAULT_COMMAND, [], command));
	});
	return program;
}

function addCommand(program: Command, spec: NamedCommand, done: (code: ExitCode) => void): void {
	const [outer = "", inner] = spec.name.split(" ");
	const parent = inner === undefined ? undefined : program.commands.find((command) => command.name() === outer);
	const command = (parent ?? program).command(inner ?? outer).summary(spec.summary);
	if (!parent) command.helpGroup(`${spec.group}:`);
	command.description(
		spec.description ? `${capital(spec.summary)}.\n\n${spec.description}` : `${capital(spec.summary)}.`,
	);
	// A word after one with commands inside is meant as one of those.
	const inside = innerCommands(spec.name);
	command.allowExcessArguments(inside.length > 0);
	for (const [syntax, description] of spec.args ?? []) command.argument(syntax, description);
	for (const { flags, description } of Object.values(spec.options ?? {})) command.option(flags, description);
	command.addHelpText("after", examples(spec.examples));
	command.action(async () => {
		const [word] = command.args.slice(spec.args?.length ?? 0);
		if (inside.length > 0 && word !== undefined) throw unknownInner(spec.name, word);
		done(await runParsed(spec.name, command.args, command));
	});
}

async function runParsed(name: CommandName, args: readonly string[], command: Command): Promise<ExitCode> {
	refuseStray(command);
	// Including what was given to the commands around it: `weft log --session ID add NAME`.
	const given = command.optsWithGlobals<Readonly<Record<string, unknown>>>();
	const everywhere = readOptions(GLOBAL_OPTIONS, given, Date.now());
	if (name === "mcp") {
		const { serveStandardStreams } = await import("./serve-mcp.ts");
		await serveStandardStreams(everywhere);
		return EXIT.ok;
	}
	const [{ runCommand }, context] = await Promise.all([import("./frame.ts"), contextFor(name, everywhere)]);
	const indicator = context.out.canDraw ? showWhenBusy(process.stderr.fd) : undefined;
	context.out.beforeWords = () => indicator?.end();
	try {
		return await runCommand(name, context, args, given);
	} finally {
		indicator?.end();
	}
}

async function contextFor(name: CommandName, options: GlobalOptions): Promise<LoglessContext> {
	if (commandSpec(name).opens === "no-log") {
		const { LoglessContext } = await import("./logless-context.ts");
		return new LoglessContext(options);
	}
	const { Context } = await import("./context.ts");
	return new Context(options);
}

/** Refuses an option that only the command around it knows (`log add --follow`): commander gave it to that one. */
function refuseStray(command: Command): void {
	const outer = command.parent;
	if (!outer?.parent) return;
	const stray = outer.options.find((option) => {
		const name = option.attributeName();
		return outer.getOptionValue(name) !== undefined && !command.options.some((own) => own.attributeName() === name);
	});
	if (stray) throw new EngineError("usage", `'weft ${outer.name()} ${command.name()}' does not take ${stray.long}.`);
}

/** Commands that people look for elsewhere than where they are. */
const ELSEWHERE = new Map([
	...["claude", "codex", "opencode", "pi"].map((agent) => [agent, `'weft run ${agent}' starts it with weft.`] as const),
	["bench", "The benchmark is 'npm run bench', in a checkout of weft."],
]);

function unknownCommand(word: string): EngineError {
	const elsewhere = ELSEWHERE.get(word);
	if (elsewhere !== undefined) return new EngineError("usage", `Unknown command '${word}'. ${elsewhere}`);
	const meant = closest(
		word,
		COMMANDS.map(({ name }) => name).filter((name) => !name.includes(" ")),
	);
	const hint = meant ? `Did you mean 'weft ${meant}'?` : "'weft --help' lists all commands.";
	return new EngineError("usage", `Unknown command '${word}'. ${hint}`);
}

function unknownInner(outer: string, word: string): EngineError {
	const inside = innerCommands(outer);
	const meant = closest(word, inside);
	const options = COMMANDS.find(({ name }) => name === outer)?.options ?? {};
	const session =
		"session" in options && /\d/.test(word) ? `For a session: 'weft ${outer} --session ${quoteWord(word)}'. ` : "";
	const hint = meant ? `Did you mean 'weft ${outer} ${meant}'? ` : session;
	return new EngineError("usage", `Unknown command '${outer} ${word}'. ${hint}There are ${inside.join(", ")}.`);
}

function examples(lines: readonly string[]): string {
	return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}

function capital(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
