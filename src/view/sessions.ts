/** All sessions of a project, the last active first: agent, model, requests and cost. */

import { formatCount } from "../base/text/bytes.ts";
import { formatDollars } from "../base/text/number.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatMinute } from "../base/text/time.ts";
import type { PriceList } from "../base/tokens/prices.ts";
import type { Log } from "../log/log.ts";
import { sessionKey } from "../log/session-ref.ts";
import { agentSessions } from "../state/session/find-session.ts";
import type { SessionState } from "../state/session/session-state.ts";
import { readUsage, type UsageRow } from "../state/session/usage-fold.ts";
import { type CostSums, formatCost, sumUsage, unreportedNote } from "./cost.ts";
import { renderRuled, shortSession, type TextStyle } from "./text-style.ts";

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

export interface SessionListOptions {
	/** Dollars that weft saved in a session; undefined: it did not run there. */
	readonly savedIn: (session: SessionState) => number | undefined;
	/** From the settings. */
	readonly prices?: PriceList | undefined;
}

export function viewSessions(log: Log, { savedIn, prices }: SessionListOptions): SessionLine[] {
	const usage = Map.groupBy(
		readUsage(log).map((row) => ({ ...row, prices })),
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
		...(lines.some(({ estimated }) => estimated)
			? ["~ the agent gave no price: input at list prices, output not counted"]
			: []),
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
