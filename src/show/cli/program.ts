import { Command } from "commander";
import { EngineError } from "../../base/error/engine-error.ts";
import { ownVersion } from "../../base/file/package-file.ts";
import { closest } from "../../base/text/closest-word.ts";
import { showWhenBusy } from "./busy-indicator.ts";
import { COMMANDS, type CommandName, DEFAULT_COMMAND, type NamedCommand } from "./catalogue.ts";
import type { ExitCode } from "./exit-code.ts";
import { GLOBAL_OPTIONS, readOptions } from "./options.ts";

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
	command.allowExcessArguments(false);
	for (const [syntax, description] of spec.args ?? []) command.argument(syntax, description);
	for (const { flags, description } of Object.values(spec.options ?? {})) command.option(flags, description);
	command.addHelpText("after", examples(spec.examples));
	command.action(async () => done(await runParsed(spec.name, command.args, command)));
}

async function runParsed(name: CommandName, args: readonly string[], command: Command): Promise<ExitCode> {
	refuseStray(command);
	const [{ runCommand }, { Context }] = await Promise.all([import("./frame.ts"), import("./context.ts")]);
	// Including what was given to the commands around it: `weft log --session ID add NAME`.
	const given = command.optsWithGlobals<Readonly<Record<string, unknown>>>();
	const context = new Context(readOptions(GLOBAL_OPTIONS, given, Date.now()));
	const indicator = context.out.canDraw ? showWhenBusy(process.stderr.fd) : undefined;
	context.out.beforeWords = () => indicator?.end();
	try {
		return await runCommand(name, context, args, given);
	} finally {
		indicator?.end();
	}
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

function unknownCommand(word: string): EngineError {
	const meant = closest(
		word,
		COMMANDS.map(({ name }) => name).filter((name) => !name.includes(" ")),
	);
	const hint = meant ? `Did you mean 'weft ${meant}'?` : "'weft --help' lists all commands.";
	return new EngineError("usage", `Unknown command '${word}'. ${hint}`);
}

function examples(lines: readonly string[]): string {
	return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}

function capital(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
