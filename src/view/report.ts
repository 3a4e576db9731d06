/** All projects of a home together: what they cost, where the money went, and the three findings that are worth most. */
import { formatCount, formatPercent, plural } from "../base/text/bytes.ts";
import { cutToWidth } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { wrapWords } from "../base/text/wrap.ts";
import { formatCost, renderAssumedNote } from "./cost.ts";
import { type CostOfSession, type CostWhy, sumCosts } from "./cost-parts.ts";
import { CAUSES, PART_WORDS } from "./cost-words.ts";
import { projectNames } from "./project-name.ts";
import { type HomeSaving, renderSaving } from "./saving.ts";
import { sessionTitle, shortSession } from "./short-session.ts";
import { renderRuled, type TextStyle } from "./text-style.ts";

export interface CostFinding {
	readonly text: string;
	readonly dollars: number;
	/** Shows more of it. */
	readonly command: string;
	/** The session that shows it best. */
	readonly session: string | null;
	readonly project: string | null;
}

interface ReportGroup {
	readonly name: string;
	readonly sessions: number;
	readonly requests: number;
	readonly dollars: number;
	readonly estimated: boolean;
	readonly assumed: boolean;
}

export interface HomeReport extends CostWhy {
	/** ms since the epoch; null: from the beginning. */
	readonly since: number | null;
	readonly projects: readonly ReportGroup[];
	readonly agents: readonly ReportGroup[];
	/** Recorded, but not among the sessions that the sentence counts; in words, or null: none. */
	readonly uncounted: string | null;
	/** The dearest first, at most three. */
	readonly findings: readonly CostFinding[];
	/** What weft would have saved; null: not all of it was replayed. */
	readonly saving: HomeSaving | null;
	/** The keys of the projects by their folders, for the inspector's addresses. */
	readonly keys?: Readonly<Record<string, string>> | undefined;
	/** The inspector's token opens no other project. */
	readonly isOneProject?: boolean | undefined;
	/** In the inspector: how many sessions must be replayed for `saving`. */
	readonly unreplayed?: number | undefined;
}

const MAX_FINDINGS = 3;

export function reportHome(
	costs: readonly CostOfSession[],
	since: number | undefined,
	saving: HomeSaving | undefined,
): HomeReport {
	const projects = groupBy(costs, ({ project }) => project);
	const used = projects.filter(({ requests }) => requests > 0).length;
	const subject = `${plural(sessionsIn(costs), "session")} of ${plural(used, "project")}`;
	const why = sumCosts(costs, subject);
	return {
		since: since ?? null,
		...why,
		projects,
		agents: groupBy(costs, ({ agent }) => agent),
		uncounted: uncountedWords(costs),
		findings: findingsOf(why, costs),
		saving: saving ?? null,
	};
}

function sessionsIn(costs: readonly CostOfSession[]): number {
	return costs.filter(({ requests, session }) => requests > 0 && !session.includes("/")).length;
}

/** So that the number of sessions can be compared with the list of them. */
function uncountedWords(costs: readonly CostOfSession[]): string | null {
	const subagents = costs.filter(({ session, requests }) => requests > 0 && session.includes("/")).length;
	const silent = costs.filter(({ requests }) => requests === 0).length;
	const words = [
		...(subagents > 0
			? [`${plural(subagents, "sub-agent or fork", "sub-agents or forks")} (their cost is included)`]
			: []),
		...(silent > 0 ? [`${plural(silent, "session")} whose agent reported no usage`] : []),
	];
	return words.length === 0
		? null
		: `${plural(costs.length, "session")} recorded; not counted above: ${words.join("; ")}.`;
}

function groupBy(costs: readonly CostOfSession[], nameOf: (cost: CostOfSession) => string): ReportGroup[] {
	return [...Map.groupBy(costs, nameOf)]
		.map(([name, all]) => ({
			name,
			sessions: sessionsIn(all),
			requests: all.reduce((sum, { requests }) => sum + requests, 0),
			dollars: all.reduce((sum, { dollars }) => sum + dollars, 0),
			estimated: all.some(({ estimated }) => estimated),
			assumed: all.some(({ assumed }) => assumed),
		}))
		.filter(({ requests }) => requests > 0)
		.sort((one, other) => other.dollars - one.dollars);
}

