/** One request as it was sent, beside the one before: what came, what left, where the cached prefix broke and what it cost. */
import type { JSX } from "preact";
import type { RequestView, SentItem } from "../../../../view/request.ts";
import type { RequestRow } from "../../../../view/requests.ts";
import { go, href } from "../address.ts";
import { dataPath, usePageData } from "../data.ts";
import { clockMs, count, day, dollars, many } from "../format.ts";
import { Bar, cls, Head, Item, State, Swatch, Waiting } from "../parts.tsx";
import { savedFile } from "../saved-file.ts";
import { Table, type TableRow } from "../table.tsx";
import { Handle, Text } from "../text.tsx";
import type { PageProps } from "./page.ts";

export function Request({ address }: PageProps): JSX.Element {
	const list = usePageData<{ requests: readonly RequestRow[] }>(dataPath("requests"));
	const rows = list.data?.requests;
	const n = Math.max(1, Math.min(rows?.length ?? 1, Number(address.id ?? rows?.length ?? 1) || 1));
	const path = dataPath(`request/${n}`);
	const loaded = usePageData<RequestView>(rows && rows.length > 0 ? path : undefined);
	const row = rows?.[n - 1];
	const step = (to: number) => go(href({ id: String(to), set: { all: null } }));
	const sub = row ? (
		<>
			<span class="nw">
				{day(row.ts)} {clockMs(row.ts)}
			</span>{" "}
			· <Handle of={row.handle} />
			{row.model ? (
				<>
					{" "}
					· <Text>{row.model}</Text>
				</>
			) : null}
		</>
	) : (
		""
	);
	return (
		<>
			<Head
				title={rows && rows.length > 0 ? `Request ${n}` : "Request"}
				sub={sub}
				cli={`weft request ${n}`}
				json={path}
				more={
					!savedFile && row ? (
						<>
							<a href={path.replace(/\.json$/, ".export.json")} download={`request-${n}.json`}>
								Export JSON
							</a>
							<a href={path.replace(/\.json$/, ".md")} download={`request-${n}.md`}>
								Markdown
							</a>
						</>
					) : undefined
				}
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
				<div class="sec">
					<div class="note">
						<p>
							<b>No request of this session is in the log yet.</b>
						</p>
						<p>The first one is written down when an agent with weft asks its model.</p>
					</div>
				</div>
			) : (
				<div class="split wide-side">
					<div>
						<List rows={rows} n={n} />
					</div>
					<div class="side">
						{loaded.data ? (
							<Detail view={loaded.data} all={address.query["all"] === "1"} hideSame={address.query["same"] === "0"} />
						) : (
							<Waiting of={loaded} />
						)}
					</div>
				</div>
			)}
		</>
	);
}

function List({ rows, n }: { rows: readonly RequestRow[]; n: number }): JSX.Element {
	const sizes = rows.map(({ reported, predicted }) => reported ?? predicted ?? { read: 0, write: 0, input: 0 });
	const most = Math.max(1, ...sizes.map(({ read, write, input }) => read + write + input));
	const columns = [
		{ title: "#", width: 52, num: true },
		{ title: "Tokens", width: 76, num: true },
		{ title: "Read, written" },
		{ title: "Cost", width: 92, num: true },
		{ title: "State", width: 92, hide: "m" },
	] as const;
	return (
		<Table
			label="Requests"
			columns={columns}
			rows={rows.map((row, at): TableRow => {
				const { read, write, input } = sizes[at]!;
				const total = row.reported ? read + write + input : row.tokens;
				return {
					key: String(row.n),
					href: href({ id: String(row.n), set: { all: null } }),
					selected: row.n === n,
					cells: [
						<>
							{row.broke && (
								<span class="show-m" title="the prefix broke here">
									<span aria-hidden="true">! </span>
									<span class="sr">break </span>
								</span>
							)}
							{row.n}
						</>,
						count(total),
						<span key="r" class="rw">
							<Bar width={(124 * read) / most} colour="var(--line-2)" />
							<Bar width={(124 * (write + input)) / most} colour={row.broke ? "var(--s-blocked)" : "var(--ink-2)"} />
						</span>,
						row.dollars === null ? "–" : dollars(row.dollars),
						row.broke ? (
							<State key="s" is="blocked">
								break
							</State>
						) : row.seal ? (
							"seal"
						) : (
							""
						),
					],
				};
			})}
		/>
	);
}

