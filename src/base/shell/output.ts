/** How much of a command's output was shown: a filter after it may have dropped what matters. */
import { countLines } from "../text/lines.ts";
import { mainCommands } from "./identity.ts";
import { parseCommand } from "./parse.ts";
import type { SimpleCommand } from "./types.ts";
import { unwrap } from "./unwrap.ts";

/** `whole`: nothing was left out; `errors`: at least every line with an error got through; `part`: unknown. */
export type OutputExtent = "whole" | "errors" | "part";

/** `output` is the shown text: a `tail -20` that shows 5 lines cut nothing. */
export function findOutputExtent(text: string, output: string): OutputExtent {
	const line = parseCommand(text);
	if (!line.parsed) return "part";
	const mains = new Set(mainCommands(line).commands);
	if ([...mains].some(isSentAway)) return "part";
	let shown: OutputExtent = "whole";
	for (const [i, command] of line.commands.entries()) {
		if (command.joint !== "|" || mains.has(command) || !isFedBy(mains, line.commands, i)) continue;
		const passed = extentThrough(unwrap(command.words).words, output);
		if (passed === "part") return "part";
		if (passed === "errors") shown = "errors";
	}
	return shown;
}

const PASSING_ON = new Set(["cat", "tee", "less", "more", "sort", "uniq", "nl", "column"]);
const SEARCHING = new Set(["grep", "egrep", "rg"]);

function extentThrough(words: readonly string[], output: string): OutputExtent {
	const name = words[0] ?? "";
	if (PASSING_ON.has(name)) return "whole";
	if (name === "head" || name === "tail") return countLines(output.trimEnd()) < limitOf(words) ? "whole" : "part";
	if (name === "wc") return output.trim() === "0" ? "whole" : "part";
	if (!SEARCHING.has(name)) return "part";
	const inverted = words.some((word) => /^-[a-zA-Z]*v/.test(word) || word === "--invert-match");
	const pattern = words.slice(1).find((word) => !word.startsWith("-")) ?? "";
	return !inverted && /(^|[|("'\\])error/i.test(pattern) ? "errors" : "part";
}

/** What a search looks for: words, one of which a line must have. */
export interface SearchedWords {
	readonly words: readonly string[];
	readonly ignoresCase: boolean;
}

/** What the output was searched for, where nothing else filtered it: `tsc | grep -i "cart\|tax"`. Null: not so, or a pattern that is no word. */
export function searchedWords(text: string): SearchedWords | null {
	const line = parseCommand(text);
	if (!line.parsed) return null;
	const mains = new Set(mainCommands(line).commands);
	const filters = line.commands.filter(
		(command, at) => command.joint === "|" && !mains.has(command) && isFedBy(mains, line.commands, at),
	);
	const [filter] = filters;
	if (!filter || filters.length > 1 || [...mains].some(isSentAway)) return null;
	const [name = "", ...given] = unwrap(filter.words).words;
	const options = given.filter((word) => word.startsWith("-"));
	const [pattern = "", ...others] = given.filter((word) => !word.startsWith("-"));
	if (!SEARCHING.has(name) || others.length > 0 || !options.every((word) => /^-[iEFn]+$/.test(word))) return null;
	const words = pattern.split(/\\?\|/);
	if (!words.every((word) => /^[\w/ -]{3,}$/.test(word.replaceAll(/\\?\./g, "_")))) return null;
	return {
		words: words.map((word) => word.replaceAll("\\.", ".")),
		ignoresCase: options.some((word) => word.includes("i")),
	};
}

/** `-20`, `-n 20`, `-n20`; where bytes or `+3` cut is not known. */
function limitOf(words: readonly string[]): number {
	const rest = words.slice(1);
	if (rest.length === 0) return 10;
	const text = rest.join(" ");
	const match = /^(?:-n ?|--lines[= ]|-)(\d+)$/.exec(text);
	return match === null ? 0 : Number(match[1]);
}

function isSentAway(command: SimpleCommand): boolean {
	return command.redirects.some(
		(redirect) => redirect.operator.includes(">") && !/^([012-]|\/dev\/std(out|err))$/.test(redirect.target),
	);
}

function isFedBy(mains: ReadonlySet<SimpleCommand>, commands: readonly SimpleCommand[], at: number): boolean {
	for (const command of commands.slice(0, at).reverse()) {
		if (mains.has(command)) return true;
		if (command.joint !== "|") return false;
	}
	return false;
}
