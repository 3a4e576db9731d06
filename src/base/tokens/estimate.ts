/** Bytes of UTF-8 per token, without a tokenizer. */
export const BYTES_PER_TOKEN = 3.2;

/** Estimates the tokens of a text, rounded up: the same on every machine. */
export function estimateTokens(text: string): number {
	return tokensOfBytes(Buffer.byteLength(text, "utf8"));
}

export function tokensOfBytes(bytes: number): number {
	return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** The most bytes that are at most this many tokens. */
export function bytesOfTokens(tokens: number): number {
	return Math.max(0, Math.floor(tokens * BYTES_PER_TOKEN));
}
