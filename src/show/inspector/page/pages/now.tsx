/** What the next request will hold, if nothing else happens; and what it leaves out. */
import type { JSX } from "preact";
import type { TextPage } from "../../../../view/event.ts";
import type { NowItem, NowView } from "../../../../view/now.ts";
import type { WorkView } from "../../../../view/work.ts";
import { href } from "../address.ts";
import { dataPath, usePageData } from "../data.ts";
import { count, dollars, kilo, many, percent } from "../format.ts";
import { Bar, COLOUR, Copy, cls, Head, Item, State, Swatch, Waiting } from "../parts.tsx";
import { savedFile } from "../saved-file.ts";
import { Table, type TableRow } from "../table.tsx";
import { Diff, Handle, Text, TextBlock } from "../text.tsx";
import type { PageProps } from "./page.ts";

const GROUPS: readonly (readonly [group: string, name: string, legend: string, note: string])[] = [
	["tools", "Tools", "System tools", "set by the host"],
	["system", "System", "System prompt", "set by the host"],
	["options", "Options", "Options", "set by the host"],
	["seed", "Seed", "Seed", ""],
	["tail", "Tail", "Messages (tail)", "raw messages, append-only"],
	["uncached", "Last", "Uncached", "for this request alone, paid in full"],
];

export function Now({ address }: PageProps): JSX.Element {
	const path = dataPath("now", { window: address.query["window"], mode: address.query["mode"] });
	const loaded = usePageData<NowView>(path);
	const view = loaded.data;
	const sub = !view
		? ""
		: view.live
			? `what request ${view.requests + 1} will send if nothing else happens`
			: "this session ran without weft: shown as if it had run with it";
	return (
		<>
			<Head title="Now" sub={sub} cli="weft context --why" json={path} />
			{view ? <Body view={view} chosen={address.query["item"]} /> : <Waiting of={loaded} />}
		</>
	);
}

function Body({ view, chosen }: { view: NowView; chosen: string | undefined }): JSX.Element {
	const { items, leftOut } = view;
	const selected =
		items.find(({ id, handle }) => id === chosen || (handle !== null && handle === chosen)) ??
		items.reduce<NowItem | undefined>(
			(most, item) => (item.group === "seed" && item.tokens > (most?.tokens ?? 0) ? item : most),
			undefined,
		) ??
		items[0];
	const largest = Math.max(1, ...items.map(({ tokens }) => tokens));
	const sumOf = (group: string) => items.reduce((sum, item) => sum + (item.group === group ? item.tokens : 0), 0);
	const rows: TableRow[] = GROUPS.flatMap(([group, name, , note]): TableRow[] => {
		const inside = items.filter((item) => item.group === group);
		if (inside.length === 0) return [];
		const about =
			group === "seed"
				? view.opening?.reason
					? `frozen: ${view.opening.reason}`
					: "stands for what came before"
				: note;
		return [
			{
				key: `group ${group}`,
				group: <GroupName swatch={group} name={name} tokens={sumOf(group)} note={about} />,
			},
			...inside.map(
				(item): TableRow => ({
					key: item.id,
					href: href({ set: { item: item.id } }),
					selected: item === selected,
					cells: [
						<Item
							key="i"
							swatch={group}
							name={item.name === "result" ? "result" : item.name}
							dim={item.tool}
							preview={item.preview}
						/>,
						item.handle ? (
							<Handle key="h" of={item.handle} />
						) : (
							<span key="h" class="mono dim">
								{item.id.startsWith("seed:") ? item.id : ""}
							</span>
						),
						count(item.tokens),
						<Bar key="b" width={(40 * item.tokens) / largest} colour={COLOUR[group] ?? ""} />,
						item.cached ? (
							<span key="c" class="dim">
								read
							</span>
						) : (
							<b key="c">write</b>
						),
						<span key="s" class="dim">
							{item.since ?? "next"}
						</span>,
						<span key="w" class="dim" title={item.why}>
							{item.why}
							{leftWords(item)}
						</span>,
					],
				}),
			),
		];
	});
	const out: TableRow[] = leftOut.nodes.map(
		(node): TableRow => ({
			key: node.id,
			href: href({ page: "history", id: node.id, fresh: true }),
			off: true,
			cells: [
				<Item key="i" out name={many(node.messages, "message")} preview={node.topic} />,
				<Handle key="h" of={node.id} />,
				count(node.tokens),
				<Bar key="b" width={Math.min(40, (40 * node.tokens) / largest)} colour="var(--line-2)" />,
				"",
				"",
				`told in ${count(node.told)} tokens`,
			],
		}),
	);
	const unfit: TableRow[] = items
		.filter(({ left }) => left > 0)
		.map(
			({ id, left, name }): TableRow => ({
				key: `unfit ${id}`,
				href: href({ set: { item: id } }),
				off: true,
				cells: [
					<Item key="i" out name={`${count(left)} more`} preview={`no room in “${name}”`} />,
					<span key="h" class="mono">
						{id === "seed:files" ? "disk" : "grep"}
					</span>,
					"",
					"",
					"",
					"",
					"over budget, coldest first",
				],
			}),
		);
	const columns = [
		{ title: "Item, in prompt order" },
		{ title: "Handle", width: 132 },
		{ title: "Tokens", width: 62, num: true },
		{ title: "", width: 56, hide: "m" },
		{ title: "Cache", width: 54, hide: "m" },
		{ title: "Since", width: 52, num: true, hide: "m", tip: "the request in which it first went out" },
		{ title: "Why here", width: 180, hide: "m" },
	] as const;
	const left: TableRow = {
		key: "left out",
		group: (
			<GroupName
				name="Left out"
				tokens={leftOut.tokens}
				note={leftOut.nodes.length === 0 ? "nothing has left the context" : "and where it is: every row opens"}
			/>
		),
	};
	return (
		<>
			<Budget view={view} selected={selected} sumOf={sumOf} />
			<div class="split">
				<div>
					<Table
						label="Items of the next request, in prompt order"
						columns={columns}
						rows={[...rows, left, ...out, ...unfit]}
					/>
				</div>
				<div class="side">{selected && <Detail item={selected} view={view} />}</div>
			</div>
		</>
	);
}

