/**
 * The opaque item in which Codex keeps a compaction that its provider made. Only the provider can read its own items; an item
 * from weft holds the seed, so that the proxy and the importer can put the seed in its place.
 */

/** Every item from weft starts with this. */
export const SEED_MARK = "weft-seed.";

export function packSeed(seed: string): string {
	return `${SEED_MARK}${Buffer.from(seed, "utf8").toString("base64")}`;
}

/** Undefined: the item is the provider's. */
export function unpackSeed(content: unknown): string | undefined {
	if (typeof content !== "string" || !content.startsWith(SEED_MARK)) return undefined;
	return Buffer.from(content.slice(SEED_MARK.length), "base64").toString("utf8");
}
