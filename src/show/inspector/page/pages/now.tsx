/** The content of the next request if nothing else happens, and what it leaves out. */
import type { JSX } from "preact";
import type { NowItem, NowView } from "../../../../view/now-page.ts";
import { href } from "../address.ts";
import { dataPath, usePageData } from "../data.ts";
import { cost, count, kilo, many, percent } from "../format.ts";
import { Bar, COLOUR, cls, Head, Item, Swatch, Switch, Waiting } from "../parts.tsx";
import { savedFile } from "../saved-file.ts";
import { Table, type TableRow } from "../table.tsx";
import { Handle } from "../text.tsx";
import { ItemDetail, renderUnfit } from "./now-item.tsx";
import type { PageProps } from "./page.ts";

interface ItemGroup {
	readonly group: string;
	readonly name: string;
	readonly legend: string;
	readonly note: string;
}

const GROUPS: readonly ItemGroup[] = [
	{ group: "tools", name: "Tools", legend: "System tools", note: "set by the agent" },
	{ group: "system", name: "System", legend: "System prompt", note: "set by the agent" },
	{ group: "options", name: "Options", legend: "Options", note: "set by the agent" },
	{ group: "seed", name: "Seed", legend: "Seed", note: "" },
	{ group: "tail", name: "Tail", legend: "Messages (tail)", note: "raw messages, append-only" },
	{ group: "uncached", name: "Last", legend: "Uncached", note: "for this request only, at full price" },
];
/** Of the agent's own request. Sizes of its parts are ours: only their sum was reported. */
const HOST_GROUP_NAMES: readonly ItemGroup[] = [
	{
		group: "system",
		name: "System and tools",
		legend: "System and tools",
		note: "the part of the prompt that is not messages",
	},
	{ group: "seed", name: "Summary", legend: "The agent's summary", note: "" },
	{ group: "tail", name: "Messages", legend: "Messages", note: "as the agent had them" },
];

interface PendingNow {
	readonly progress: { readonly done: number; readonly total: number };
}

export function Now({ address, vitals }: PageProps): JSX.Element {
	const { window, mode, as } = address.query;
	const path = dataPath("now", { window, mode, as });
	const loaded = usePageData<NowView | PendingNow>(path, { again: isPending });
	const data = loaded.data;
	const view = data && !isPending(data) ? data : undefined;
	const isWould = as === "weft" && vitals?.isHosts === true;
	return (
		<>
			<Head
				title="Now"
				sub={view ? subtitle(view) : isWould ? "what weft would send" : ""}
				cli={view?.as === "host" ? "weft request" : "weft context --why"}
				json={path}
			>
				{vitals?.isHosts && !savedFile && (
					<Switch
						label="Show"
						name="as"
						value={isWould ? "weft" : ""}
						options={[
							["", "As it was"],
							["weft", "What weft would send"],
						]}
					/>
				)}
			</Head>
			{view ? (
				<Body view={view} chosen={address.query["item"]} />
			) : data && isPending(data) ? (
				<Pending {...data} />
			) : (
				<Waiting of={loaded} />
			)}
		</>
	);
}

function isPending(data: NowView | PendingNow): data is PendingNow {
	return "progress" in data;
}

function subtitle({ as, live, requests }: NowView): string {
	if (as === "host") return `request ${requests}, the newest, as the agent sent it`;
	if (live) return `what request ${requests + 1} will send if nothing else happens`;
	return "this session ran without weft; shown as if weft had been there";
}

function Pending({ progress: { done, total } }: PendingNow): JSX.Element {
	return (
		<div class="sec">
			<div class="note" role="status">
				<p>
					<b>weft plans every request of this session from its beginning.</b>{" "}
					{total > 0 ? `${count(done)} of ${count(total)} requests.` : "Reading the session."}
				</p>
				<p>
					<progress max={Math.max(1, total)} value={done} aria-label="Requests planned" />{" "}
					<a class="b" href={href({ set: { as: null } })}>
						Stop, and show it as it was
					</a>
				</p>
			</div>
		</div>
	);
}

