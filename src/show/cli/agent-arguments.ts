/**
 * Marks where the arguments for another program begin: at the first one that is not an option of ours. The `--` inserted there
 * keeps the parser from reading that program's options as our own.
 */
import type { CommandSpec } from "./catalogue/spec.ts";
import { COMMANDS } from "./catalogue.ts";
import { GLOBAL_OPTIONS, type OptionSpecs } from "./options.ts";

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
