/**
 * List prices of models, as the providers published them. Data only: `pricesOf` reads it, `weft prices` shows it, and a file
 * that the user gives replaces single models. A model has one row for each day on which its price changed, oldest first.
 */

/** The day on which the rows below were last compared with the providers' pages. */
export const PRICE_TABLE_DAY = "2026-11-17";

export interface PriceRow {
	/** Every id that has this price, without provider, date and suffix. */
	readonly models: readonly string[];
	/** The first day of this price; absent: it is older than our records. */
	readonly since?: string | undefined;
	/** Dollars per million tokens. */
	readonly input: number;
	readonly output: number;
	/** Shares of `input`. */
	readonly read: number;
	readonly write: number;
	readonly writeLong?: number | undefined;
	/** For prompts of more than `above` tokens, cached tokens included, the whole request has these prices. */
	readonly steps?: readonly { readonly above: number; readonly input: number; readonly output: number }[] | undefined;
}

const CLAUDE = { read: 0.1, write: 1.25, writeLong: 2 } as const;
const GPT = { read: 0.1, write: 1.25 } as const;
/** Until GPT-5.5, and for Gemini, a write costs what plain input costs. */
const FREE_WRITES = { read: 0.1, write: 1 } as const;
/** Of GPT from 5.4 on. */
const GPT_STEP_TOKENS = 272_000;
/** Of Gemini Pro, and of Claude 4 while a window of a million tokens was new. */
const LONG_STEP_TOKENS = 200_000;

type Stepped = Pick<PriceRow, "input" | "output" | "steps">;

/** Above the step input doubles and output costs half as much again. */
function stepPrices(above: number, input: number, output: number): Stepped {
	return { input, output, steps: [{ above, input: 2 * input, output: 1.5 * output }] };
}

const gptPrices = (input: number, output: number) => stepPrices(GPT_STEP_TOKENS, input, output);
const longPrices = (input: number, output: number) => stepPrices(LONG_STEP_TOKENS, input, output);