function Detail({ view, all, hideSame }: { view: RequestView; all: boolean; hideSame: boolean }): JSX.Element {
	const { request, bytes, sameBytes, before, came, left, same, seal, sections } = view;
	const { reported, predicted, host } = request;
	const broke = view.break;
	const share = Math.max(14, Math.min(86, (100 * sameBytes) / Math.max(1, bytes)));
	const sent = reported ? reported.read + reported.write + reported.input : request.tokens;
	return (
		<>
			<div class="sec">
				<dl class="facts">
					<Fact
						name="Sent"
						value={count(sent)}
						more={
							reported
								? request.mode === null
									? "reported"
									: `reported, ${count(request.tokens)} estimated`
								: "estimated"
						}
					/>
					{reported && <Fact name="Read from cache" value={count(reported.read)} />}
					{reported && <Fact name="Written" value={count(reported.write)} />}
					{request.dollars !== null && <Fact name="Cost" value={dollars(request.dollars)} />}
					{host && <Fact name="Host alone" value={count(host.tokens)} more={`${dollars(host.dollars)} estimated`} />}
					{request.answer && (
						<div>
							<dt>Answer</dt>
							<dd>
								<Handle of={request.answer.handle} />
							</dd>
						</div>
					)}
				</dl>
			</div>
			<div class="sec">
				<header>
					<h2>Cache</h2>
					<span class="dim">
						{count(bytes)} bytes{before ? ` beside request ${before.n}` : ""}
						{predicted ? `; predicted ${count(predicted.read)} read and ${count(predicted.write)} written` : ""}
						{view.proven === true ? "; the bytes shown are those that left" : ""}
					</span>
				</header>
				<div class="ruler">
					{before && (
						<span class="eq" title={`same, ${count(sameBytes)} bytes`} style={{ width: `${share}%` }}>
							same, {count(sameBytes)} bytes
						</span>
					)}
					<span class={broke ? "brk" : "fresh"} title={`${count(Math.max(0, bytes - sameBytes))} bytes`}>
						{broke ? "written again" : "new"}, {count(Math.max(0, bytes - sameBytes))}
					</span>
				</div>
				{broke && before && (
					<div class="at mono">
						<span class="dim">request {before.n}</span>
						<pre>
							<span class="same">
								<Text>{flat(broke.common)}</Text>
							</span>
							<mark>
								<Text>{flat(broke.was)}</Text>
							</mark>
						</pre>
						<span class="dim">request {request.n}</span>
						<pre>
							<span class="same">
								<Text>{flat(broke.common)}</Text>
							</span>
							<mark class="n">
								<Text>{flat(broke.is)}</Text>
							</mark>
						</pre>
					</div>
				)}
				{broke ? (
					<div class={cls("note plain", broke.cause === null && "blocked")}>
						<p>
							<b>
								The cached prefix broke at byte {count(broke.byte)}, in the {broke.segment}.
							</b>{" "}
							{many(broke.tokens, "token")} were written again: <b>{dollars(broke.dollars)}</b>.
						</p>
						<p>
							{broke.cause === null ? (
								<b>Bytes already sent have changed, and nothing in the log says why.</b>
							) : (
								<>
									Cause: <Text>{broke.cause}</Text> {request.seal && <Handle of={request.seal.handle} />}, explained.
								</>
							)}{" "}
							{seal && (
								<span class="dim">
									{count(seal.tokensBefore)} → {count(seal.tokensAfter)} tokens; regret {count(seal.arithmetic.regret)}{" "}
									of a price of {count(seal.arithmetic.price)}.
								</span>
							)}
						</p>
					</div>
				) : (
					<div class="note plain ok">
						<p>
							<b>
								{before ? "Nothing that was sent before has changed." : "The first request: nothing to compare with."}
							</b>{" "}
							{reported ? `${count(reported.read)} tokens read, ${count(reported.write)} new ones written.` : ""}
						</p>
					</div>
				)}
			</div>
			<div class="sec flush">
				<header>
					<h2>Difference to request {before?.n ?? "–"}</h2>
					<span class="dim hide-s">
						<kbd>d</kbd> {hideSame ? "shows" : "hides"} what is the same
					</span>
				</header>
				<Difference came={came} left={left} same={hideSame ? [] : same} sameTotal={view.sameTotal} all={all} />
			</div>
			{sections.length > 0 && (
				<div class="sec">
					<header>
						<h2>The new seed, part by part</h2>
						<span class="dim">
							{sections.some(({ before }) => before !== null) ? "beside the seed before" : "the first of this session"}
						</span>
					</header>
					<div class="tw in">
						<table>
							<thead>
								<tr>
									<th scope="col">Part</th>
									<th scope="col" class="num" style={{ width: "70px" }}>
										Before
									</th>
									<th scope="col" class="num" style={{ width: "70px" }}>
										Now
									</th>
									<th scope="col" class="num" style={{ width: "80px" }}>
										Did not fit
									</th>
								</tr>
							</thead>
							<tbody>
								{sections.map(({ name, before: was, tokens, left: unfit }) => (
									<tr key={name}>
										<td>
											<Item swatch="seed" name={name} />
										</td>
										<td class="num dim">{was === null ? "–" : count(was)}</td>
										<td class="num">{count(tokens)}</td>
										<td class="num dim">{unfit || ""}</td>
									</tr>
								))}
							</tbody>
						</table>
					</div>
				</div>
			)}
			{request.segments.length > 0 && (
				<div class="sec">
					<header>
						<h2>Envelope as sent</h2>
					</header>
					<div class="tw in">
						<table>
							<thead>
								<tr>
									<th scope="col">Segment</th>
									<th scope="col" class="num" style={{ width: "80px" }}>
										Tokens
									</th>
									<th scope="col" class="num" style={{ width: "80px" }}>
										Bytes
									</th>
									<th scope="col" style={{ width: "90px" }}>
										Scope
									</th>
								</tr>
							</thead>
							<tbody>
								{request.segments.map(({ name, tokens, bytes: size }) => (
									<tr key={name}>
										<td>
											<Swatch of={name} /> {name}
										</td>
										<td class="num">{count(tokens)}</td>
										<td class="num dim">{count(size)}</td>
										<td class="dim">{size === 0 ? "empty" : name === "uncached" ? "uncached" : "cached"}</td>
									</tr>
								))}
							</tbody>
						</table>
					</div>
				</div>
			)}
		</>
	);
}

