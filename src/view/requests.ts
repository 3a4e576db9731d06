/**
 * The requests of a session, one row each: the parts sent, the usage reported, the cost, and the cost of the agent's growing
 * history on the same basis. Without weft, the rows come from the answers. Reading again costs only what is new.
 */

import {
	CACHE_TTL_MS,
	costUnits,
	DEFAULT_WINDOW_TOKENS,
	dollarsOf,
	LONG_CACHE_TTL_MS,
	type PriceList,
	type Prices,
	pricesOf,
} from "../base/tokens/prices.ts";
import { type PricedBreak, priceBreak } from "../context/cache/cache-report.ts";
import { type CacheBreak, ledgerFold, noteCompaction } from "../context/cache/ledger.ts";
import { type CostSums, costOfSession } from "../context/session-cost.ts";
import { pricesOfSession, SessionPrices } from "../context/session-prices.ts";
import { SessionSavings } from "../context/session-savings.ts";
import { type EventRecord, isA, type Payload } from "../log/event/types.ts";
import { handleOf } from "../log/handle.ts";
import { type SessionRef, sessionKey } from "../log/session-ref.ts";
import { answerId } from "../message/outgoing-message.ts";
import { dollarsOfUsage, totalTokens, type Usage } from "../message/usage.ts";
import { viewMessage } from "../message/view.ts";
import type { History } from "../state/history/history.ts";
import { emptyRaised, takeRaised, trueUsage } from "../state/session/raised-usage.ts";
import { countedAnswers } from "../state/session/usage-fold.ts";

export interface RequestRow {
	/** From 1, in the order of the session. */
	readonly n: number;
	/** seq of the Request event, or without weft of the answer. */
	readonly seq: number;
	readonly handle: string;
	readonly ts: number;
	readonly model: string | null;
	/** null: weft did not make it. */
	readonly mode: string | null;
	/** Estimated, by part of the prompt; empty: weft did not make it. */
	readonly segments: readonly { readonly name: string; readonly tokens: number; readonly bytes: number }[];
	/** Estimated; as reported for a request that weft did not make. */
	readonly tokens: number;
	/** By the bytes; null: weft did not make it. */
	readonly predicted: Payload<"Request">["predicted"] | null;
	/** The provider's usage; null: not reported. */
	readonly reported: {
		readonly read: number;
		readonly write: number;
		readonly input: number;
		readonly output: number;
		/** The part of `write` that the provider keeps for an hour. */
		readonly writeLong?: number | undefined;
	} | null;
	/** The agent's price of the request, or else its tokens and its output at list prices; null: nothing was reported. */
	readonly dollars: number | null;
	/** True: no agent computed that price, it is ours. */
	readonly isEstimated: boolean;
	/** No list has the price of its model. */
	readonly isAssumed: boolean;
	/** The predicted prompt at list prices: the same basis as `host.dollars`. */
	readonly estimated: number | null;
	/** The request that the agent alone would have sent. */
	readonly host: { readonly tokens: number; readonly dollars: number } | null;
	/** The first already sent byte that changed; null: none. */
	readonly broke: Payload<"Request">["difference"];
	readonly reasons: readonly string[];
	/** The provider's cache did not hold, with the tokens and the money paid again; null: it held, or nothing was in it. */
	readonly miss: RequestMiss | null;
	/** The agent replaced its history by a summary between the previous request and this one. */
	readonly compaction: HostCompaction | null;
	/** The seal between the previous request and this one. */
	readonly seal: { readonly seq: number; readonly handle: string; readonly why: string } | null;
	readonly answer: { readonly seq: number; readonly handle: string } | null;
}

export type RequestMiss = Pick<
	PricedBreak,
	"state" | "pauseMs" | "tokens" | "dollars" | "cause" | "explained" | "segment" | "byte"
>;

export interface HostCompaction {
	readonly seq: number;
	readonly handle: string;
	/** Of the prompt before it, as reported; null: not known. */
	readonly tokensBefore: number | null;
	/** Of the first prompt after it. */
	readonly tokensAfter: number | null;
}

/** The first and the last request that held a message. */
export interface SentIn {
	readonly first: number;
	last: number;
}

type MutableRequestRow = { -readonly [Key in keyof RequestRow]: RequestRow[Key] };

const TYPES = ["Request", "Seal", "Message", "UsageRaised"];

