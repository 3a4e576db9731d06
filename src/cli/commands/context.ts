/** What a model would be given now, or was given at some moment: the text, the reasons, or the difference to the request before. */
import { basename } from "node:path";
import { type LookOptions, lookAt, requestBefore } from "../../context/request/look.ts";
import type { AssemblyMode } from "../../context/request/plan.ts";
import { contextBudget, DEFAULT_WINDOW_TOKENS } from "../../context/section/budget.ts";
import type { ContextItem } from "../../context/section/section.ts";
import { LEAST_BUDGET_TOKENS, renderWarp } from "../../context/section/warp.ts";
import type { Engine } from "../../engine.ts";
import { EngineError } from "../../error/engine-error.ts";
import { formatCount } from "../../text/bytes.ts";
import { oneLine, printable } from "../../text/printable.ts";
import { renderTable } from "../../text/table.ts";
import { renderMarkdown, renderText } from "../../view/envelope.ts";
import { diskFiles } from "../../work/file-source.ts";
import { recordedFiles } from "../../work/recorded-files.ts";
import { oneOf, wholeNumber } from "../arguments.ts";
import { type AtOptions, type Moment, momentOf } from "../at-seq.ts";
import type { Context } from "../context.ts";
import { differenceLines, differenceOf } from "../context-difference.ts";
import { pickSession } from "../pick-session.ts";

export interface ContextOptions extends AtOptions {
	readonly mode?: string;
	readonly budget?: string;
	readonly window?: string;
	readonly recorded?: boolean;
	readonly why?: boolean;
	readonly diff?: boolean;
	readonly format?: string;
}

const MODES = ["woven", "warp", "lossless", "off"] as const;

export async function run(context: Context, _args: readonly string[], options: ContextOptions): Promise<void> {
	const window = wholeNumber("--window", options.window, 4_000) ?? DEFAULT_WINDOW_TOKENS;
	const budget = wholeNumber("--budget", options.budget, LEAST_BUDGET_TOKENS);
	const asked = oneOf("--mode", options.mode, MODES);
	const format = oneOf("--format", options.format, ["text", "md"]) ?? "text";
	const engine = context.openExisting();
	try {
		const mode = asked ?? engine.settings.mode;
		if (budget !== undefined && mode !== "warp") {
			throw new EngineError("usage", "--budget is the size of the computed context of --mode warp.");
		}
		const moment = momentOf(engine, options);
		if (mode === "warp" && format === "text" && !options.diff) {
			await showComputed(context, engine, moment, options, budget ?? contextBudget({ window }));
		} else await showRequest(context, engine, moment, { ...options, mode, format, window }, budget);
	} finally {
		engine.close();
	}
}

/** The computed context alone, without the run behind it. */
async function showComputed(
	context: Context,
	{ log, project }: Engine,
	moment: Moment,
	options: ContextOptions,
	budget: number,
): Promise<void> {
	// The disk of a moment that has passed is gone: the log tells what the files held.
	const fromLog = moment.past || options.recorded === true;
	const known = recordedFiles(log, moment.seq);
	const newest = log.get(moment.seq);
	const rendered = renderWarp({
		state: moment.state,
		files: fromLog ? known : diskFiles(project.root),
		known,
		budget,
		now: fromLog ? (newest?.ts ?? context.now()) : context.now(),
		...(moment.chosen === undefined ? {} : { session: moment.chosen }),
		...(fromLog ? {} : { repository: basename(project.root) }),
	});
	const { out } = context;
	if (out.json) {
		await out.document({ mode: "warp", seq: moment.seq, complete: moment.complete, budget, ...rendered });
		return;
	}
	if (options.why) await out.lines(explain(context, rendered.items, rendered.tokens, budget));
	else await out.text(out.isTerminal ? printable(rendered.text) : rendered.text);
}

interface RequestOptions extends ContextOptions {
	readonly mode: AssemblyMode;
	readonly format: "text" | "md";
}

/** A whole request: what opens it, and the messages behind that. */
async function showRequest(
	context: Context,
	engine: Engine,
	moment: Moment,
	options: Omit<RequestOptions, "window"> & { readonly window: number },
	budget: number | undefined,
): Promise<void> {
	const { log, history, project, settings } = engine;
	const { session, host } = pickSession(log, options.session);
	const fromLog = moment.past || options.recorded === true;
	const look: LookOptions = {
		log,
		history,
		root: project.root,
		session: { session, host },
		mode: options.mode,
		window: options.window,
		profile: settings.profile,
		stateAt: (seq) => (seq === moment.seq ? moment.state : moment.runner.at(seq).state),
		filesAt: (seq) => (fromLog || seq !== moment.seq ? recordedFiles(log, seq) : diskFiles(project.root)),
		now: fromLog ? (log.get(moment.seq)?.ts ?? context.now()) : context.now(),
		...(budget === undefined ? {} : { budget }),
	};
	const request = await lookAt(moment.seq, look);
	const { plan, tokens, envelope, messages } = request;
	const earlier = options.diff ? requestBefore(moment.seq, look) : undefined;
	const before = earlier === undefined ? undefined : await lookAt(earlier, look);
	const difference = options.diff ? differenceOf(before, request) : undefined;
	const { out } = context;
	if (out.json) {
		const { mode, opening, items } = plan;
		const told = { mode, seq: request.seq, session, host, window: options.window, tokens };
		const text = opening?.text ?? null;
		await out.document({ ...told, text, items, messages, ...(difference ? { difference } : {}) });
		return;
	}
	const show = (text: string) => out.text(out.isTerminal ? printable(text) : text);
	if (difference) await out.lines(differenceLines(difference));
	else if (options.why) await out.lines(explain(context, plan.items, tokens, undefined));
	else if (options.format === "md") await show(`${renderMarkdown(envelope)}\n`);
	else await show(`${plan.opening ? `${plan.opening.text}\n\n` : ""}${renderText(envelope)}\n`);
}

function* explain(
	{ out }: Context,
	items: readonly ContextItem[],
	tokens: number,
	budget: number | undefined,
): Generator<string> {
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
	const size = budget === undefined ? formatCount(tokens) : `${formatCount(tokens)} of ${formatCount(budget)}`;
	yield `${size} tokens; ${left === 0 ? "nothing" : left} left out. 'weft show HANDLE' shows an item whole.`;
}
