/** The summaries as nested bands, the newest on the right. A band is as wide as what its node covers. */
import type { JSX } from "preact";
import type { TreeNode, TreeView } from "../../../../view/history.ts";
import { href } from "../address.ts";
import { count, kilo } from "../format.ts";
import { useWidth } from "../use-width.ts";

type WidthBy = "tokens" | "messages";

interface Band {
	readonly node: TreeNode;
	/** In tokens or messages. */
	readonly size: number;
	readonly x: number;
	readonly width: number;
	readonly row: number;
}

interface Icicle {
	readonly bands: readonly Band[];
	readonly rows: number;
	readonly total: number;
	/** Where the tail starts. */
	readonly tailX: number;
}

const BAND_HEIGHT = 24;
const ROW_HEIGHT = BAND_HEIGHT + 2;
const AXIS_HEIGHT = 22;

export function HistoryIcicle({
	view,
	selected,
	by,
}: {
	view: TreeView;
	selected: string | undefined;
	by: WidthBy;
}): JSX.Element {
	const [box, width] = useWidth();
	const icicle = layOut(view, by, width);
	const height = icicle.rows * ROW_HEIGHT;
	return (
		<div ref={box} style={{ minHeight: `${height + AXIS_HEIGHT}px` }}>
			{width > 0 && (
				<svg width={width} height={height + AXIS_HEIGHT} role="group" aria-label="What each node covers">
					{icicle.bands.map((band) => (
						<NodeBand key={band.node.id} band={band} isSelected={band.node.id === selected} />
					))}
					<Tail
						x={icicle.tailX}
						width={Math.max(2, width - icicle.tailX)}
						height={height}
						name={tailName(view.summaries)}
					/>
					<text x="0" y={height + 15}>
						oldest
					</text>
					{width > 500 && (
						<text x={width / 2} y={height + 15} text-anchor="middle">
							width: {by === "messages" ? "messages" : "tokens that a node covers, estimated from their text"};{" "}
							{by === "messages" ? "" : "~"}
							{count(icicle.total)} in total
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

function layOut({ nodes, path, tokens }: TreeView, by: WidthBy, width: number): Icicle {
	const sizeOf = (node: TreeNode) => (by === "messages" ? node.messages : node.messageTokens);
	const tail = by === "messages" ? path.verbatim : tokens.verbatim;
	const total = Math.max(
		1,
		nodes.reduce((sum, node) => sum + sizeOf(node), tail),
	);
	const deepest = Math.max(0, ...nodes.map(({ depth }) => depth));
	const bands: Band[] = [];
	/** Side by side from `x`; returns where the last one ends. */
	const place = (siblings: readonly TreeNode[], x: number): number => {
		let at = x;
		for (const node of siblings) {
			const size = sizeOf(node);
			const band = { node, size, x: at, width: (width * size) / total, row: deepest - node.depth };
			bands.push(band);
			place(node.children, at);
			at += band.width;
		}
		return at;
	};
	return { bands, rows: deepest + 1, total, tailX: place(nodes, 0) };
}

function NodeBand({ band, isSelected }: { band: Band; isSelected: boolean }): JSX.Element {
	const { node, x, width, row } = band;
	const label = renderLabel(band);
	return (
		<a href={href({ id: node.id })} aria-label={`${label || node.id}, ${node.messages} messages`}>
			<rect
				x={x + 0.5}
				y={row * ROW_HEIGHT + 0.5}
				width={Math.max(1.5, width - 1.5)}
				height={BAND_HEIGHT - 1}
				fill={isSelected ? "var(--ink)" : "var(--bg-3)"}
				stroke={isSelected ? "var(--ink)" : "var(--line-2)"}
			>
				<title>
					{node.id}: {node.messages} messages, ~{count(node.messageTokens)} tokens summarised in ~{count(node.tokens)}
				</title>
			</rect>
			{label !== "" && (
				<text
					x={x + 6}
					y={row * ROW_HEIGHT + 16}
					style={{
						fontFamily: "var(--mono)",
						fill: isSelected ? "var(--bg)" : "var(--ink-2)",
						pointerEvents: "none",
					}}
				>
					{label}
				</text>
			)}
		</a>
	);
}

/** As much as the band has room for. */
function renderLabel({ node, size, width }: Band): string {
	if (width > 190) return `${node.id} · ${kilo(size)}`;
	return width > 100 ? node.id : "";
}

/** Without a summary nothing is before the tail. */
export function tailName(summaries: number): string {
	return summaries === 0 ? "all messages, verbatim" : "tail, verbatim";
}

function Tail({ x, width, height, name }: { x: number; width: number; height: number; name: string }): JSX.Element {
	return (
		<>
			<rect
				x={x + 0.5}
				y=".5"
				width={Math.max(1, width - 1)}
				height={height - 3}
				fill="var(--t-tail)"
				stroke="var(--k-tail)"
			/>
			{width > 120 && (
				<text x={x + 7} y="16" style={{ fill: "var(--ink)" }}>
					{name}
				</text>
			)}
		</>
	);
}
