/** The conversation as the log has it, from some point back: each message with what would be sent of it. */
import type { History } from "../../history/history.ts";
import { asObject, type JsonObject } from "../../json/read.ts";
import { viewMessage } from "../../message/message.ts";
import { wireMessages, wireText } from "../../message/wire.ts";
import { isMessage, type SessionRef, type TreeMessage } from "../../session/tree.ts";
import type { WovenMessage } from "../seal/weave.ts";

export interface PathMessage extends WovenMessage {
	readonly seq: number;
	readonly handle: string;
	/** The user's own words. */
	readonly asks: boolean;
	/** As it goes out, in its host's form; several where one entry holds several results, none where it is not sent. */
	readonly sent: readonly JsonObject[];
}

export interface PathOptions {
	/** seq of the entry at which the agent stands; by default the session's newest. */
	readonly leaf?: number | undefined;
	/** Ids of messages: the newest of them is the first that is read. */
	readonly from?: ReadonlySet<string>;
	/** Only from the newest words of the user on: the run that is going on. */
	readonly run?: boolean;
}

/** Oldest first. */
export function readPath(history: History, of: SessionRef, options: PathOptions = {}): PathMessage[] {
	history.catchUp();
	const path: PathMessage[] = [];
	for (const entry of history.tree.upward(options.leaf ?? history.tree.tip(of) ?? null)) {
		if (!isMessage(entry)) continue;
		path.push(pathMessage(history, entry));
		if (options.from?.has(entry.entry) || (options.run && entry.asks)) break;
	}
	return path.reverse();
}

/** seq of the session's newest message or other entry at a moment. */
export function leafAt({ log }: History, { session, host }: SessionRef, upTo: number): number | undefined {
	const types = ["Message", "Entry"];
	for (const { seq } of log.read({ session, host, types, upTo, order: "newest", limit: 1 })) return seq;
	return undefined;
}

export function pathMessage({ log }: History, { seq, entry, role, tokens, asks }: TreeMessage): PathMessage {
	let read: { readonly text: string; readonly sent: readonly JsonObject[] } | undefined;
	const content = () => {
		read ??= readContent(log.get(seq)?.payload ?? {});
		return read;
	};
	return {
		id: entry,
		seq,
		role,
		tokens,
		asks,
		get handle() {
			return log.handleAt(seq) ?? "";
		},
		// Read only where it is kept: a path may be long.
		get text() {
			return content().text;
		},
		get sent() {
			return content().sent;
		},
	};
}

function readContent(payload: JsonObject): { readonly text: string; readonly sent: readonly JsonObject[] } {
	const view = viewMessage(payload);
	const wire = wireMessages(payload, view);
	const raw = asObject(payload["raw"]) ?? {};
	const own = asObject(raw["message"]) ?? raw;
	const text = wire.map(wireText).join("\n");
	// A line that the host made up itself, an error for example, was never sent.
	if (wire.length === 0 || view.model === "<synthetic>") return { text, sent: [] };
	if (payload["form"] === "anthropic") {
		const role = own["role"] === "assistant" ? "assistant" : "user";
		return { text, sent: [{ role, content: own["content"] }] };
	}
	// The host's own message knows more than its content: who thought, and when it was said.
	const isPlain = wire.length === 1 && own["role"] === wire[0]!.role;
	return { text, sent: isPlain ? [own] : wire.map((message) => ({ ...message })) };
}
