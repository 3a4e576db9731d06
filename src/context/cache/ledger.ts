/**
 * Did the cache hold, and if not, why and at what price? A fold over Request events and the usage that answers report.
 * Sessions without weft, or imported ones, have no Request events: for them only the usage counts.
 */

import { ownValue } from "../../base/collection/own-value.ts";
import { asInteger, asList, asObject, asText } from "../../base/json/read.ts";
import { formatDuration } from "../../base/text/time.ts";
import { CACHE_TTL_MS, LONG_CACHE_TTL_MS } from "../../base/tokens/prices.ts";
import { type EventRecord, isA, type Payload } from "../../log/event/types.ts";
import type { StateFold } from "../../log/fold/state-fold.ts";
import { type SessionRef, sessionKey } from "../../log/session-ref.ts";
import type { Usage } from "../../message/usage.ts";
import { callsOf, viewMessage } from "../../message/view.ts";
import { emptyRaised, type RaisedUsage, takeRaised, trueUsage } from "../../state/session/raised-usage.ts";
import { MIN_CACHED_TOKENS } from "../envelope/envelope.ts";

export interface CacheTokens {
	read: number;
	write: number;
	input: number;
}

/**
 * Why a request paid again for what the cache had held: nobody asked for too long (cold), the agent replaced its history by a
 * summary (compaction), weft did (seal), another model was asked (model), bytes changed (broken), or the provider did not find
 * bytes that were the same (lost).
 */
export type MissState = "cold" | "compaction" | "seal" | "model" | "broken" | "lost";

export interface CacheBreak {
	readonly seq: number;
	readonly session: string;
	readonly ts: number;
	readonly model: string | null;
	/** changed: bytes that were sent before differ now. missed: the provider read less than it was sent before. */
	readonly kind: "changed" | "missed";
	readonly segment: string | null;
	/** First differing byte of the request; null where only usage is known. */
	readonly byte: number | null;
	/** Tokens that were paid again. */
	readonly tokens: number;
	readonly state: MissState;
	/** Since the answer before; null: there is none. */
	readonly pauseMs: number | null;
	/** The provider keeps them for an hour now, at a higher price. */
	readonly isLong?: true | undefined;
	readonly cause: string;
	/** What the request would have cost more above a step of its model's price, in tokens of plain input: a seal kept it below. */
	readonly stepSaved?: number | undefined;
	/** False: bytes changed without a reason. That is a defect, ours or the agent's. */
	readonly explained: boolean;
}

/** The newest request of a session. */
interface Last {
	seq: number;
	ts: number;
	model: string | null;
	/** True until an answer has reported its usage. */
	waiting: boolean;
	/** True when a break of this request is already recorded. */
	broken: boolean;
}

/** The part of a request before its messages. */
interface Head {
	tools: string;
	system: string;
	toolBytes: number;
	/** Undefined: the request does not say which part is whose. */
	marks: { readonly weft: string; readonly agent: string } | undefined;
	/** Tokens of the whole request. */
	tokens: number;
	toolTokens: number;
}

/** An answer that has reported its usage. */
interface Answered {
	id: string | null;
	ts: number;
	model: string | null;
	prompt: number;
	cached: number;
	/** The provider keeps it for an hour. */
	isLong: boolean;
	/** It asked for tools that the next request brings along. */
	loadsTools?: boolean;
}

export interface SessionLedger {
	readonly session: string;
	/** Known calls of the model, by their manifest or their answer. */
	requests: number;
	/** How many of them reported usage. */
	answered: number;
	changed: number;
	missed: number;
	unexplained: number;
	/** Of the requests with a manifest. */
	readonly predicted: CacheTokens;
	/** As providers reported. */
	readonly reported: CacheTokens;
	/** Tokens paid again, by the model that was asked. */
	readonly lost: Record<string, number>;
	/** Tokens of plain input that seals below a step of the price saved at the next request, by model. */
	readonly stepSaved: Record<string, number>;
	/** Of a seal whose request has not come yet. */
	sealed: number | null;
	/** A seal came since the newest request. */
	isSealed: boolean;
	/** The agent made a summary of its history since the newest answer. */
	isCompacted: boolean;
	/** The newest ones. */
	readonly breaks: CacheBreak[];
	last: Last | null;
	/** Of the newest request that has one; the next one is compared with it, also in another process. */
	head: Head | null;
	/** The newest answer with usage; the next one is compared with it. */
	answer: Answered | null;
}

