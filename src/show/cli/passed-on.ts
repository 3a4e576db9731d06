/**
 * Arguments for a program that we start begin with the first one that is not an option of ours. A `--` before it keeps the parser
 * from taking that program's options for our own.
 */
import type { CommandSpec } from "./catalogue/spec.ts";
import { COMMANDS } from "./catalogue.ts";
import { GLOBAL_OPTIONS } from "./global-options.ts";

export function markPassedOn(args: readonly string[]): readonly string[] {
	const everywhere = [...GLOBAL_OPTIONS.map(([flags]) => flags), "-h, --help", "-V, --version"];
	let at = afterOptions(args, 0, everywhere);
	const spec = COMMANDS.find(({ name, passesOn }) => passesOn && name === args[at]);
	if (!spec) return args;
	const own = [...everywhere, ...(spec.options ?? []).map(([flags]) => flags)];
	for (const _ of ["its name", ...required(spec)]) {
		if (args[at] === "--") return args;
		at = afterOptions(args, at + 1, own);
	}
	return at >= args.length || args[at] === "--" ? args : [...args.slice(0, at), "--", ...args.slice(at)];
}

/** `<agent>` is for us. */
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
