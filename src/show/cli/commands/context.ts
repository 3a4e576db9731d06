/** Shows a request, now or at some moment: its text, the reason for each part, or the difference to the previous request. */
import { openingRoleOf } from "../../../agent/opening-role.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { formatCount, plural } from "../../../base/text/bytes.ts";
import { cutWithEllipsis } from "../../../base/text/cut.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { readWholeNumber } from "../../../base/text/whole-number.ts";
import { wrapWords } from "../../../base/text/wrap.ts";
import { readPriceList } from "../../../base/tokens/price-file.ts";
import { DEFAULT_WINDOW_TOKENS } from "../../../base/tokens/prices.ts";
import { type Difference, firstDifference } from "../../../context/envelope/difference.ts";
import { hostMessages } from "../../../context/envelope/envelope.ts";
import { type LookOptions, lookAt, type RequestAt, requestBefore } from "../../../context/request-at.ts";
import { renderReason } from "../../../context/seal/rule.ts";
import { readWarpBudget } from "../../../context/section/header.ts";
import type { ContextItem } from "../../../context/section/section.ts";
import { MIN_BUDGET_TOKENS } from "../../../context/section/warp.ts";
import type { Engine } from "../../../engine.ts";
import { toWire } from "../../../message/wire.ts";
import { messageParts, renderItems, renderMarkdown, renderText } from "../../../view/envelope.ts";
import { besideMessages, lookOptions, presentOf } from "../../../view/look-options.ts";
import { viewNow } from "../../../view/now-page.ts";
import { renderRequest, requestMarkdown, viewRequest } from "../../../view/request.ts";
import { SessionRequests } from "../../../view/requests.ts";
import type { CommandModule } from "../frame.ts";
import type { Output } from "../output.ts";

export const contextCommand: CommandModule<"context"> = {
	check({ out, options }) {
		if (options.wire !== undefined && !out.json) throw new EngineError("usage", "--wire goes with --json.");
		readWholeNumber("--budget", options.budget, MIN_BUDGET_TOKENS);
	},
	async run({ context, out, engine, session, options }) {
		const { mode, at, budget, wire, window = DEFAULT_WINDOW_TOKENS } = options;
		const now = context.now();
		const openingRole = openingRoleOf(session.host);
		const look = lookOptions(engine, session, { mode, window, budget, openingRole });
		if (budget !== undefined && (mode ?? look.settings.mode) !== "warp") {
			throw new EngineError("usage", "--budget is the size of the computed context in --mode warp.");
		}
		// The same view as the inspector's page Now.
		if (options.why && out.json && at === undefined && !options.recorded) {
			const requests = new SessionRequests(engine.history, look.session, look.listed);
			return {
				data: (await viewNow(engine, requests, look.session, { now, mode, window: options.window, openingRole })).view,
			};
		}
		const seq = at === undefined ? engine.log.newestSeq() : existing(engine, at);
		// The disk of a past moment is gone, so the log supplies what the files held.
		const isRecorded = at !== undefined || options.recorded;
		const request = await lookAt(seq, isRecorded ? look : { ...look, ...presentOf(engine, seq, now) });
		const difference = options.diff ? await differenceToPrevious(seq, look, request) : undefined;
		const beside = () => besideMessages(engine, look.session, seq);
		const data = requestData(request, { seq, look, window, budget, wire, difference });
		if (difference) return { data, lines: () => differenceLines(difference) };
		if (options.why) return { data, lines: () => explain(out, beside(), request) };
		// A pipe gets the text itself; a screen gets no line that it would break in the middle of a word.
		if (out.columns !== undefined && options.format !== "md") {
			const wrapped = (line: string) => wrapWords(line, out.columns, "");
			return { data, lines: () => describe(request, beside()).split("\n").flatMap(wrapped) };
		}
		return {
			data,
			text: () => `${options.format === "md" ? renderMarkdown(request.envelope) : describe(request, beside())}\n`,
		};
	},
};

async function differenceToPrevious(seq: number, look: LookOptions, request: RequestAt): Promise<RequestDifference> {
	const earlier = requestBefore(seq, look);
	return differenceOf(earlier === undefined ? undefined : await lookAt(earlier, look), request);
}

interface AskedRequest {
	readonly seq: number;
	readonly look: LookOptions;
	readonly window: number;
	readonly budget: number | undefined;
	readonly wire: "anthropic" | "openai" | undefined;
	readonly difference: RequestDifference | undefined;
}

function requestData(request: RequestAt, { seq, look, window, budget, wire, difference }: AskedRequest): object {
	const { session, host } = look.session;
	const { mode, opening, parts: items } = request.plan;
	const messages = hostMessages(request.envelope);
	return {
		mode,
		seq,
		session,
		host,
		window,
		budget: usedBudget(request) ?? budget,
		tokens: request.tokens,
		text: opening?.text ?? null,
		items,
		messages: wire === undefined ? messages : toWire(messages, request.form, wire),
		difference,
	};
}

