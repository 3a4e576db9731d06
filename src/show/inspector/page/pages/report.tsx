/** All projects of this machine: what they cost, where the money went, and the three largest findings. */
import type { JSX } from "preact";
import { CAUSES, dearNames, PART_WORDS } from "../../../../view/cost-words.ts";
import type { HomeReport } from "../../../../view/report.ts";
import type { HomeSaving } from "../../../../view/saving.ts";
import { sessionTitle } from "../../../../view/short-session.ts";
import type { PendingReport, ReportProgress } from "../../server/home-reports.ts";
import { href } from "../address.ts";
import { DayChart } from "../chart/day-chart.tsx";
import { MoneyChart } from "../chart/money-chart.tsx";
import { usePageData } from "../data.ts";
import { ago, axisMoney, cost, count, day, many, percent } from "../format.ts";
import { Bar, Head, Switch, Waiting } from "../parts.tsx";
import { Table } from "../table.tsx";
import { Text } from "../text.tsx";
import type { PageProps } from "./page.ts";

const SPANS = [
	["", "All"],
	["90d", "90 days"],
	["30d", "30 days"],
	["7d", "7 days"],
] as const;

export function Report({ address }: PageProps): JSX.Element {
	const { since = "", replay } = address.query;
	const search = new URLSearchParams({ ...(since !== "" && { since }), ...(replay === "1" && { replay }) });
	const path = `/report.json${search.size > 0 ? `?${search}` : ""}`;
	const loaded = usePageData<HomeReport | PendingReport>(path, { again: isPending });
	const data = loaded.data;
	return (
		<>
			<Head
				title="Report"
				sub={data ? many(data.projects.length, "project") : ""}
				cli={`${data?.isOneProject ? "weft cost --why" : "weft report"}${since === "" ? "" : ` --since ${since}`}`}
				session={false}
				json={path}
			>
				<Switch label="Since" name="since" value={since} options={SPANS} />
			</Head>
			{!data ? (
				<Waiting of={loaded} />
			) : (
				<>
					{isPending(data) && <Progress of={data.progress} />}
					{!(isPending(data) && data.requests === 0) && <Body report={data} />}
				</>
			)}
		</>
	);
}

function Progress({ of: { what, done, total } }: { of: ReportProgress }): JSX.Element {
	return (
		<div class="sec" aria-busy>
			<div class="note" role="status">
				<p>
					{what === "read"
						? `So far: ${count(done)} of ${many(total, "session")} read.`
						: `Replaying the dearest sessions: ${count(done)} of ${count(total)}.`}{" "}
					{what === "replayed" && <a href={href({ set: { replay: null } })}>Stop waiting</a>}
				</p>
				<progress max={Math.max(1, total)} value={done} aria-label="Sessions done" />
			</div>
		</div>
	);
}

function isPending(data: HomeReport | PendingReport): data is PendingReport {
	return "progress" in data;
}

function Body({ report }: { report: HomeReport }): JSX.Element {
	return (
		<div class="scroll">
			<div class="sec">
				<p class="lead" data-sentence>
					<b>
						<Text>{joinPercent(report.sentence)}</Text>
					</b>
				</p>
				{report.uncounted !== null && (
					<p class="dim" data-uncounted>
						{report.uncounted}
					</p>
				)}
				{report.saving && (
					<p data-saving>
						<Text>{joinPercent(report.saving.sentence)}</Text>
					</p>
				)}
				<ul data-findings>
					{report.findings.map(({ text, command, session, project }) => (
						<li key={text}>
							<Text>{joinPercent(text)}</Text>{" "}
							{session !== null && project !== null && (
								<a class="b" href={href({ session, page: "timeline", fresh: true, ...projectOf(report, project) })}>
									see the dearest session
								</a>
							)}{" "}
							<code class="dim">{command}</code>
						</li>
					))}
				</ul>
				{!report.saving && (report.unreplayed ?? 0) > 0 && (
					<p>
						<a class="btn" href={href({ set: { replay: "1" } })} data-replay>
							See what weft would have saved
						</a>{" "}
						<span class="dim">
							replays {many(report.unreplayed ?? 0, "session")}, the dearest first; a second or two for each
						</span>
					</p>
				)}
			</div>
			{report.saving && <Saving saving={report.saving} />}
			{report.requests > 0 && <Parts report={report} />}
		</div>
	);
}

/** A number stays on the line of its percent sign. */
function joinPercent(text: string): string {
	return text.replaceAll(" %", "\u00a0%");
}

