/** Ids for messages that come without one: made from the content, so that the same patch always yields the same ids. */

import { createHash } from "node:crypto";
import { writeJson } from "../../base/json/write.ts";
import type { EnvelopeMessage, GivenMessage } from "../envelope/envelope.ts";

const HASH_CHARS = 16;

/** Gives every message an id; a message with the same content as another gets the next free number as a suffix. */
export function identify(given: readonly GivenMessage[], taken: ReadonlySet<string>): EnvelopeMessage[] {
	const used = new Set(taken);
	for (const { id } of given) if (id !== undefined) used.add(id);
	return given.map((message) => {
		if (message.id !== undefined) return message as EnvelopeMessage;
		const id = freeId(`x-${contentHash(message)}`, used);
		used.add(id);
		return { ...message, id };
	});
}

export function idsOf(...lists: readonly (readonly EnvelopeMessage[])[]): Set<string> {
	return new Set(lists.flatMap((list) => list.map(({ id }) => id)));
}

/** SHA-256[:16] of a value's JSON. */
export function contentHash(value: unknown): string {
	return createHash("sha256").update(writeJson(value), "utf8").digest("hex").slice(0, HASH_CHARS);
}

function freeId(wanted: string, used: ReadonlySet<string>): string {
	let id = wanted;
	for (let copy = 2; used.has(id); copy++) id = `${wanted}.${copy}`;
	return id;
}
