/** Handles: ids that fetch what was left out. They are derived from content, never random. */
import { sha256 } from "../../base/hash/sha256.ts";
import { handleDigits } from "../../log/handle.ts";
import type { SessionRef } from "../../log/session-ref.ts";

export type Handle =
	| { readonly kind: "node"; readonly id: string }
	| { readonly kind: "message" | "event"; readonly id: string }
	/** The beginning of a blob's SHA-256, or all of it. */
	| { readonly kind: "blob"; readonly hash: string };

const NODE_HEX = 10;
const BLOB_HEX = 12;

/** Accepts handles as models and people write them, with quotes, brackets or white space around them. */
export function parseHandle(text: string): Handle | undefined {
	const match = /^[\s"'`[(<]*([smeb])-([0-9a-f]{1,64})[\s"'`\])>.,;:]*$/i.exec(text.slice(0, 200));
	if (!match) return undefined;
	const [, letter = "", digits = ""] = match;
	const rest = digits.toLowerCase();
	switch (letter.toLowerCase()) {
		case "s":
			return { kind: "node", id: `s-${rest}` };
		case "b":
			return rest.length >= 6 ? { kind: "blob", hash: rest } : undefined;
		case "m":
			return eventHandle("message", `m-${rest}`);
		default:
			return eventHandle("event", `e-${rest}`);
	}
}

function eventHandle(kind: "message" | "event", id: string): Handle | undefined {
	return handleDigits(id) === undefined ? undefined : { kind, id };
}

export function blobHandle(hash: string): string {
	return `b-${hash.slice(0, BLOB_HEX)}`;
}

/** The same stretch at the same depth is the same node, in every process and at any time. */
export function nodeHandle(of: SessionRef, depth: number, fromEntry: string, toEntry: string): string {
	return `s-${sha256(JSON.stringify([of.session, of.host, depth, fromEntry, toEntry])).slice(0, NODE_HEX)}`;
}
