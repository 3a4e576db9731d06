/** Removes terminal colours, which can cut a secret in two, and maps positions back to the original text. */
import { partitionPoint } from "../collection/sorted.ts";
import type { SecretRange } from "./secret/value.ts";

const ESCAPE = "\u001b";
const CSI = "\u009b";
/** Colours and cursor moves; titles and links; single moves. */
const SEQUENCE = new RegExp(
	[
		`(?:${ESCAPE}\\[|${CSI})[0-?]*[ -/]*[@-~]`,
		`${ESCAPE}\\][^\u0007${ESCAPE}]{0,2000}(?:\u0007|${ESCAPE}\\\\)`,
		`${ESCAPE}[@-Z\\\\^_]`,
	].join("|"),
	"g",
);

export interface Uncoloured {
	readonly plain: string;
	/** Maps a range of the plain text to the original text. */
	readonly placeOf: (range: SecretRange) => SecretRange;
}

export function withoutColours(text: string): Uncoloured {
	if (!text.includes(ESCAPE) && !text.includes(CSI)) return { plain: text, placeOf: (range) => range };
	/** Where each kept piece begins, in the plain text and in the original. */
	const pieces: { readonly plain: number; readonly original: number }[] = [];
	let plain = "";
	let at = 0;
	for (const { index, 0: sequence } of text.matchAll(SEQUENCE)) {
		if (index > at) {
			pieces.push({ plain: plain.length, original: at });
			plain += text.slice(at, index);
		}
		at = index + sequence.length;
	}
	pieces.push({ plain: plain.length, original: at });
	plain += text.slice(at);
	const original = (index: number): number => {
		const piece = pieces[partitionPoint(pieces, ({ plain: start }) => start <= index) - 1] ?? { plain: 0, original: 0 };
		return piece.original + index - piece.plain;
	};
	return { plain, placeOf: ([start, end]) => [original(start), end > start ? original(end - 1) + 1 : original(start)] };
}
