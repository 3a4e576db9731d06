import { Command } from "commander";
import { EngineError } from "../../base/error/engine-error.ts";
import { ownVersion } from "../../base/file/package-file.ts";
import { closest } from "../../base/text/closest-word.ts";
import type { CommandSpec } from "./catalogue/spec.ts";
import { COMMANDS } from "./catalogue.ts";
import type { GlobalOptions } from "./context.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { GLOBAL_OPTIONS } from "./global-options.ts";
import { showSignOfLife } from "./sign-of-life.ts";

/** The whole command line. `done` receives the exit status of the command that ran. */
export function buildProgram(done: (code: ExitCode) => void): Command {
	const program = new Command("weft")
		.description("One log of everything a coding agent did, kept for good, found in a moment.")
		.version(ownVersion(), "-V, --version", "print the version")
		.helpOption("-h, --help", "print this help")
		.helpCommand("help [command]", "print help for a command")
		.configureHelp({ showGlobalOptions: true, sortSubcommands: false })
		// What is wrong is said once, in our words, by whoever catches it.
		.configureOutput({ writeErr: () => {} })
		.exitOverride()
		.allowExcessArguments();
	for (const [flags, description] of GLOBAL_OPTIONS) program.option(flags, description);
	program.addHelpText(
		"after",
		examples(["weft import ~/.pi/agent/sessions", "weft log --follow", "weft grep 'parse error'"]),
	);
	for (const spec of COMMANDS) addCommand(program, spec, done);
	program.action(async (_options, command: Command) => {
		const [word] = command.args;
		if (word !== undefined) throw unknownCommand(word);
		done(await runCommand(COMMANDS[0]!, [], command));
	});
	return program;
}

function addCommand(program: Command, spec: CommandSpec, done: (code: ExitCode) => void): void {
	const words = spec.name.split(" ");
	const parent = program.commands.find((command) => words.length > 1 && command.name() === words[0]) ?? program;
	const command = parent.command(words.at(-1)!).summary(spec.summary);
	command.description(
		spec.description ? `${capital(spec.summary)}.\n\n${spec.description}` : `${capital(spec.summary)}.`,
	);
	command.allowExcessArguments(false);
	for (const [syntax, description] of spec.args ?? []) command.argument(syntax, description);
	for (const [flags, description] of spec.options ?? []) command.option(flags, description);
	command.addHelpText("after", examples(spec.examples));
	command.action(async () => done(await runCommand(spec, command.args, command)));
}

async function runCommand(spec: CommandSpec, args: readonly string[], command: Command): Promise<ExitCode> {
	refuseStray(command);
	const [module, { Context }] = await Promise.all([spec.load(), import("./context.ts")]);
	// With what was given to the commands around it: `log` also takes the --session of `log add`, by its name.
	const options = command.optsWithGlobals<GlobalOptions & Record<string, unknown>>();
	const context = new Context(options, { env: process.env, cwd: process.cwd(), commands: COMMANDS });
	const sign = context.out.canDraw ? showSignOfLife({ fd: process.stderr.fd }) : undefined;
	context.out.beforeWords = () => sign?.end();
	try {
		return (await module.run(context, args, options)) ?? EXIT.ok;
	} finally {
		sign?.end();
	}
}

/** An option that only the command around it knows (`log add --follow`) was taken by that one, and would be lost. */
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
		COMMANDS.filter(({ name }) => !name.includes(" ")).map(({ name }) => name),
	);
	const hint = meant ? `Did you mean 'weft ${meant}'?` : "'weft --help' lists them.";
	return new EngineError("usage", `There is no command '${word}'. ${hint}`);
}

function examples(lines: readonly string[]): string {
	return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}

function capital(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