const COLUMNS = [
	{ title: "Item, in prompt order" },
	{ title: "Handle", width: 132, hide: "s" },
	{ title: "Tokens", width: 76, num: true },
	{ title: "", width: 56, hide: "m" },
	{ title: "Cache", width: 54, hide: "m" },
	{ title: "Since", width: 60, num: true, hide: "m", tip: "the request that first sent it" },
	{ title: "Why here", width: 180, hide: "m" },
] as const;
/** The agent's own request has all its messages, for no reason that a row could say. */
const HOST_COLUMNS = COLUMNS.slice(0, -1);

function Body({ view, chosen }: { view: NowView; chosen: string | undefined }): JSX.Element {
	const { items } = view;
	const selected =
		items.find(({ id, handle }) => id === chosen || (handle !== null && handle === chosen)) ??
		largestSection(items) ??
		items[0];
	const largest = Math.max(1, ...items.map(({ tokens }) => tokens));
	return (
		<>
			<Budget view={view} selected={selected} />
			{view.compactions.length > 0 && <Compactions of={view.compactions} />}
			<div class="split">
				<div>
					<Table
						label={
							view.as === "host"
								? "Items of the newest request, in prompt order"
								: "Items of the next request, in prompt order"
						}
						columns={view.as === "host" ? HOST_COLUMNS : COLUMNS}
						rows={[
							...(view.as === "host" ? HOST_GROUP_NAMES : GROUPS).flatMap((group) =>
								groupRows(group, view, selected, largest),
							),
							...leftOutRows(view, largest),
							...items.filter(({ left }) => left > 0).map(unfitRow),
						]}
					/>
				</div>
				<div class="side">{selected && <ItemDetail item={selected} view={view} />}</div>
			</div>
		</>
	);
}

function largestSection(items: readonly NowItem[]): NowItem | undefined {
	return items.reduce<NowItem | undefined>(
		(largest, item) => (item.group === "seed" && item.tokens > (largest?.tokens ?? 0) ? item : largest),
		undefined,
	);
}

function tokensOf(items: readonly NowItem[], group: string): number {
	return items.reduce((sum, item) => sum + (item.group === group ? item.tokens : 0), 0);
}

function groupRows(
	{ group, name, note }: ItemGroup,
	{ items, opening, as, isReported }: NowView,
	selected: NowItem | undefined,
	largest: number,
): TableRow[] {
	const inside = items.filter((item) => item.group === group);
	if (inside.length === 0) return [];
	const seedNote =
		as === "host"
			? "by the agent's compaction, for all before it"
			: opening?.reason
				? `frozen: ${opening.reason}`
				: "replaces what came before";
	const basis = isReported ? "are shares of the reported total" : "are estimated from the text";
	const head: TableRow = {
		key: `group ${group}`,
		group: (
			<GroupName
				swatch={group}
				name={name}
				tokens={tokensOf(items, group)}
				isOurs={as === "host"}
				note={group === "seed" ? seedNote : `${note}${group === "tail" && as === "host" ? `; sizes ${basis}` : ""}`}
			/>
		),
	};
	return [head, ...inside.map((item) => itemRow(item, { isSelected: item === selected, largest, as }))];
}

function itemRow(
	item: NowItem,
	{ isSelected, largest, as }: { isSelected: boolean; largest: number; as: NowView["as"] },
): TableRow {
	const { id, group, name, tool, preview, handle, tokens, cached, since, why } = item;
	return {
		key: id,
		href: href({ set: { item: id } }),
		selected: isSelected,
		cells: [
			<Item key="i" swatch={group} name={name} dim={tool} preview={preview} />,
			handle ? (
				<Handle key="h" of={handle} />
			) : (
				<span key="h" class="mono dim">
					{id.startsWith("seed:") ? id : ""}
				</span>
			),
			`${as === "host" ? "~" : ""}${count(tokens)}`,
			<Bar key="b" width={(40 * tokens) / largest} colour={COLOUR[group] ?? ""} />,
			cached === false ? (
				<b key="c">write</b>
			) : (
				<span key="c" class="dim">
					{cached ? "read" : "–"}
				</span>
			),
			<span key="s" class="dim">
				{since ?? "next"}
			</span>,
			<span key="w" class="dim" title={why}>
				{why}
				{renderUnfit(item)}
			</span>,
		],
	};
}

