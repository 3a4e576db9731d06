/** What happened, and what it cost: curves over the requests, and every event, filtered and searched. */
import type { JSX } from "preact";
import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import type { EventRow } from "../../../../view/event-rows.ts";
import type { RequestRow } from "../../../../view/requests.ts";
import { shortSession } from "../../../../view/short-session.ts";
import { go, href, type PageAddress } from "../address.ts";
import { Chart } from "../chart/chart.tsx";
import { dataPath, load, usePageData, useSteadyPageData } from "../data.ts";
import { FilterBox } from "../filter-box.tsx";
import { clockMs, count, dollars, kilo, many, pathEnd, percent, span } from "../format.ts";
import { COLOUR, Head, State, type StateKind, Swatch, Switch, Waiting } from "../parts.tsx";
import { savedFile } from "../saved-file.ts";
import { Table, type TableRow } from "../table.tsx";
import { Handle, Text } from "../text.tsx";
import type { PageProps } from "./page.ts";

interface EventPage {
	readonly rows: readonly EventRow[];
	readonly next: number | null;
	readonly searched: number | null;
	readonly counts: readonly { readonly type: string; readonly events: number }[];
	readonly newest: number;
}

const STACK = ["tools", "system", "seed", "tail", "uncached"];

export function Timeline({ address, vitals }: PageProps): JSX.Element {
	const { q, type, tool, file, all } = address.query;
	const path = dataPath("timeline", { q, type, tool, file, all });
	const requests = usePageData<{ requests: readonly RequestRow[] }>(dataPath("requests"));
	const rows = requests.data?.requests ?? [];
	const total = rows.reduce((sum, row) => sum + (row.dollars ?? 0), 0);
	const first = rows[0];
	const took = first ? `, ${span(rows.at(-1)!.ts - first.ts)}` : "";
	return (
		<>
			<Head
				title="Timeline"
				sub={`${many(rows.length, "request")}${took}; ${dollars(total, 2)} reported${rows.some(({ host }) => host) ? ", both curves estimated alike" : ""}`}
				cli={`weft log${type ? ` --type ${type}` : ""}`}
				json={path}
			/>
			<div class="scroll">
				{requests.data ? (
					<Curves rows={rows} mode={address.query["cost"] === "each" ? "each" : "sum"} ceiling={vitals?.full.ceiling} />
				) : (
					<Waiting of={requests} />
				)}
				<Events address={address} path={path} />
			</div>
		</>
	);
}

function Curves({
	rows,
	mode,
	ceiling,
}: {
	rows: readonly RequestRow[];
	mode: "sum" | "each";
	ceiling: number | undefined;
}): JSX.Element | null {
	const drawn = useMemo(() => {
		const made = rows.some(({ host }) => host !== null);
		const cost = rows.map((row) => (made ? (row.estimated ?? 0) : (row.dollars ?? 0)));
		const host = rows.map((row) => row.host?.dollars ?? row.estimated ?? 0);
		const sums = (values: readonly number[]) => {
			let sum = 0;
			return values.map((value) => {
				sum += value;
				return sum;
			});
		};
		return {
			made,
			stack: made
				? rows.map(({ segments }) =>
						STACK.map((name) => segments.find((segment) => segment.name === name)?.tokens ?? 0),
					)
				: undefined,
			tokens: rows.map(({ tokens }) => tokens),
			hostTokens: rows.map(({ host }) => host?.tokens ?? null),
			cost: mode === "sum" ? sums(cost) : cost,
			hostCost: mode === "sum" ? sums(host) : host,
			seals: rows.flatMap(({ seal }, at) => (seal ? [[at, seal.why] as const] : [])),
		};
	}, [rows, mode]);
	if (rows.every(({ tokens }) => tokens === 0)) return null;
	const { made, stack, tokens, hostTokens, cost, hostCost, seals } = drawn;
	const end = <T,>(values: readonly T[]) => values.at(-1)!;
	const less = end(hostCost) - end(cost);
	const money = (value: number) => `$${value < 10 && value % 1 ? value.toFixed(value < 0.1 ? 3 : 2) : value}`;
	const isFew = rows.length <= 400;
	return (
		<div class="charts" style={{ paddingTop: "10px" }}>
			<div class="leg" style={{ margin: "0 0 6px" }}>
				{made ? (
					STACK.slice(0, 4).map((name) => (
						<span key={name}>
							<Swatch of={name} />
							{name}
						</span>
					))
				) : (
					<span>
						<Swatch of="seed" />
						prompt, as reported
					</span>
				)}
				{made && (
					<span>
						<i class="sw line" style={{ "--c": "var(--k-host)" }} />
						what the host alone would have sent
					</span>
				)}
				{seals.length > 0 && <span>▼ seal</span>}
				<span class="push">
					<Switch
						label="Cost"
						name="cost"
						value={mode}
						options={[
							["sum", "Total cost"],
							["each", "Per request"],
						]}
					/>
				</span>
			</div>
			<Chart
				title="Tokens per request"
				unit="tokens"
				height={218}
				stack={isFew ? stack : undefined}
				colours={STACK.map((name) => COLOUR[name]!)}
				format={kilo}
				seals={seals}
				ceiling={made ? ceiling : undefined}
				lines={[
					...(made ? [{ values: hostTokens, colour: "var(--k-host)", isDashed: true }] : []),
					...(stack && isFew ? [] : [{ values: tokens, colour: "var(--k-seed)", isFilled: true }]),
				]}
				ends={[
					...(made && end(hostTokens) !== null
						? [
								{
									at: end(hostTokens)!,
									text: `host ${kilo(end(hostTokens)!)}`,
									sub: "its own history",
									colour: "var(--k-host)",
								},
							]
						: []),
					{
						at: end(tokens),
						text: `sent ${kilo(end(tokens))}`,
						sub: made ? "by weft" : "by the host",
						colour: "var(--k-seed)",
					},
				]}
				href={(at) => href({ page: "request", id: String(at + 1), fresh: true })}
				tip={(at) => `${count(tokens[at]!)} tokens${hostTokens[at] ? `, host ${count(hostTokens[at]!)}` : ""}`}
			/>
			<Chart
				title="Cost"
				unit={mode === "sum" ? "$, total" : "$ each"}
				height={140}
				format={money}
				seals={seals.map(([at]) => [at, ""] as const)}
				lines={[
					...(made ? [{ values: hostCost, colour: "var(--k-host)", isDashed: true }] : []),
					{ values: cost, colour: "var(--ink)" },
				]}
				ends={[
					...(made
						? [
								{
									at: end(hostCost),
									text: `${dollars(end(hostCost), mode === "sum" ? 2 : 4)} host`,
									colour: "var(--k-host)",
								},
							]
						: []),
					{
						at: end(cost),
						text: `${dollars(end(cost), mode === "sum" ? 2 : 4)} ${made ? "weft" : "reported"}`,
						sub:
							made && mode === "sum"
								? less >= 0
									? `${dollars(less, 2)} less, ${percent(less / Math.max(1e-9, end(hostCost)), 0)}`
									: `${dollars(-less, 2)} more so far`
								: "",
						colour: "var(--ink)",
					},
				]}
			/>
			{!made && !savedFile && (
				<div class="note">
					weft did not run in this session: the curve is what the provider reported.{" "}
					<a class="b" href={href({ page: "replay", fresh: true })}>
						Replay it
					</a>{" "}
					to see what each mode would have sent.
				</div>
			)}
		</div>
	);
}

