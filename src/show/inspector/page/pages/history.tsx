/** The summaries of a session and what each one covers, down to the messages and their bytes. */
import type { JSX } from "preact";
import type { TreeNode, TreeView } from "../../../../view/history.ts";
import type { NodeView } from "../../../../view/node.ts";
import type { NowView } from "../../../../view/now-page.ts";
import { href } from "../address.ts";
import { dataPath, usePageData } from "../data.ts";
import { clock, count, day, many } from "../format.ts";
import { Copy, Head, Item, State, Switch, Waiting } from "../parts.tsx";
import { Table, type TableRow } from "../table.tsx";
import { Handle, Text } from "../text.tsx";
import { HistoryIcicle, tailName } from "./history-icicle.tsx";
import type { PageProps } from "./page.ts";

interface FlatNode {
	readonly node: TreeNode;
	readonly level: number;
	readonly last: boolean;
}

function flatten(nodes: readonly TreeNode[], level = 0): FlatNode[] {
	return nodes.flatMap((node, at) => [
		{ node, level, last: at === nodes.length - 1 },
		...flatten(node.children, level + 1),
	]);
}

export function History({ address }: PageProps): JSX.Element {
	const path = dataPath("history");
	const loaded = usePageData<TreeView & Pick<NowView, "compactions">>(path);
	const view = loaded.data;
	const sub = view ? (
		view.summaries === 0 ? (
			`nothing summarised by weft yet; the log has ${many(view.path.messages, "message")} verbatim, ~${count(view.tokens.verbatim)} tokens by their text`
		) : (
			<>
				{many(view.summaries, "node")}, depth {view.depth}: <b>~{count(view.tokens.covered)}</b> tokens of{" "}
				{many(view.path.covered, "message")} summarised in <b>~{count(view.tokens.summaries)}</b>;{" "}
				{count(view.path.verbatim)} verbatim
			</>
		)
	) : (
		""
	);
	return (
		<>
			<Head title="History" sub={sub} cli="weft tree" json={path} />
			{view ? (
				<>
					{view.compactions.length > 0 && <HostCompactions of={view.compactions} />}
					<Body view={view} chosen={address.id} by={address.query["x"] === "messages" ? "messages" : "tokens"} />
				</>
			) : (
				<Waiting of={loaded} />
			)}
		</>
	);
}

/** The agent's own summaries. weft still has every message that they replaced. */
function HostCompactions({ of }: { of: NowView["compactions"] }): JSX.Element {
	return (
		<div class="sec flush">
			<header>
				<h2>
					Compactions by the agent <span class="n">{of.length}</span>
				</h2>
				<span class="dim">every message before them is still in the log</span>
			</header>
			<Table
				label="Compactions by the agent"
				columns={[
					{ title: "Before", wrap: true },
					{ title: "Summary", width: 140, hide: "s" },
					{ title: "Tokens before", width: 110, num: true },
					{ title: "Tokens after", width: 100, num: true },
				]}
				rows={of.map(({ n, ts, handle, tokensBefore, tokensAfter }) => ({
					key: handle,
					href: href({ page: "request", id: String(n), fresh: true }),
					cells: [
						`request ${n}, ${day(ts)} ${clock(ts)}`,
						<Handle key="h" of={handle} />,
						tokensBefore === null ? "?" : count(tokensBefore),
						tokensAfter === null ? "?" : count(tokensAfter),
					],
				}))}
			/>
		</div>
	);
}

function Body({
	view,
	chosen,
	by,
}: {
	view: TreeView;
	chosen: string | undefined;
	by: "tokens" | "messages";
}): JSX.Element {
	const flat = flatten(view.nodes);
	const elsewhere = flatten(view.elsewhere);
	const selected = [...flat, ...elsewhere].find(({ node }) => node.id === chosen)?.node ?? flat[0]?.node;
	const row = (each: FlatNode) => nodeRow(each, each.node.id === selected?.id);
	const rows = [
		...flat.map(row),
		tailRow(view),
		...(elsewhere.length > 0 ? [{ key: "elsewhere", group: <b>On other branches of the session</b> }] : []),
		...elsewhere.map(row),
	];
	return (
		<>
			<div class="charts">
				<div class="leg" style={{ margin: "0 0 6px" }}>
					{view.summaries > 0 && (
						<span class="dim">Every message is in the tail verbatim, or reachable from a node in the context.</span>
					)}
					<State is="fresh">
						covered: {count(view.path.covered + view.path.verbatim)} of {count(view.path.messages)}
					</State>
					<span class="push">
						<Switch
							label="Width"
							name="x"
							value={by}
							options={[
								["tokens", "By tokens"],
								["messages", "By messages"],
							]}
						/>
					</span>
				</div>
				<HistoryIcicle view={view} selected={selected?.id} by={by} />
			</div>
			<div class="split" style={{ "--side": "500px" }}>
				<div>
					<Table label="Summaries" columns={NODE_COLUMNS} rows={rows} />
				</div>
				<div class="side">
					{selected ? (
						<Detail id={selected.id} />
					) : (
						<div class="sec">
							<p class="dim">
								weft has summarised nothing here: the log has every message of this branch verbatim. A seal, or{" "}
								<code>weft compact</code>, writes the first summaries.
							</p>
						</div>
					)}
				</div>
			</div>
		</>
	);
}

