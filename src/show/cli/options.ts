/**
 * An option is declared once, in the catalogue: its flag, its help and the values that it takes. Commands get
 * typed values. An impossible value is refused, with what to write instead.
 */
import { EngineError } from "../../base/error/engine-error.ts";
import { parseTime } from "../../base/text/time.ts";
import { readWholeNumber } from "../../base/text/whole-number.ts";

export interface OptionSpec<Value = unknown> {
	/** As commander writes them: `--limit <n>`, `--no-proxy`. */
	readonly flags: string;
	readonly description: string;
	/** `given`: the value that commander read; undefined: the option is not on the command line. */
	readonly read: (given: unknown, now: number) => Value;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

export type OptionValues<Specs> = {
	readonly [Key in keyof Specs]: Specs[Key] extends OptionSpec<infer Value> ? Value : never;
};

/** True where it was given; `--no-x` too. */
export function flag(flags: string, description: string): OptionSpec<boolean> {
	const whenGiven = !longName(flags).startsWith("--no-");
	return { flags, description, read: (given) => given === whenGiven };
}

export function text(flags: string, description: string): OptionSpec<string | undefined> {
	return { flags, description, read: (given) => (typeof given === "string" ? given : undefined) };
}

interface NumberBounds<Fallback> {
	readonly min?: number;
	readonly max?: number;
	readonly fallback?: Fallback;
}

export function wholeNumber<Fallback extends number | undefined = undefined>(
	flags: string,
	description: string,
	{ min = 0, max, fallback }: NumberBounds<Fallback> = {},
): OptionSpec<number | Fallback> {
	const name = longName(flags);
	const read = (given: unknown): number | Fallback => {
		const value = readWholeNumber(name, given, min);
		if (max !== undefined && value !== undefined && value > max)
			throw new EngineError("usage", `${name} takes a number up to ${max}.`);
		return value ?? (fallback as Fallback);
	};
	return { flags, description, read };
}

/** A point in time, in ms since the epoch. */
export function time(flags: string, description: string): OptionSpec<number | undefined> {
	const name = longName(flags);
	return { flags, description, read: (given, now) => readTime(name, given, now) };
}

export function oneOf<const Word extends string, Fallback extends Word | undefined = undefined>(
	flags: string,
	description: string,
	words: readonly Word[],
	fallback?: Fallback,
): OptionSpec<Word | Fallback> {
	const name = longName(flags);
	return { flags, description, read: (given) => readOneOf(name, given, words) ?? (fallback as Fallback) };
}

export function readOptions<Specs extends OptionSpecs>(
	specs: Specs,
	given: Readonly<Record<string, unknown>>,
	now: number,
): OptionValues<Specs> {
	const values = Object.entries(specs).map(([key, { flags, read }]) => [key, read(given[attributeName(flags)], now)]);
	return Object.fromEntries(values) as OptionValues<Specs>;
}

/** `--limit` of `--limit <n>`. */
export function longName(flags: string): string {
	return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** The name under which commander keeps the value: `minEvents` for `--min-events`, `proxy` for `--no-proxy`. */
function attributeName(flags: string): string {
	return longName(flags)
		.replace(/^--(?:no-)?/, "")
		.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function readTime(name: string, given: unknown, now: number): number | undefined {
	if (given === undefined) return undefined;
	try {
		return parseTime(String(given), now);
	} catch (error) {
		if (error instanceof EngineError) throw new EngineError(error.code, `${name}: ${error.message}`);
		throw error;
	}
}

export function readOneOf<const Word extends string>(
	name: string,
	given: unknown,
	words: readonly Word[],
): Word | undefined {
	if (given === undefined) return undefined;
	const word = words.find((candidate) => candidate === given);
	if (word) return word;
	throw new EngineError(
		"usage",
		`${name} takes ${words.slice(0, -1).join(", ")} or ${words.at(-1)}, not '${String(given)}'.`,
	);
}

/** Every command takes these. */
export const GLOBAL_OPTIONS = {
	home: text("--home <dir>", "keep all data in this folder (or WEFT_HOME)"),
	project: text("--project <dir>", "the project, if not that of the current folder"),
	json: flag("--json", "machine-readable output, of a stable shape"),
	noColor: flag("--no-color", "no colours (or NO_COLOR)"),
	trust: flag("--trust", "trust the project's own settings for this run (or WEFT_TRUST=1)"),
} satisfies OptionSpecs;

export type GlobalOptions = Partial<OptionValues<typeof GLOBAL_OPTIONS>>;
