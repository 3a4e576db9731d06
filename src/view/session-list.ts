/** `weft sessions` as text: titles first, sub-agents under the session they work for, a total below. */
import { formatCount, plural } from "../base/text/bytes.ts";
import { cutToWidth } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatDay, formatMinute } from "../base/text/time.ts";
import { type CostSums, NO_COST } from "../context/session-cost.ts";
import { ASSUMED_NOTE, ESTIMATED_NOTE, formatCost, unreportedNote } from "./cost.ts";
import { projectNames } from "./project-name.ts";
import type { SessionOrder } from "./session-orders.ts";
import { addSums, ORDERS, type SessionLine } from "./sessions.ts";
import { sessionTitle, shortestNames, shortModel, shortSession } from "./short-session.ts";
import { renderRuled, type TextStyle } from "./text-style.ts";

export interface SessionSelection {
	readonly order: SessionOrder;
	readonly agent?: string | undefined;
	/** ms since the epoch: active since then. */
	readonly since?: number | undefined;
	/** Undefined or 0: all. */
	readonly limit?: number | undefined;
}

export interface SessionList {
	readonly sessions: readonly SessionLine[];
	/** Sessions that the filters let through, shown or not, and what they cost. */
	readonly count: number;
	readonly total: CostSums;
}

export function selectSessions(
	all: readonly SessionLine[],
	{ order, agent, since = 0, limit }: SessionSelection,
): SessionList {
	const agents = agent?.split(",").map((name) => name.trim().toLowerCase());
	const wanted = all
		.filter((line) => line.last >= since && (agents === undefined || agents.includes(line.agent)))
		.sort(ORDERS[order]);
	return {
		sessions: limit ? wanted.slice(0, limit) : wanted,
		count: wanted.length,
		total: wanted.reduce<CostSums>((sum, line) => addSums(sum, line), NO_COST),
	};
}

/** From here on there is room for the model, the requests and the time of day. */
const WIDE_COLUMNS = 120;
const MAX_TITLE_COLUMNS = 72;
/** Of a project's name on a narrow screen: titles say more. */
const MAX_NARROW_COLUMNS = 12;

/** On a terminal the first one comes last, where the reader's eyes are. */
export function renderSessions({ sessions, count, total }: SessionList, style: TextStyle): string[] {
	if (sessions.length === 0) return ["No session matches. 'weft import' finds the sessions on this machine."];
	const isScreen = style.columns !== undefined;
	const isWide = style.columns === undefined || style.columns >= WIDE_COLUMNS;
	const hasProject = sessions.some(({ project }) => project !== undefined);
	const hasSaved = sessions.some(({ saved }) => saved !== null);
	const columns = [
		{ title: "title", shrink: true },
		{ title: "session" },
		{ title: isWide ? "last active" : "active" },
		{ title: "agent" },
		...(hasProject ? ([{ title: "project", shrink: true }] as const) : []),
		...(isWide
			? ([
					{ title: "model", shrink: true },
					{ title: "requests", align: "right" },
				] as const)
			: []),
		{ title: "cost", align: "right" },
		...(hasSaved ? ([{ title: "saved", align: "right" }] as const) : []),
	] as const;
	const nameOf = isWide ? shortSession : shortestNames(sessions.map(({ session }) => session));
	// The year is the same in most lists, and titles say more.
	const years = new Set(sessions.flatMap(({ last }) => (last === 0 ? [] : [formatDay(last).slice(0, 4)])));
	const dayOf = (ms: number) => formatDay(ms).slice(years.size === 1 ? 5 : 0);
	const names = projectNames(sessions.map(({ project }) => project ?? ""));
	const groups = underParents(sessions);
	const rows = (isScreen ? groups.toReversed() : groups)
		.flat()
		.map(({ line, isUnder }) => [
			cutToWidth(`${isUnder ? "└ " : ""}${oneLine(sessionTitle(line))}`, MAX_TITLE_COLUMNS),
			oneLine(nameOf(line.session)),
			line.last === 0 ? "–" : (isWide ? formatMinute : dayOf)(line.last),
			oneLine(line.agent),
			...(hasProject
				? [cutToWidth(oneLine(names.get(line.project ?? "") ?? ""), isWide ? MAX_TITLE_COLUMNS : MAX_NARROW_COLUMNS)]
				: []),
			...(isWide ? [oneLine(shortModel(line.model)), line.requests === 0 ? "–" : formatCount(line.requests)] : []),
			line.requests === 0 ? "–" : formatCost(line),
			...(hasSaved
				? [line.saved === null ? "–" : formatCost({ dollars: line.saved, estimated: true, assumed: line.assumed })]
				: []),
		]);
	const shown =
		sessions.length < count
			? `${formatCount(sessions.length)} of ${plural(count, "session")} shown; all`
			: plural(count, "session");
	const notes = [
		...(total.estimated ? [ESTIMATED_NOTE] : []),
		...(total.assumed ? [ASSUMED_NOTE] : []),
		...unreportedNote(total),
	];
	return [
		...renderRuled(style, columns, rows),
		"",
		`${shown}: ${plural(total.requests, "request")}, ${formatCost(total)}`,
		...notes.map((note) => style.paint("dim", note)),
	];
}

interface ListedLine {
	readonly line: SessionLine;
	readonly isUnder: boolean;
}

/** Each session with its sub-agents after it. A sub-agent whose parent is not in the list is listed alone. */
function underParents(lines: readonly SessionLine[]): ListedLine[][] {
	const keyOf = (line: SessionLine, session: string) => [line.project, line.agent, session].join("\n");
	const keys = new Set(lines.map((line) => keyOf(line, line.session)));
	const parentOf = (line: SessionLine): string | undefined => {
		const end = line.session.lastIndexOf("/");
		const parent = end > 0 ? keyOf(line, line.session.slice(0, end)) : undefined;
		return parent !== undefined && keys.has(parent) ? parent : undefined;
	};
	const children = Map.groupBy(lines, parentOf);
	const withChildren = (line: SessionLine, isUnder: boolean): ListedLine[] => [
		{ line, isUnder },
		...(children.get(keyOf(line, line.session)) ?? []).flatMap((child) => withChildren(child, true)),
	];
	return (children.get(undefined) ?? []).map((line) => withChildren(line, false));
}