/** The seal's own account may say it already. */
function leftWords({ left, why }: NowItem): string {
	return left > 0 && !why.includes("did not fit") ? `; ${left} more did not fit` : "";
}

/** `swatch` left out: what the group holds is not in the request. */
function GroupName({ swatch, name, tokens, note }: { swatch?: string; name: string; tokens: number; note: string }) {
	return (
		<span class="item">
			<Swatch of={swatch ?? ""} out={swatch === undefined} />
			<span class="nm">
				<b>{name}</b> &nbsp;{count(tokens)} tokens
			</span>
			<span class="pv">{note}</span>
		</span>
	);
}

function Budget({
	view,
	selected,
	sumOf,
}: {
	view: NowView;
	selected: NowItem | undefined;
	sumOf: (group: string) => number;
}): JSX.Element {
	const { window, ceiling, tokens, items, leftOut, next, decision, cache } = view;
	const scale = Math.max(window, tokens);
	const width = (size: number) => (100 * size) / scale;
	let shade = 0;
	return (
		<div class="bud">
			<div class="bar" role="group" aria-label={`${count(tokens)} of ${count(ceiling)} tokens`}>
				{items.map((item) => {
					const colour = item.group === "seed" && shade++ % 2 === 1 ? "var(--k-seed-2)" : COLOUR[item.group];
					return (
						<a
							key={item.id}
							href={href({ set: { item: item.id } })}
							tabIndex={-1}
							class={cls(item === selected && "on", width(item.tokens) < 0.6 && "thin")}
							style={{ width: `${width(item.tokens)}%`, "--c": colour }}
							title={`${item.name} ${count(item.tokens)} tokens`}
							aria-label={`${item.name}, ${count(item.tokens)} tokens`}
						/>
					);
				})}
				<span style={{ width: `${Math.max(0, width(ceiling - tokens))}%`, flex: "none" }} />
				<span class="over" />
			</div>
			<div class="ax" aria-hidden="true">
				<span class="l">0</span>
				<i style={{ left: `${width(ceiling)}%` }} />
				<span style={{ left: `${width(ceiling)}%`, color: "var(--ink)" }}>ceiling {kilo(ceiling)}</span>
				<span class="rr" style={{ left: "100%" }}>
					window {kilo(scale)}
				</span>
			</div>
			<div class="leg" data-legend>
				{GROUPS.filter(([group]) => sumOf(group) > 0 || group === "seed" || group === "tail").map(
					([group, , legend]) => (
						<span key={group}>
							<Swatch of={group} />
							{legend} <b>{count(sumOf(group))}</b> <span class="dim">{percent(sumOf(group) / ceiling, 0)}</span>
						</span>
					),
				)}
				<span class="dim">
					Free space <b style={{ color: "var(--ink)" }}>{count(Math.max(0, ceiling - tokens))}</b>
				</span>
				<span>
					<Swatch out />
					Left out <b>{count(leftOut.tokens)}</b>{" "}
					<span class="dim">
						{leftOut.messages === 0 ? "nothing yet" : `in ${many(leftOut.messages, "message")}, all of it fetchable`}
					</span>
				</span>
			</div>
			<div class="next">
				<span class="dim">Next request</span>
				<span>
					<b>{count(next.read)}</b> read + <b>{count(next.write)}</b> written = <b>{dollars(next.dollars)}</b>{" "}
					<span class="dim">{cache.warm ? `(cold: ${dollars(next.coldDollars)})` : "(the cache is cold)"}</span>
				</span>
				<span class="dim">Next seal</span>
				<span>
					{decision.seal ? (
						<>
							<b>due</b> ({decision.why})
						</>
					) : decision.price > 0 ? (
						<>
							regret {count(decision.regret)} of {count(decision.price)}{" "}
							<span class="dim">({percent(decision.regret / decision.price, 0)})</span>, or in{" "}
							<b>{count(Math.max(0, ceiling - tokens))}</b> tokens at the ceiling
						</>
					) : (
						`not due (${decision.why})`
					)}
				</span>
			</div>
		</div>
	);
}