const NODE_COLUMNS = [
	{ title: "Node" },
	{ title: "Messages", width: 76, num: true, hide: "s" },
	{ title: "Tokens", width: 94, num: true },
	{ title: "Summary", width: 80, num: true, tip: "tokens of the summary" },
	{ title: "Ratio", width: 62, num: true, hide: "m" },
] as const;

function nodeRow({ node, level, last }: FlatNode, isSelected: boolean): TableRow {
	return {
		key: node.id,
		href: href({ id: node.id }),
		selected: isSelected,
		cells: [
			<span key="n" class="item" style={{ paddingLeft: `${level * 18}px` }}>
				<span class="dim mono" aria-hidden="true">
					{level ? (last ? "└" : "├") : node.children.length > 0 ? "▾" : "·"}
				</span>
				<Handle of={node.id} />
				<span class="nm">
					<Text>{node.topic}</Text>
				</span>
			</span>,
			count(node.messages),
			`~${count(node.messageTokens)}`,
			`~${count(node.tokens)}`,
			<span key="x" class="dim">
				{Math.round(node.messageTokens / Math.max(1, node.tokens))}×
			</span>,
		],
	};
}

function tailRow({ path, tokens, summaries }: TreeView): TableRow {
	return {
		key: "tail",
		cells: [
			<Item key="t" swatch="tail" name={tailName(summaries)} preview="estimated from its text" />,
			count(path.verbatim),
			`~${count(tokens.verbatim)}`,
			<span key="d" class="dim">
				–
			</span>,
			"",
		],
	};
}

const MESSAGE_COLUMNS = [
	{ title: "Message", width: 132 },
	{ title: "What" },
	{ title: "Bytes", width: 82, num: true },
	{ title: "sha256", width: 84, hide: "s" },
] as const;
const CHILD_COLUMNS = [
	{ title: "Node", width: 124 },
	{ title: "Topic" },
	{ title: "Tokens", width: 70, num: true },
	{ title: "Summary", width: 80, num: true, tip: "tokens of the summary" },
] as const;

function Detail({ id }: { id: string }): JSX.Element {
	const loaded = usePageData<NodeView>(dataPath(`history/${id}`));
	const node = loaded.data;
	if (!node)
		return (
			<div>
				<Waiting of={loaded} />
			</div>
		);
	const isLeaf = node.depth === 0;
	return (
		<>
			<div class="sec">
				<header>
					<h2 class="mono">{node.id}</h2>
					<span class="dim">
						depth {node.depth}, written by <Text>{node.model}</Text>
					</span>
					<span>
						<Parents of={node.parents} />
					</span>
				</header>
				<div class="txt" tabIndex={0} role="group" aria-label="text">
					<pre>
						<Text links>{node.text}</Text>
					</pre>
				</div>
			</div>
			<div class="sec flush">
				<header>
					<h2>
						{isLeaf ? "Messages that it covers" : "Made from"}{" "}
						<span class="n">{isLeaf ? node.messages : node.children.length}</span>
					</h2>
					<span class="r">
						<Copy text={`weft expand ${node.id}`}>weft expand {node.id}</Copy>
					</span>
				</header>
				{isLeaf ? (
					<Table label="Messages" columns={MESSAGE_COLUMNS} rows={node.sources.map(messageRow)} />
				) : (
					<Table label="Made from" columns={CHILD_COLUMNS} rows={node.children.map(childRow)} />
				)}
			</div>
		</>
	);
}

function Parents({ of }: { of: readonly string[] }): JSX.Element {
	if (of.length === 0) return <State is="fresh">in the context</State>;
	return (
		<>
			part of{" "}
			{of.map((parent) => (
				<Handle key={parent} of={parent} />
			))}
		</>
	);
}

function messageRow({ handle, role, what, bytes, sha256 }: NodeView["sources"][number]): TableRow {
	return {
		key: handle,
		href: href({ set: { peek: handle } }),
		cells: [
			<Handle key="h" of={handle} />,
			<Item key="w" name={role === "toolResult" ? "result" : role} preview={what} />,
			count(bytes),
			<span key="s" class="mono dim">
				{sha256.slice(0, 8)}
			</span>,
		],
	};
}

function childRow({ id, topic, messageTokens, tokens }: NodeView["children"][number]): TableRow {
	return {
		key: id,
		href: href({ id }),
		cells: [<Handle key="h" of={id} />, <Text key="t">{topic}</Text>, `~${count(messageTokens)}`, `~${count(tokens)}`],
	};
}
