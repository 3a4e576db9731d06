/** All sessions of a project, the last active first: agent, model, requests and cost. */
import type { PriceList } from "../base/tokens/prices.ts";
import { type CostSums, NO_COST, sumUsage } from "../context/session-cost.ts";
import type { Log } from "../log/log.ts";
import { type SessionRef, sessionKey } from "../log/session-ref.ts";
import { agentSessions } from "../state/session/find-session.ts";
import type { SessionState } from "../state/session/session-state.ts";
import { readUsage, type UsageRow } from "../state/session/usage-fold.ts";
import { type CostView, viewCost } from "./cost.ts";
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
	const usage = Map.groupBy(
		readUsage(log, { prices }).map((row) => ({ ...row, prices })),
		sessionKey,
	);
	return agentSessions(log).map((row) => {
		const used = usage.get(sessionKey(row)) ?? [];
		return {
			session: row.session,
			agent: row.host,
			model: mainModel(used),
			first: row.first_ts,
			last: row.last_ts,
			messages: row.messages,
			title: row.title,
			...sumUsage(used),
			saved: savedIn(row) ?? null,
		};
	});
}

function mainModel(rows: readonly UsageRow[]): string | null {
	const counts = new Map<string, number>();
	for (const { model, requests } of rows) {
		if (model !== "") counts.set(model, (counts.get(model) ?? 0) + requests);
	}
	return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? null;
}

interface ProjectSessions {
	readonly project: string;
	readonly name: string;
	readonly log: Log;
	/** Dollars that weft saved in a session; called only for the shown ones. */
	readonly saved: (session: SessionRef) => number | undefined;
	/** From the settings. */
	readonly prices?: PriceList | undefined;
}

export interface ListedSession extends SessionLine {
	readonly project: string;
	readonly projectName: string;
}

export interface SessionPage {
	readonly sessions: readonly ListedSession[];
	readonly count: number;
	readonly projects: number;
	readonly offset: number;
	readonly total: CostSums;
	/** Of the sessions shown. */
	readonly saved: number | null;
	readonly days: CostView["rows"];
}

interface SessionPageOptions {
	readonly order: SessionOrder;
	readonly offset: number;
	readonly limit: number;
	/** Text to find in the title, agent, model or id. */
	readonly text?: string | undefined;
}

/** The newest, or the largest, first. */
export const ORDERS: Readonly<Record<SessionOrder, (one: SessionLine, other: SessionLine) => number>> = {
	last: (one, other) => other.last - one.last,
	cost: (one, other) => other.dollars - one.dollars || other.last - one.last,
	requests: (one, other) => other.requests - one.requests || other.last - one.last,
	agent: (one, other) => (one.agent < other.agent ? -1 : one.agent > other.agent ? 1 : other.last - one.last),
};

/** A page of sessions of one or more projects, in the requested order, with their total cost. */
export function viewSessionPage(sources: readonly ProjectSessions[], options: SessionPageOptions): SessionPage {
	const { order, offset, limit, text } = options;
	const wanted = text?.toLowerCase();
	const all = sources
		.flatMap(({ project, name, log, prices }) =>
			viewSessions(log, { savedIn: () => undefined, prices }).map((line) => ({ ...line, project, projectName: name })),
		)
		.filter(
			({ title, agent, model, session }) =>
				wanted === undefined || [title, agent, model, session].some((field) => field?.toLowerCase().includes(wanted)),
		)
		.sort(ORDERS[order]);
	const bySource = new Map(sources.map((source) => [source.project, source]));
	const sessions = all.slice(offset, offset + limit).map((line) => ({
		...line,
		saved: bySource.get(line.project)?.saved({ session: line.session, host: line.agent }) ?? null,
	}));
	const costs = sources.map(({ log, prices }) => viewCost(log, { by: "day" }, prices));
	const savings = sessions.flatMap(({ saved }) => saved ?? []);
	return {
		sessions,
		count: all.length,
		projects: new Set(all.map(({ project }) => project)).size,
		offset,
		total: costs.map(({ total }) => total).reduce(addSums, NO_COST),
		saved: savings.length === 0 ? null : savings.reduce((sum, each) => sum + each, 0),
		days: joinDays(costs),
	};
}

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

function joinDays(costs: readonly CostView[]): CostView["rows"] {
	const days = Map.groupBy(
		costs.flatMap(({ rows }) => rows),
		({ name }) => name,
	);
	return [...days]
		.map(([name, rows]) => ({ name, ...rows.reduce<CostSums>(addSums, NO_COST) }))
		.sort((one, other) => (one.name < other.name ? -1 : 1));
}
