/** One summary of a session's history: its text, its parents, its children and the bytes of its sources. */
import { EngineError } from "../base/error/engine-error.ts";
import { sha256 } from "../base/hash/sha256.ts";
import { handleOf } from "../log/handle.ts";
import { splitLast } from "../log/store/payload-text.ts";
import type { History } from "../state/history/history.ts";
import { gist } from "./event-gist.ts";

export interface SourceMessage {
	readonly handle: string;
	readonly role: string;
	readonly what: string;
	readonly tokens: number;
	/** Size of the agent's own entry. */
	readonly bytes: number;
	readonly sha256: string;
}

export interface NodeView {
	readonly id: string;
	readonly depth: number;
	readonly model: string;
	readonly topic: string;
	readonly text: string;
	readonly tokens: number;
	readonly messages: number;
	readonly messageTokens: number;
	readonly parents: readonly string[];
	readonly children: readonly {
		readonly id: string;
		readonly topic: string;
		readonly tokens: number;
		readonly messageTokens: number;
		readonly messages: number;
	}[];
	/** Messages of a leaf, up to a limit. */
	readonly sources: readonly SourceMessage[];
}

const MAX_SOURCES = 200;

export function viewNode(history: History, id: string): NodeView {
	history.catchUp();
	const node = history.node(id);
	if (!node) throw new EngineError("not-found", `There is no summary '${id}' in this log. 'weft tree' lists them.`);
	const { depth, model, topic, tokens, messages, messageTokens } = node;
	return {
		id: node.id,
		depth,
		model,
		topic,
		text: history.text(node),
		tokens,
		messages,
		messageTokens,
		parents: history.parents(node).map((each) => each.id),
		children: history
			.children(node)
			.map(({ id, topic, tokens, messageTokens, messages }) => ({ id, topic, tokens, messageTokens, messages })),
		sources:
			depth === 0
				? history
						.messages(node)
						.slice(0, MAX_SOURCES)
						.flatMap(({ seq, role, tokens }) => sourceOf(history, seq, role, tokens))
				: [],
	};
}

function sourceOf({ log }: History, seq: number, role: string, tokens: number): SourceMessage[] {
	const record = log.get(seq);
	const stored = log.getStored(seq);
	if (!record || !stored) return [];
	const raw = splitLast(stored.text, "raw") ?? stored.text;
	return [
		{ handle: handleOf(record), role, what: gist(record), tokens, bytes: Buffer.byteLength(raw), sha256: sha256(raw) },
	];
}