function leftOutRows({ leftOut, as }: NowView, largest: number): TableRow[] {
	const sizes = as === "host" ? "; sizes are estimated from the text" : "";
	const note = leftOut.nodes.length === 0 ? "nothing has left the context" : `and where it is: every row opens${sizes}`;
	return [
		{
			key: "left out",
			group: <GroupName name="Left out" tokens={leftOut.tokens} isOurs={as === "host"} note={note} />,
		},
		...leftOut.nodes.map(
			({ id, messages, topic, tokens, told }): TableRow => ({
				key: id,
				href: as === "host" ? href({ set: { peek: id } }) : href({ page: "history", id, fresh: true }),
				off: true,
				cells: [
					<Item key="i" out name={many(messages, "message")} preview={topic} />,
					<Handle key="h" of={id} />,
					`${as === "host" ? "~" : ""}${count(tokens)}`,
					<Bar key="b" width={Math.min(40, (40 * tokens) / largest)} colour="var(--line-2)" />,
					"",
					"",
					as === "host" ? "taken out by the agent's compaction" : `summarised in ${count(told)} tokens`,
				],
			}),
		),
	];
}

function unfitRow({ id, left, name }: NowItem): TableRow {
	return {
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
	};
}

function GroupName({
	swatch,
	name,
	tokens,
	note,
	isOurs,
}: {
	swatch?: string;
	name: string;
	tokens: number;
	note: string;
	/** The number is our estimate beside reported ones. */
	isOurs: boolean;
}) {
	return (
		<span class="item">
			<Swatch of={swatch ?? ""} out={swatch === undefined} />
			<span class="nm">
				<b>{name}</b> &nbsp;{isOurs ? "~" : ""}
				{count(tokens)} tokens
			</span>
			<span class="pv">{note}</span>
		</span>
	);
}

function Budget({ view, selected }: { view: NowView; selected: NowItem | undefined }): JSX.Element {
	return (
		<div class="bud">
			<BudgetBar view={view} selected={selected} />
			<BudgetLegend view={view} />
			{view.next && view.decision && (
				<div class="next">
					<span class="dim">Next request</span>
					<NextRequest next={view.next} isWarm={view.cache.warm} />
					<span class="dim">Next seal</span>
					<NextSeal view={view} decision={view.decision} />
					{view.readAgain !== null && (
						<>
							<span class="dim">Read again</span>
							<span>{view.readAgain}</span>
						</>
					)}
				</div>
			)}
		</div>
	);
}

/** Narrower items get no gap between them. */
const MIN_GAP_PERCENT = 0.6;

function BudgetBar({ view, selected }: { view: NowView; selected: NowItem | undefined }): JSX.Element {
	const { window, ceiling, tokens, items } = view;
	const scale = Math.max(window, tokens);
	const width = (size: number) => (100 * size) / scale;
	const sections = items.filter(({ group }) => group === "seed");
	const colour = (item: NowItem) => (sections.indexOf(item) % 2 === 1 ? "var(--k-seed-2)" : COLOUR[item.group]);
	return (
		<>
			<div class="bar" role="group" aria-label={`${count(tokens)} of ${count(ceiling)} tokens`}>
				{items.map((item) => (
					<a
						key={item.id}
						href={href({ set: { item: item.id } })}
						tabIndex={-1}
						class={cls(item === selected && "on", width(item.tokens) < MIN_GAP_PERCENT && "thin")}
						style={{ width: `${width(item.tokens)}%`, "--c": colour(item) }}
						title={`${item.name} ${count(item.tokens)} tokens`}
						aria-label={`${item.name}, ${count(item.tokens)} tokens`}
					/>
				))}
				<span style={{ width: `${Math.max(0, width(ceiling - tokens))}%`, flex: "none" }} />
				<span class="over" />
			</div>
			<div class="ax" aria-hidden="true">
				<span class="l">0</span>
				{view.as === "weft" && (
					<>
						<i style={{ left: `${width(ceiling)}%` }} />
						<span style={{ left: `${width(ceiling)}%`, color: "var(--ink)" }}>ceiling {kilo(ceiling)}</span>
					</>
				)}
				<span class="rr" style={{ left: "100%" }}>
					window {kilo(scale)}
					{view.isWindowAssumed ? ", assumed" : ""}
				</span>
			</div>
		</>
	);
}