function Fact({ name, value, more }: { name: string; value: string; more?: string }): JSX.Element {
	return (
		<div>
			<dt>{name}</dt>
			<dd>
				{value}
				{more ? <small> {more}</small> : null}
			</dd>
		</div>
	);
}

/** Line ends are drawn, so that a break inside them is seen. */
const flat = (text: string): string => text.replaceAll("\\n", "⏎").replaceAll("\n", "⏎");

const [FIRST_CHANGED, FIRST_SAME] = [8, 3];

function Difference({
	came,
	left,
	same,
	sameTotal,
	all,
}: {
	came: readonly SentItem[];
	left: readonly SentItem[];
	same: readonly SentItem[];
	sameTotal: RequestView["sameTotal"];
	all: boolean;
}): JSX.Element {
	const tokens = (items: readonly SentItem[]) => items.reduce((sum, item) => sum + item.tokens, 0);
	const group = (
		name: string,
		items: readonly SentItem[],
		kind: "came" | "left" | "same",
		note: string,
		most: number,
	): TableRow[] => {
		if (items.length === 0) return [];
		const shown = all ? items : items.slice(0, most);
		// A saved file holds the first of what is the same, and how much there was.
		const total = kind === "same" ? sameTotal : { items: items.length, tokens: tokens(items) };
		const rest = items.length - shown.length;
		return [
			{
				key: name,
				group: (
					<>
						<b>{name}</b> &nbsp;{many(total.items, "item")}, {count(total.tokens)} tokens{" "}
						<span class="dim">&nbsp;{note}</span>
					</>
				),
			},
			...shown.map(
				(item): TableRow => ({
					key: `${name} ${item.id}`,
					...(item.handle ? { href: href({ set: { peek: item.handle } }) } : {}),
					cells: [
						<Item
							key="i"
							swatch={item.role === "seed" ? "seed" : "tail"}
							out={kind === "left"}
							name={item.role}
							dim={item.tool}
							preview={item.preview}
						/>,
						<Handle key="h" of={item.handle} />,
						count(item.tokens),
						kind === "left" ? (
							item.toldBy ? (
								<span key="t">
									told by <Handle of={item.toldBy} />
								</span>
							) : item.role === "seed" ? (
								"replaced"
							) : (
								"in the log"
							)
						) : kind === "same" ? (
							<span key="t" class="dim">
								same bytes
							</span>
						) : (
							"written"
						),
					],
				}),
			),
			...(rest > 0
				? [
						{
							key: `${name} more`,
							href: href({ set: { all: "1" } }),
							cells: [
								<span key="m" class="dim">
									Show {count(rest)} more
								</span>,
								"",
								"",
								"",
							],
						},
					]
				: []),
		];
	};
	const columns = [
		{ title: "Message" },
		{ title: "Handle", width: 132, hide: "m" },
		{ title: "Tokens", width: 66, num: true },
		{ title: "What became of it", width: 178 },
	] as const;
	return (
		<Table
			label="Difference to the request before"
			columns={columns}
			rows={[
				...group("Came", came, "came", "", FIRST_CHANGED),
				...group("Left", left, "left", "everything is in the log", FIRST_CHANGED),
				...group("Same", same, "same", "byte for byte", FIRST_SAME),
			]}
		/>
	);
}
