/**
 * The inspector's page Sessions: a page of the sessions that pass the filters, with their totals and days, and facets: which
 * agents, models, projects and days there are, and how many sessions each would leave.
 */
import { formatDay } from "../base/text/time.ts";
import type { PriceList } from "../base/tokens/prices.ts";
import { type CostSums, NO_COST, type PricedUsage, sumUsage } from "../context/session-cost.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../log/session-ref.ts";
import type { SessionState } from "../state/session/session-state.ts";
import { isInDays } from "./day-span.ts";
import type { SessionOrder } from "./session-orders.ts";
import { addSums, lineOf, ORDERS, type SessionLine, sessionsWithUsage } from "./sessions.ts";

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

export const FACETS = ["agent", "model", "project", "day"] as const;
export type FacetName = (typeof FACETS)[number];

export interface FacetValue {
	/** As it is in the address. */
	readonly value: string;
	readonly name: string;
	readonly sessions: number;
	readonly dollars: number;
	readonly estimated: boolean;
	readonly assumed: boolean;
}

export interface SessionPage {
	readonly sessions: readonly ListedSession[];
	readonly count: number;
	readonly projects: number;
	readonly offset: number;
	/** Of all sessions that pass the filters, shown or not. */
	readonly total: CostSums;
	/** Of the sessions shown. */
	readonly saved: number | null;
	/** A price in it is a guess. */
	readonly isSavedAssumed: boolean;
	/** The days of those sessions, oldest first; a day that is chosen does not hide the others. */
	readonly days: readonly (CostSums & { readonly name: string })[];
	/** Each counted as if only the other filters were set; the largest first. */
	readonly facets: Readonly<Record<Exclude<FacetName, "day">, readonly FacetValue[]>>;
	/** The inspector's token opens no other project. */
	readonly isOneProject?: boolean | undefined;
}

/** `day` may be a span of days. */
type Filters = Readonly<Partial<Record<FacetName | "text", string | undefined>>>;

interface SessionPageOptions extends Filters {
	readonly order: SessionOrder;
	readonly offset: number;
	readonly limit: number;
}

const HOUR_MS = 3_600_000;

interface SourcedSession {
	readonly source: ProjectSessions;
	readonly state: SessionState;
	readonly usage: readonly (PricedUsage & { readonly day: string })[];
}

export function viewSessionPage(sources: readonly ProjectSessions[], options: SessionPageOptions): SessionPage {
	const { order, offset, limit, ...filters } = options;
	const all = sources.flatMap((source) =>
		sessionsWithUsage(source.log, source.prices).map(
			({ state, usage }): SourcedSession => ({
				source,
				state,
				usage: usage.map((row) => ({ ...row, day: formatDay(row.hour * HOUR_MS) })),
			}),
		),
	);
	const found = filter(all, filters);
	const lines = found
		.map(({ source, state, usage }) => ({
			...lineOf(state, usage, undefined),
			project: source.project,
			projectName: source.name,
			source,
		}))
		.sort(ORDERS[order]);
	const sessions = lines.slice(offset, offset + limit).map(({ source, ...line }) => ({
		...line,
		saved: source.saved({ session: line.session, host: line.agent }) ?? null,
	}));
	const savings = sessions.flatMap(({ saved, assumed }) => (saved === null ? [] : [{ saved, assumed }]));
	const facet = (name: Exclude<FacetName, "day">, valuesOf: (session: SourcedSession) => readonly FacetPart[]) =>
		countFacet(filter(all, { ...filters, [name]: undefined }), valuesOf);
	const ofSession = (value: string, name: string, { usage }: SourcedSession) => [{ value, name, usage }];
	return {
		sessions,
		count: lines.length,
		projects: new Set(lines.map(({ project }) => project)).size,
		offset,
		total: lines.reduce<CostSums>((sum, line) => addSums(sum, line), NO_COST),
		saved: savings.length === 0 ? null : savings.reduce((sum, { saved }) => sum + saved, 0),
		isSavedAssumed: savings.some(({ assumed }) => assumed),
		days: daysOf(filter(all, { ...filters, day: undefined })),
		facets: {
			agent: facet("agent", (each) => ofSession(each.state.host, each.state.host, each)),
			model: facet("model", ({ usage }) =>
				[...Map.groupBy(usage, ({ model }) => model)].map(([model, own]) => ({
					value: model,
					name: model.replace(/^.*\//, ""),
					usage: own,
				})),
			),
			project: facet("project", (each) => ofSession(each.source.project, each.source.name, each)),
		},
	};
}

/** A model or a day leaves only the calls that it made. */
function filter(sessions: readonly SourcedSession[], filters: Filters): SourcedSession[] {
	const { agent, model, project, day, text } = filters;
	const wanted = text?.toLowerCase();
	const isOf = ({ source, state, usage }: SourcedSession) =>
		(agent === undefined || state.host === agent) &&
		(project === undefined || source.project === project) &&
		(wanted === undefined ||
			[state.title, state.host, state.session, ...usage.map((row) => row.model)].some((field) =>
				field?.toLowerCase().includes(wanted),
			));
	const counts = (row: SourcedSession["usage"][number]) =>
		(model === undefined || row.model === model) && (day === undefined || isInDays(row.day, day));
	return sessions.filter(isOf).flatMap((session) => {
		if (model === undefined && day === undefined) return [session];
		const usage = session.usage.filter(counts);
		return usage.length === 0 ? [] : [{ ...session, usage }];
	});
}

interface FacetPart {
	readonly value: string;
	readonly name: string;
	readonly usage: readonly PricedUsage[];
}

function countFacet(
	sessions: readonly SourcedSession[],
	partsOf: (session: SourcedSession) => readonly FacetPart[],
): FacetValue[] {
	const groups = Map.groupBy(
		sessions.flatMap((session) => partsOf(session)).filter(({ value }) => value !== ""),
		({ value }) => value,
	);
	return [...groups]
		.map(([value, parts]) => {
			const { dollars, estimated, assumed } = sumUsage(parts.flatMap(({ usage }) => usage));
			return { value, name: parts[0]?.name ?? value, sessions: parts.length, dollars, estimated, assumed };
		})
		.sort((one, other) => other.sessions - one.sessions || (one.value < other.value ? -1 : 1));
}

function daysOf(sessions: readonly SourcedSession[]): SessionPage["days"] {
	const days = Map.groupBy(
		sessions.flatMap(({ usage }) => usage).filter(({ requests }) => requests > 0),
		({ day }) => day,
	);
	return [...days]
		.map(([name, rows]) => ({ name, ...sumUsage(rows) }))
		.sort((one, other) => (one.name < other.name ? -1 : 1));
}