export class SessionRequests {
	readonly #history: History;
	readonly #session: SessionRef;
	readonly #savings: SessionSavings;
	readonly #listed: PriceList;
	#prices: SessionPrices;
	readonly #rows: MutableRequestRow[] = [];
	readonly #sent = new Map<string, SentIn>();
	#items: readonly { readonly id: string }[] = [];
	#seal: RequestRow["seal"] = null;
	/** The rows by the provider's id of their answer: its lines may come between those of another. */
	readonly #answered = new Map<string, MutableRequestRow>();
	/** The names of each row's answers in the table of usage. */
	readonly #names = new Map<RequestRow, Set<string>>();
	readonly #raised = emptyRaised();
	/** The same fold as `weft cache` has. */
	readonly #ledger = ledgerFold.initial();
	/** Compactions whose next record has not come yet, oldest first. */
	#ahead: number[] = [];
	/** The newest one since the newest request. */
	#compacted: number | undefined;
	#after = 0;

	constructor(history: History, session: SessionRef, listed: PriceList = {}) {
		this.#history = history;
		this.#session = session;
		this.#listed = listed;
		this.#prices = new SessionPrices(listed);
		this.#savings = new SessionSavings(history.log, history.tree, session, (model, at) => this.#prices.of(model, at));
	}

