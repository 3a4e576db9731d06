/** Output as lines for recognisers: no colours, no carriage returns, no line long enough to slow a pattern down. */

const MAX_LINE_CHARS = 2_000;
const ESC = String.fromCharCode(27);
const BEL = String.fromCharCode(7);
/** Colours and cursor moves, titles and links, and the short ones. */
const ESCAPES = new RegExp(
	[
		`${ESC}\\[[0-9;:?<=>]*[ -/]*[@-~]`,
		`${ESC}\\][^${BEL}${ESC}]{0,4000}(?:${BEL}|${ESC}\\\\)?`,
		`${ESC}[()][0-9A-Z]`,
		`${ESC}[=>@-Z\\\\^_]`,
	].join("|"),
	"g",
);

export function readLines(text: string): readonly string[] {
	return text
		.replace(ESCAPES, "")
		.split("\n")
		.map((line) => lastPaint(line).slice(0, MAX_LINE_CHARS));
}

/** A progress line overwrites itself with carriage returns: only the last part is visible. */
function lastPaint(line: string): string {
	const bare = line.endsWith("\r") ? line.slice(0, -1) : line;
	const at = bare.lastIndexOf("\r");
	return at < 0 ? bare : bare.slice(at + 1);
}