export interface LedgerState {
	readonly sessions: Record<string, SessionLedger>;
	/** Usage that the proxy added to make agents compact. */
	readonly raised: RaisedUsage;
}

/** A Custom event: what the agent's program says of the provider's cache. */
export const HOST_CACHE = "host.cache";
/** Words of programs for a cache that lasts an hour or longer. */
const LONG_RETENTIONS: ReadonlySet<unknown> = new Set(["long", "24h"]);

/** The tool of Claude Code by which the model gets tools that were left out. */
const TOOL_LOADER = "ToolSearch";

const MAX_BREAKS = 200;
/** A smaller share of what was sent before is a miss; providers round, and the newest blocks may be late. */
const MISS_SHARE = 0.5;

export const ledgerFold: StateFold<LedgerState> = {
	name: "cache-ledger",
	version: 7,
	initial: () => ({ sessions: {}, raised: emptyRaised() }),
	step(state, record) {
		if (record.v > 1) return;
		if (isA(record, "Request")) stepRequest(ledgerOf(state, record), record);
		else if (record.type === "Message" && record.payload["role"] === "assistant") stepAnswer(state, record);
		else if (isA(record, "Seal")) {
			const ledger = ledgerOf(state, record);
			ledger.sealed = record.payload.arithmetic.stepSaved ?? null;
			ledger.isSealed = true;
		} else if (isA(record, "Custom") && record.payload.name === HOST_CACHE)
			stepHostCache(ledgerOf(state, record), record);
		else takeRaised(state.raised, record);
	},
};

/** The agent replaced its history by a summary here. The tree of sessions knows where; the fold's own events do not. */
export function noteCompaction(state: LedgerState, session: SessionRef): void {
	ledgerOf(state, session).isCompacted = true;
}

function stepRequest(ledger: SessionLedger, record: RequestRecord): void {
	const { model, difference, reasons, predicted, usage } = record.payload;
	ledger.requests++;
	add(ledger.predicted, predicted);
	const { sealed: stepSaved, isSealed } = ledger;
	ledger.sealed = null;
	ledger.isSealed = false;
	if (stepSaved !== null) addTo(ledger.stepSaved, model ?? "", stepSaved);
	const other = headChange(ledger, record);
	const changed = difference && !(other && isInHead(difference)) ? difference : (other ?? difference);
	ledger.last = { seq: record.seq, ts: record.ts, model: model ?? null, waiting: true, broken: changed !== null };
	if (changed) {
		const said = [...(changed === other ? [other.cause] : []), ...reasons.filter((reason) => !isVague(reason, other))];
		write(ledger, {
			...aboutRecord(record, model ?? null),
			kind: "changed",
			segment: changed.segment,
			byte: changed.byte,
			tokens: hasNoCache(ledger) ? 0 : changed.tokens,
			state: isSealed ? "seal" : "broken",
			pauseMs: ledger.answer ? record.ts - ledger.answer.ts : null,
			cause: said.length > 0 ? said.join("; ") : "no reason was given",
			...(stepSaved !== null && { stepSaved }),
			explained: said.length > 0,
		});
	}
	if (usage) reportUsage(ledger, record, { ...usage, model: model ?? null, id: null, isLong: false });
}

type RequestRecord = EventRecord & { payload: Payload<"Request"> };

interface HeadChange {
	readonly segment: string;
	readonly byte: number;
	readonly tokens: number;
	readonly cause: string;
}

/**
 * How the tools or the system text differ from the session's request before. Each process compares its own requests; this one
 * spans a resume. Null: they are equal, or not known, or nothing was left in the cache to lose.
 */
function headChange(ledger: SessionLedger, { ts, payload }: RequestRecord): HeadChange | null {
	const head = readHead(payload);
	if (!head) return null;
	const before = ledger.head;
	ledger.head = head;
	if (!before || (before.tools === head.tools && before.system === head.system)) return null;
	if (ledger.answer && isCold(ledger.answer, ts)) return null;
	const inTools = before.tools !== head.tools;
	const lost = inTools ? before.tokens : before.tokens - before.toolTokens;
	return {
		segment: inTools ? "tools" : "system",
		byte: inTools ? 0 : head.toolBytes,
		tokens: Math.min(lost, head.tokens),
		cause: `${ownersOf(before, head)} changed ${inTools ? "the tools" : "the system prompt"}`,
	};
}

