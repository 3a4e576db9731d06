/** All sessions of a project, the last active first: agent, model, requests and cost. */
import { formatCount, formatDollars } from "../base/text/bytes.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatMinute } from "../base/text/time.ts";
import type { PriceList } from "../base/tokens/prices.ts";
import { type CostSums, NO_COST, sumUsage } from "../context/session-cost.ts";
import type { Log } from "../log/log.ts";
import { type SessionRef, sessionKey } from "../log/session-ref.ts";
import { agentSessions } from "../state/session/find-session.ts";
import type { SessionState } from "../state/session/session-state.ts";
import { readUsage, type UsageRow } from "../state/session/usage-fold.ts";
import { ASSUMED_NOTE, type CostView, ESTIMATED_NOTE, formatCost, unreportedNote, viewCost } from "./cost.ts";
import { shortSession } from "./short-session.ts";
import { renderRuled, type TextStyle } from "./text-style.ts";

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

export function renderSessions(lines: readonly SessionLine[], style: TextStyle): string[] {
	if (lines.length === 0) return ["The log has no session yet. 'weft import FILE' imports one."];
	const hasProject = lines.some(({ project }) => project !== undefined);
	const hasSaved = lines.some(({ saved }) => saved !== null);
	const columns = [
		{ title: "session" },
		{ title: "last active" },
		{ title: "agent" },
		...(hasProject ? ([{ title: "project", shrink: true }] as const) : []),
		{ title: "model", shrink: true },
		{ title: "requests", align: "right" },
		{ title: "cost", align: "right" },
		...(hasSaved ? ([{ title: "saved", align: "right" }] as const) : []),
	] as const;
	const projects = shortPaths(lines.map(({ project }) => project ?? ""));
	const rows = lines.map((line) => [
		oneLine(shortSession(line.session)),
		formatMinute(line.last),
		oneLine(line.agent),
		...(hasProject ? [oneLine(projects.get(line.project ?? "") ?? "")] : []),
		oneLine(shortModel(line.model)),
		formatCount(line.requests),
		line.requests === 0 ? "–" : formatCost(line),
		...(hasSaved ? [line.saved === null ? "–" : formatDollars(line.saved)] : []),
	]);
	const table = renderRuled(style, columns, rows);
	const unreported = lines.reduce((sum, line) => sum + line.unreported, 0);
	const notes = [
		...(lines.some(({ estimated }) => estimated) ? [ESTIMATED_NOTE] : []),
		...(lines.some(({ assumed }) => assumed) ? [ASSUMED_NOTE] : []),
		...unreportedNote({ unreported }),
	];
	return notes.length === 0 ? table : [...table, "", ...notes.map((note) => style.paint("dim", note))];
}

/** The last part of each path, with as many parts before it as make it unique. */
function shortPaths(paths: readonly string[]): Map<string, string> {
	const all = [...new Set(paths)].map((path) => ({ path, parts: path.split(/[/\\]/) }));
	const end = (parts: readonly string[], count: number) => parts.slice(-count).join("/");
	const isShared = (path: string, name: string, count: number) =>
		all.some((other) => other.path !== path && end(other.parts, count) === name);
	return new Map(
		all.map(({ path, parts }) => {
			let count = 1;
			while (count < parts.length && isShared(path, end(parts, count), count)) count++;
			return [path, end(parts, count)];
		}),
	);
}

/** The model without its provider, its maker's name and its release date. */
function shortModel(model: string | null): string {
	return model === null
		? "–"
		: model
				.replace(/^.*\//, "")
				.replace(/^claude-/, "")
				.replace(/-20\d{6}$/, "");
}

function mainModel(rows: readonly UsageRow[]): string | null {
	const counts = new Map<string, number>();
	for (const { model, requests } of rows) {
		if (model !== "") counts.set(model, (counts.get(model) ?? 0) + requests);
	}
	return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? null;
}

export const SESSION_ORDERS = ["last", "cost", "requests", "agent"] as const;
export type SessionOrder = (typeof SESSION_ORDERS)[number];

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

const ORDERS: Readonly<Record<SessionOrder, (one: ListedSession, other: ListedSession) => number>> = {
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

function addSums(one: CostSums, other: CostSums): CostSums {
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
