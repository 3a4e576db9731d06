/** The machines of a configured fleet: who ships events, how many, and how recent they are. */
import type { JSX } from "preact";
import type { FleetMachine, FleetPage } from "../../../../fleet/view/fleet-view.ts";
import { readAddress } from "../address.ts";
import { useNow, usePageData } from "../data.ts";
import { ago, count, many } from "../format.ts";
import { Table, type TableRow } from "../table.tsx";
import { Text } from "../text.tsx";

export function FleetPanel(): JSX.Element | null {
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
					columns={COLUMNS}
					rows={overview.machines.map((each) => rowOf(each, now))}
				/>
			)}
		</div>
	);
}

const COLUMNS = [
	{ title: "Machine", width: 160 },
	{ title: "Person", width: 120, hide: "s" },
	{ title: "Project" },
	{ title: "Sessions", width: 80, num: true, hide: "s" },
	{ title: "Events", width: 90, num: true },
	{ title: "Fresh", width: 110, num: true },
] as const;

function rowOf({ log, machine, person, project, sessions, events, fresh }: FleetMachine, now: number): TableRow {
	return {
		key: `${project} ${log}`,
		cells: [
			<b key="m">
				<Text>{machine}</Text>
			</b>,
			<Text key="p">{person}</Text>,
			<Text key="r">{project}</Text>,
			count(sessions),
			count(events),
			<span key="f" class="dim">
				{fresh === null ? "never" : ago(fresh, now)}
			</span>,
		],
	};
}