	/** All rows, oldest first. They belong to this object: read them, do not keep them. */
	rows(): readonly RequestRow[] {
		const { log, tree } = this.#history;
		const upTo = log.newestSeq();
		if (upTo === this.#after) return this.#rows;
		tree.catchUp();
		this.#prices = pricesOfSession(log, this.#session, this.#listed);
		this.#savings.dollars(tree.tip(this.#session), DEFAULT_WINDOW_TOKENS);
		const isOwn = (each: SessionRef) => each.session === this.#session.session && each.host === this.#session.host;
		this.#ahead.push(...tree.compactions(this.#after).flatMap((each) => (isOwn(each) ? [each.seq] : [])));
		for (const record of log.read({ ...this.#session, types: TYPES, after: this.#after, upTo })) {
			this.#passCompactions(record.seq);
			this.#add(record, this.#stepLedger(record));
		}
		this.#passCompactions(upTo + 1);
		this.#after = upTo;
		return this.#rows;
	}

	/** Ids of the newest request's messages, in order, the cached ones first. */
	newestItems(): readonly string[] {
		this.rows();
		return this.#items.map(({ id }) => id);
	}

	/** `id`: the agent's id of a message. */
	sentIn(id: string): SentIn | undefined {
		this.rows();
		return this.#sent.get(id);
	}

	/** How long the provider keeps a request of this session, in ms, as the newest report of a write has it. */
	cacheLifetime(): number {
		const newest = this.rows().findLast(({ reported }) => reported !== null && reported.write > 0)?.reported;
		return newest && (newest.writeLong ?? 0) > newest.write / 2 ? LONG_CACHE_TTL_MS : CACHE_TTL_MS;
	}

	/** The session's cost, as every view and command shows it. */
	cost(): CostSums {
		return costOfSession(this.#history.log, this.#session, this.#listed);
	}

	/** The rows that `cost` counts: those of answers that a fork copied count where they came first. */
	countedRows(): readonly RequestRow[] {
		const counted = countedAnswers(this.#history.log, this.#session);
		return this.rows().filter((row) => [...(this.#names.get(row) ?? [])].some((name) => counted.has(name)));
	}

	/** The prices of a model at a moment, as the agent's own answers or the lists have them. */
	pricesAt(model: string | null, at: number): Prices {
		this.rows();
		return this.#prices.of(model ?? undefined, at);
	}

	/** Dollars saved against the agent alone; undefined: weft made no request. */
	saved(): number | undefined {
		const made = this.rows().flatMap(({ host, mode, estimated }) =>
			host !== null && mode !== "host" ? [[host.dollars, estimated ?? 0] as const] : [],
		);
		return made.length === 0 ? undefined : made.reduce((sum, [alone, estimated]) => sum + alone - estimated, 0);
	}

	/** The break that a record shows. */
	#stepLedger(record: EventRecord): CacheBreak | undefined {
		ledgerFold.step(this.#ledger, record);
		const newest = this.#ledger.sessions[sessionKey(this.#session)]?.breaks.at(-1);
		return newest?.seq === record.seq ? newest : undefined;
	}

	#add(record: EventRecord, broke: CacheBreak | undefined): void {
		if (isA(record, "Seal")) {
			this.#seal = { seq: record.seq, handle: handleOf(record), why: record.payload.why };
		} else if (isA(record, "UsageRaised")) takeRaised(this.#raised, record);
		else if (isA(record, "Request")) {
			this.#made(record, record.payload);
			this.#noteMiss(this.#rows.at(-1), broke);
		} else if (isA(record, "Message") && record.payload.role === "assistant") {
			this.#noteMiss(this.#takeAnswer(record), broke);
		}
	}

	#noteMiss(row: MutableRequestRow | undefined, broke: CacheBreak | undefined): void {
		if (!row || !broke) return;
		const { state, pauseMs, tokens, cause, explained, segment, byte, ts, model } = broke;
		const { dollars } = priceBreak(tokens, this.#prices.of(model ?? undefined, ts), broke);
		row.miss = { state, pauseMs, tokens, dollars, cause, explained, segment, byte };
	}

	#made(record: EventRecord, payload: Payload<"Request">): void {
		const { segments, kept, items, model, mode, predicted, difference, reasons } = payload;
		const prices = this.#prices.of(model, record.ts);
		const tokens = segments.reduce((sum, segment) => sum + segment.tokens, 0);
		const estimated = dollarsOf(costUnits(predicted, prices), prices);
		const step = this.#savings.step(record.seq);
		const fixed = segments.reduce((sum, { name, tokens }) => sum + (MESSAGES.has(name) ? 0 : tokens), 0);
		this.#rows.push({
			...this.#head(record),
			model: model ?? null,
			mode: mode ?? null,
			segments: segments.map(({ name, tokens, bytes }) => ({ name, tokens, bytes })),
			tokens,
			predicted,
			reported: null,
			dollars: null,
			isEstimated: false,
			isAssumed: false,
			estimated,
			host: step ? { tokens: step.whole + fixed, dollars: estimated + step.dollars } : null,
			broke: difference,
			reasons,
			answer: null,
		});
		this.#items = [...this.#items.slice(0, kept), ...items];
		for (const { id } of this.#items) {
			const known = this.#sent.get(id);
			if (known) known.last = this.#rows.length;
			else this.#sent.set(id, { first: this.#rows.length, last: this.#rows.length });
		}
	}

	#takeAnswer(record: EventRecord): MutableRequestRow | undefined {
		const { model, usage } = viewMessage(record.payload);
		if (model === "<synthetic>") return undefined;
		const id = answerId(record.payload);
		const last = this.#rows.at(-1);
		const waiting = last?.answer === null ? last : undefined;
		const row = (id === undefined ? undefined : this.#answered.get(id)) ?? waiting ?? this.#unmade(record, model);
		if (id !== undefined) this.#answered.set(id, row);
		const names = this.#names.get(row) ?? new Set();
		this.#names.set(row, names.add(id ?? `#${record.seq}`));
		row.answer ??= { seq: record.seq, handle: handleOf(record) };
		if (usage) this.#report(row, record.ts, model, trueUsage(this.#raised, record, usage));
		return row;
	}

	#unmade(record: EventRecord, model: string | undefined): MutableRequestRow {
		const none = { segments: [], tokens: 0, predicted: null, estimated: null, host: null, broke: null, reasons: [] };
		const row = {
			...this.#head(record),
			...none,
			model: model ?? null,
			mode: null,
			reported: null,
			dollars: null,
			isEstimated: false,
			isAssumed: false,
			answer: null,
		};
		this.#rows.push(row);
		return row;
	}

	#head({
		seq,
		ts,
		...named
	}: EventRecord): Pick<RequestRow, "n" | "seq" | "ts" | "handle" | "seal" | "miss" | "compaction"> {
		const seal = this.#seal;
		this.#seal = null;
		const compaction = this.#takeCompaction(seal);
		return { n: this.#rows.length + 1, seq, ts, handle: handleOf(named), seal, miss: null, compaction };
	}

	#passCompactions(before: number): void {
		for (let next = this.#ahead[0]; next !== undefined && next < before; next = this.#ahead[0]) {
			this.#compacted = next;
			this.#ahead.shift();
			noteCompaction(this.#ledger, this.#session);
		}
	}

	/** In Pi a seal is a compaction, too: that one is ours. */
	#takeCompaction(seal: RequestRow["seal"]): RequestRow["compaction"] {
		const seq = this.#compacted;
		this.#compacted = undefined;
		if (seq === undefined || seal) return null;
		const handle = this.#history.log.handleAt(seq) ?? "";
		return { seq, handle, tokensBefore: this.#rows.at(-1)?.tokens || null, tokensAfter: null };
	}

	#report(row: MutableRequestRow, ts: number, model: string | undefined, usage: Usage): void {
		const { input, output, cacheRead: read, cacheWrite: write } = usage;
		if (totalTokens(usage) === 0) return;
		const writeLong = usage.cacheWriteLong ?? 0;
		row.reported = { read, write, input, output, ...(writeLong > 0 && { writeLong }) };
		// As in the sums: an agent's own price, or else the list's on that day.
		const prices = pricesOf(model, { listed: this.#listed, at: ts });
		row.dollars = dollarsOfUsage(usage, prices);
		row.isEstimated = usage.cost === undefined;
		row.isAssumed = row.isEstimated && prices.assumed === true;
		if (row.mode === null) row.tokens = read + write + input;
		if (row.compaction) row.compaction = { ...row.compaction, tokensAfter: row.tokens };
	}
}

/** Segments that the agent's own history has in another form. */
const MESSAGES: ReadonlySet<string> = new Set(["seed", "tail", "uncached"]);
