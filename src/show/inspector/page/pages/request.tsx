/** The requests of a session, and the selected one compared with the request before it. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { missWords } from "../../../../view/cache-miss.ts";
import type { RequestView } from "../../../../view/request.ts";
import type { RequestRow } from "../../../../view/requests.ts";
import { go, href } from "../address.ts";
import { dataPath, usePageData } from "../data.ts";
import { clockMs, cost, count, day } from "../format.ts";
import { Bar, Head, State, Waiting } from "../parts.tsx";
import { savedFile } from "../saved-file.ts";
import { rowHeight, Table, type TableRow } from "../table.tsx";
import { Handle, Text } from "../text.tsx";
import type { PageProps } from "./page.ts";
import { RequestDetail } from "./request-detail.tsx";

export function Request({ address }: PageProps): JSX.Element {
	const list = usePageData<{ requests: readonly RequestRow[] }>(dataPath("requests"));
	const rows = list.data?.requests;
	const n = Math.max(1, Math.min(rows?.length ?? 1, Number(address.id ?? rows?.length ?? 1) || 1));
	const path = dataPath(`request/${n}`);
	const loaded = usePageData<RequestView>(rows && rows.length > 0 ? path : undefined);
	const row = rows?.[n - 1];
	const step = (to: number) => go(href({ id: String(to), set: { all: null } }));
	return (
		<>
			<Head
				title={rows && rows.length > 0 ? `Request ${n}` : "Request"}
				sub={row && <Subtitle row={row} />}
				cli={`weft request ${n}`}
				json={path}
				more={!savedFile && row && <Exports path={path} n={n} />}
			>
				<span class="seg">
					<button type="button" data-step="[" disabled={n <= 1} onClick={() => step(n - 1)}>
						[ prev
					</button>
					<button type="button" data-step="]" disabled={!rows || n >= rows.length} onClick={() => step(n + 1)}>
						next ]
					</button>
				</span>
			</Head>
			{!rows ? (
				<Waiting of={list} />
			) : rows.length === 0 ? (
				<NoRequests />
			) : (
				<div class="split wide-side">
					<ScrolledList rows={rows} n={n} />
					<div class="side">
						{loaded.data ? (
							<RequestDetail
								view={loaded.data}
								all={address.query["all"] === "1"}
								hideSame={address.query["same"] === "0"}
							/>
						) : (
							<Waiting of={loaded} />
						)}
					</div>
				</div>
			)}
		</>
	);
}

/** The list, scrolled to the request that is shown unless it can be seen already. */
function ScrolledList({ rows, n }: { rows: readonly RequestRow[]; n: number }): JSX.Element {
	const box = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		const list = box.current;
		const top = n * rowHeight();
		if (!list || (top > list.scrollTop && top < list.scrollTop + list.clientHeight - rowHeight())) return;
		list.scrollTop = top - list.clientHeight / 2;
	}, [n]);
	return (
		<div ref={box}>
			<RequestList rows={rows} n={n} />
		</div>
	);
}

function Subtitle({ row: { ts, handle, model } }: { row: RequestRow }): JSX.Element {
	return (
		<>
			<span class="nw">
				{day(ts)} {clockMs(ts)}
			</span>{" "}
			· <Handle of={handle} />
			{model ? (
				<>
					{" "}
					· <Text>{model}</Text>
				</>
			) : null}
		</>
	);
}

function Exports({ path, n }: { path: string; n: number }): JSX.Element {
	return (
		<>
			<a href={path.replace(/\.json$/, ".export.json")} download={`request-${n}.json`}>
				Export JSON
			</a>
			<a href={path.replace(/\.json$/, ".md")} download={`request-${n}.md`}>
				Markdown
			</a>
		</>
	);
}

function NoRequests(): JSX.Element {
	return (
		<div class="sec">
			<div class="note">
				<p>
					<b>The log has no request of this session yet.</b>
				</p>
				<p>weft records the first one when an agent that runs with weft calls its model.</p>
			</div>
		</div>
	);
}

function RequestList({ rows, n }: { rows: readonly RequestRow[]; n: number }): JSX.Element {
	const largest = rows.reduce((max, row) => Math.max(max, totalOf(sizeOf(row))), 1);
	const columns = [
		{ title: "#", width: 52, num: true },
		{ title: "Tokens", width: 76, num: true },
		{ title: "Read, written" },
		{ title: "Cost", width: 92, num: true },
		{ title: "Cache", width: 124, hide: "m" },
	] as const;
	return (
		<Table
			label="Requests"
			columns={columns}
			rows={rows.map((row): TableRow => {
				const size = sizeOf(row);
				return {
					key: String(row.n),
					href: href({ id: String(row.n), set: { all: null } }),
					selected: row.n === n,
					cells: [
						<>
							{isPaidAgain(row) && (
								<span class="show-m" title={row.miss ? missWords(row.miss) : "the prefix broke here"}>
									<span aria-hidden="true">! </span>
									<span class="sr">paid again </span>
								</span>
							)}
							{row.n}
						</>,
						row.mode === null && !row.reported ? "–" : count(row.reported ? totalOf(size) : row.tokens),
						row.mode === null && !row.reported ? (
							""
						) : (
							<span key="r" class="rw">
								<Bar width={(108 * size.read) / largest} colour="var(--line-2)" />
								{paidAgain(row) > 0 && <Bar width={(108 * paidAgain(row)) / largest} colour="var(--s-blocked)" />}
								<Bar
									width={(108 * Math.max(0, size.write + size.input - paidAgain(row))) / largest}
									colour="var(--ink-2)"
								/>
							</span>
						),
						row.dollars === null
							? "–"
							: cost({ dollars: row.dollars, estimated: row.isEstimated, assumed: row.isAssumed }),
						<RequestState key="s" row={row} />,
					],
				};
			})}
		/>
	);
}

function RequestState({ row: { miss, broke, seal, isAssumed } }: { row: RequestRow }): JSX.Element | null {
	if (miss && miss.state !== "seal") {
		const title = `${count(miss.tokens)} tokens paid again, ${cost({ dollars: miss.dollars, estimated: true, assumed: isAssumed })}`;
		return (
			<span title={title}>
				<State is="blocked">{missWords(miss)}</State>
			</span>
		);
	}
	if (seal) return <>seal</>;
	return broke ? <State is="blocked">break</State> : null;
}

function isPaidAgain({ miss, broke }: RequestRow): boolean {
	return broke !== null || miss !== null;
}

/** Tokens that were written although the cache had held them. */
function paidAgain(row: RequestRow): number {
	const { write, input } = sizeOf(row);
	return Math.min(write + input, row.miss?.tokens ?? (row.broke ? write + input : 0));
}

const NO_TOKENS = { read: 0, write: 0, input: 0 };

function sizeOf({ reported, predicted }: RequestRow): typeof NO_TOKENS {
	return reported ?? predicted ?? NO_TOKENS;
}

function totalOf({ read, write, input }: typeof NO_TOKENS): number {
	return read + write + input;
}