function Events({ address, path }: { address: PageAddress; path: string }): JSX.Element {
	const { q = "", type, tool, file, all } = address.query;
	const loaded = useSteadyPageData<EventPage>(path);
	const [more, setMore] = useState<{
		readonly of: string;
		readonly rows: readonly EventRow[];
		readonly next: number | null;
	}>({ of: "", rows: [], next: null });
	const busy = useRef(false);
	const first = loaded.data;
	const older = more.of === path ? more : { of: path, rows: [], next: first?.next ?? null };
	const rows = useMemo(() => {
		if (!first) return [];
		const last = first.rows.at(-1)?.seq ?? 0;
		return [...first.rows, ...older.rows.filter(({ seq }) => seq < last)];
	}, [first, older]);
	const { next } = older;
	const onEnd = useCallback(() => {
		if (next === null || busy.current || savedFile) return;
		busy.current = true;
		load<EventPage>(`${path}${path.includes("?") ? "&" : "?"}before=${next}`)
			.then((page) =>
				setMore((old) => ({ of: path, rows: [...(old.of === path ? old.rows : []), ...page.rows], next: page.next })),
			)
			.finally(() => {
				busy.current = false;
			});
	}, [path, next]);
	const total = first?.counts.reduce((sum, { events }) => sum + events, 0) ?? 0;
	const narrowed = [tool && `tool ${tool}`, file && `file ${file}`].filter(Boolean);
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
						All <span class="n">{count(total)}</span>
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
							<Text>{text!}</Text> ✕
						</button>
					))}
				</span>
			</div>
			{!first ? (
				<Waiting of={loaded} />
			) : rows.length === 0 ? (
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
					.{" "}
					{first.searched !== null
						? `${many(first.searched, "message")} were searched.`
						: `${many(total, "event")} were looked at.`}{" "}
					<a class="b" href={href({ set: { q: null, type: null, tool: null, file: null } })}>
						Clear the filter
					</a>
				</p>
			) : (
				<EventTable rows={rows} all={all === "1"} onEnd={next === null ? undefined : onEnd} />
			)}
		</>
	);
}

const STANDINGS: Readonly<Record<string, StateKind>> = {
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
	rows: readonly EventRow[];
	all: boolean;
	onEnd: (() => void) | undefined;
}): JSX.Element {
	const columns = [
		{ title: "Seq", width: 70, num: true },
		{ title: "Time, UTC", width: 108, hide: "s" },
		{ title: "Event", width: 116 },
		{ title: "State", width: 84, hide: "m" },
		{ title: "What" },
		{ title: all ? "Session" : "File", width: 160, hide: "m" },
		{ title: "Handle", width: 150, hide: "s" },
		{ title: "Cause", width: 76, num: true, hide: "m" },
	] as const;
	return (
		<Table
			label="Events, newest first"
			columns={columns}
			onEnd={onEnd}
			rows={rows.map(
				(row): TableRow => ({
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
							<State key="st" is={STANDINGS[row.state] ?? "none"}>
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
						) : row.file ? (
							<a key="f" class="mono dim" href={href({ set: { file: row.file } })} title={`only events of ${row.file}`}>
								<Text>{pathEnd(row.file)}</Text>
							</a>
						) : row.tool ? (
							<a key="f" class="mono dim" href={href({ set: { tool: row.tool } })} title="only events of this tool">
								<Text>{row.tool}</Text>
							</a>
						) : (
							""
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
				}),
			)}
		/>
	);
}
