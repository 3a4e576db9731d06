/** The sessions of this project or of all projects: agent, model, requests and cost. */
import type { JSX } from "preact";
import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import type { FleetMachine, FleetPage } from "../../../../fleet/view/fleet-view.ts";
import type { FacetValue, ListedSession, SessionPage } from "../../../../view/session-page.ts";
import { sessionTitle, shortModel, shortSession } from "../../../../view/short-session.ts";
import { go, href, readAddress } from "../address.ts";
import { DayChart } from "../chart/day-chart.tsx";
import { load, useNow, usePageData, useSteadyPageData } from "../data.ts";
import { ago, axisMoney, cost, count, many, percent } from "../format.ts";
import { Bar, Fact, FilterBox, Head, Switch, Waiting } from "../parts.tsx";
import { Table, type TableRow } from "../table.tsx";
import { Text } from "../text.tsx";
import type { PageProps } from "./page.ts";

export function Sessions({ address }: PageProps): JSX.Element {
	const { scope = "project", sort = "last", q = "" } = address.query;
	const chosen = chosenOf(address.query);
	const search = new URLSearchParams({ scope, sort, ...(q === "" ? {} : { q }), ...chosen });
	const path = `/p/${address.project}/sessions.json?${search}`;
	const loaded = useSteadyPageData<SessionPage>(path);
	const view = loaded.data;
	return (
		<>
			<Head
				title="Sessions"
				sub={view ? `${many(view.count, "session")} of ${many(view.projects, "project")}` : ""}
				cli={command({ scope, sort, ...chosen })}
				session={false}
				json={path}
			>
				{view?.isOneProject ? (
					<span class="dim">
						this address opens one project; <code>weft inspect</code> opens all
					</span>
				) : (
					<Switch
						label="Scope"
						name="scope"
						value={scope}
						options={[
							["project", "This project"],
							["all", "All projects"],
						]}
					/>
				)}
			</Head>
			{view ? <Body view={view} path={path} sort={sort} q={q} chosen={chosen} /> : <Waiting of={loaded} />}
		</>
	);
}

/** As far as the command has the page's filters. */
function command({ scope, sort, agent }: { scope: string; sort: string } & Chosen): string {
	return [
		"weft sessions",
		...(scope === "all" ? ["--all"] : []),
		...(agent ? [`--agent ${agent}`] : []),
		...(sort === "last" ? [] : [`--sort ${sort}`]),
	].join(" ");
}

/** True also where all of it is at list prices, or at an assumed one: the sum does not say how much. */
function sourceOfSum({ estimated, assumed }: SessionPage["total"]): string {
	if (!estimated) return "reported";
	return `at ${assumed ? "list or assumed prices" : "list prices"} where the agent gave none`;
}

type Chosen = Readonly<Partial<Record<"agent" | "model" | "project" | "day", string>>>;

function chosenOf({ agent, model, project, day }: Readonly<Record<string, string>>): Chosen {
	return { ...(agent && { agent }), ...(model && { model }), ...(project && { project }), ...(day && { day }) };
}