function findingsOf(why: CostWhy, costs: readonly CostOfSession[]): CostFinding[] {
	const money = (dollars: number) => formatCost({ dollars, estimated: true, assumed: why.assumed });
	const dearestWith = (name: string) =>
		costs
			.map((cost) => ({ cost, dollars: cost.parts.find((part) => part.name === name)?.dollars ?? 0 }))
			.reduce<{ cost: CostOfSession; dollars: number } | undefined>(
				(most, each) => (each.dollars > (most?.dollars ?? 0) ? each : most),
				undefined,
			)?.cost;
	const about = (cost: CostOfSession | undefined) =>
		cost
			? {
					command: `weft cost --why --session ${shortSession(cost.session)}`,
					session: cost.session,
					project: cost.project,
				}
			: { command: "weft cost --why --all", session: null, project: null };
	const again = why.parts.flatMap(({ name, dollars, requests }): CostFinding[] => {
		const cause = CAUSES[name];
		if (cause === undefined) return [];
		const text = `${money(dollars)} were paid again because ${cause}, ${plural(requests, "time")}.`;
		return [{ text, dollars, ...about(dearestWith(name)) }];
	});
	const head = why.parts.find(({ name }) => name === "head");
	const own: CostFinding[] = head
		? [
				{
					text: `${money(head.dollars)} (${formatPercent(head.dollars / why.dollars)}) went into reading the same system prompts and tools with every request.`,
					dollars: head.dollars,
					...about(dearestWith("head")),
				},
			]
		: [];
	const [file] = why.dearest;
	const spentOn = ({ dearest }: CostOfSession) =>
		dearest.find(({ kind, name, project }) => kind === file?.kind && name === file.name && project === file.project)
			?.dollars ?? 0;
	const owner = costs.reduce<CostOfSession | undefined>(
		(most, each) => (spentOn(each) > (most ? spentOn(most) : 0) ? each : most),
		undefined,
	);
	const read: CostFinding[] =
		file && file.times > 1
			? [
					{
						text: `${oneLine(file.name)} was ${file.kind === "file" ? "read" : "run"} ${plural(file.times, "time")}: ~${formatCount(file.tokens)} tokens, which cost ${money(file.dollars)} until they left the context.`,
						dollars: file.dollars,
						...about(owner),
					},
				]
			: [];
	return [...again, ...own, ...read].sort((one, other) => other.dollars - one.dollars).slice(0, MAX_FINDINGS);
}

const MAX_DAYS = 31;
const BAR_COLUMNS = 24;
const MAX_TITLE_COLUMNS = 44;

export function* renderReport(view: HomeReport, style: TextStyle): Generator<string> {
	yield* wrapWords(view.sentence, style.columns, "");
	if (view.requests === 0) return;
	if (view.uncounted !== null)
		for (const line of wrapWords(view.uncounted, style.columns, "")) yield style.paint("dim", line);
	const { estimated } = view;
	const price = (dollars: number, assumed = view.assumed) => formatCost({ dollars, estimated, assumed });
	yield "";
	if (view.saving) {
		yield* renderSaving(view.saving, style);
		yield "";
	}
	for (const { text, command } of view.findings) {
		yield* wrapWords(`- ${text}`, style.columns, "  ");
		yield style.paint("dim", `  ${command}`);
	}
	yield "";
	yield* renderRuled(
		style,
		[
			{ title: "part", shrink: true },
			{ title: "cost", align: "right" },
			{ title: "share", align: "right" },
		],
		[
			...view.parts.map(({ name, dollars }) => [
				PART_WORDS[name],
				price(dollars),
				formatPercent(dollars / view.dollars),
			]),
			["all", price(view.dollars), ""],
		],
	);
	const days = view.days.slice(-MAX_DAYS);
	const largest = Math.max(1e-9, ...days.map(({ dollars }) => dollars));
	yield "";
	yield* renderRuled(
		style,
		[{ title: "day" }, { title: "cost", align: "right" }, { title: "█ paid, ▒ paid again" }],
		days.map(({ day, dollars, again, assumed }) => [
			day,
			price(dollars, assumed),
			bar(dollars - again, again, largest),
		]),
	);
	yield style.paint(
		"dim",
		days.length < view.days.length
			? `the last ${days.length} of ${view.days.length} days with requests; all: weft cost --by day --all`
			: "days without requests are left out",
	);
	const names = projectNames(view.projects.map(({ name }) => name));
	yield "";
	yield* renderRuled(
		style,
		[
			{ title: "project", shrink: true },
			{ title: "sessions", align: "right" },
			{ title: "requests", align: "right" },
			{ title: "cost", align: "right" },
		],
		view.projects.map((each) => [
			oneLine(names.get(each.name) ?? each.name),
			formatCount(each.sessions),
			formatCount(each.requests),
			formatCost(each),
		]),
	);
	yield "";
	yield* renderRuled(
		style,
		[
			{ title: "dearest sessions", shrink: true },
			{ title: "id" },
			{ title: "agent" },
			{ title: "paid again", align: "right" },
			{ title: "cost", align: "right" },
		],
		view.sessions
			.slice(0, 10)
			.map((each) => [
				cutToWidth(oneLine(sessionTitle(each)), MAX_TITLE_COLUMNS),
				oneLine(shortSession(each.session)),
				oneLine(each.agent),
				formatCost({ dollars: each.again, estimated: true, assumed: each.assumed }),
				formatCost(each),
			]),
	);
	if (view.assumed) yield* renderAssumedNote(style);
	const { saving } = view;
	if (saving && saving.left === 0) return;
	yield "";
	const [dearest] = view.sessions;
	const hint = saving
		? `${plural(saving.left, "session")} without weft not replayed: weft report --replay ${saving.sessions.length + saving.left}`
		: dearest && `weft replay --session ${shortSession(dearest.session)} says what weft would have saved there.`;
	if (hint) yield style.paint("dim", hint);
}

function bar(paid: number, again: number, largest: number): string {
	const columns = (dollars: number) => Math.round((BAR_COLUMNS * dollars) / largest);
	return "█".repeat(columns(paid)) + "▒".repeat(columns(again));
}
