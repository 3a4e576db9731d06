/** Recognises a message by its words when it comes again under another id. */
import { sha256 } from "../../base/hash/sha256.ts";
import type { PiBlock } from "../../message/dialect/pi/message.ts";

/** Texts and call ids. Thoughts are missing from some copies of a message. */
export function wordsIn(blocks: readonly PiBlock[]): string {
	return blocks
		.flatMap((block) => (block.type === "text" ? [block.text] : block.type === "toolCall" ? [block.id] : []))
		.join("\n");
}

const FINGERPRINT_DIGITS = 13;

/** 52 bits of a hash, which a number holds exactly and in less memory than a string. */
export function fingerprintOf(blocks: readonly PiBlock[]): number {
	return Number.parseInt(sha256(wordsIn(blocks)).slice(0, FINGERPRINT_DIGITS), 16);
}