export const PRICE_TABLE: readonly PriceRow[] = [
	{ models: ["claude-fable-5-1"], since: "2026-09-01", ...CLAUDE, input: 10, output: 50, read: 0.025 },
	{ models: ["claude-fable-5-2"], since: "2026-09-01", ...CLAUDE, input: 10, output: 50, read: 0.025 },
	{ models: ["claude-fable-5"], ...CLAUDE, input: 10, output: 50 },
	{ models: ["claude-opus-5-5"], since: "2026-09-22", ...CLAUDE, input: 4, output: 20, read: 0.05 },
	{
		models: ["claude-opus-5", "claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-5"],
		...CLAUDE,
		input: 5,
		output: 25,
	},
	{ models: ["claude-opus-4-6"], ...CLAUDE, ...longPrices(5, 25) },
	{ models: ["claude-opus-4-6"], since: "2026-03-13", ...CLAUDE, input: 5, output: 25 },
	{
		models: ["claude-opus-4-1", "claude-opus-4", "claude-opus-4-0", "claude-3-opus"],
		...CLAUDE,
		input: 15,
		output: 75,
	},
	{ models: ["claude-sonnet-5-5"], ...CLAUDE, input: 2, output: 10 },
	{ models: ["claude-sonnet-5-5"], since: "2026-10-06", ...CLAUDE, input: 2, output: 10, read: 0.05 },
	{ models: ["claude-sonnet-5"], ...CLAUDE, input: 2, output: 10 },
	{
		models: ["claude-sonnet-4-6", "claude-sonnet-4-5", "claude-sonnet-4", "claude-sonnet-4-0"],
		...CLAUDE,
		...longPrices(3, 15),
	},
	{ models: ["claude-sonnet-4-6"], since: "2026-03-13", ...CLAUDE, input: 3, output: 15 },
	{ models: ["claude-3-7-sonnet", "claude-3-5-sonnet"], ...CLAUDE, input: 3, output: 15 },
	{
		models: ["claude-haiku-5-5"],
		since: "2026-10-07",
		...CLAUDE,
		input: 0.1,
		output: 0.5,
		steps: [{ above: 100_000, input: 0.5, output: 2.5 }],
	},
	{ models: ["claude-haiku-4-5"], ...CLAUDE, input: 1, output: 5 },
	{ models: ["claude-3-5-haiku"], ...CLAUDE, input: 0.8, output: 4 },

	{ models: ["gpt-6.1-sol"], since: "2026-09-29", ...GPT, ...gptPrices(2, 10), read: 0.05 },
	{ models: ["gpt-6-sol"], since: "2026-09-22", ...GPT, ...gptPrices(2, 10) },
	{ models: ["gpt-6-luna"], since: "2026-09-22", ...GPT, ...gptPrices(0.1, 0.5) },
	{ models: ["gpt-6-astra"], since: "2026-09-03", ...GPT, ...gptPrices(10, 50) },
	{ models: ["gpt-5.6-sol", "gpt-5.6"], ...GPT, ...gptPrices(4, 20) },
	{ models: ["gpt-5.6-terra"], since: "2026-07-09", ...GPT, ...gptPrices(2.5, 15) },
	{ models: ["gpt-5.6-terra"], since: "2026-07-30", ...GPT, ...gptPrices(2, 12) },
	{ models: ["gpt-5.6-luna"], since: "2026-07-09", ...GPT, ...gptPrices(1, 6) },
	{ models: ["gpt-5.6-luna"], since: "2026-07-30", ...GPT, ...gptPrices(0.2, 1.2) },
	{ models: ["gpt-5.5"], ...FREE_WRITES, ...gptPrices(5, 30) },
	{ models: ["gpt-5.4"], ...FREE_WRITES, ...gptPrices(2.5, 15) },
	{ models: ["gpt-5.4-mini"], ...FREE_WRITES, input: 0.75, output: 4.5 },
	{ models: ["gpt-5.4-nano"], ...FREE_WRITES, input: 0.2, output: 1.25 },
	{
		models: ["gpt-5.3-codex", "gpt-5.3-codex-spark", "gpt-5.3-chat", "gpt-5.2", "gpt-5.2-chat", "gpt-5.2-codex"],
		...FREE_WRITES,
		input: 1.75,
		output: 14,
	},
	{
		models: ["gpt-5.1", "gpt-5.1-chat", "gpt-5.1-codex", "gpt-5.1-codex-max", "gpt-5", "gpt-5-chat", "gpt-5-codex"],
		...FREE_WRITES,
		input: 1.25,
		output: 10,
	},
	{ models: ["gpt-5-mini", "gpt-5.1-codex-mini"], ...FREE_WRITES, input: 0.25, output: 2 },
	{ models: ["gpt-5-nano"], ...FREE_WRITES, input: 0.05, output: 0.4 },
	{ models: ["gpt-4.1"], ...FREE_WRITES, input: 2, output: 8, read: 0.25 },
	{ models: ["gpt-4.1-mini"], ...FREE_WRITES, input: 0.4, output: 1.6, read: 0.25 },
	{ models: ["gpt-4.1-nano"], ...FREE_WRITES, input: 0.1, output: 0.4, read: 0.25 },
	{ models: ["gpt-4o"], ...FREE_WRITES, input: 2.5, output: 10, read: 0.5 },
	{ models: ["gpt-4o-mini"], ...FREE_WRITES, input: 0.15, output: 0.6, read: 0.5 },
	{ models: ["o4-mini"], ...FREE_WRITES, input: 1.1, output: 4.4, read: 0.25 },
	{ models: ["o3"], ...FREE_WRITES, input: 2, output: 8, read: 0.25 },

	{ models: ["gemini-2.5-pro"], ...FREE_WRITES, ...longPrices(1.25, 10) },
	{ models: ["gemini-2.5-flash"], ...FREE_WRITES, input: 0.3, output: 2.5 },
	{ models: ["gemini-2.5-flash-lite"], ...FREE_WRITES, input: 0.1, output: 0.4 },
	{ models: ["gemini-3-flash"], ...FREE_WRITES, input: 0.5, output: 3 },
	{ models: ["gemini-3.1-pro", "gemini-3-pro"], ...FREE_WRITES, ...longPrices(2, 12) },
	{ models: ["gemini-3.1-flash-lite"], ...FREE_WRITES, input: 0.25, output: 1.5 },
	{ models: ["gemini-3.5-flash"], ...FREE_WRITES, input: 1.5, output: 9 },
	{ models: ["gemini-3.5-flash-lite"], ...FREE_WRITES, input: 0.3, output: 2.5 },
	{ models: ["gemini-3.6-flash", "gemini-3.7-flash", "gemini-3.8-flash"], ...FREE_WRITES, input: 0.75, output: 3.75 },
];
