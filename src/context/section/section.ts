/** A piece of context under construction: lines within a number of tokens, and a note of what went in and what did not. */
import { bytesOfTokens, tokensOfBytes } from "../../tokens/estimate.ts";

export interface ContextItem {
	/** Names the thing: `file:src/a.ts`, `failure:bash:…`, `decision:e-…`. */
	readonly id: string;
	readonly kind: string;
	/** What it takes, or would have taken. */
	readonly tokens: number;
	/** Why it is in, or why it was left out. */
	readonly why: string;
	readonly included: boolean;
	/** By which it can be fetched whole. */
	readonly handle?: string | undefined;
}

export interface Section {
	readonly lines: readonly string[];
	readonly items: readonly ContextItem[];
}

/** Lines that fit into a number of bytes, each counted with its line break. */
export class Room {
	readonly lines: string[] = [];
	#left: number;

	constructor(bytes: number) {
		this.#left = Math.max(0, Math.floor(bytes));
	}

	static ofTokens(tokens: number): Room {
		return new Room(bytesOfTokens(tokens));
	}

	get left(): number {
		return this.#left;
	}

	/** All of these lines or none; true when they went in. */
	add(...lines: readonly string[]): boolean {
		const bytes = bytesOf(lines);
		if (bytes > this.#left) return false;
		this.#left -= bytes;
		this.lines.push(...lines);
		return true;
	}
}

export function bytesOf(lines: readonly string[]): number {
	let bytes = 0;
	for (const line of lines) bytes += Buffer.byteLength(line) + 1;
	return bytes;
}

export function tokensOf(lines: readonly string[]): number {
	return tokensOfBytes(bytesOf(lines));
}

/** The beginning of a text that takes at most so many bytes of UTF-8, an ellipsis at its end where it was cut. */
export function cutToBytes(text: string, bytes: number): string {
	if (Buffer.byteLength(text) <= bytes) return text;
	const room = bytes - Buffer.byteLength("…");
	if (room < 0) return "";
	let used = 0;
	let end = 0;
	for (const character of text) {
		used += Buffer.byteLength(character);
		if (used > room) break;
		end += character.length;
	}
	return `${text.slice(0, end)}…`;
}
