/** One request as it was sent: its parts, the difference to the previous one, where the cached prefix broke and the cost. */
import { EngineError } from "../base/error/engine-error.ts";
import { formatCount, plural } from "../base/text/bytes.ts";
import { cutStart, cutToWidth } from "../base/text/cut.ts";
import { wrapWords } from "../base/text/wrap.ts";
import { readPriceList } from "../base/tokens/price-file.ts";
import { LONG_CACHE_TTL_MS } from "../base/tokens/prices.ts";
import { priceBreak } from "../context/cache/cache-report.ts";
import { cacheLifetime } from "../context/cache/reported-fold.ts";
import { cachedText, type Segment, type SegmentItem } from "../context/envelope/bytes.ts";
import { firstDifference } from "../context/envelope/difference.ts";
import { hostMessages } from "../context/envelope/envelope.ts";
import { SentRequests } from "../context/sent-requests.ts";
import { pricesOfSession } from "../context/session-prices.ts";
import type { Engine } from "../engine.ts";
import { isA, type Payload } from "../log/event/types.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { AGENT_SUMMARY, missSentence, newTokensSentence, partWords } from "./cache-miss.ts";
import { markCost } from "./cost-words.ts";
import { renderMarkdown } from "./envelope.ts";
import type { HostCompaction, RequestRow, SessionRequests } from "./requests.ts";
import {
	fitTo,
	hostShare,
	itemsOf,
	type MessageLine,
	MessageLines,
	type SentAgain,
	sendAgain,
} from "./sent-request.ts";
import { PLAIN, renderPairs, type TextStyle } from "./text-style.ts";

export interface SentItem extends MessageLine {
	readonly id: string;
	readonly handle: string | null;
	readonly tokens: number;
	/** For an item that left: the summary that covers it; null: none. */
	readonly toldBy: string | null;
}

export interface RequestView {
	readonly session: string;
	readonly host: string;
	readonly requests: number;
	readonly request: RequestRow;
	readonly before: { readonly n: number; readonly seq: number } | null;
	/** Bytes of the request, as far as they were recorded. */
	readonly bytes: number;
	readonly sameBytes: number;
	/** True: the rendered bytes match the hashes of the sent bytes; null: the log has no hashes. */
	readonly proven: boolean | null;
	readonly came: readonly SentItem[];
	readonly left: readonly SentItem[];
	readonly same: readonly SentItem[];
	readonly sameTotal: { readonly items: number; readonly tokens: number };
	/** As reported; estimated for a request that weft made, and where nothing was reported. */
	readonly sent: number;
	/** Estimated tokens of the agent's system prompt and tools; null: weft made the request, and its segments name them. */
	readonly hostHead: number | null;
	/** Where bytes that were already sent changed. */
	readonly break: {
		readonly byte: number;
		readonly segment: string;
		readonly tokens: number;
		readonly dollars: number;
		/** null: unknown. */
		readonly cause: string | null;
		/** The end of the common prefix, then how each request continues. */
		readonly common: string;
		readonly was: string;
		readonly is: string;
	} | null;
	/** The seal before it. */
	readonly seal:
		| (Pick<Payload<"Seal">, "why" | "tokensBefore" | "tokensAfter" | "left" | "arithmetic"> & {
				readonly handle: string;
		  })
		| null;
	/** The seed part by part, compared with the previous seed; empty: no seal came before this request. */
	readonly sections: readonly {
		readonly name: string;
		readonly before: number | null;
		readonly tokens: number;
		readonly left: number;
	}[];
}

const AROUND_CHARS = 120;
const COMMON_CHARS = 40;

