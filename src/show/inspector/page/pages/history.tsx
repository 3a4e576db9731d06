/** The summaries of a session and what each stands for, down to the messages and their bytes. */
import type { JSX } from "preact";
import type { TreeNode, TreeView } from "../../../../view/history.ts";
import type { NodeView } from "../../../../view/node.ts";
import { href } from "../address.ts";
import { dataPath, usePageData } from "../data.ts";
import { count, kilo, many } from "../format.ts";
import { Copy, Head, Item, State, Switch, Waiting } from "../parts.tsx";
import { Table, type TableRow } from "../table.tsx";
import { Handle, Text } from "../text.tsx";
import { useWidth } from "../use-width.ts";
import type { PageProps } from "./page.ts";

interface Flat {
	readonly node: TreeNode;
	readonly level: number;
	readonly last: boolean;
}

function flatten(nodes: readonly TreeNode[], level = 0): Flat[] {
	return nodes.flatMap((node, at) => [
		{ node, level, last: at === nodes.length - 1 },
		...flatten(node.children, level + 1),
	]);
}

export function History({ address }: PageProps): JSX.Element {
	const path = dataPath("history");
	const loaded = usePageData<TreeView>(path);
	const view = loaded.data;
	const sub = view ? (
		view.summaries === 0 ? (
			`nothing summarised yet; ${many(view.path.messages, "message")} verbatim`
		) : (
			<>
				{many(view.summaries, "node")}, depth {view.depth}: <b>{count(view.tokens.covered)}</b> tokens of{" "}
				{many(view.path.covered, "message")} told in <b>{count(view.tokens.summaries)}</b>; {count(view.path.verbatim)}{" "}
				verbatim
			</>
		)
	) : (
		""
	);
	return (
		<>
			<Head title="History" sub={sub} cli="weft tree" json={path} />
			{view ? (
				<Body view={view} chosen={address.id} by={address.query["x"] === "messages" ? "messages" : "tokens"} />
			) : (
				<Waiting of={loaded} />
			)}
		</>
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
	const row = ({ node, level, last }: Flat): TableRow => ({
		key: node.id,
		href: href({ id: node.id }),
		selected: node.id === selected?.id,
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
			count(node.messageTokens),
			count(node.tokens),
			<span key="x" class="dim">
				{Math.round(node.messageTokens / Math.max(1, node.tokens))}×
			</span>,
		],
	});
	const columns = [
		{ title: "Node" },
		{ title: "Messages", width: 76, num: true, hide: "s" },
		{ title: "Tokens", width: 82, num: true },
		{ title: "Told in", width: 62, num: true },
		{ title: "Ratio", width: 62, num: true, hide: "m" },
	] as const;
	const tail: TableRow = {
		key: "tail",
		cells: [
			<Item key="t" swatch="tail" name="tail, verbatim" />,
			count(view.path.verbatim),
			count(view.tokens.verbatim),
			<span key="d" class="dim">
				–
			</span>,
			"",
		],
	};
	const others: TableRow[] =
		elsewhere.length > 0
			? [{ key: "elsewhere", group: <b>On other branches of the session</b> }, ...elsewhere.map(row)]
			: [];
	return (
		<>
			<div class="charts">
				<div class="leg" style={{ margin: "0 0 6px" }}>
					<span class="dim">
						Every message is verbatim in the tail or reachable from a node that the context shows.
					</span>
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
				<Icicle view={view} selected={selected?.id} by={by} />
			</div>
			<div class="split" style={{ "--side": "500px" }}>
				<div>
					<Table label="Summaries" columns={columns} rows={[...flat.map(row), tail, ...others]} />
				</div>
				<div class="side">
					{selected ? (
						<Detail id={selected.id} />
					) : (
						<div class="sec">
							<p class="dim">
								Nothing has been summarised: every message of this branch stands in the context as it is. A seal, or{" "}
								<code>weft compact</code>, writes the first summaries.
							</p>
						</div>
					)}
				</div>
			</div>
		</>
	);
}

const BAND = 24;

