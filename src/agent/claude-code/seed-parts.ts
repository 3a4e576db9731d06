/** A seed, cut into pieces that Claude Code passes on whole: one for each SessionStart hook of the plugin. */

/** As many as `hooks/hooks.json` of the plugin names. */
const MAX_PARTS = 8;
/** Claude Code makes more than 10,000 a file. */
const PART_CHARS = 9_800;
const HEAD_CHARS = 120;

/** Cut between lines where that is possible. What does not fit in is said at the end. */
export function seedParts(seed: string): string[] {
	const pieces = cut(seed.toWellFormed(), PART_CHARS - HEAD_CHARS);
	const kept = pieces.slice(0, MAX_PARTS);
	if (pieces.length > kept.length) kept[kept.length - 1] = withoutRest(kept.at(-1)!);
	const count = kept.length;
	return kept.map((piece, at) => (count === 1 ? piece : `[weft: part ${at + 1} of ${count}]\n${piece}`));
}

const REST = "\n[There was more. lcm_describe and lcm_grep find it.]";

function withoutRest(piece: string): string {
	return piece.slice(0, PART_CHARS - HEAD_CHARS - REST.length).toWellFormed() + REST;
}

function cut(text: string, most: number): string[] {
	const pieces: string[] = [];
	let from = 0;
	while (from < text.length) {
		let to = Math.min(text.length, from + most);
		const line = text.lastIndexOf("\n", to - 1) + 1;
		if (to < text.length && line > from + most / 2) to = line;
		else if (to < text.length && /[\ud800-\udbff]/.test(text[to - 1]!)) to--;
		pieces.push(text.slice(from, to));
		from = to;
	}
	return pieces;
}