/** `n` from 1. */
export function viewRequest(engine: Engine, requests: SessionRequests, session: SessionRef, n: number): RequestView {
	const rows = requests.rows();
	const row = rows[n - 1];
	if (!row) throw new EngineError("not-found", noRequest(session, n, rows.length));
	const before = rows[n - 2];
	const sent = new SentRequests(engine.history);
	const now = sendAgain(engine, session, row, sent);
	const then = before && sendAgain(engine, session, before, sent);
	const share = hostShare(engine, requests, session, row, now);
	// What left has the size that it had.
	const sized = (of: RequestRow, again: SentAgain, { tokens: all, head, scale }: typeof share) => {
		const items = itemsOf(again).map(({ tokens, ...item }) => ({ ...item, tokens: Math.round(tokens * scale) }));
		return fitTo(of.mode === null ? all - head : 0, items);
	};
	const is = sized(row, now, share);
	const was = before && then ? sized(before, then, hostShare(engine, requests, session, before, then)) : [];
	const [had, has] = [new Set(was.map(keyOf)), new Set(is.map(keyOf))];
	const kept = is.filter((item) => had.has(keyOf(item)));
	const shown = (list: readonly SegmentItem[], of: SentAgain, isGone = false) => {
		const lines = new MessageLines(of.envelope, { root: engine.project.root, agent: session.host });
		const items = list.map((item) => sentItem(engine, item, of, { lines, isGone }));
		return row.mode === null ? items.map(asAgents) : items;
	};
	const bytes = row.segments.reduce((sum, segment) => sum + segment.bytes, 0) || sum(now.segments);
	return {
		...session,
		requests: rows.length,
		request: row,
		before: before ? { n: before.n, seq: before.seq } : null,
		bytes,
		sameBytes: sameBytes(row, before, now, then),
		proven: isProven(engine, row, now.segments),
		came: shown(
			is.filter((item) => !had.has(keyOf(item))),
			now,
		),
		left: then
			? shown(
					was.filter((item) => !has.has(keyOf(item))),
					then,
					true,
				)
			: [],
		same: shown(kept, now),
		sameTotal: {
			items: kept.length,
			tokens: kept.reduce((sum, { tokens }) => sum + tokens, 0),
		},
		sent: share.tokens,
		hostHead: row.mode === null ? share.head : null,
		break: breakOf(engine, session, row, now, then),
		...sealOf(engine, session, row),
	};
}

/** The whole request as JSON: the view and every message as it was sent. */
export function exportRequest(engine: Engine, requests: SessionRequests, session: SessionRef, n: number): object {
	const view = viewRequest(engine, requests, session, n);
	const { envelope } = sendAgain(engine, session, view.request);
	return { ...view, messages: hostMessages(envelope) };
}

/** The whole request as Markdown. */
export function requestMarkdown(engine: Engine, requests: SessionRequests, session: SessionRef, n: number): string {
	const view = viewRequest(engine, requests, session, n);
	const { envelope } = sendAgain(engine, session, view.request);
	const lines = [...renderRequest(view, PLAIN)];
	return `# Request ${n} of ${session.session}\n\n${lines.map((line) => (line === "" ? "" : `    ${line}`)).join("\n")}\n\n${renderMarkdown(envelope)}`;
}

export function* renderRequest(view: RequestView, style: TextStyle): Generator<string> {
	for (const line of requestLines(view, style)) {
		if (style.columns === undefined) yield line;
		else if (/^[-+] /.test(line)) yield cutToWidth(line, style.columns);
		else yield* wrapWords(line, style.columns, "  ");
	}
}

