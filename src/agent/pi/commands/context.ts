/**
 * `/context`: the context of the next request. Over rpc, or with `full`, the whole of it as Markdown; otherwise the size of
 * each part, the largest items with the reason they are there, and the last cache break.
 */

import { formatCount } from "../../../base/text/bytes.ts";
import { cutWithEllipsis } from "../../../base/text/cut.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { estimateTokens } from "../../../base/tokens/estimate.ts";
import { reportCache } from "../../../context/cache/cache-report.ts";
import { ledgerFold } from "../../../context/cache/ledger.ts";
import { renderSealReason } from "../../../context/seal/rule.ts";
import { isA } from "../../../log/event/types.ts";
import { handleOf } from "../../../log/handle.ts";
import { callsOf, readWire, resultsOf } from "../../../message/view.ts";
import { callGist } from "../../../view/event-gist.ts";
import { viewSeals } from "../../../view/live-status.ts";
import type { LivePi } from "../live.ts";
import type { CommandInput } from "./command-input.ts";
import { type ContextView, renderContextView, type ViewItem } from "./context-view.ts";

export async function run(input: CommandInput): Promise<string> {
	const { ctx, live, args } = input;
	if (ctx.mode === "rpc" || args === "full") return live.contextMarkdown();
	return renderContextView(viewOf(input));
}

function viewOf({ pi, ctx, live }: CommandInput): ContextView {
	const { contextFiles = [], skills = [] } = ctx.getSystemPromptOptions();
	const memory = sum(contextFiles.map(({ content }) => estimateTokens(content)));
	const skillTokens = sum(
		skills.map(({ name, description, filePath }) => estimateTokens(`${name}${description}${filePath}`)),
	);
	const system = estimateTokens(ctx.getSystemPrompt());
	const active = new Set(pi.getActiveTools());
	const tools = pi.getAllTools().filter(({ name }) => active.has(name));
	const toolTokens = (chosen: typeof tools) =>
		sum(
			chosen.map(({ name, description, parameters }) =>
				estimateTokens(JSON.stringify({ name, description, parameters })),
			),
		);
	const isMcp = ({ name }: { readonly name: string }) => /^mcp[_:]/.test(name);
	const isOther = live.mode() === "warp" || (live.isSealedAlone && live.mode() !== "off");
	const items = isOther ? itemsSent(live) : itemsHeld(live, ctx);
	const last = live.lastRequest();
	const categories = [
		{ name: "System prompt", tokens: Math.max(0, system - memory - skillTokens) },
		{ name: "System tools", tokens: toolTokens(tools.filter((tool) => !isMcp(tool))) },
		{ name: "MCP tools", tokens: toolTokens(tools.filter(isMcp)) },
		{ name: "Memory files", tokens: memory },
		{ name: "Skills", tokens: skillTokens },
		{ name: "Messages", tokens: sum(items.map(({ tokens }) => tokens)) },
	];
	// Scale the parts to the total that Pi and the status line show, so that all three agree.
	const all = sum(categories.map(({ tokens }) => tokens));
	const scale = last && all > 0 ? last.tokens / all : live.tokensPerEstimate();
	return {
		mode: live.mode(),
		model: ctx.model?.id,
		window: ctx.model?.contextWindow,
		ceiling: live.mode() === "woven" ? last?.ceiling : undefined,
		budget: live.engine.requests.computedBudget(live.input()),
		categories: scaleAll(categories, scale, last?.tokens),
		items: items.map((item) => ({ ...item, tokens: Math.round(item.tokens * scale) })),
		seals: sealNotes(live),
		lastBreak: lastBreak(live),
	};
}

/** Rounds so that the parts add up to `whole` exactly, where it is known. */
function scaleAll<Part extends { readonly tokens: number }>(
	parts: readonly Part[],
	scale: number,
	whole: number | undefined,
): Part[] {
	const scaled = parts.map((part) => ({ ...part, tokens: Math.round(part.tokens * scale) }));
	const rest = whole === undefined ? 0 : whole - sum(scaled.map(({ tokens }) => tokens));
	return scaled.map((part, at) =>
		at === scaled.length - 1 ? { ...part, tokens: Math.max(0, part.tokens + rest) } : part,
	);
}

