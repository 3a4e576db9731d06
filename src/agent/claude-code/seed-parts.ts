/** Cuts a seed into pieces that Claude Code passes on whole: one for each SessionStart hook of the plugin. */

import { cutStart } from "../../base/text/cut.ts";

/** As many as `hooks/hooks.json` of the plugin names. */
const MAX_PARTS = 8;
/** Claude Code writes a text of more than 10,000 to a file. */
const PART_CHARS = 9_800;
const HEAD_CHARS = 120;

/** Cuts between lines if possible. A note at the end says if something is missing. */
export function seedParts(seed: string): string[] {
	const pieces = cut(seed.toWellFormed(), PART_CHARS - HEAD_CHARS);
	const isCut = pieces.length > MAX_PARTS;
	const kept = pieces.slice(0, MAX_PARTS).map((piece, at) => (isCut && at === MAX_PARTS - 1 ? withNote(piece) : piece));
	const count = kept.length;
	return kept.map((piece, at) => (count === 1 ? piece : `[weft: part ${at + 1} of ${count}]\n${piece}`));
}

const REST = "\n[There was more. lcm_describe and lcm_grep find it.]";

function withNote(piece: string): string {
	return piece.slice(0, PART_CHARS - HEAD_CHARS - REST.length).toWellFormed() + REST;
}

function cut(text: string, max: number): string[] {
	const pieces: string[] = [];
	let from = 0;
	while (from < text.length) {
		let to = Math.min(text.length, from + max);
		const line = text.lastIndexOf("\n", to - 1) + 1;
		if (to < text.length && line > from + max / 2) to = line;
		else if (to < text.length) to = from + cutStart(text.slice(from), max).length;
		pieces.push(text.slice(from, to));
		from = to;
	}
	return pieces;
}
