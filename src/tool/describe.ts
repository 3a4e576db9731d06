/** The history from above: its summaries, the text of one, its parents and children. */
import { formatCount, plural } from "../base/text/bytes.ts";
import { bytesOfTokens } from "../base/tokens/estimate.ts";
import { parseHandle } from "../state/history/handle.ts";
import type { HistoryPath, Node } from "../state/history/types.ts";
import { childRows, nodeLine, nodeRow } from "../state/history/unfold.ts";
import { contentInScope, nodeInScope } from "./scoped-content.ts";
import {
	HISTORY_SECTIONS,
	refusal,
	type ToolAnswer,
	type ToolContext,
	type ToolRunner,
	textArgument,
	wordArgument,
} from "./types.ts";

const MAX_TOKENS = 4_000;

export const lcmDescribe: ToolRunner = {
	async run(context, args) {
		const id = textArgument(args["summary_id"]);
		const section = wordArgument(args["section"], HISTORY_SECTIONS, id === "" ? "overview" : "by_id");
		if (section === "by_id") return byId(context, id);
		const path = context.history.path(context.session, context.leaf);
		if (section === "overview") return overview(context, path);
		const node = section === "recent" ? path.nodes.at(-1) : path.nodes[0];
		if (!node) return { text: nothingYet(path), details: { section, nodes: 0 } };
		return describeNode(context, section === "recent" ? node : oldestLeaf(context, node), section);
	},
};

function overview({ history, session }: ToolContext, path: HistoryPath): ToolAnswer {
	const stats = history.stats(session);
	const details = { section: "overview", messages: stats.messages, summaries: stats.nodes, depth: stats.depth };
	if (path.nodes.length === 0) return { text: nothingYet(path), details };
	const verbatim = path.runs.flat();
	const head = `${formatCount(stats.messages)} messages stored | ${plural(stats.nodes, "summary", "summaries")} | DAG depth ${stats.depth}`;
	const tail = verbatim[0]
		? `Verbatim in context: ${plural(verbatim.length, "message")}, from ${history.log.handleAt(verbatim[0].seq)} on. Before them:`
		: "Everything on this branch is summarised:";
	const rows = bounded(
		path.nodes.map((node) => `- ${nodeRow(nodeLine(history, node))}`),
		MAX_TOKENS - 200,
	);
	const how = `Use lcm_describe with section "by_id" and a summary_id to read one, lcm_expand to open it.`;
	return { text: [head, tail, ...rows, "", how].join("\n"), details };
}

function byId(context: ToolContext, id: string): ToolAnswer {
	const handle = parseHandle(id);
	if (!handle)
		return refusal(
			"bad-handle",
			`Give the id of a summary as summary_id, for example s-1a2b3c4d5e, not '${id.slice(0, 80)}'.`,
		);
	context.history.catchUp();
	if (handle.kind !== "node") {
		const found = contentInScope(context, handle);
		if (!found.ok) return refusal("not-found", found.reason);
		const seq = handle.kind === "message" ? context.history.log.findHandle(handle.id) : undefined;
		const node = seq === undefined ? undefined : context.history.covering(seq);
		const { content } = found;
		const under = node ? `It is covered by ${nodeRow(nodeLine(context.history, node))}.` : "No summary covers it.";
		const text = `${content.handle} (${content.what}), ${formatCount(content.bytes.length)} bytes. ${under}\nUse lcm_expand("${content.handle}") to read it.`;
		return { text, details: { section: "by_id", handle: content.handle, bytes: content.bytes.length } };
	}
	const node = nodeInScope(context, handle.id);
	if (!node)
		return refusal(
			"not-found",
			`There is no summary '${id.slice(0, 80)}'. Section "overview" lists those of this session.`,
		);
	return describeNode(context, node, "by_id");
}

function describeNode({ history }: ToolContext, node: Node, section: string): ToolAnswer {
	const text = history.text(node);
	const above = history.ancestors(node);
	const below = childRows(history, node);
	const head = [
		nodeRow(nodeLine(history, node)),
		`written by ${node.model}, ${plural(node.tokens, "token")} for ${formatCount(node.messageTokens)}`,
	].join("\n");
	const lineage =
		above.length > 0
			? above.map((each) => `- ${nodeRow(nodeLine(history, each))}`)
			: ["- nothing: it stands in the context by itself"];
	const rest = MAX_TOKENS - node.tokens - 300 - above.length * 40;
	const parts = [
		head,
		text,
		["Part of:", ...lineage].join("\n"),
		[
			"Made from:",
			...bounded(
				below.map((row) => `- ${row}`),
				Math.max(200, rest),
			),
		].join("\n"),
		`Use lcm_expand("${node.id}") to open it.`,
	];
	const details = {
		section,
		handle: node.id,
		depth: node.depth,
		sources: below.length,
		lineage: above.map(({ id }) => id),
	};
	return { text: parts.join("\n\n"), details };
}

function oldestLeaf({ history }: ToolContext, node: Node): Node {
	let at = node;
	for (let child = history.children(at)[0]; child; child = history.children(at)[0]) at = child;
	return at;
}

/** As many rows as fit; the last one says how many are left and how to get them. */
function bounded(rows: readonly string[], maxTokens: number): string[] {
	let left = bytesOfTokens(maxTokens);
	const shown: string[] = [];
	for (const row of rows) {
		left -= Buffer.byteLength(row, "utf8") + 1;
		if (left < 0) break;
		shown.push(row);
	}
	if (shown.length < rows.length)
		shown.push(`- ${formatCount(rows.length - shown.length)} more: expand it to page through them`);
	return shown;
}

function nothingYet({ runs }: HistoryPath): string {
	const messages = runs.reduce((sum, { length }) => sum + length, 0);
	return `Nothing has been summarised yet: ${plural(messages, "message")} of this session ${messages === 1 ? "is" : "are"} in the context. lcm_grep searches them all.`;
}