/** The newest on the right; as wide as what a node stands for. */
function Icicle({
	view,
	selected,
	by,
}: {
	view: TreeView;
	selected: string | undefined;
	by: "tokens" | "messages";
}): JSX.Element {
	const [box, width] = useWidth();
	const size = (node: TreeNode) => (by === "messages" ? node.messages : node.messageTokens);
	const tailSize = by === "messages" ? view.path.verbatim : view.tokens.verbatim;
	const whole = Math.max(
		1,
		view.nodes.reduce((sum, node) => sum + size(node), tailSize),
	);
	const deepest = Math.max(0, ...view.nodes.map(({ depth }) => depth));
	const rects: { node: TreeNode; x: number; w: number; row: number }[] = [];
	const put = (node: TreeNode, x: number) => {
		const w = (width * size(node)) / whole;
		rects.push({ node, x, w, row: deepest - node.depth });
		let at = x;
		for (const child of node.children) {
			put(child, at);
			at += (width * size(child)) / whole;
		}
	};
	let at = 0;
	for (const node of view.nodes) {
		put(node, at);
		at += (width * size(node)) / whole;
	}
	const height = (deepest + 1) * (BAND + 2);
	const tail = Math.max(2, width - at);
	const label = (node: TreeNode, w: number) => (w > 190 ? `${node.id} · ${kilo(size(node))}` : w > 100 ? node.id : "");
	return (
		<div ref={box} style={{ minHeight: `${height + 22}px` }}>
			{width > 0 && (
				<svg width={width} height={height + 22} role="group" aria-label="What each node stands for">
					{rects.map(({ node, x, w, row }) => {
						const on = node.id === selected;
						return (
							<a
								key={node.id}
								href={href({ id: node.id })}
								aria-label={`${label(node, w) || node.id}, ${node.messages} messages`}
							>
								<rect
									x={x + 0.5}
									y={row * (BAND + 2) + 0.5}
									width={Math.max(1.5, w - 1.5)}
									height={BAND - 1}
									fill={on ? "var(--ink)" : "var(--bg-3)"}
									stroke={on ? "var(--ink)" : "var(--line-2)"}
								>
									<title>
										{node.id}: {node.messages} messages, {count(node.messageTokens)} tokens told in {count(node.tokens)}
									</title>
								</rect>
								{label(node, w) !== "" && (
									<text
										x={x + 6}
										y={row * (BAND + 2) + 16}
										style={{
											fontFamily: "var(--mono)",
											fill: on ? "var(--bg)" : "var(--ink-2)",
											pointerEvents: "none",
										}}
									>
										{label(node, w)}
									</text>
								)}
							</a>
						);
					})}
					<rect
						x={at + 0.5}
						y=".5"
						width={Math.max(1, tail - 1)}
						height={height - 3}
						fill="var(--t-tail)"
						stroke="var(--k-tail)"
					/>
					{tail > 120 && (
						<text x={at + 7} y="16" style={{ fill: "var(--ink)" }}>
							tail, verbatim
						</text>
					)}
					<text x="0" y={height + 15}>
						oldest
					</text>
					{width > 500 && (
						<text x={width / 2} y={height + 15} text-anchor="middle">
							width: {by === "messages" ? "messages" : "tokens that a node stands for"}; {count(whole)} in all
						</text>
					)}
					<text x={width - 2} y={height + 15} text-anchor="end">
						now
					</text>
				</svg>
			)}
		</div>
	);
}

function Detail({ id }: { id: string }): JSX.Element {
	const loaded = usePageData<NodeView>(dataPath(`history/${id}`));
	const node = loaded.data;
	if (!node)
		return (
			<div>
				<Waiting of={loaded} />
			</div>
		);
	const columns = [
		{ title: "Message", width: 132 },
		{ title: "What" },
		{ title: "Bytes", width: 82, num: true },
		{ title: "sha256", width: 84, hide: "s" },
	] as const;
	const made = [
		{ title: "Node", width: 124 },
		{ title: "Topic" },
		{ title: "Tokens", width: 70, num: true },
		{ title: "Told in", width: 70, num: true },
	] as const;
	return (
		<>
			<div class="sec">
				<header>
					<h2 class="mono">{node.id}</h2>
					<span class="dim">
						depth {node.depth}, written by <Text>{node.model}</Text>
					</span>
					<span>
						{node.parents.length > 0 ? (
							<>
								part of{" "}
								{node.parents.map((parent) => (
									<Handle key={parent} of={parent} />
								))}
							</>
						) : (
							<State is="fresh">in the context</State>
						)}
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
						{node.depth === 0 ? "Messages that it stands for" : "Made from"}{" "}
						<span class="n">{node.depth === 0 ? node.messages : node.children.length}</span>
					</h2>
					<span class="r">
						<Copy text={`weft expand ${node.id}`}>weft expand {node.id}</Copy>
					</span>
				</header>
				{node.depth === 0 ? (
					<Table
						label="Messages"
						columns={columns}
						rows={node.sources.map(
							(each): TableRow => ({
								key: each.handle,
								href: href({ set: { peek: each.handle } }),
								cells: [
									<Handle key="h" of={each.handle} />,
									<Item key="w" name={each.role === "toolResult" ? "result" : each.role} preview={each.what} />,
									count(each.bytes),
									<span key="s" class="mono dim">
										{each.sha256.slice(0, 8)}
									</span>,
								],
							}),
						)}
					/>
				) : (
					<Table
						label="Made from"
						columns={made}
						rows={node.children.map(
							(child): TableRow => ({
								key: child.id,
								href: href({ id: child.id }),
								cells: [
									<Handle key="h" of={child.id} />,
									<Text key="t">{child.topic}</Text>,
									count(child.messageTokens),
									count(child.tokens),
								],
							}),
						)}
					/>
				)}
			</div>
		</>
	);
}
