/**
 * Fetches the original in pages: a message, an event or a blob byte for byte, a command as its output, a node as its sources.
 * A page is one line of header, the bytes, and one line of footer. The bytes of all pages, joined, are the content.
 */
import { hash } from "node:crypto";
import { formatCount, plural } from "../base/text/bytes.ts";
import { bytesOfTokens } from "../base/tokens/estimate.ts";
import { enclose, nameInLine } from "../message/enclosure.ts";
import { type Page, pageOf } from "../state/history/content-page.ts";
import { parseHandle } from "../state/history/handle.ts";
import type { Node } from "../state/history/types.ts";
import { nodeLine, nodeRow, type Unfolded, unfold } from "../state/history/unfold.ts";
import { contentInScope, nodeInScope } from "./scoped-content.ts";
import {
	DEFAULT_EXPAND_TOKENS,
	MAX_EXPAND_TOKENS,
	numberArgument,
	refusal,
	type ToolAnswer,
	type ToolContext,
	type ToolRunner,
	textArgument,
} from "./types.ts";

const MIN_TOKENS = 150;
/** For header and footer. */
const FRAME_TOKENS = 80;
/** A summary's header and footer are longer: they name its coverage and the rest. */
const NODE_FRAME_TOKENS = 130;
const MIN_ROOM_TOKENS = 20;
const MAX_DEPTH = 6;

export const lcmExpand: ToolRunner = {
	async run(context, args) {
		const given = textArgument(args["summary_id"]);
		const handle = parseHandle(given);
		if (!handle) return refusal("bad-handle", notAnId(given));
		const maxTokens = numberArgument(args["max_tokens"], DEFAULT_EXPAND_TOKENS, MIN_TOKENS, MAX_EXPAND_TOKENS);
		const offset = numberArgument(args["offset"], 0, 0, Number.MAX_SAFE_INTEGER);
		if (handle.kind === "node") {
			context.history.catchUp();
			const node = nodeInScope(context, handle.id);
			if (!node) return refusal("not-found", unknownNode(given));
			return expandNode(context, node, { depth: numberArgument(args["depth"], 1, 1, MAX_DEPTH), maxTokens, offset });
		}
		const found = contentInScope(context, handle);
		if (!found.ok) return refusal("not-found", `${found.reason} lcm_grep finds messages by their text.`);
		const { content } = found;
		const page = pageOf(content.bytes, offset, bytesOfTokens(maxTokens - FRAME_TOKENS));
		return answer(content.handle, content.what, page, { sha256: hash("sha256", content.bytes, "hex") });
	},
};

/** As many originals as fit, then what is left and how to continue. */
function expandNode(
	{ history }: ToolContext,
	node: Node,
	{ depth, maxTokens, offset }: { depth: number; maxTokens: number; offset: number },
): ToolAnswer {
	const room = Math.max(MIN_ROOM_TOKENS, maxTokens - NODE_FRAME_TOKENS - Math.ceil(node.topic.length / 2));
	const unfolded = unfold(history, node, { depth, offset, maxBytes: bytesOfTokens(room) });
	const { text, bytes, next, items } = unfolded;
	const isWhole = unfolded.offset === 0 && next === undefined;
	const { until, end } = enclose(text, node.id);
	const part = isWhole
		? `${formatCount(bytes)} bytes`
		: bytes === 0
			? "nothing more"
			: `${items.kind === "message" ? "messages" : "summaries"} ${items.from} to ${items.to} of ${items.count}, bytes ${unfolded.offset} to ${unfolded.offset + bytes}`;
	const head = `${nameInLine(nodeRow(nodeLine(history, node)).replace(/\s+/g, " "))}, ${part}${until && `, ${until}`}:`;
	return {
		text: `${head}\n${text}\n${end && `${end.trim()} `}${nodeFooter(node, unfolded, depth)}`,
		details: {
			handle: node.id,
			offset: unfolded.offset,
			bytes,
			next,
			encoding: "utf8",
			depth: node.depth,
			form: isWhole ? "whole" : "part",
			items,
			nodesExpanded: bytes === 0 ? 0 : items.to - items.from + 1,
		},
	};
}

function nodeFooter(node: Node, { next, offset, bytes, items, cut, following }: Unfolded, depth: number): string {
	if (next === undefined) {
		return bytes === 0 && offset > 0
			? `[The end of ${node.id} is at byte ${offset}: there is nothing more]`
			: `[End of ${node.id}]`;
	}
	const more = items.count - items.to;
	const left = [
		...(cut === undefined ? [] : [`the rest of ${cut}`]),
		...(following === undefined
			? []
			: [
					`${items.kind === "message" ? plural(more, "message") : plural(more, "summary", "summaries")} from ${following} on`,
				]),
	];
	const levels = depth === 1 ? "" : `"depth": ${depth}, `;
	return `[Left: ${left.join(", and ")}. Go on with lcm_expand({"summary_id": "${node.id}", ${levels}"offset": ${next}})]`;
}

function answer(handle: string, what: string, page: Page, more: Readonly<Record<string, unknown>>): ToolAnswer {
	const { text, ...place } = page;
	const { until, end } = enclose(text, handle);
	return {
		text: `${header(handle, what, page, until)}\n${text}\n${end && `${end.trim()} `}${footer(handle, page)}`,
		details: { handle, ...place, ...more },
	};
}

function header(handle: string, what: string, { offset, bytes, total, encoding }: Page, until: string): string {
	const all = offset === 0 && bytes === total;
	const part = all ? `${formatCount(total)} bytes` : `bytes ${offset} to ${offset + bytes} of ${total}`;
	return `${handle} (${nameInLine(what.replace(/\s+/g, " "))}), ${part}${encoding === "base64" ? ", in base64" : ""}${until && `, ${until}`}:`;
}

function footer(handle: string, { next, total, bytes, offset }: Page): string {
	if (next !== undefined) {
		return `[${formatCount(total - next)} bytes left. Go on with lcm_expand({"summary_id": "${handle}", "offset": ${next}})]`;
	}
	return bytes === 0 && offset > 0
		? `[The end of ${handle} is at byte ${total}: there is nothing more]`
		: `[End of ${handle}]`;
}

function notAnId(given: string): string {
	return `'${given.slice(0, 80)}' is not an id. Give one as you were shown it, such as m-1a2b3c4d5e6f: s- for a summary, m- for a message, b- for a stored output, e- for an event. lcm_describe with section "overview" lists the summaries.`;
}

function unknownNode(given: string): string {
	return `There is no summary '${given.slice(0, 80)}' in this project. lcm_describe with section "overview" lists those of this session.`;
}
