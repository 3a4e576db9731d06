/**
 * The facts that providers report and that decisions about the next request need: real tokens per estimated token, for
 * each agent and model; the size of the system prompt and the tools; the lifetime of the cache; prices. A fold over
 * recorded usage, so a live session, a look at the past and replay know the same at the same event.
 */

import { asList, asNumber, asObject } from "../../base/json/read.ts";
import { estimateTokens } from "../../base/tokens/estimate.ts";
import {
	CACHE_TTL_MS,
	type ListedPrices,
	LONG_CACHE_TTL_MS,
	listedBy,
	type PriceList,
	type Prices,
	pricesFromList,
	pricesOf,
} from "../../base/tokens/prices.ts";
import type { EventRecord } from "../../log/event/types.ts";
import { emptyRecent, getRecent, putRecent, type Recent } from "../../log/fold/keyed.ts";
import type { StateFold } from "../../log/fold/state-fold.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { promptTokens, type Usage } from "../../message/usage.ts";
import { viewMessage } from "../../message/view.ts";
import { weighMessage } from "../../message/weight.ts";
import { emptyRaised, type RaisedUsage, takeRaised, trueUsage } from "../../state/session/raised-usage.ts";
import { readTransform } from "../patch/transform.ts";
import { AUTO_SEAL_CAUSES, type AutoSealCause } from "../seal/policy.ts";
import { recalledAfter } from "../session-patches.ts";

export interface ReportedState {
	/** By agent: its cache keeps a request for an hour. */
	longCache: Recent<boolean>;
	/** By agent and model: real tokens and our estimate of them, the newest weighing most. */
	counts: Recent<{ real: number; estimate: number }>;
	/** By agent and model, where the agent computes the cost of an answer. */
	prices: Recent<Partial<ListedPrices>>;
	/** By agent and session. */
	sessions: Recent<SessionUsage>;
	/** Usage that the proxy added to it. */
	raised: RaisedUsage;
}

interface SessionUsage {
	/** Model of the newest answer. */
	model: string;
	/** Real tokens of the system prompt and the tools; null: not known yet. */
	fixed: number | null;
	/** Our estimate of all messages so far, including those that have left. */
	messages: number;
	/** The newest reported prompt, and our estimate at that time. */
	last: { prompt: number; messages: number } | null;
	/** The newest reported prompt, and `messages` then. */
	filled?: { prompt: number; messages: number } | undefined;
	/** As the newest request said. */
	autoSeal?: AutoSealCause | undefined;
	/** Our estimate of a request that is not answered yet. */
	asked?: { fixed: number; messages: number } | undefined;
}

const KEPT_HOSTS = 16;
const KEPT_MODELS = 64;
const KEPT_SESSIONS = 64;
/** The weight of earlier answers when a new one arrives. */
const MEMORY = 0.9;
/** Less than this says nothing about a tokenizer. */
const MIN_ESTIMATE_TOKENS = 2_000;
/** No system prompt is larger: the session's beginning must be missing. */
const MAX_FIXED_TOKENS = 60_000;

export const reportedFold: StateFold<ReportedState> = {
	name: "reported",
	version: 6,
	initial: () => ({
		longCache: emptyRecent(),
		counts: emptyRecent(),
		prices: emptyRecent(),
		sessions: emptyRecent(),
		raised: emptyRaised(),
	}),
	step(state, record) {
		if (record.type === "Request") takeRequest(state, record);
		else if (record.type === "Message") takeMessage(state, record);
		else if (record.type === "Transform") takeRecalled(state, record);
		else takeRaised(state.raised, record);
	},
};

/** How long the provider keeps a request of this agent, in ms. */
export function cacheLifetime(state: ReportedState, host: string): number {
	return getRecent(state.longCache, host) ? LONG_CACHE_TTL_MS : CACHE_TTL_MS;
}

/** A session whose tokens are counted. `model`: of the next request; by default that of the session's last answer. */
export interface CountedSession {
	readonly session: string;
	readonly host: string;
	readonly model?: string | undefined;
}

/** Real tokens per estimated token; 1 where it is not known. */
export function tokensPerEstimate(state: ReportedState, { session, host, model }: CountedSession): number {
	const used = model ?? getRecent(state.sessions, keyOf(host, session))?.model ?? "";
	const count = getRecent(state.counts, keyOf(host, used));
	if (!count || count.estimate < MIN_ESTIMATE_TOKENS) return 1;
	return Math.round((count.real / count.estimate) * 100) / 100;
}

/** Real tokens of the system prompt and the tools; 0 where they are not known. */
export function fixedTokens(state: ReportedState, { session, host }: CountedSession): number {
	return Math.round(getRecent(state.sessions, keyOf(host, session))?.fixed ?? 0);
}

/** Real tokens of the newest prompt and of all messages since; undefined: no answer has reported a prompt. */
export function filledTokens(state: ReportedState, counted: CountedSession): number | undefined {
	const used = getRecent(state.sessions, keyOf(counted.host, counted.session));
	if (!used?.filled) return undefined;
	const since = Math.max(0, used.messages - used.filled.messages);
	return used.filled.prompt + Math.round(since * tokensPerEstimate(state, counted));
}

/** The model that answered last in a session; undefined: none did yet. */
export function lastModel(state: ReportedState, { session, host }: SessionRef): string | undefined {
	return getRecent(state.sessions, keyOf(host, session))?.model || undefined;
}

