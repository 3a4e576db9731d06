/** All sessions of a project, the last active first: agent, model, requests and cost. */
import type { PriceList } from "../base/tokens/prices.ts";
import { type CostSums, type PricedUsage, sumUsage } from "../context/session-cost.ts";
import type { Log } from "../log/log.ts";
import { sessionKey } from "../log/session-ref.ts";
import { agentSessions } from "../state/session/find-session.ts";
import type { SessionState } from "../state/session/session-state.ts";
import { readUsage, type UsageRow } from "../state/session/usage-fold.ts";
import type { SessionOrder } from "./session-orders.ts";

/** The JSON of `weft sessions` for each. */
export interface SessionLine extends CostSums {
	readonly session: string;
	readonly agent: string;
	/** The project's folder, where sessions of several projects are listed. */
	readonly project?: string | undefined;
	/** The model that answered most often; null: unknown. */
	readonly model: string | null;
	readonly first: number;
	readonly last: number;
	readonly messages: number;
	readonly title: string | null;
	/** Dollars saved against sending the agent's whole history; null: weft did not run. */
	readonly saved: number | null;
}

interface SessionListOptions {
	/** Dollars that weft saved in a session; undefined: it did not run there. */
	readonly savedIn: (session: SessionState) => number | undefined;
	/** From the settings. */
	readonly prices?: PriceList | undefined;
}

export function viewSessions(log: Log, { savedIn, prices }: SessionListOptions): SessionLine[] {
	return sessionsWithUsage(log, prices).map(({ state, usage }) => lineOf(state, usage, savedIn(state)));
}

/** Each session and its model calls, the last active first. */
export function sessionsWithUsage(
	log: Log,
	prices: PriceList | undefined,
): { readonly state: SessionState; readonly usage: readonly PricedUsage[] }[] {
	const usage = Map.groupBy(
		readUsage(log, { prices }).map((row) => ({ ...row, prices })),
		sessionKey,
	);
	return agentSessions(log).map((state) => ({ state, usage: usage.get(sessionKey(state)) ?? [] }));
}

/** `usage`: the calls that count. */
export function lineOf(state: SessionState, usage: readonly PricedUsage[], saved: number | undefined): SessionLine {
	return {
		session: state.session,
		agent: state.host,
		model: mainModel(usage),
		first: state.first_ts,
		last: state.last_ts,
		messages: state.messages,
		title: state.title,
		...sumUsage(usage),
		saved: saved ?? null,
	};
}

function mainModel(rows: readonly UsageRow[]): string | null {
	const counts = new Map<string, number>();
	for (const { model, requests } of rows) {
		if (model !== "") counts.set(model, (counts.get(model) ?? 0) + requests);
	}
	return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? null;
}

/** The newest, or the largest, first. */
export const ORDERS: Readonly<Record<SessionOrder, (one: SessionLine, other: SessionLine) => number>> = {
	last: (one, other) => other.last - one.last,
	cost: (one, other) => other.dollars - one.dollars || other.last - one.last,
	requests: (one, other) => other.requests - one.requests || other.last - one.last,
	agent: (one, other) => (one.agent < other.agent ? -1 : one.agent > other.agent ? 1 : other.last - one.last),
};

export function addSums(one: CostSums, other: CostSums): CostSums {
	return {
		requests: one.requests + other.requests,
		unreported: one.unreported + other.unreported,
		input: one.input + other.input,
		cacheRead: one.cacheRead + other.cacheRead,
		cacheWrite: one.cacheWrite + other.cacheWrite,
		output: one.output + other.output,
		reasoning: one.reasoning + other.reasoning,
		raised: one.raised + other.raised,
		dollars: one.dollars + other.dollars,
		estimated: one.estimated || other.estimated,
		assumed: one.assumed || other.assumed,
	};
}