function Saving({ saving }: { saving: HomeSaving }): JSX.Element {
	const money = (of: number, assumed: boolean) => cost({ dollars: of, estimated: true, assumed }, 2);
	return (
		<div class="sec charts">
			<header>
				<h2>Money so far</h2>
				<span class="dim">
					{many(saving.sessions.length, "session")} without weft
					{saving.left > 0 ? `, ${count(saving.left)} not replayed` : ""}; ▼ weft seals, ◆ the agent compacted
				</span>
			</header>
			<MoneyChart hours={saving.soFar} format={axisMoney} money={(value) => money(value, saving.assumed)} dayOf={day} />
			<Table
				label="Saving by price class"
				columns={[
					{ title: "A token read from the cache costs" },
					{ title: "Sessions", width: 80, num: true },
					{ title: "Cost", width: 90, num: true },
					{ title: "With weft", width: 90, num: true },
					{ title: "Saved", width: 80, num: true, hide: "s" },
				]}
				rows={saving.classes.map(({ read, sessions, paid, weft, assumed }) => ({
					key: String(read),
					cells: [
						`${percent(read)} of a plain one`,
						count(sessions),
						money(paid, assumed),
						money(weft, assumed),
						percent(1 - weft / paid),
					],
				}))}
			/>
		</div>
	);
}

function Parts({ report }: { report: HomeReport }): JSX.Element {
	const { estimated, assumed } = report;
	const price = (of: number) => cost({ dollars: of, estimated, assumed }, 2);
	const names = dearNames(report.dearest);
	return (
		<>
			{report.days.length > 0 && (
				<div class="sec charts">
					<header>
						<h2>Cost by day</h2>
						<span class="dim">red: paid again</span>
					</header>
					<DayChart
						days={report.days.map(({ day, ...sums }) => ({ name: day, estimated, ...sums }))}
						format={axisMoney}
						hrefOf={(name) => href({ page: "sessions", fresh: true, set: { scope: "all", day: name } })}
					/>
				</div>
			)}
			<div class="cols2">
				<div class="sec flush">
					<header>
						<h2>Where the money went</h2>
						<span class="dim">the parts add up to {price(report.dollars)}</span>
					</header>
					<Table
						label="Parts of the cost"
						columns={[
							{ title: "Part" },
							{ title: "", width: 90, hide: "s" },
							{ title: "Cost", width: 90, num: true },
							{ title: "Share", width: 70, num: true },
						]}
						rows={report.parts.map(({ name, dollars: of }) => ({
							key: name,
							cells: [
								PART_WORDS[name],
								<Bar
									key="b"
									width={(80 * of) / Math.max(1e-9, report.parts[0]?.dollars ?? 0)}
									colour={name in CAUSES ? "var(--s-blocked)" : "var(--ink-2)"}
								/>,
								price(of),
								percent(report.dollars === 0 ? 0 : of / report.dollars),
							],
						}))}
					/>
				</div>
				<div class="sec flush">
					<header>
						<h2>Dearest files and commands</h2>
						<span class="dim">written once, read with every request until they left</span>
					</header>
					<Table
						label="Dearest files and commands"
						columns={[
							{ title: "File or command" },
							{ title: "Times", width: 60, num: true },
							{ title: "Tokens", width: 84, num: true, hide: "s" },
							{ title: "Cost", width: 80, num: true },
						]}
						rows={report.dearest.map(({ times, tokens, dollars: of }, at) => ({
							key: String(at),
							cells: [
								<span key="n" class="mono" title={names[at]}>
									<Text>{names[at] ?? ""}</Text>
								</span>,
								count(times),
								`~${count(tokens)}`,
								cost({ dollars: of, estimated: true, assumed }, 2),
							],
						}))}
					/>
				</div>
			</div>
			<DearestSessions report={report} />
		</>
	);
}

function DearestSessions({ report }: { report: HomeReport }): JSX.Element {
	const now = Date.now();
	return (
		<div class="sec flush">
			<header>
				<h2>
					Dearest sessions <span class="n">{many(report.sessions.length, "session")}</span>
				</h2>
			</header>
			<Table
				label="Dearest sessions"
				columns={[
					{ title: "First request" },
					{ title: "Agent", width: 100, hide: "s" },
					{ title: "Sub-agents", width: 84, num: true, hide: "m" },
					{ title: "Requests", width: 80, num: true, hide: "s" },
					{ title: "Paid again", width: 90, num: true, hide: "s" },
					{ title: "Cost", width: 90, num: true },
					{ title: "Last activity", width: 110, num: true, hide: "s" },
				]}
				rows={report.sessions.slice(0, 50).map((each) => ({
					key: `${each.project} ${each.session}`,
					href: href({ session: each.session, page: "now", fresh: true, ...projectOf(report, each.project) }),
					cells: [
						<Text key="t">{sessionTitle(each)}</Text>,
						each.agent,
						each.subagents || "",
						count(each.requests),
						each.again > 0 ? cost({ ...each, dollars: each.again, estimated: true }, 2) : "",
						cost(each, 2),
						ago(each.last, now),
					],
				}))}
			/>
		</div>
	);
}

/** The page's addresses have keys of projects, the report their folders. */
function projectOf(report: HomeReport, root: string): { project?: string } {
	const key = report.keys?.[root];
	return key === undefined ? {} : { project: key };
}