/** Undefined: the request does not tell its tools. */
function readHead({ segments, head: marks }: Payload<"Request">): Head | undefined {
	const tools = segments.find(({ name }) => name === "tools");
	const system = segments.find(({ name }) => name === "system");
	if (!tools || tools.bytes <= MAX_EMPTY_BYTES) return undefined;
	return {
		tools: tools.sha256,
		system: system?.sha256 ?? "",
		toolBytes: tools.bytes,
		toolTokens: tools.tokens,
		tokens: segments.reduce((sum, { name, tokens }) => (name === "uncached" ? sum : sum + tokens), 0),
		marks,
	};
}

/** An empty list, as JSON. */
const MAX_EMPTY_BYTES = 2;

function ownersOf({ marks: before }: Head, { marks: now }: Head): string {
	if (!before || !now) return "weft or the agent";
	const owners = [...(before.weft === now.weft ? [] : ["weft"]), ...(before.agent === now.agent ? [] : ["the agent"])];
	return owners.join(" and ") || "the agent";
}

function isInHead({ segment }: { readonly segment: string }): boolean {
	return segment === "tools" || segment === "system";
}

/** A recorder's words for any change, where the ledger knows which part of the head it was. */
function isVague(reason: string, known: HeadChange | null): boolean {
	return known !== null && /^the (?:host|agent) changed what it had sent$/.test(reason);
}

function stepAnswer(state: LedgerState, record: EventRecord): void {
	const view = viewMessage(record.payload);
	if (!view.usage || promptOf(toCounts(view.usage)) === 0) return;
	const ledger = ledgerOf(state, record);
	const id = answerId(record);
	const loadsTools = callsOf(view).some(({ tool }) => tool === TOOL_LOADER);
	// One answer may come as several lines, each with the same usage.
	if (id !== null && ledger.answer?.id === id) {
		if (loadsTools) ledger.answer.loadsTools = true;
		return;
	}
	if (!ledger.last?.waiting) ledger.requests++;
	const usage = trueUsage(state.raised, record, view.usage);
	const { cacheWrite, cacheWriteLong = 0 } = usage;
	const isLong = cacheWrite > 0 ? cacheWriteLong > cacheWrite / 2 : (ledger.answer?.isLong ?? false);
	reportUsage(ledger, record, { ...toCounts(usage), model: view.model ?? null, id, isLong });
	if (loadsTools && ledger.answer) ledger.answer.loadsTools = true;
}

/** The program knows what it changed itself: its reason replaces our guess, or names a break that usage did not show. */
function stepHostCache(ledger: SessionLedger, record: EventRecord): void {
	const data = asObject(record.payload["data"]);
	if (ledger.answer && LONG_RETENTIONS.has(data?.["retention"])) ledger.answer.isLong = true;
	const seen = asObject(data?.["observation"]);
	if (seen?.["broke"] !== true) return;
	const changes = asList(seen["changes"]).flatMap((each) => {
		const change = asObject(each);
		return asText(change?.["detail"]) ?? asText(change?.["code"]) ?? [];
	});
	const cause = changes.length > 0 ? `the host says: ${changes.join("; ")}` : "the host saw the cache break";
	const last = ledger.breaks.at(-1);
	if (last && ledger.answer && last.kind === "missed" && last.ts >= ledger.answer.ts) {
		ledger.breaks[ledger.breaks.length - 1] = changes.length > 0 ? { ...last, cause } : last;
		return;
	}
	const lost = (asInteger(seen["previousCacheRead"]) ?? 0) - (asInteger(seen["cacheRead"]) ?? 0);
	const model = ledger.answer?.model ?? null;
	const place = { segment: null, byte: null, tokens: Math.max(0, lost) };
	const pauseMs = ledger.answer ? record.ts - ledger.answer.ts : null;
	const about = { ...aboutRecord(record, model), state: "broken", pauseMs } as const;
	write(ledger, { ...about, kind: "missed", ...place, cause, explained: true });
}

interface Reported extends CacheTokens {
	readonly model: string | null;
	readonly id: string | null;
	readonly isLong: boolean;
}

function reportUsage(ledger: SessionLedger, record: EventRecord, usage: Reported): void {
	const { last, answer: before } = ledger;
	const waited = last?.waiting === true;
	const broken = waited && last.broken;
	if (waited) last.waiting = false;
	ledger.answered++;
	add(ledger.reported, usage);
	if (before && !broken) noteMiss(ledger, before, record, usage, waited);
	ledger.isCompacted = false;
	ledger.answer = {
		id: usage.id,
		ts: record.ts,
		model: usage.model,
		prompt: promptOf(usage),
		// If a provider does not report writes, all of the prompt may be in its cache.
		cached: usage.write > 0 ? usage.read + usage.write : promptOf(usage),
		isLong: usage.isLong,
	};
}

