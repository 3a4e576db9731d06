/** How many tokens a model takes in all, as the providers published it. A prompt that was longer corrects the list. */
import { DEFAULT_WINDOW_TOKENS, modelName } from "./prices.ts";

export interface ModelWindow {
	readonly tokens: number;
	/** No list has the model, or it took a longer prompt than the list says. */
	readonly isAssumed: boolean;
}

const MILLION = 1_000_000;

/** By the beginning of a model's name; the first that fits counts. */
const WINDOWS: readonly (readonly [begin: RegExp, tokens: number])[] = [
	[/^claude-(?:3|opus-4(?:-[0-6])?$|sonnet-4(?:-\d)?$|haiku-4)/, 200_000],
	[/^claude-/, MILLION],
	[/^gpt-4-1/, 1_047_576],
	[/^gpt-4o/, 128_000],
	[/^gpt-[5-9]/, 272_000],
	[/^o[34](?:-|$)/, 200_000],
	[/^gemini-/, 1_048_576],
];

/** The window in the providers' lists; undefined: no list has the model. */
export function listedWindow(model: string | undefined): number | undefined {
	const { tokens, isAssumed } = windowOfModel(model);
	return isAssumed ? undefined : tokens;
}

/** `largestPrompt`: the longest that the model took, as reported. */
export function windowOfModel(model: string | null | undefined, largestPrompt = 0): ModelWindow {
	const name = model ? modelName(model) : "";
	const listed = /\[1m\]$/i.test(model ?? "") ? MILLION : WINDOWS.find(([begin]) => begin.test(name))?.[1];
	const tokens = listed ?? DEFAULT_WINDOW_TOKENS;
	if (largestPrompt <= tokens) return { tokens, isAssumed: listed === undefined };
	// Models with a larger window on request have one of a million.
	return { tokens: Math.max(MILLION, largestPrompt), isAssumed: true };
}
