/**
 * The opaque item by which Codex keeps a compaction that its provider made. Only the provider can read it; one of ours holds
 * the seed itself, so that whoever sees it can put the seed in its place.
 */
/** How an item of ours begins. */
export const SEED_MARK = "weft-seed.";

export function packSeed(seed: string): string {
	return `${SEED_MARK}${Buffer.from(seed, "utf8").toString("base64")}`;
}

/** Undefined: it is the provider's. */
export function unpackSeed(content: unknown): string | undefined {
	if (typeof content !== "string" || !content.startsWith(SEED_MARK)) return undefined;
	return Buffer.from(content.slice(SEED_MARK.length), "base64").toString("utf8");
}
