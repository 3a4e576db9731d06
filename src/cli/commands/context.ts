import { basename } from "node:path";
import { contextBudget, DEFAULT_WINDOW_TOKENS } from "../../assembly/budget.ts";
import type { ContextItem } from "../../assembly/section.ts";
import { LEAST_BUDGET_TOKENS, renderWarp } from "../../assembly/warp/render.ts";
import { formatCount } from "../../text/bytes.ts";
import { oneLine, printable } from "../../text/printable.ts";
import { renderTable } from "../../text/table.ts";
import { diskFiles } from "../../work/file-source.ts";
import { knownFiles } from "../../work/known-files.ts";
import { recordedFiles } from "../../work/recorded-files.ts";
import { oneOf, wholeNumber } from "../arguments.ts";
import { type AtOptions, momentOf } from "../at-seq.ts";
import type { Context } from "../context.ts";

export interface ContextOptions extends AtOptions {
	readonly mode?: string;
	readonly budget?: string;
	readonly window?: string;
	readonly recorded?: boolean;
	readonly why?: boolean;
}

export async function run(context: Context, _args: readonly string[], options: ContextOptions): Promise<void> {
	const mode = oneOf("--mode", options.mode, ["warp"]) ?? "warp";
	const window = wholeNumber("--window", options.window, 4_000) ?? DEFAULT_WINDOW_TOKENS;
	const budget = wholeNumber("--budget", options.budget, LEAST_BUDGET_TOKENS) ?? contextBudget({ window });
	const engine = context.openExisting();
	try {
		const { log, project } = engine;
		const moment = momentOf(engine, options);
		// The disk of a moment that has passed is gone: the log tells what the files held.
		const fromLog = moment.past || options.recorded === true;
		const known = fromLog ? recordedFiles(log, moment.seq) : knownFiles(log, moment.seq);
		const newest = log.get(moment.seq);
		const rendered = renderWarp({
			state: moment.state,
			seq: moment.seq,
			files: fromLog ? known : diskFiles(project.root),
			known,
			budget,
			now: fromLog ? (newest?.ts ?? context.now()) : context.now(),
			...(moment.chosen === undefined ? {} : { session: moment.chosen }),
			...(fromLog ? {} : { repository: basename(project.root) }),
		});
		const { out } = context;
		if (out.json) {
			await out.document({ mode, seq: moment.seq, complete: moment.complete, budget, ...rendered });
			return;
		}
		if (options.why) await out.lines(explain(context, rendered.items, rendered.tokens, budget));
		else await out.text(out.isTerminal ? printable(rendered.text) : rendered.text);
	} finally {
		engine.close();
	}
}

function* explain({ out }: Context, items: readonly ContextItem[], tokens: number, budget: number): Generator<string> {
	const columns = [
		{ title: "" },
		{ title: "tokens", align: "right" },
		{ title: "item", shrink: true },
		{ title: "handle" },
		{ title: "why", shrink: true },
	] as const;
	const rows = items.map((item) => [
		item.included ? "✓" : "–",
		formatCount(item.tokens),
		oneLine(item.id),
		item.handle ?? "",
		oneLine(item.why),
	]);
	yield* renderTable(columns, rows, {
		style: "ruled",
		width: out.columns,
		paintHead: (text) => out.paint("dim", text),
	});
	yield "";
	const left = items.filter((item) => !item.included).length;
	yield `${formatCount(tokens)} of ${formatCount(budget)} tokens; ${left === 0 ? "nothing" : left} left out. 'weft show HANDLE' shows an item whole.`;
}
