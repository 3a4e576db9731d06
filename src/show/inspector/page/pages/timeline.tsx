/** Curves of tokens and cost over the requests, and a list of all events to filter and search. */
import type { JSX } from "preact";
import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import type { RequestRow } from "../../../../view/requests.ts";
import { shortSession } from "../../../../view/short-session.ts";
import type { EventPage, TimelineRow } from "../../../../view/timeline.ts";
import { go, href, type PageAddress } from "../address.ts";
import { dataPath, load, usePageData, useSteadyPageData } from "../data.ts";
import { clockMs, count, many, pathEnd, cost as showCost, span } from "../format.ts";
import { FilterBox, Head, State, type StateKind, Waiting } from "../parts.tsx";
import { savedFile } from "../saved-file.ts";
import { Table, type TableRow } from "../table.tsx";
import { Handle, Text } from "../text.tsx";
import type { PageProps } from "./page.ts";
import { TimelineCurves } from "./timeline-curves.tsx";

interface TimelinePage extends EventPage {
	readonly counts: readonly { readonly type: string; readonly events: number }[];
	readonly newest: number;
}

export function Timeline({ address, vitals }: PageProps): JSX.Element {
	const { q, type, tool, file, all } = address.query;
	const path = dataPath("timeline", { q, type, tool, file, all });
	const requests = usePageData<{ requests: readonly RequestRow[] }>(dataPath("requests"));
	const rows = requests.data?.requests ?? [];
	const cost = vitals && vitals.cost.counted > 0 && `; ${showCost(vitals.cost, 2)}`;
	const [first, last] = [rows[0], rows.at(-1)];
	const took = first && last ? `, ${span(last.ts - first.ts)}` : "";
	const compared = rows.some(({ host }) => host) ? "; both curves are estimates" : "";
	return (
		<>
			<Head
				title="Timeline"
				sub={`${many(rows.length, "request")}${took}${cost || ""}${compared}`}
				cli={`weft log${type ? ` --type ${type}` : ""}`}
				json={path}
			/>
			<div class="scroll">
				{requests.data ? (
					<TimelineCurves
						by={address.query["x"]}
						rows={rows}
						mode={address.query["cost"] === "each" ? "each" : "sum"}
						full={vitals?.full}
					/>
				) : (
					<Waiting of={requests} />
				)}
				<Events address={address} path={path} />
			</div>
		</>
	);
}

/** The newest events, and older ones as the reader scrolls down. `onEnd`: undefined when all are loaded. */
function useEvents(path: string) {
	const loaded = useSteadyPageData<TimelinePage>(path);
	const [more, setMore] = useState<{
		readonly of: string;
		readonly rows: readonly TimelineRow[];
		readonly next: number | null;
	}>({ of: "", rows: [], next: null });
	const isLoading = useRef(false);
	const first = loaded.data;
	const older = more.of === path ? more : { of: path, rows: [], next: first?.next ?? null };
	const rows = useMemo(() => {
		if (!first) return [];
		const last = first.rows.at(-1)?.seq ?? 0;
		return [...first.rows, ...older.rows.filter(({ seq }) => seq < last)];
	}, [first, older]);
	const { next } = older;
	const onEnd = useCallback(() => {
		if (next === null || isLoading.current || savedFile) return;
		isLoading.current = true;
		load<TimelinePage>(`${path}${path.includes("?") ? "&" : "?"}before=${next}`)
			.then((page) =>
				setMore((old) => ({ of: path, rows: [...(old.of === path ? old.rows : []), ...page.rows], next: page.next })),
			)
			.finally(() => {
				isLoading.current = false;
			});
	}, [path, next]);
	return { loaded, rows, onEnd: next === null ? undefined : onEnd };
}