/** What decides a session's policy of seals, as its newest request said. */
export function reportedAutoSeal(state: ReportedState, { session, host }: SessionRef): AutoSealCause | undefined {
	return getRecent(state.sessions, keyOf(host, session))?.autoSeal;
}

/**
 * The prices of a model: the agent's own price list as far as its answers show it, else the settings and our table as of
 * `at`.
 */
export function knownPrices(
	state: ReportedState,
	host: string,
	model: string | undefined,
	listed: PriceList = {},
	at?: number,
): Prices {
	return reportedPrices(state, host, model, at) ?? pricesOf(model, { listed, at });
}

/** The agent's own price list for a model, as far as its answers show it. */
export function reportedPrices(
	state: ReportedState,
	host: string,
	model: string | undefined,
	at?: number,
): Prices | undefined {
	const listed = model === undefined ? undefined : getRecent(state.prices, keyOf(host, model));
	if (listed?.input === undefined) return undefined;
	return pricesFromList({ ...listed, input: listed.input }, pricesOf(model, { at }));
}

/** Our own record of a request, with the system prompt and the tools where we know them. Its answer follows. */
function takeRequest(state: ReportedState, { host, session, payload }: EventRecord): void {
	// The agent's own bytes, with texts that the path of messages does not have.
	if (payload["mode"] === "host") return;
	let [fixed, messages] = [0, 0];
	for (const segment of asList(payload["segments"])) {
		const { name, tokens } = asObject(segment) ?? {};
		const isFixed = name === "tools" || name === "system" || name === "options";
		if (isFixed) fixed += asNumber(tokens) ?? 0;
		else messages += asNumber(tokens) ?? 0;
	}
	const { autoSeal: _before, ...known } = sessionOf(state, host, session);
	const autoSeal = AUTO_SEAL_CAUSES.find((cause) => cause === payload["autoSeal"]);
	putSession(state, host, session, { ...known, ...(autoSeal && { autoSeal }), asked: { fixed, messages } });
}

function takeMessage(state: ReportedState, record: EventRecord): void {
	const { host, session, payload } = record;
	const told = viewMessage(payload);
	const view = told.usage ? { ...told, usage: trueUsage(state.raised, record, told.usage) } : told;
	const known = sessionOf(state, host, session);
	const usage = view.role === "assistant" ? view.usage : undefined;
	const learnt = usage && promptTokens(usage) > 0 ? learn(state, known, usage, view.model ?? "", host) : known;
	// A recorded system prompt is no message of a path.
	const weight = view.role === "system" ? 0 : weighMessage(view);
	putSession(state, host, session, { ...learnt, messages: learnt.messages + weight });
}

/** Recalled text as a message of its own is in the next prompt, and no Message event has it. */
function takeRecalled(state: ReportedState, { host, session, payload }: EventRecord): void {
	const recalled = recalledAfter(readTransform(payload));
	if (!recalled) return;
	const known = sessionOf(state, host, session);
	putSession(state, host, session, { ...known, messages: known.messages + estimateTokens(recalled.text) });
}

function learn(state: ReportedState, known: SessionUsage, usage: Usage, model: string, host: string): SessionUsage {
	const prompt = promptTokens(usage);
	const { cacheWrite, cacheWriteLong = 0 } = usage;
	if (cacheWrite > 0) putRecent(state.longCache, host, cacheWriteLong > cacheWrite / 2, KEPT_HOSTS);
	const key = keyOf(host, model);
	if (usage.costs) putRecent(state.prices, key, { ...getRecent(state.prices, key), ...listedBy(usage) }, KEPT_MODELS);
	const { asked, ...rest } = known;
	const answered = { ...rest, filled: { prompt, messages: known.messages } };
	if (asked && asked.fixed > 0) {
		const estimate = asked.fixed + asked.messages;
		count(state, key, prompt, estimate);
		return { ...answered, model, fixed: (prompt * asked.fixed) / estimate, last: null };
	}
	// Without the system prompt and the tools, the growth between two prompts shows the ratio, whatever both began with.
	const { last } = answered;
	const messages = asked && asked.messages > 0 ? asked.messages : known.messages;
	const isFurther = last !== null && prompt > last.prompt && messages > last.messages;
	if (isFurther) count(state, key, prompt - last.prompt, messages - last.messages);
	const left = prompt - messages;
	const fixed = known.fixed ?? (left >= 0 && left <= MAX_FIXED_TOKENS ? left : 0);
	const isSameAnswer = last?.prompt === prompt;
	return { ...answered, model, fixed, last: isSameAnswer ? last : { prompt, messages } };
}

function count(state: ReportedState, key: string, real: number, estimate: number): void {
	const known = getRecent(state.counts, key) ?? { real: 0, estimate: 0 };
	const sums = { real: known.real * MEMORY + real, estimate: known.estimate * MEMORY + estimate };
	putRecent(state.counts, key, sums, KEPT_MODELS);
}

function sessionOf(state: ReportedState, host: string, session: string): SessionUsage {
	return getRecent(state.sessions, keyOf(host, session)) ?? { model: "", fixed: null, messages: 0, last: null };
}

function putSession(state: ReportedState, host: string, session: string, usage: SessionUsage): void {
	putRecent(state.sessions, keyOf(host, session), usage, KEPT_SESSIONS);
}

function keyOf(host: string, name: string): string {
	return `${host} ${name}`;
}
