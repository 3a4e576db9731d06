/** The bytes of a handle: a message as its host wrote it, an event's payload, a blob. */
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import { splitLast } from "../log/payload.ts";
import { blobHandle, type Handle } from "./handle.ts";

export interface Content {
	/** As it should be written. */
	readonly handle: string;
	/** In a few words, for a header. */
	readonly what: string;
	readonly bytes: Buffer;
}

export type Found = { readonly ok: true; readonly content: Content } | { readonly ok: false; readonly reason: string };

export function findContent(log: Log, handle: Exclude<Handle, { kind: "node" }>): Found {
	return handle.kind === "blob" ? findBlob(log, handle.hash) : findEvent(log, handle);
}

function findEvent(log: Log, { kind, id }: { readonly kind: "message" | "event"; readonly id: string }): Found {
	const seq = log.findHandle(id);
	const stored = seq === undefined ? undefined : log.getStored(seq);
	if (!stored) return missing(`There is no ${kind} ${id} in this project.`);
	if (stored.lost !== undefined) return missing(`${id} ${stored.lost}. 'weft repair' looks for a copy of it.`);
	const { type, text } = stored;
	const handle = handleOf(stored);
	if (kind === "event") return found(handle, type, text);
	if (type !== "Message") return missing(`${id} is not a message but a ${type}. Try ${handle}.`);
	return found(handle, speaker(text), splitLast(text, "raw") ?? text);
}

/** `toolResult/bash`, from the payload's first keys: a payload may be of any size, and only this is asked of it. */
function speaker(payload: string): string {
	const head = payload.slice(0, 400);
	const [role, tool] = ["role", "tool"].map((key) => new RegExp(`[{,]"${key}":"([\\w.:-]{1,80})"`).exec(head)?.[1]);
	return role === undefined ? "message" : tool === undefined ? role : `${role}/${tool}`;
}

function findBlob(log: Log, prefix: string): Found {
	const [hash, another] = log.blobHashes(prefix, 2);
	if (hash === undefined) return missing(`There is no blob whose SHA-256 begins with ${prefix}.`);
	if (another !== undefined) return missing(`More than one blob begins with ${prefix}. Give more of its SHA-256.`);
	const bytes = log.getBlob(hash);
	if (!bytes)
		return missing(`The blob ${blobHandle(hash)} ${log.blobLoss(hash)}. 'weft repair' looks for a copy of it.`);
	return { ok: true, content: { handle: blobHandle(hash), what: "blob", bytes } };
}

function found(handle: string, what: string, text: string): Found {
	return { ok: true, content: { handle, what, bytes: Buffer.from(text, "utf8") } };
}

function missing(reason: string): Found {
	return { ok: false, reason };
}
