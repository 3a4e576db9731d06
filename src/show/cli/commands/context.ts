/** What a model would be given now, or was given at some moment: the text, the reasons, or the difference to the request before. */

import { openingRoleOf } from "../../../agent/opening-role.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { formatCount } from "../../../base/text/bytes.ts";
import { DEFAULT_WINDOW_TOKENS } from "../../../base/tokens/model-defaults.ts";
import { hostMessages } from "../../../context/envelope/envelope.ts";
import { MODES } from "../../../context/moment.ts";
import { lookAt, type RequestAt, requestBefore } from "../../../context/request-at.ts";
import { renderReason } from "../../../context/seal/account.ts";
import { readWarpBudget } from "../../../context/section/header.ts";
import type { ContextItem } from "../../../context/section/section.ts";
import { MIN_BUDGET_TOKENS } from "../../../context/section/warp.ts";
import type { Engine } from "../../../engine.ts";
import { toWire } from "../../../message/wire.ts";
import { renderMarkdown, renderText } from "../../../view/envelope.ts";
import { renderItems } from "../../../view/items.ts";
import { besideMessages, lookOptions, presentOf } from "../../../view/look.ts";
import { viewNow } from "../../../view/now.ts";
import { SessionRequests } from "../../../view/requests.ts";
import { oneOf, wholeNumber } from "../arguments.ts";
import type { AtOptions } from "../at-seq.ts";
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
	readonly wire?: string;
}

export async function run(context: Context, _args: readonly string[], options: ContextOptions): Promise<void> {
	const at = wholeNumber("--at", options.at, 1);
	const window = wholeNumber("--window", options.window, 4_000) ?? DEFAULT_WINDOW_TOKENS;
	const budget = wholeNumber("--budget", options.budget, MIN_BUDGET_TOKENS);
	const mode = oneOf("--mode", options.mode, MODES);
	const format = oneOf("--format", options.format, ["text", "md"]) ?? "text";
	const wire = oneOf("--wire", options.wire, ["anthropic", "openai"]);
	if (wire !== undefined && !context.out.json) throw new EngineError("usage", "--wire goes with --json.");
	const engine = context.openExisting();
	try {
		const session = pickSession(engine.log, options.session);
		const openingRole = openingRoleOf(session.host);
		const look = lookOptions(engine, session, { mode, window, budget, openingRole });
		if (budget !== undefined && (mode ?? look.settings.mode) !== "warp") {
			throw new EngineError("usage", "--budget is the size of the computed context of --mode warp.");
		}
		// As the inspector's page Now has it.
		if (options.why && context.out.json && at === undefined && !options.recorded) {
			const of = look.session;
			const requests = new SessionRequests(engine.history, of, look.listed);
			const { view } = await viewNow(engine, requests, of, { now: context.now(), mode, window, openingRole });
			return await context.out.document(view);
		}
		const seq = at === undefined ? engine.log.newestSeq() : existing(engine, at);
		// The disk of a moment that has passed is gone: the log tells what the files held.
		const isRecorded = at !== undefined || options.recorded === true;
		const request = await lookAt(seq, isRecorded ? look : { ...look, ...presentOf(engine, seq, context.now()) });
		const earlier = options.diff ? requestBefore(seq, look) : undefined;
		const before = earlier === undefined ? undefined : await lookAt(earlier, look);
		const difference = options.diff ? differenceOf(before, request) : undefined;
		const { out } = context;
		if (out.json) {
			const { session, host } = look.session;
			const { mode, opening, parts: items } = request.plan;
			const sizes = { window, budget: usedBudget(request) ?? budget, tokens: request.tokens };
			const told = { mode, seq, session, host, ...sizes, text: opening?.text ?? null, items };
			const own = hostMessages(request.envelope);
			const messages = wire === undefined ? own : toWire(own, request.form, wire);
			await out.document({ ...told, messages, difference });
		} else if (difference) await out.lines(differenceLines(difference));
		else if (options.why) await out.lines(explain(context, besideMessages(engine, look.session, seq), request));
		else {
			const text =
				format === "md"
					? renderMarkdown(request.envelope)
					: describe(request, besideMessages(engine, look.session, seq));
			await out.text(`${text}\n`);
		}
	} finally {
		engine.close();
	}
}

function existing({ log }: Engine, seq: number): number {
	const newest = log.newestSeq();
	if (seq <= newest) return seq;
	throw new EngineError("not-found", `There is no event ${seq}: the newest is ${newest}.`);
}

/** Of the computed context, as it says itself: one that was sent may have had another window. */
function usedBudget({ plan: { opening } }: RequestAt): number | undefined {
	return opening ? readWarpBudget(opening.text) : undefined;
}

function describe({ plan, envelope, tokens }: RequestAt, beside: readonly ContextItem[]): string {
	const text = `${plan.opening ? `${plan.opening.text}\n\n` : ""}${renderText(envelope)}`;
	if (beside.length === 0) return text;
	const all = beside.reduce((sum, part) => sum + part.tokens, tokens);
	const parts = beside.map((part) => `${part.id} ${formatCount(part.tokens)}`).join(", ");
	return `${text}\n\nWith what the host adds (${parts}) it is ${formatCount(all)} tokens.`;
}

function* explain({ out }: Context, beside: readonly ContextItem[], request: RequestAt): Generator<string> {
	const { plan, segments, tokens } = request;
	const { opening } = plan;
	// Messages weigh what the manifest of a request says of them.
	const weights = new Map(segments.flatMap(({ items }) => items.map((item) => [`message:${item.id}`, item.tokens])));
	const parts = [...beside, ...plan.parts.map((part) => ({ ...part, tokens: weights.get(part.id) ?? part.tokens }))];
	yield* renderItems(parts, out);
	yield "";
	if (opening?.by === "host") yield "It opens with the host's own summary of what was before.";
	else if (opening)
		yield `What opens it is frozen since it was ${renderReason(opening.op.invalidateCacheReason ?? "made")}.`;
	const budget = usedBudget(request);
	if (budget !== undefined) yield `The computed context may take ${formatCount(budget)} tokens.`;
	const left = parts.reduce((sum, part) => sum + (part.left ?? 0) + (part.included ? 0 : 1), 0);
	const sizes = [
		...beside.map((part) => ({ name: part.id, tokens: part.tokens })),
		...segments.filter((segment) => segment.bytes > 0),
	];
	const all = beside.reduce((sum, part) => sum + part.tokens, tokens);
	yield `${formatCount(all)} tokens: ${sizes.map((each) => `${each.name} ${formatCount(each.tokens)}`).join(", ")}.`;
	yield `${left === 0 ? "Nothing was" : `${formatCount(left)} things were`} left out. 'weft show HANDLE' shows an item whole.`;
}
