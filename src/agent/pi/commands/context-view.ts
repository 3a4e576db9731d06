/** Renders the parts of a context as a bar and a list. The category names are Claude Code's. */
import { formatCount, formatPercent, plural } from "../../../base/text/bytes.ts";
import { renderTable } from "../../../base/text/table.ts";

export interface ViewItem {
	readonly what: string;
	readonly tokens: number;
	readonly why: string;
	readonly handle?: string | undefined;
}

export interface ContextView {
	readonly mode: string;
	readonly model: string | undefined;
	/** The model's window in tokens. */
	readonly window: number | undefined;
	/** The largest request that weft allows, in tokens. */
	readonly ceiling?: number | undefined;
	/** The largest context that `warp` computes, in tokens. */
	readonly budget?: number | undefined;
	readonly categories: readonly { readonly name: string; readonly tokens: number }[];
	readonly items: readonly ViewItem[];
	/** One line each, oldest first. */
	readonly seals: readonly string[];
	readonly lastBreak: string | undefined;
}

const BAR_CELLS = 60;
const MARKS = "█▓▞▒▚■";
const FREE = "·";
const MAX_ITEMS = 10;
const MAX_SEALS = 3;

export function renderContextView(view: ContextView): string {
	const used = view.categories.reduce((sum, { tokens }) => sum + tokens, 0);
	const window = Math.max(view.window ?? used, used, 1);
	const shown = view.categories.map((category, at) => ({ ...category, mark: MARKS.charAt(at % MARKS.length) }));
	const rows = [...shown.filter(({ tokens }) => tokens > 0), { name: "Free space", tokens: window - used, mark: FREE }];
	const ceiling = view.ceiling === undefined ? "" : `, sealed at ${formatCount(view.ceiling)} at the latest`;
	const budget = view.budget === undefined ? "" : `, computed within ${formatCount(view.budget)}`;
	const lines = [
		`${view.model ?? "no model"} · mode ${view.mode} · about ${formatCount(used)} of ${formatCount(window)} tokens (${formatPercent(used / window)})${ceiling}${budget}.`,
		bar(shown, window),
		"",
		...renderTable(
			[{ title: "" }, { title: "" }, { title: "", align: "right" }, { title: "", align: "right" }],
			rows.map(({ mark, name, tokens }) => [mark, name, formatCount(tokens), formatPercent(tokens / window)]),
			{ style: "bare" },
		),
	];
	if (view.items.length > 0) lines.push("", ...largest(view.items));
	const seals = view.seals.slice(-MAX_SEALS);
	lines.push("", view.seals.length === 0 ? "Seals: none yet" : `Seals: ${view.seals.length}, the last ones:`);
	lines.push(...seals.map((seal) => `  ${seal}`));
	lines.push(`Last break: ${view.lastBreak ?? "none: the cache has held"}`);
	return lines.join("\n");
}

function bar(categories: readonly { readonly tokens: number; readonly mark: string }[], window: number): string {
	const cells = categories.map(({ tokens, mark }) =>
		mark.repeat(tokens === 0 ? 0 : Math.max(1, Math.round((tokens / window) * BAR_CELLS))),
	);
	return cells.join("").slice(0, BAR_CELLS).padEnd(BAR_CELLS, FREE);
}

function largest(items: readonly ViewItem[]): string[] {
	const top = items.toSorted((one, other) => other.tokens - one.tokens).slice(0, MAX_ITEMS);
	const rest = items.length - top.length;
	return [
		`${plural(items.length, "item")} in Messages, the largest:`,
		...renderTable(
			[{ title: "", align: "right" }, { title: "" }, { title: "" }, { title: "" }],
			top.map(({ what, tokens, why, handle }) => [`  ${formatCount(tokens)}`, what, handle ?? "", why]),
			{ style: "bare" },
		),
		...(rest > 0 ? [`  … ${formatCount(rest)} more: /context full`] : []),
	];
}
