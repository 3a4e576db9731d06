/**
 * The history as a model sees it: every uncovered node, the deepest first, as whole text while the budget lasts and as one
 * line after that. The newest leaf is always whole. Where room is left, texts that were computed give way to those of the nodes
 * they were made from. It depends on the nodes alone, so its bytes stay the same until the next compaction.
 */
import { formatCount, plural } from "../../base/text/bytes.ts";
import { bytesOfTokens, estimateTokens } from "../../base/tokens/estimate.ts";
import { enclose, nameInLine } from "../../message/enclosure.ts";
import { DETERMINISTIC } from "./deterministic/summarise.ts";
import type { History } from "./history.ts";
import type { Node } from "./types.ts";

/** Gives the texts of nodes, and the nodes that they were made from. */
type NodeTexts = Pick<History, "text" | "children">;

export interface AssembleOptions {
	readonly maxTokens: number;
	/** False: the model cannot call our tools. */
	readonly namesTools?: boolean | undefined;
}

export interface AssembledHistory {
	readonly text: string;
	readonly tokens: number;
	/** Ids of the nodes with their whole text, oldest first; also of nodes in place of one that they made. */
	readonly whole: readonly string[];
	/** Ids of all listed nodes. */
	readonly named: readonly string[];
}

/** The share of the budget for the list of ids. */
const LIST_SHARE = 0.4;

/** Uses the headings of pi-lcm's document. Undefined: there are no nodes. */
export function assembleHistory(
	history: NodeTexts,
	nodes: readonly Node[],
	options: AssembleOptions,
): AssembledHistory | undefined {
	const newest = nodes.at(-1);
	if (!newest) return undefined;
	const budget = bytesOfTokens(options.maxTokens);
	const head = `## Conversation History (Lossless Context Management)\n${statsLine(nodes)}`;
	const recent = ["### Recent Activity", body(history, newest)].join("\n\n");
	const list = idList(nodes, Math.floor(budget * LIST_SHARE), options.namesTools);
	const fixed = [head, recent, list.text].join("\n\n");
	const heading = "### High-Level Summary";
	const room = budget - byteLength(fixed) - byteLength(heading) - 4;
	const { bodies, whole } = fill(history, nodes.slice(0, -1), room);
	const parts =
		bodies.length > 0 ? [head, [heading, ...bodies].join("\n\n"), recent, list.text] : [head, recent, list.text];
	const text = parts.join("\n\n");
	return { text, tokens: estimateTokens(text), whole: [...whole, newest.id], named: list.ids };
}

interface ShownNode {
	readonly node: Node;
	readonly text: string;
}

/** Chooses whole texts by budget, the deepest first, then the newest. Renders them in the order of the work. */
function fill(history: NodeTexts, nodes: readonly Node[], room: number): { bodies: string[]; whole: string[] } {
	const chosen: (ShownNode & { readonly at: number })[] = [];
	const order = [...nodes.entries()].sort(([at, one], [place, other]) => other.depth - one.depth || place - at);
	let left = room;
	for (const [at, node] of order) {
		// The text is too long, so it need not be read.
		if (bytesOfTokens(node.tokens - 1) > left) continue;
		const text = body(history, node);
		const bytes = byteLength(text) + 2;
		if (bytes > left) continue;
		chosen.push({ at, node, text });
		left -= bytes;
	}
	chosen.sort((one, other) => one.at - other.at);
	const shown = unfoldNewest(history, chosen, left);
	return { bodies: shown.map(({ text }) => text), whole: shown.map(({ node }) => node.id) };
}

/** A computed summary of summaries only leaves out: while there is room, the nodes below it say it whole, the newest first. */
function unfoldNewest(history: NodeTexts, nodes: readonly ShownNode[], room: number): ShownNode[] {
	const shown: ShownNode[] = [];
	const waiting = [...nodes];
	let left = room;
	for (let next = waiting.pop(); next; next = waiting.pop()) {
		const { node, text } = next;
		const below = node.depth === 0 || node.model !== DETERMINISTIC ? [] : history.children(node);
		const own = byteLength(text) + 2;
		// Those of which a text is too long need not be read.
		const least = below.reduce((sum, each) => sum + bytesOfTokens(each.tokens - 1), 0);
		const parts = least > left + own ? [] : below.map((each) => ({ node: each, text: body(history, each) }));
		const more = parts.reduce((sum, part) => sum + byteLength(part.text) + 2, 0) - own;
		if (parts.length === 0 || more > left) shown.unshift(next);
		else {
			left -= more;
			waiting.push(...parts);
		}
	}
	return shown;
}

function body(history: NodeTexts, node: Node): string {
	const text = history.text(node);
	const { until, end } = enclose(text, node.id);
	return `[${node.id}, D${node.depth}${until && `, ${until}`}]\n${text}${end}`;
}

/** Counts covered messages only: a count that grew with every message would change the bytes. */
function statsLine(nodes: readonly Node[]): string {
	const messages = nodes.reduce((sum, node) => sum + node.messages, 0);
	const summaries = nodes.reduce((sum, node) => sum + node.nodes, 0);
	const deepest = Math.max(...nodes.map(({ depth }) => depth)) + 1;
	return `${formatCount(messages)} messages stored | ${plural(summaries, "summary", "summaries")} | DAG depth ${deepest}`;
}

/** Oldest and deepest first. A list that is too long drops the oldest and says where to find them. */
function idList(nodes: readonly Node[], most: number, namesTools = true): { text: string; ids: string[] } {
	const title = "### Summary IDs for Drill-Down";
	const lines: string[] = [];
	const ids: string[] = [];
	let left = most - byteLength(title);
	for (const node of nodes.toReversed()) {
		const line = `- ${node.id} (D${node.depth}): "${nameInLine(node.topic).replaceAll('"', "'")}"`;
		left -= byteLength(line) + 1;
		if (left < 0 && lines.length > 0) break;
		lines.push(line);
		ids.push(node.id);
	}
	const older = nodes.length - lines.length;
	const way = namesTools ? ': lcm_describe with section "overview" lists them' : "";
	if (older > 0) lines.push(`- ${plural(older, "older summary", "older summaries")}${way}`);
	return { text: [title, ...lines.reverse()].join("\n"), ids: ids.reverse() };
}

function byteLength(text: string): number {
	return Buffer.byteLength(text, "utf8");
}