function Detail({ item, view }: { item: NowItem; view: NowView }): JSX.Element {
	const isHosts = item.group === "tools" || item.group === "system" || item.group === "options";
	const path =
		item.handle && item.group === "tail"
			? dataPath(`peek/${item.handle}`)
			: isHosts
				? undefined
				: dataPath("now/text", { item: item.id, window: view.window });
	const loaded = usePageData<TextPage | { text: TextPage }>(savedFile && !item.handle ? undefined : path, {
		live: false,
	});
	const text = loaded.data && (typeof loaded.data.text === "string" ? (loaded.data as TextPage) : loaded.data.text);
	return (
		<div class="sec">
			<header>
				<h2>
					<Swatch of={item.group} /> {item.name}
					{item.tool ? ` ${item.tool}` : ""}
				</h2>
				<span class="mono dim">{item.handle ? "" : item.id}</span>
				<span class="r">
					<Handle of={item.handle} />
				</span>
			</header>
			<dl class="kv">
				<dt>Tokens</dt>
				<dd>
					{count(item.tokens)}, {percent(item.tokens / Math.max(1, view.tokens))} of this request
				</dd>
				<dt>Why here</dt>
				<dd>
					<Text>{item.why}</Text>
					{leftWords(item)}
				</dd>
				<dt>Cache</dt>
				<dd>
					{item.cached ? (
						"read: unchanged since it was written"
					) : view.cache.warm ? (
						"will be written by the next request"
					) : (
						<>
							<State is="cold">cold</State>, so the next request writes it again
						</>
					)}
				</dd>
				<dt>First sent</dt>
				<dd>
					{item.since === null ? (
						"with the next request"
					) : (
						<a class="b" href={href({ page: "request", id: String(item.since), fresh: true })}>
							request {item.since}
						</a>
					)}
				</dd>
			</dl>
			{item.id === "seed:files" && <StaleNote />}
			<header style={{ margin: "12px 0 6px" }}>
				<h2>Text</h2>
				<span class="r">
					{text && <Copy text={text.text}>Copy</Copy>}
					<Copy text={() => location.href}>
						Copy link <kbd>y</kbd>
					</Copy>
				</span>
			</header>
			{isHosts ? (
				<p class="dim">The host's own: the log keeps its size and its hash in every request, not its text.</p>
			) : text ? (
				<TextBlock
					first={text}
					name={item.id}
					more={(offset) =>
						item.handle && item.group === "tail"
							? dataPath(`peek/${item.handle}`, { offset })
							: dataPath("now/text", { item: item.id, window: view.window, offset })
					}
				/>
			) : (
				<Waiting of={loaded} />
			)}
		</div>
	);
}

function StaleNote(): JSX.Element | null {
	const { data } = usePageData<WorkView>(dataPath("work"));
	const stale = data?.freshness.filter(({ status }) => status === "stale") ?? [];
	if (stale.length === 0) return null;
	return (
		<>
			{stale.slice(0, 3).map(({ path, diff }) => (
				<div key={path} class="note stale" style={{ marginTop: "10px" }}>
					<p>
						<b>
							<Text>{path}</Text> has changed on disk.
						</b>{" "}
						The seed is frozen and keeps the old text; the guard blocks an edit that relies on it.
					</p>
					{diff.length > 0 && <Diff lines={diff.slice(0, 40)} />}
				</div>
			))}
		</>
	);
}
