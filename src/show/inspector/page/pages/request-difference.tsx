/** The messages that a request added, dropped and kept, compared with the request before it. */
import type { JSX } from "preact";
import { AGENT_SUMMARY } from "../../../../view/cache-miss.ts";
import type { RequestView, SentItem } from "../../../../view/request.ts";
import { href } from "../address.ts";
import { count, many } from "../format.ts";
import { Item } from "../parts.tsx";
import { Table, type TableRow } from "../table.tsx";
import { Handle } from "../text.tsx";

interface DifferenceGroup {
	readonly name: "Came" | "Left" | "Same";
	readonly items: readonly SentItem[];
	readonly total: { readonly items: number; readonly tokens: number };
	readonly note: string;
	/** Rows shown before the reader asks for all. */
	readonly first: number;
}

const [FIRST_CHANGED, FIRST_SAME] = [8, 3];

const COLUMNS = [
	{ title: "Message" },
	{ title: "Handle", width: 132, hide: "m" },
	{ title: "Tokens", width: 66, num: true },
	{ title: "What happened to it", width: 178, hide: "s" },
] as const;

export function RequestDifference({
	view: { came, left, same, sameTotal },
	all,
	hideSame,
}: {
	view: RequestView;
	all: boolean;
	hideSame: boolean;
}): JSX.Element {
	const groups: DifferenceGroup[] = [
		{ name: "Came", items: came, total: sumOf(came), note: "", first: FIRST_CHANGED },
		{ name: "Left", items: left, total: sumOf(left), note: "everything is in the log", first: FIRST_CHANGED },
		// A saved file holds only the first of these, and how many there were.
		{ name: "Same", items: hideSame ? [] : same, total: sameTotal, note: "byte for byte", first: FIRST_SAME },
	];
	return (
		<Table
			label="Difference from the request before"
			columns={COLUMNS}
			rows={groups.flatMap((group) => groupRows(group, all))}
		/>
	);
}

function sumOf(items: readonly SentItem[]): DifferenceGroup["total"] {
	return { items: items.length, tokens: items.reduce((sum, { tokens }) => sum + tokens, 0) };
}

function groupRows({ name, items, total, note, first }: DifferenceGroup, all: boolean): TableRow[] {
	if (items.length === 0) return [];
	const shown = all ? items : items.slice(0, first);
	const rest = items.length - shown.length;
	const head: TableRow = {
		key: name,
		group: (
			<>
				<b>{name}</b> &nbsp;{many(total.items, "item")}, ~{count(total.tokens)} tokens{" "}
				<span class="dim">&nbsp;{note}</span>
			</>
		),
	};
	return [head, ...shown.map((item) => itemRow(item, name)), ...(rest > 0 ? [moreRow(name, rest)] : [])];
}

function itemRow(item: SentItem, group: DifferenceGroup["name"]): TableRow {
	return {
		key: `${group} ${item.id}`,
		...(item.handle ? { href: href({ set: { peek: item.handle } }) } : {}),
		cells: [
			<Item
				key="i"
				swatch={isOpening(item) ? "seed" : "tail"}
				out={group === "Left"}
				name={item.role}
				dim={item.tool}
				preview={item.preview}
			/>,
			<Handle key="h" of={item.handle} />,
			`~${count(item.tokens)}`,
			<Fate key="f" item={item} group={group} />,
		],
	};
}

function isOpening({ role }: SentItem): boolean {
	return role === "seed" || role === AGENT_SUMMARY;
}

function Fate({ item, group }: { item: SentItem; group: DifferenceGroup["name"] }): JSX.Element {
	if (group === "Came") return <>written</>;
	if (group === "Same") return <span class="dim">same bytes</span>;
	if (!item.toldBy) return <>{isOpening(item) ? "replaced" : "in the log"}</>;
	return (
		<span>
			summarised in <Handle of={item.toldBy} />
		</span>
	);
}

function moreRow(name: string, rest: number): TableRow {
	return {
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
	};
}
