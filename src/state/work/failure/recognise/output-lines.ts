/** Output as lines that recognisers can read: no colours, no carriage returns, no line so long that a pattern hurts. */

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

/** A progress line is painted over with carriage returns; what stands last is what is seen. */
function lastPaint(line: string): string {
	const bare = line.endsWith("\r") ? line.slice(0, -1) : line;
	const at = bare.lastIndexOf("\r");
	return at < 0 ? bare : bare.slice(at + 1);
}
