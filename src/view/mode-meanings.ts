import type { Settings } from "../settings/keys.ts";

/** The model's view in each mode. */
export const MODE_MEANINGS = {
	woven: "epochs: a frozen seed and the raw messages since",
	warp: "a context computed again for each run",
	lossless: "the host's history, with our summaries as its compaction",
	off: "the host's own history; weft only records",
} as const satisfies Readonly<Record<Settings["mode"], string>>;