/** In woven, lossless and off, Pi sends what its session holds: a seal is an entry of that session. */
function itemsHeld({ engine, session }: LivePi, ctx: CommandInput["ctx"]): ViewItem[] {
	engine.history.catchUp();
	const { tree } = engine.history;
	const held = ctx.sessionManager.buildSessionProjection().entries;
	const raw = held.some(({ sourceEntry }) => sourceEntry.type === "compaction")
		? "raw, since the last seal"
		: "raw: nothing has been sealed yet";
	const nameOf = itemNames(held.flatMap(({ messages }) => messages));
	return held.flatMap(({ sourceEntry, messages }): ViewItem[] => {
		if (messages.length === 0) return [];
		const seq = tree.find(session, sourceEntry.id);
		const roles = messages.map(({ role }) => role).join(", ");
		if (roles === "system") return [];
		const sealed = sourceEntry.type === "compaction";
		const recordedTokens = sealed || seq === undefined ? 0 : (tree.get(seq)?.tokens ?? 0);
		return [
			{
				what: sealed ? "seed" : messages.map(nameOf).join(", "),
				tokens: recordedTokens || estimateTokens(JSON.stringify(sealed ? sourceEntry.summary : messages)),
				why: sealed ? "replaces everything before it" : raw,
				handle: seq === undefined ? undefined : engine.log.handleAt(seq),
			},
		];
	});
}

const MAX_NAME_CHARS = 40;

/** A message by what it did: `read src/a.ts`, `result of bash npm test`, or its role. */
function itemNames(messages: readonly { readonly role: string }[]): (message: { readonly role: string }) => string {
	const calls = new Map(
		messages.flatMap((message) => callsOf(readWire(message, "pi"))).map((call) => [call.id, callGist(call)]),
	);
	return (message) => {
		const view = readWire(message, "pi");
		const made = callsOf(view).map(callGist);
		const answered = resultsOf(view).map(({ callId, tool }) => `result of ${calls.get(callId) ?? tool ?? "a call"}`);
		const names = [...made, ...answered];
		return names.length === 0 ? message.role : cutWithEllipsis(oneLine(names.join(", ")), MAX_NAME_CHARS);
	};
}

/** Where weft computes the list, the manifest of the last request names its parts. */
function itemsSent(live: LivePi): ViewItem[] {
	const { engine, session } = live;
	const isWarp = live.mode() === "warp";
	for (const record of engine.log.read({ session: session.session, types: ["Request"], order: "newest", limit: 1 })) {
		if (!isA(record, "Request")) continue;
		return record.payload.segments
			.filter(({ name }) => name === "seed" || name === "tail" || name === "uncached")
			.map(({ name, tokens }) => ({
				what: name,
				tokens,
				why:
					name === "seed"
						? isWarp
							? "computed for this run"
							: "sealed"
						: isWarp
							? "the current run"
							: "after the seal",
				handle: handleOf(record),
			}));
	}
	return [];
}

function sealNotes({ engine, session }: LivePi): string[] {
	return viewSeals(engine, session).map(
		({ why, tokensBefore, tokensAfter, handle }) =>
			`${renderSealReason(why)}: ${formatCount(tokensBefore)} → ${formatCount(tokensAfter)} tokens (${handle})`,
	);
}

function lastBreak(live: LivePi): string | undefined {
	const { engine, session } = live;
	const state = ledgerFold.initial();
	for (const record of engine.log.read({ session: session.session, types: ["Request", "Message"] })) {
		ledgerFold.step(state, record);
	}
	const [newest] = reportCache(state, (model) => live.pricesOf(model)).breaks;
	if (!newest) return undefined;
	const place =
		newest.segment === null ? "" : ` in ${newest.segment}${newest.byte === null ? "" : ` at byte ${newest.byte}`}`;
	return `${newest.cause}${place}, ${newest.tokens} tokens paid again (${engine.log.handleAt(newest.seq)})`;
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((total, each) => total + each, 0);
}