function existing({ log }: Engine, seq: number): number {
	const newest = log.newestSeq();
	if (seq <= newest) return seq;
	throw new EngineError("not-found", `There is no event ${seq}: the newest is ${newest}.`);
}

/** The budget that the computed context itself names: a request that was sent may have had another window. */
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

function* explain(out: Output, beside: readonly ContextItem[], request: RequestAt): Generator<string> {
	const { plan, segments, tokens } = request;
	const { opening } = plan;
	// Messages have the weight that the request's manifest names.
	const weights = new Map(segments.flatMap(({ items }) => items.map((item) => [`message:${item.id}`, item.tokens])));
	const parts = [...beside, ...plan.parts.map((part) => ({ ...part, tokens: weights.get(part.id) ?? part.tokens }))];
	yield* renderItems(parts, out);
	yield "";
	if (opening?.by === "host")
		yield "It opens with the agent's own summary. What it replaced is in the log: 'weft read' shows it, 'weft grep' finds it.";
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
	const none = opening?.by === "host" ? "Nothing else was" : "Nothing was";
	yield `${left === 0 ? none : `${formatCount(left)} things were`} left out. 'weft show HANDLE' shows an item whole.`;
}

export const requestCommand: CommandModule<"request"> = {
	check({ out, args: [given], options }) {
		readWholeNumber("N", given, 1);
		if (options.format === "md" && out.json)
			throw new EngineError("usage", "--format md and --json do not go together.");
	},
	run({ engine, session: { session, host }, args: [given], options }) {
		const of = { session, host };
		const requests = new SessionRequests(engine.history, of, readPriceList(engine.settings.prices));
		const n = readWholeNumber("N", given, 1) ?? requests.rows().length;
		if (options.format === "md")
			return { data: null, text: () => maskSecrets(requestMarkdown(engine, requests, of, n)) };
		const view = viewRequest(engine, requests, of, n);
		return { data: view, lines: (out) => renderRequest(view, out) };
	},
};

interface DifferentMessage {
	readonly id: string;
	readonly role: string;
	readonly tokens: number;
	readonly gist: string;
}

interface RequestDifference {
	/** The newest event that the previous request knew; null: this is the first request. */
	readonly before: number | null;
	/** How many messages at the beginning are byte-identical. */
	readonly kept: number;
	readonly removed: readonly DifferentMessage[];
	readonly added: readonly DifferentMessage[];
	/** The first byte that differs; null: the request only extends the previous one. */
	readonly first: Difference | null;
	readonly reason: string | null;
}

const GIST_CHARS = 100;

/** How a request differs from the previous one: which messages came and went, and where the cached prefix breaks. */
function differenceOf(before: RequestAt | undefined, now: RequestAt): RequestDifference {
	const [then, present] = [listOf(before), listOf(now)];
	const changed = then.findIndex(({ key }, at) => key !== present[at]?.key);
	const kept = changed === -1 ? then.length : changed;
	const first = before ? firstDifference(before.segments, now.segments) : null;
	return {
		before: before?.seq ?? null,
		kept,
		removed: then.slice(kept).map(({ shown }) => shown),
		added: present.slice(kept).map(({ shown }) => shown),
		first,
		reason: first ? (now.reason ?? "what opens the request is another text") : null,
	};
}

function* differenceLines({ before, kept, removed, added, first, reason }: RequestDifference): Generator<string> {
	yield before === null ? "There was no request before." : `The request before knew the log up to #${before}.`;
	yield kept === 0 ? "No message is the same." : `The same at the beginning: ${plural(kept, "message")}.`;
	for (const message of removed) yield `- ${lineOf(message)}`;
	for (const message of added) yield `+ ${lineOf(message)}`;
	yield first
		? `Differs from byte ${formatCount(first.byte)} on, in the ${first.segment}: ${plural(first.tokens, "token")} sent before must be written again (${reason}).`
		: "Nothing that was sent before changes.";
}

function lineOf({ id, role, tokens, gist }: DifferentMessage): string {
	return `${oneLine(id)} ${role}, ${formatCount(tokens)} tokens: ${gist}`;
}

function listOf(look: RequestAt | undefined): { readonly key: string; readonly shown: DifferentMessage }[] {
	if (!look) return [];
	const { cached, uncached } = look.envelope.messages;
	const items = new Map(look.segments.flatMap((segment) => segment.items.map((item) => [item.id, item])));
	return [...cached, ...uncached].map((message) => {
		const item = items.get(message.id);
		const text = messageParts(message)
			.map((part) => `${part.name} ${cutWithEllipsis(part.text, GIST_CHARS * 4)}`.trim())
			.join(" · ");
		const gist = cutWithEllipsis(oneLine(text), GIST_CHARS);
		return {
			key: `${message.id} ${item?.hash}`,
			shown: { id: message.id, role: message.role, tokens: item?.tokens ?? 0, gist },
		};
	});
}