function* requestLines(view: RequestView, style: TextStyle): Generator<string> {
	const { request, came, left, same } = view;
	const { reported, predicted } = request;
	yield* renderPairs(style, [
		["request", `${request.n} of ${view.requests}, ${request.handle}${request.model ? `, ${request.model}` : ""}`],
		["sent", sentLine(view)],
		...(view.hostHead === null || view.hostHead === 0
			? []
			: ([
					[
						"of it",
						`~${formatCount(view.hostHead)} system and tools, ~${formatCount(view.sent - view.hostHead)} messages`,
					],
				] as const)),
		...(request.compaction ? ([["compaction", compactionLine(request.compaction)]] as const) : []),
		...(reported
			? ([
					[
						"reported",
						`${formatCount(reported.read)} read, ${formatCount(reported.write)} written, ${formatCount(reported.input)} plain`,
					],
				] as const)
			: []),
		...(predicted
			? ([
					[
						"predicted",
						`${formatCount(predicted.read)} read, ${formatCount(predicted.write)} written, ${formatCount(predicted.input)} plain`,
					],
				] as const)
			: []),
		...(request.dollars === null
			? []
			: ([
					[
						"cost",
						markCost(`$${request.dollars.toFixed(4)}`, { estimated: request.isEstimated, assumed: request.isAssumed }),
					],
				] as const)),
		...(request.host
			? ([
					["agent alone", `${formatCount(request.host.tokens)} tokens, $${request.host.dollars.toFixed(4)} estimated`],
				] as const)
			: []),
	]);
	yield "";
	yield breakLine(view);
	yield `${plural(same.length, "message")} the same, ${formatCount(came.length)} came, ${formatCount(left.length)} left.`;
	for (const item of left) yield `- ${lineOf(item)}${item.toldBy ? `, covered by ${item.toldBy}` : ""}`;
	for (const item of came) yield `+ ${lineOf(item)}`;
}

function sentLine({ sent, hostHead, request: { mode, reported } }: RequestView): string {
	if (mode !== null) return `${formatCount(sent)} tokens, estimated`;
	if (reported) return `${formatCount(sent)} tokens reported`;
	return `~${formatCount(sent)} tokens${hostHead === 0 ? ", the messages alone" : ""}; the agent reported no usage`;
}

/** `165,000 → 32,289 tokens, m-…` */
function compactionLine({ tokensBefore, tokensAfter, handle }: HostCompaction): string {
	const size = (tokens: number | null) => (tokens === null ? "?" : formatCount(tokens));
	return `the agent replaced its history before this request: ${size(tokensBefore)} → ${size(tokensAfter)} tokens, ${handle}`;
}

function breakLine({ break: broke, before, sameBytes, bytes, request: { miss, reported } }: RequestView): string {
	if (!before) return "This is the first request: nothing to compare with.";
	if (broke)
		return `The cached prefix broke at byte ${formatCount(broke.byte)}, in ${partWords(broke.segment)}: ${plural(broke.tokens, "token")} written again, ~$${broke.dollars.toFixed(4)}. ${broke.cause === null ? "Nothing in the log says why." : `Cause: ${broke.cause}.`}`;
	if (miss && reported) return `${missSentence(miss)} ${newTokensSentence({ reported, miss })}`;
	return `Nothing that was sent before has changed: ${formatCount(sameBytes)} of ${formatCount(bytes)} bytes are the same.`;
}

function lineOf({ handle, id, role, tool, tokens, preview }: SentItem): string {
	return `${handle ?? id} ${role}${tool ? ` ${tool}` : ""}, ~${formatCount(tokens)} tokens: ${cutStart(preview, 100)}`;
}

function noRequest({ session }: SessionRef, n: number, count: number): string {
	if (count === 0) return `No request of session ${session} is in the log yet.`;
	return `Session ${session} has ${plural(count, "request")}; there is no request ${n}. Give a number from 1 to ${count}.`;
}

function keyOf({ id, hash }: SegmentItem): string {
	return `${id} ${hash}`;
}

function sum(segments: readonly { readonly bytes: number }[]): number {
	return segments.reduce((total, { bytes }) => total + bytes, 0);
}

function sentItem(
	{ history }: Engine,
	{ id, tokens }: SegmentItem,
	{ messages }: SentAgain,
	{ lines, isGone }: { readonly lines: MessageLines; readonly isGone: boolean },
): SentItem {
	const known = messages.get(id);
	const line = lines.of(id) ?? { role: "?", tool: null, preview: "" };
	const toldBy = isGone && known ? (history.covering(known.seq)?.id ?? null) : null;
	return { id, handle: known?.handle ?? null, tokens, ...line, toldBy };
}