function Body({
	view,
	path,
	sort,
	q,
	chosen,
}: {
	view: SessionPage;
	path: string;
	sort: string;
	q: string;
	chosen: Chosen;
}): JSX.Element {
	const { total, saved, isSavedAssumed, days } = view;
	const prompt = total.input + total.cacheRead + total.cacheWrite;
	return (
		<div class="scroll">
			<div class="sec">
				<dl class="facts">
					<Fact name="Requests">{count(total.requests)}</Fact>
					<Fact name="Cost" more={sourceOfSum(total)}>
						{cost(total, 2)}
					</Fact>
					<Fact name="Read from caches">{prompt > 0 ? percent(total.cacheRead / prompt) : "–"}</Fact>
					<Fact name="Saved" more="estimated, for the sessions below that ran with weft">
						{saved === null ? "–" : savedMoney(saved, isSavedAssumed)}
					</Fact>
				</dl>
			</div>
			{days.length > 0 && (
				<div class="sec charts">
					<header>
						<h2>Cost by day</h2>
						{chosen.day !== undefined && (
							<button type="button" data-day-filter onClick={() => go(href({ set: { day: null } }))}>
								{chosen.day} ✕
							</button>
						)}
					</header>
					<DayChart
						days={days}
						format={axisMoney}
						hrefOf={(name) => href({ set: { day: name === chosen.day ? null : name } })}
						selected={chosen.day}
					/>
				</div>
			)}
			<FleetPanel />
			<div class="facets">
				<Facet name="agent" values={view.facets.agent} chosen={chosen.agent} />
				<Facet name="model" values={view.facets.model} chosen={chosen.model} />
				<Facet name="project" values={view.facets.project} chosen={chosen.project} />
			</div>
			<div class="filter">
				<FilterBox q={q} label="Filter sessions" placeholder="Filter: title, agent, model" />
				<span class="chips">
					{[
						["last", "Last active"],
						["cost", "Cost"],
						["requests", "Requests"],
						["agent", "Agent"],
					].map(([key, label]) => (
						<button
							type="button"
							key={key}
							aria-pressed={sort === key}
							onClick={() => go(href({ set: { sort: key === "last" ? null : key } }))}
						>
							{label}
						</button>
					))}
				</span>
			</div>
			<List view={view} path={path} />
		</div>
	);
}

/** What the agent alone would have paid is an estimate. */
function savedMoney(saved: number, assumed: boolean): string {
	return cost({ dollars: saved, estimated: true, assumed }, 2);
}

const MAX_FACET_VALUES = 12;

/** One click leaves the sessions of a value, another one brings the others back. One value alone is no choice. */
function Facet({
	name,
	values,
	chosen,
}: {
	name: "agent" | "model" | "project";
	values: readonly FacetValue[];
	chosen: string | undefined;
}): JSX.Element | null {
	const [isOpen, setOpen] = useState(false);
	if (values.length < 2 && chosen === undefined) return null;
	const shown = isOpen ? values : values.filter(({ value }, at) => at < MAX_FACET_VALUES || value === chosen);
	return (
		<div class="facet" role="group" aria-label={`Filter by ${name}`} data-facet={name}>
			<span class="dim">{name}</span>
			<span class="chips">
				{shown.map(({ value, name: label, sessions, ...sums }) => (
					<button
						type="button"
						key={value}
						aria-pressed={value === chosen}
						title={`${many(sessions, "session")}, ${cost(sums, 2)}`}
						onClick={() => go(href({ set: { [name]: value === chosen ? null : value } }))}
					>
						<Text>{label}</Text> <span class="n">{count(sessions)}</span>
					</button>
				))}
				{shown.length < values.length && (
					<button type="button" onClick={() => setOpen(true)}>
						{count(values.length - shown.length)} more
					</button>
				)}
			</span>
		</div>
	);
}

const COLUMNS = [
	{ title: "Title" },
	{ title: "Project", width: 150, hide: "s" },
	{ title: "Agent", width: 96, hide: "s" },
	{ title: "Model", width: 150, hide: "m" },
	{ title: "Requests", width: 76, num: true },
	{ title: "Cost", width: 76, num: true },
	{ title: "", width: 80, hide: "m" },
	{ title: "Saved", width: 76, num: true, hide: "s" },
	{ title: "Last activity", width: 110, num: true, hide: "s" },
] as const;

function List({ view, path }: { view: SessionPage; path: string }): JSX.Element {
	const now = useNow();
	const { sessions, onEnd } = useSessions(view, path);
	const maxDollars = Math.max(1e-9, ...sessions.map(({ dollars }) => dollars));
	if (sessions.length === 0) return <p class="dim hp">No session matches.</p>;
	return (
		<Table
			label="Sessions"
			columns={COLUMNS}
			onEnd={onEnd}
			rows={sessions.map((each) => sessionRow(each, maxDollars, now))}
		/>
	);
}

