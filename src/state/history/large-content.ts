/**
 * Content too large for a context enters it as a stub: what it is, an outline, and the handle under which every byte of it
 * is kept. Where the bytes cannot be stored, the content passes as it is: nothing is taken away that cannot be fetched.
 */

import { formatBytes, formatCount, plural } from "../../base/text/bytes.ts";
import { countLines } from "../../base/text/lines.ts";
import { estimateTokens } from "../../base/tokens/estimate.ts";
import { OUTLINE } from "../../message/note.ts";
import { blobHandle } from "./handle.ts";
import { outline } from "./outline/outline.ts";
import { HISTORY_DEFAULTS } from "./types.ts";

export interface LargeOptions {
	/** Stores the bytes and returns their SHA-256 in hex; the event that names it must follow. */
	readonly store: (bytes: Uint8Array) => string;
	/** Where the content came from, if that is known. */
	readonly path?: string | undefined;
	/** Larger than this: a stub. The setting largFileThresholdTokens. */
	readonly thresholdTokens?: number | undefined;
	/** A failure to store; the content then passes unchanged. */
	readonly onFailure?: ((error: unknown) => void) | undefined;
}

export type StubbedContent =
	| { readonly stubbed: false; readonly text: string }
	/** `hash` goes into the events that stand for the content, as `blob`. */
	| { readonly stubbed: true; readonly text: string; readonly hash: string; readonly handle: string };

const OUTLINE_TOKENS = 800;

export function stubLarge(text: string, options: LargeOptions): StubbedContent {
	const tokens = estimateTokens(text);
	const small = tokens <= (options.thresholdTokens ?? HISTORY_DEFAULTS.largFileThresholdTokens);
	// Half a surrogate pair has no bytes of its own: stored, it would come back as another character.
	if (small || !text.isWellFormed()) return { stubbed: false, text };
	try {
		const bytes = Buffer.from(text, "utf8");
		const hash = options.store(bytes);
		const handle = blobHandle(hash);
		const { kind, lines } = outline(text, { path: options.path, maxTokens: OUTLINE_TOKENS });
		const name = options.path === undefined ? "" : ` of ${options.path}`;
		const size = `${formatBytes(bytes.length)}, about ${formatCount(tokens)} tokens, ${plural(countLines(text), "line")}`;
		return {
			stubbed: true,
			hash,
			handle,
			text: [
				`${OUTLINE}${name} (${kind}): ${size}. It is kept whole as ${handle}; this is its outline.]`,
				...lines,
				`[Read it with lcm_expand({"summary_id": "${handle}", "offset": 0}); a number after @ is an offset to begin at.]`,
			].join("\n"),
		};
	} catch (error) {
		options.onFailure?.(error);
		return { stubbed: false, text };
	}
}