/** The provider has never reported a cached token: every request pays for all of it, and no change costs more. */
function hasNoCache({ answered, reported }: SessionLedger): boolean {
	return answered > 0 && reported.read + reported.write === 0;
}

function noteMiss(
	ledger: SessionLedger,
	before: Answered,
	record: EventRecord,
	usage: Reported,
	compared: boolean,
): void {
	const prompt = promptOf(usage);
	const lost = Math.min(before.cached, prompt) - usage.read;
	if (hasNoCache(ledger) || lost < MIN_CACHED_TOKENS || usage.read >= before.cached * MISS_SHARE) return;
	write(ledger, {
		...aboutRecord(record, usage.model),
		kind: "missed",
		segment: null,
		byte: null,
		tokens: lost,
		...missCause(before, { ts: record.ts, model: usage.model, prompt, isCompacted: ledger.isCompacted }, compared),
		pauseMs: record.ts - before.ts,
		...(usage.isLong && { isLong: true }),
		explained: true,
	});
}

function missCause(
	before: Answered,
	now: Pick<Answered, "ts" | "model" | "prompt"> & { readonly isCompacted: boolean },
	compared: boolean,
): Pick<CacheBreak, "state" | "cause"> {
	if (before.model !== now.model)
		return { state: "model", cause: `another model (${before.model ?? "unknown"} before)` };
	if (now.isCompacted) return { state: "compaction", cause: "the host compacted its history" };
	if (isCold(before, now.ts)) {
		const pause = formatDuration(Math.round((now.ts - before.ts) / 60_000) * 60_000);
		return { state: "cold", cause: `${pause} since the last answer` };
	}
	if (before.loadsTools && !compared) return { state: "broken", cause: `the agent loaded more tools (${TOOL_LOADER})` };
	if (compared) return { state: "lost", cause: "the bytes were the same; the provider did not find them" };
	return now.prompt < before.prompt * MISS_SHARE
		? { state: "compaction", cause: "the host made its history shorter" }
		: { state: "broken", cause: "changed by the host, or lost by the provider" };
}

function isCold({ ts, isLong }: Answered, now: number): boolean {
	return now - ts > (isLong ? LONG_CACHE_TTL_MS : CACHE_TTL_MS);
}

function write(ledger: SessionLedger, entry: CacheBreak): void {
	ledger[entry.kind]++;
	if (!entry.explained) ledger.unexplained++;
	addTo(ledger.lost, entry.model ?? "", entry.tokens);
	ledger.breaks.push(entry);
	if (ledger.breaks.length > MAX_BREAKS) ledger.breaks.shift();
}

function aboutRecord(record: EventRecord, model: string | null): Pick<CacheBreak, "seq" | "session" | "ts" | "model"> {
	return { seq: record.seq, session: record.session, ts: record.ts, model };
}

function ledgerOf({ sessions }: LedgerState, { host, session }: SessionRef): SessionLedger {
	const key = sessionKey({ host, session });
	sessions[key] ??= {
		session,
		requests: 0,
		answered: 0,
		changed: 0,
		missed: 0,
		unexplained: 0,
		predicted: { read: 0, write: 0, input: 0 },
		reported: { read: 0, write: 0, input: 0 },
		lost: {},
		stepSaved: {},
		sealed: null,
		isSealed: false,
		isCompacted: false,
		breaks: [],
		last: null,
		head: null,
		answer: null,
	};
	return sessions[key];
}

/** The provider's id of an answer, where the agent's entry has it. */
function answerId(record: EventRecord): string | null {
	const message = asObject(asObject(record.payload["raw"])?.["message"]);
	return asText(message?.["id"]) ?? asText(message?.["responseId"]) ?? null;
}

function toCounts({ cacheRead, cacheWrite, input }: Usage): CacheTokens {
	return { read: cacheRead, write: cacheWrite, input };
}

function promptOf({ read, write, input }: CacheTokens): number {
	return read + write + input;
}

function addTo(sums: Record<string, number>, model: string, count: number): void {
	sums[model] = (ownValue(sums, model) ?? 0) + count;
}

function add(total: CacheTokens, more: CacheTokens): void {
	total.read += more.read;
	total.write += more.write;
	total.input += more.input;
}
