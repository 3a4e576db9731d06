/** One piece of a seed: a heading and lines, within a number of tokens, that says what was left out. */
import { bytesOfTokens, estimateTokens } from "../../../tokens/estimate.ts";

export interface Section {
	readonly name: string;
	readonly text: string;
	readonly tokens: number;
	/** How many items did not fit. */
	readonly left: number;
}

/**
 * Items under a heading, in the order given, while they fit. `rest` says how to get what did not; an item that is too
 * long by itself is cut where `cut` allows it.
 */
export function listSection(
	name: string,
	heading: string,
	items: readonly string[],
	budget: number,
	rest: (left: number) => string,
): Section | undefined {
	if (items.length === 0) return undefined;
	const lines = [heading];
	let bytes = Buffer.byteLength(heading) + 1;
	const most = bytesOfTokens(budget);
	let taken = 0;
	for (const item of items) {
		const size = Buffer.byteLength(item) + 1;
		if (bytes + size > most) break;
		lines.push(item);
		bytes += size;
		taken++;
	}
	const left = items.length - taken;
	if (left > 0) lines.push(rest(left));
	return makeSection(name, lines.join("\n"), left);
}

export function makeSection(name: string, text: string, left: number): Section {
	return { name, text, tokens: estimateTokens(text), left };
}

/** A text of at most so many tokens, its beginning and its end, with a mark between that says how much is missing. */
export function clip(text: string, tokens: number, handle: string): string {
	const most = bytesOfTokens(tokens);
	if (Buffer.byteLength(text) <= most) return text;
	const mark = `\n[… cut; whole: ${handle} …]\n`;
	const chars = Math.max(0, Math.floor(((most - mark.length) * text.length) / Buffer.byteLength(text)));
	const head = text.slice(0, Math.ceil(chars * 0.7)).toWellFormed();
	const tail = text.slice(text.length - Math.floor(chars * 0.3)).toWellFormed();
	return `${head}${mark}${tail}`;
}