/** The first page, and more as the reader scrolls down. `onEnd`: undefined when all are loaded. */
function useSessions(view: SessionPage, path: string) {
	const [more, setMore] = useState<{ readonly of: string; readonly sessions: readonly ListedSession[] }>({
		of: "",
		sessions: [],
	});
	const isLoading = useRef(false);
	const sessions = useMemo(() => [...view.sessions, ...(more.of === path ? more.sessions : [])], [view, more, path]);
	const loaded = sessions.length;
	const onEnd = useCallback(() => {
		if (isLoading.current || loaded >= view.count) return;
		isLoading.current = true;
		load<SessionPage>(`${path}&offset=${loaded}`)
			.then((page) =>
				setMore((old) => ({ of: path, sessions: [...(old.of === path ? old.sessions : []), ...page.sessions] })),
			)
			.finally(() => {
				isLoading.current = false;
			});
	}, [path, loaded, view.count]);
	return { sessions, onEnd: loaded < view.count ? onEnd : undefined };
}

function sessionRow(row: ListedSession, maxDollars: number, now: number): TableRow {
	return {
		key: `${row.project} ${row.agent} ${row.session}`,
		href: href({ project: row.project, session: row.session, page: "now", fresh: true }),
		cells: [
			<b key="t" title={row.title ?? row.session}>
				<Text>{sessionTitle(row)}</Text>
				{row.title === null && (
					<span class="dim">
						{" "}
						<Text>{shortSession(row.session)}</Text>
					</span>
				)}
			</b>,
			<span key="p" title={row.projectName}>
				<Text>{row.projectName}</Text>
			</span>,
			<Text key="a">{row.agent}</Text>,
			<span key="m" class="mono dim">
				<Text>{shortModel(row.model)}</Text>
			</span>,
			row.requests === 0 ? "–" : count(row.requests),
			row.requests === 0 ? "–" : cost(row, 2),
			row.dollars > 0 ? <Bar key="b" width={(64 * row.dollars) / maxDollars} colour="var(--ink-2)" /> : "",
			row.saved === null ? (
				<span key="s" class="dim">
					–
				</span>
			) : (
				<b key="s">{savedMoney(row.saved, row.assumed)}</b>
			),
			<span key="l" class="dim">
				{ago(row.last, now)}
			</span>,
		],
	};
}

/** The machines of a configured fleet: who ships events, how many, and how recent they are. */
function FleetPanel(): JSX.Element | null {
	const now = useNow();
	const { data } = usePageData<FleetPage>(`/p/${readAddress().project}/fleet.json`, { live: false });
	if (!data?.state) return null;
	const { state, overview, problem } = data;
	const waiting = state.behind === 0 ? "nothing waits to be shipped" : `${many(state.behind, "event")} to ship`;
	const away = problem ?? state.failing?.why;
	return (
		<div class="sec">
			<h2>Fleet</h2>
			<p class="dim hp">
				<Text>{`${state.server}${overview ? `, team ${overview.team}` : ""}: ${waiting}`}</Text>
			</p>
			{away !== undefined && (
				<p class="hp">
					<Text>{away}</Text>
				</p>
			)}
			{overview && overview.machines.length > 0 && (
				<Table
					label="Machines of the fleet"
					columns={MACHINE_COLUMNS}
					rows={overview.machines.map((each) => rowOf(each, now))}
				/>
			)}
		</div>
	);
}

const MACHINE_COLUMNS = [
	{ title: "Machine", width: 160 },
	{ title: "Person", width: 120, hide: "s" },
	{ title: "Project" },
	{ title: "Sessions", width: 80, num: true, hide: "s" },
	{ title: "Events", width: 90, num: true },
	{ title: "Fresh", width: 110, num: true },
] as const;

function rowOf({ log, machine, person, says, project, sessions, events, fresh }: FleetMachine, now: number): TableRow {
	return {
		key: `${project} ${log}`,
		cells: [
			<b key="m">
				<Text>{machine}</Text>
			</b>,
			<Text key="p">{says === person ? person : `${person} (says ${says})`}</Text>,
			<Text key="r">{project}</Text>,
			count(sessions),
			count(events),
			<span key="f" class="dim">
				{fresh === null ? "never" : ago(fresh, now)}
			</span>,
		],
	};
}
