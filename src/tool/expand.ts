/**
 * Everything back: a message, an event or a blob byte for byte, in pages; a node as what it was made from. A page's text is
 * one line of header, the bytes, one line of footer: what stands between them, joined over the pages, is the content.
 */
import { hash } from "node:crypto";
import Type from "typebox";
import { findContent } from "../history/content.ts";
import { parseHandle } from "../history/handle.ts";
import { type Page, pageOf } from "../history/page.ts";
import type { Node } from "../history/types.ts";
import { nodeLine, nodeRow, unfold } from "../history/unfold.ts";
import { formatCount } from "../text/bytes.ts";
import { enclose } from "../text/enclose.ts";
import { bytesOfTokens } from "../tokens/estimate.ts";

import { numberArgument, textArgument } from "./arguments.ts";
import { refusal, type Tool, type ToolAnswer, type ToolContext } from "./types.ts";

const DEFAULT_TOKENS = 4_000;
const MOST_TOKENS = 8_000;
const LEAST_TOKENS = 100;
/** For header and footer. */
const FRAME_TOKENS = 80;
const DEEPEST = 6;

export const lcmExpand: Tool = {
	name: "lcm_expand",
	label: "LCM Expand",
	description:
		"Expand a compressed summary node to see the original messages or lower-level summaries it was created from, or fetch one message, event or stored output exactly as it was. Use this when you need details that were compressed away: the precise error message, code, or sequence of events. Long content comes in pages: pass the offset that the answer names to read on.",
	promptSnippet: "Drill into compressed summaries to recover original details",
	promptGuidelines: [
		"Use lcm_expand to recover the exact details of any id you were shown: s- a summary, m- a message, b- a stored output, e- an event.",
	],
	parameters: Type.Object({
		summary_id: Type.String({
			description: "The id to expand: a summary (s-…), a message (m-…), a stored output (b-…) or an event (e-…)",
		}),
		depth: Type.Optional(
			Type.Number({ description: "How many levels of a summary to expand (default 1)", default: 1 }),
		),
		max_tokens: Type.Optional(
			Type.Number({
				description: "Size of the answer in tokens (default 4000, at most 8000)",
				default: DEFAULT_TOKENS,
			}),
		),
		offset: Type.Optional(
			Type.Number({ description: "Where to go on, in bytes: the offset that the answer before named", default: 0 }),
		),
	}),
	async run(context, args) {
		const given = textArgument(args["summary_id"]);
		const handle = parseHandle(given);
		if (!handle) return refusal("bad-handle", notAnId(given));
		const maxTokens = numberArgument(args["max_tokens"], DEFAULT_TOKENS, LEAST_TOKENS, MOST_TOKENS);
		const offset = numberArgument(args["offset"], 0, 0, Number.MAX_SAFE_INTEGER);
		if (handle.kind === "node") {
			context.history.catchUp();
			const node = context.history.node(handle.id);
			if (!node) return refusal("not-found", unknownNode(given));
			return expandNode(context, node, { depth: numberArgument(args["depth"], 1, 1, DEEPEST), maxTokens, offset });
		}
		const found = findContent(context.history.log, handle);
		if (!found.ok) return refusal("not-found", `${found.reason} lcm_grep finds messages by their text.`);
		const { content } = found;
		const page = pageOf(content.bytes, offset, bytesOfTokens(maxTokens - FRAME_TOKENS));
		return answer(content.handle, content.what, page, { sha256: hash("sha256", content.bytes, "hex") });
	},
};

function expandNode(
	{ history }: ToolContext,
	node: Node,
	{ depth, maxTokens, offset }: { depth: number; maxTokens: number; offset: number },
): ToolAnswer {
	const room = maxTokens - FRAME_TOKENS - Math.ceil(node.topic.length / 2);
	const unfolded = unfold(history, node, { depth, maxTokens: room });
	const page = pageOf(Buffer.from(unfolded.text, "utf8"), offset, bytesOfTokens(room));
	const what =
		unfolded.form === "whole"
			? `${nodeRow(nodeLine(history, node))}: expanded`
			: `${nodeRow(nodeLine(history, node))}: too long for ${formatCount(maxTokens)} tokens, so here is what it consists of; expand any id`;
	return answer(node.id, what, page, { depth: node.depth, form: unfolded.form, nodesExpanded: unfolded.children });
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
	return `${handle} (${what.replace(/\s+/g, " ")}), ${part}${encoding === "base64" ? ", in base64" : ""}${until && `, ${until}`}:`;
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