function BudgetLegend({ view: { items, ceiling, tokens, leftOut, as } }: { view: NowView }): JSX.Element {
	const ours = as === "host" ? "~" : "";
	const groups = (as === "host" ? HOST_GROUP_NAMES : GROUPS).map(({ group, legend }) => ({
		group,
		legend,
		sum: tokensOf(items, group),
	}));
	return (
		<div class="leg" data-legend>
			{groups
				.filter(({ group, sum }) => sum > 0 || (as === "weft" && group === "seed") || group === "tail")
				.map(({ group, legend, sum }) => (
					<span key={group}>
						<Swatch of={group} />
						{legend}{" "}
						<b>
							{ours}
							{count(sum)}
						</b>{" "}
						<span class="dim">{percent(sum / ceiling, 0)}</span>
					</span>
				))}
			<span class="dim">
				Free space <b style={{ color: "var(--ink)" }}>{count(Math.max(0, ceiling - tokens))}</b>
			</span>
			<span>
				<Swatch out />
				Left out{" "}
				<b>
					{leftOut.tokens > 0 ? ours : ""}
					{count(leftOut.tokens)}
				</b>{" "}
				<span class="dim">
					{leftOut.messages === 0 ? "nothing yet" : `in ${many(leftOut.messages, "message")}, all fetchable`}
				</span>
			</span>
		</div>
	);
}

function NextRequest({ next, isWarm }: { next: NonNullable<NowView["next"]>; isWarm: boolean }): JSX.Element {
	const money = (of: number) => cost({ dollars: of, estimated: false, assumed: next.assumed });
	return (
		<span>
			<b>{count(next.read)}</b> read + <b>{count(next.write)}</b> written = <b>{money(next.dollars)}</b>{" "}
			<span class="dim">{isWarm ? `(cold: ${money(next.coldDollars)})` : "(the cache is cold)"}</span>
		</span>
	);
}

function NextSeal({
	view: { ceiling, tokens },
	decision,
}: {
	view: NowView;
	decision: NonNullable<NowView["decision"]>;
}): JSX.Element {
	const { seal, why, regret, price } = decision;
	if (seal)
		return (
			<span>
				<b>due</b> ({why})
			</span>
		);
	if (price <= 0) return <span>not due ({why})</span>;
	return (
		<span>
			regret {count(regret)} of {count(price)} <span class="dim">({percent(regret / price, 0)})</span>, or in{" "}
			<b>{count(Math.max(0, ceiling - tokens))}</b> tokens at the ceiling
		</span>
	);
}

/** Where the agent replaced its history by a summary of its own. */
function Compactions({ of }: { of: NowView["compactions"] }): JSX.Element {
	return (
		<div class="sec">
			<p class="dim tight">
				{many(of.length, "compaction")} by the agent:{" "}
				{of.slice(-MAX_COMPACTIONS).map(({ n, tokensBefore, tokensAfter }, at) => (
					<span key={n}>
						{at > 0 ? " · " : ""}
						<a class="b" href={href({ page: "request", id: String(n), fresh: true })}>
							before request {n}
						</a>{" "}
						{tokensBefore === null ? "?" : kilo(tokensBefore)} → {tokensAfter === null ? "?" : kilo(tokensAfter)}
					</span>
				))}
			</p>
		</div>
	);
}

const MAX_COMPACTIONS = 6;