function Events({ address, path }: { address: PageAddress; path: string }): JSX.Element {
	const { q = "", type, tool, file, all } = address.query;
	const { loaded, rows, onEnd } = useEvents(path);
	const first = loaded.data;
	const total = first?.counts.reduce((sum, { events }) => sum + events, 0) ?? 0;
	const narrowed = [...(tool ? [`tool ${tool}`] : []), ...(file ? [`file ${file}`] : [])];
	return (
		<>
			<div class="filter">
				<FilterBox q={q} label="Filter events" placeholder="Search events: words, names" />
				<span class="chips">
					{!savedFile && (
						<button
							type="button"
							aria-pressed={all === "1"}
							onClick={() => go(href({ set: { all: all === "1" ? null : "1" } }))}
						>
							All sessions
						</button>
					)}
					<button type="button" aria-pressed={!type} onClick={() => go(href({ set: { type: null } }))}>
						All
					</button>
					{first?.counts.map(({ type: name, events }) => (
						<button
							type="button"
							key={name}
							aria-pressed={type === name}
							onClick={() => go(href({ set: { type: type === name ? null : name } }))}
						>
							<Text>{name}</Text> <span class="n">{count(events)}</span>
						</button>
					))}
					{narrowed.map((text) => (
						<button
							type="button"
							key={text}
							aria-pressed="true"
							onClick={() => go(href({ set: { tool: null, file: null } }))}
						>
							<Text>{text}</Text> ✕
						</button>
					))}
				</span>
			</div>
			{!first ? (
				<Waiting of={loaded} />
			) : rows.length === 0 ? (
				<NoEvents q={q} searched={first.searched} total={total} />
			) : (
				<EventTable rows={rows} all={all === "1"} onEnd={onEnd} />
			)}
		</>
	);
}

function NoEvents({ q, searched, total }: { q: string; searched: number | null; total: number }): JSX.Element {
	return (
		<p class="dim hp">
			No event matches
			{q ? (
				<>
					{" "}
					“<Text>{q}</Text>”
				</>
			) : (
				""
			)}
			. {searched !== null ? `Searched ${many(searched, "message")}.` : `Checked ${many(total, "event")}.`}{" "}
			<a class="b" href={href({ set: { q: null, type: null, tool: null, file: null } })}>
				Clear the filter
			</a>
		</p>
	);
}

const STATE_KINDS: Readonly<Record<string, StateKind>> = {
	blocked: "blocked",
	failed: "blocked",
	wrong: "blocked",
	pass: "fresh",
	changed: "stale",
};

function EventTable({
	rows,
	all,
	onEnd,
}: {
	rows: readonly TimelineRow[];
	all: boolean;
	onEnd: (() => void) | undefined;
}): JSX.Element {
	const columns = [
		{ title: "Seq", width: 70, num: true },
		{ title: "Time", width: 108, hide: "s" },
		{ title: "Event", width: 116 },
		{ title: "State", width: 84, hide: "m" },
		{ title: "What" },
		{ title: all ? "Session" : "File, tool", width: 160, hide: "m" },
		{ title: "Handle", width: 150, hide: "s" },
		{ title: "Cause", width: 76, num: true, hide: "m" },
	] as const;
	return (
		<Table label="Events, newest first" columns={columns} onEnd={onEnd} rows={rows.map((row) => eventRow(row, all))} />
	);
}

function eventRow(row: TimelineRow, all: boolean): TableRow {
	return {
		key: String(row.seq),
		href: href({ set: { peek: row.handle } }),
		cells: [
			<span key="s" class="dim">
				{row.seq}
			</span>,
			<span key="t" class="dim mono">
				{clockMs(row.ts)}
			</span>,
			row.type === "Seal" ? <b key="e">Seal</b> : <Text key="e">{row.type}</Text>,
			row.state ? (
				<State key="st" is={STATE_KINDS[row.state] ?? "none"}>
					{row.state}
				</State>
			) : (
				""
			),
			<span key="w" title={row.what}>
				<Text>{row.what}</Text>
			</span>,
			all ? (
				<span key="f" class="mono dim">
					{shortSession(row.session)}
				</span>
			) : (
				<EventSubject key="f" row={row} />
			),
			<Handle key="h" of={row.handle} />,
			row.cause === null ? (
				""
			) : (
				<a key="c" class="dim mono" href={href({ set: { peek: String(row.cause) } })}>
					#{row.cause}
				</a>
			),
		],
	};
}

/** The file or the tool of an event; a click filters by it. */
function EventSubject({ row: { file, tool } }: { row: TimelineRow }): JSX.Element | null {
	if (file)
		return (
			<a class="mono dim" href={href({ set: { file } })} title={`only events of ${file}`}>
				<Text>{pathEnd(file)}</Text>
			</a>
		);
	if (!tool) return null;
	return (
		<a class="mono dim" href={href({ set: { tool } })} title="only events of this tool">
			<Text>{tool}</Text>
		</a>
	);
}