/** The agent's compaction wrote what opens its request, and no seed. */
function asAgents(item: SentItem): SentItem {
	return item.role === "seed" ? { ...item, role: AGENT_SUMMARY } : item;
}

/** Bytes at the beginning that the request before had, too. */
function sameBytes(
	row: RequestRow,
	before: RequestRow | undefined,
	now: SentAgain,
	then: SentAgain | undefined,
): number {
	if (!before || !then) return 0;
	if (row.broke) return row.broke.byte;
	if (before.segments.length > 0) {
		return before.segments.reduce((total, { name, bytes }) => total + (name === "uncached" ? 0 : bytes), 0);
	}
	const difference = firstDifference(then.segments, now.segments);
	return difference ? difference.byte : Math.min(sum(then.segments), sum(now.segments));
}

function isProven({ log }: Engine, row: RequestRow, segments: readonly Segment[]): boolean | null {
	const made = row.mode === null ? undefined : log.get(row.seq);
	if (!made || !isA(made, "Request")) return null;
	const hashes = new Map(made.payload.segments.map(({ name, sha256 }) => [name, sha256]));
	return segments.every(({ name, sha256 }) => !["seed", "tail"].includes(name) || hashes.get(name) === sha256);
}

function breakOf(
	{ log, settings, state }: Engine,
	session: SessionRef,
	row: RequestRow,
	now: SentAgain,
	then: SentAgain | undefined,
): RequestView["break"] {
	const broke = row.broke ?? (then && mayHaveBroken(row) ? firstDifference(then.segments, now.segments) : null);
	if (!broke || !then) return null;
	const [old, fresh] = [cachedText(then.segments), cachedText(now.segments)];
	let at = 0;
	while (at < old.length && old[at] === fresh[at]) at++;
	const prices = pricesOfSession(log, session, readPriceList(settings.prices)).of(row.model ?? undefined, row.ts);
	const isLong = cacheLifetime(state().state.reported, session.host) === LONG_CACHE_TTL_MS;
	const byHost = row.compaction ? "the agent compacted its history" : "the agent changed its history";
	const cause = row.reasons.join("; ") || (row.mode === null ? byHost : null);
	// The provider's count of what a request paid again is exact; ours is by weight.
	const paid =
		row.mode === null && row.miss
			? row.miss
			: { tokens: broke.tokens, ...priceBreak(broke.tokens, prices, { isLong }) };
	return {
		byte: broke.byte,
		segment: row.mode === null && broke.segment === "seed" ? AGENT_SUMMARY : broke.segment,
		tokens: paid.tokens,
		dollars: paid.dollars,
		cause,
		common: fresh.slice(Math.max(0, at - COMMON_CHARS), at),
		was: cutStart(old.slice(at, at + AROUND_CHARS), AROUND_CHARS),
		is: cutStart(fresh.slice(at, at + AROUND_CHARS), AROUND_CHARS),
	};
}

/** Of a request that weft did not make the usage decides: where the provider found everything, nothing broke. */
function mayHaveBroken({ mode, reported, miss }: RequestRow): boolean {
	return mode === null && (reported === null || miss?.state === "broken" || miss?.state === "compaction");
}

function sealOf({ log }: Engine, session: SessionRef, { seal }: RequestRow): Pick<RequestView, "seal" | "sections"> {
	const record = seal && log.get(seal.seq);
	if (!record || !isA(record, "Seal")) return { seal: null, sections: [] };
	const { why, tokensBefore, tokensAfter, left, arithmetic, sections } = record.payload;
	const [last] = log.read({ ...session, types: ["Seal"], upTo: record.seq - 1, order: "newest", limit: 1 });
	const earlier = new Map(
		last && isA(last, "Seal") ? last.payload.sections.map((each) => [each.name, each.tokens]) : [],
	);
	return {
		seal: { why, tokensBefore, tokensAfter, left, arithmetic, handle: seal.handle },
		sections: sections.map(({ name, tokens, left }) => ({ name, before: earlier.get(name) ?? null, tokens, left })),
	};
}
