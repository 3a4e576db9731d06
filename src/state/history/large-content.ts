/**
 * Replaces content that is too large for a context by a stub: what it is, an outline, and the handle that fetches every
 * byte. If the bytes cannot be stored, the content passes unchanged: nothing is removed that cannot be fetched.
 */

import { formatBytes, formatCount, plural } from "../../base/text/bytes.ts";
import { countLines } from "../../base/text/lines.ts";
import { estimateTokens } from "../../base/tokens/estimate.ts";
import { OUTLINE } from "../../message/note.ts";
import { blobHandle } from "./handle.ts";
import { outline } from "./outline/outline.ts";
import { HISTORY_DEFAULTS } from "./types.ts";

export interface LargeOptions {
	/** Stores the bytes and returns their SHA-256 in hex. The event that names it must follow. */
	readonly store: (bytes: Uint8Array) => string;
	/** The file that the content came from, if known. */
	readonly path?: string | undefined;
	/** Larger content becomes a stub. The setting largFileThresholdTokens. */
	readonly thresholdTokens?: number | undefined;
	/** Called if storing failed. The content then passes unchanged. */
	readonly onFailure?: ((error: unknown) => void) | undefined;
}

export type StubbedContent =
	| { readonly stubbed: false; readonly text: string }
	/** The events of the content name `hash` as their `blob`. */
	| { readonly stubbed: true; readonly text: string; readonly hash: string; readonly handle: string };

const OUTLINE_TOKENS = 800;

export function stubLarge(text: string, options: LargeOptions): StubbedContent {
	const tokens = estimateTokens(text);
	const small = tokens <= (options.thresholdTokens ?? HISTORY_DEFAULTS.largFileThresholdTokens);
	// Half a surrogate pair has no bytes in UTF-8: it would come back as another character.
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
