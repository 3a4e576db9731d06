/** The prices in use: our table, with the lines and files of the `prices` setting before it. */
import { formatCount, plural } from "../base/text/bytes.ts";
import { closest } from "../base/text/closest-word.ts";
import { oneLine } from "../base/text/printable.ts";
import { wrapWords } from "../base/text/wrap.ts";
import { isPriceFile, readPriceFile, toPriceList } from "../base/tokens/price-file.ts";
import { PRICE_TABLE, PRICE_TABLE_DAY } from "../base/tokens/price-table.ts";
import {
	modelName,
	type Prices,
	pricesOf,
	readPriceLine,
	readPriceLines,
	type Tariff,
	UNKNOWN_PRICES,
} from "../base/tokens/prices.ts";
import { renderRuled, type TextStyle } from "./text-style.ts";

/** Dollars per million tokens. */
interface ShownTariff {
	readonly input: number;
	readonly output: number;
	readonly read: number;
	readonly write: number;
	readonly writeLong: number;
}

interface ShownPrices extends ShownTariff {
	readonly model: string;
	/** The first day of the price; null: not known. */
	readonly since: string | null;
	readonly from: "table" | "setting" | "file";
	/** For prompts of more than `above` tokens. */
	readonly steps: readonly (ShownTariff & { readonly above: number })[];
}

/** The JSON of `weft prices`. */
export interface PricesView {
	/** The day of our table. */
	readonly day: string;
	readonly prices: readonly ShownPrices[];
	readonly files: readonly PriceFileView[];
	/** Lines of the setting that count for no model, or for none that a list has: a sentence for each. */
	readonly problems: readonly string[];
	/** Models of the files that are not in `prices`. */
	readonly more: number;
	/** For a model that no list has. */
	readonly assumed: ShownTariff;
}

interface PriceFileView {
	readonly path: string;
	/** null: it cannot be read. */
	readonly models: number | null;
	/** The day on which it was taken over. */
	readonly taken: string | null;
	readonly problem: string | null;
}

/** `entries`: the setting. `text`: only models whose name contains it; by default those of our table and of the lines. */
export function viewPrices(entries: readonly string[], text?: string): PricesView {
	const lines = readPriceLines(entries);
	const files = entries.filter(isPriceFile).map(readFile);
	const listed = Object.assign({}, ...files.toReversed().map(({ list }) => list)) as Record<string, Prices>;
	const wanted = text?.toLowerCase();
	const isShown = (name: string) => wanted === undefined || name.includes(wanted);
	const table = PRICE_TABLE.flatMap(({ models, since }) =>
		models.flatMap((model) => {
			if (!isShown(model) || Object.hasOwn(lines, model) || pricesOf(model, { listed }) !== pricesOf(model)) return [];
			const at = since === undefined ? 0 : Date.parse(since);
			return [shown(model, pricesOf(model, { at }), "table")];
		}),
	);
	const known = new Set(PRICE_TABLE.flatMap(({ models }) => models));
	const inFile = Object.keys(listed).filter((name) => !Object.hasOwn(lines, name));
	const ofFile = inFile.filter((name) => (wanted === undefined ? known.has(name) : isShown(name)));
	return {
		day: PRICE_TABLE_DAY,
		prices: [
			...entries.flatMap((entry) => {
				const line = readPriceLine(entry);
				return line && isShown(line.model) ? [shown(line.model, line.prices, "setting")] : [];
			}),
			...ofFile.flatMap((model) => shown(model, pricesOf(model, { listed }), "file")),
			...table,
		],
		files: files.map(({ list, ...file }) => file),
		problems: entries.filter((entry) => !isPriceFile(entry)).flatMap((entry) => problemOf(entry, known)),
		more: inFile.length - ofFile.length,
		assumed: inDollars(UNKNOWN_PRICES),
	};
}

/** A line that never applies, and one whose model looks misspelt. */
function problemOf(entry: string, known: ReadonlySet<string>): string[] {
	const line = readPriceLine(entry);
	const shownEntry = oneLine(entry);
	if (!line) return [`The prices setting has a line that is not used: '${shownEntry}'. ${LINE_FORM}`];
	const meant = pricesOf(line.model).assumed ? closest(modelName(line.model), known) : undefined;
	// Another number is another model.
	const isMisspelt = meant !== undefined && wordsIn(line.model) !== wordsIn(meant);
	return isMisspelt ? [`The prices setting names '${oneLine(line.model)}'. Did you mean '${meant}'?`] : [];
}

const LINE_FORM = "Write model=input/read/write/output, in dollars, none below zero.";

function wordsIn(model: string): string {
	return modelName(model).replaceAll(/[\d-]/g, "");
}

function readFile(path: string): PriceFileView & { readonly list: Readonly<Record<string, Prices>> } {
	try {
		const file = readPriceFile(path);
		const list = toPriceList(file);
		return { path, models: Object.keys(list).length, taken: file.taken ?? null, problem: null, list };
	} catch (error) {
		const problem = error instanceof Error ? error.message : String(error);
		return { path, models: null, taken: null, problem, list: {} };
	}
}

function shown(model: string, prices: Prices, from: ShownPrices["from"]): ShownPrices {
	const steps = (prices.steps ?? []).map((step) => ({ above: step.above, ...inDollars(step) }));
	return { model, since: prices.since ?? null, from, ...inDollars(prices), steps };
}

function inDollars({ input, output, read, write, writeLong }: Tariff): ShownTariff {
	const dollars = (share: number) => Number((input * share).toFixed(6));
	return {
		input,
		output: dollars(output),
		read: dollars(read),
		write: dollars(write),
		writeLong: dollars(writeLong),
	};
}

export function* renderPrices(
	{ day, prices, files, problems, more, assumed }: PricesView,
	style: TextStyle,
): Generator<string> {
	yield `Dollars per million tokens; weft's own table is of ${day}.`;
	yield "";
	const columns = [
		{ title: "model", shrink: true },
		{ title: "since" },
		...["input", "output", "read", "write 5 min", "1 h"].map((title) => ({ title, align: "right" as const })),
		{ title: "from" },
	];
	const cells = ({ input, output, read, write, writeLong }: ShownTariff) =>
		[input, output, read, write, writeLong].map(String);
	const rows = prices.flatMap(({ model, since, from, steps, ...tariff }) => [
		[oneLine(model), since ?? "–", ...cells(tariff), from],
		...steps.map((step) => [`  above ${formatCount(step.above)} tokens`, "", ...cells(step), ""]),
	]);
	if (rows.length === 0) yield "No model of that name has a known price.";
	else yield* renderRuled(style, columns, rows);
	yield "";
	const notes = [
		`An agent's own prices win over these. For any other model $${assumed.input} and $${assumed.output} of output are assumed, and marked so.`,
		...files.map(renderFile),
		...problems,
		...(more > 0 ? [`${plural(more, "more name")} of models in it: --model TEXT shows them.`] : []),
	];
	for (const note of notes) {
		for (const line of wrapWords(note, style.columns)) yield style.paint("dim", line);
	}
}

function renderFile({ path, models, taken, problem }: PriceFileView): string {
	if (problem !== null) return `The prices setting names a file that is not used: ${oneLine(problem)}`;
	const day = taken === null ? "" : `, taken over on ${taken}`;
	return `${oneLine(path)}: ${plural(models ?? 0, "name")} of models${day}.`;
}
