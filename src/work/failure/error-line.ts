/** Of an output that no recogniser knows: the lines that say what went wrong. */
const TELLING =
	/\b(?:error|errors|err!|fail|fails|failed|failure|failing|exception|fatal|panic|panicked|cannot|can't|could not|couldn't|unable|undefined|unresolved|unknown|not found|no such|denied|refused|unexpected|invalid|missing|abort|aborted|segmentation|killed|assert\w*|expected|mismatch|conflict|rejected|timed out|timeout|unsupported|illegal|must|duplicate|already|received|actual|got|want|which is|but was|issues|is not|are not|did not|does not|has no)\b|[✖✗✘×]/i;
/** A line that names the place, the test or the two values of what the lines around it tell. */
const PLACE =
	/^\s*(?:\d+\) \S|(?:left|right|lhs|rhs)\s*:|on \S+ line \d+|\[(?:warn|error)\] \S)|^\S+\.[a-z]\w{0,5}:\d+:\d+(?: \S|$)/;
/** They report that something failed, not what; or name another log each time. */
const EMPTY =
	/^(?:npm (?:ERR!|error) (?:A complete log|errno|Lifecycle|Exit status|.*\.log$|path |command |workspace )|error Command failed with exit code|info Visit |\s*at \S|ELIFECYCLE|make(?:\[\d+\])?: (?:Entering|Leaving)|Node\.js v\d|\d+ (?:errors?|warnings?|failures?)(?: generated)?\.?$|\s*\S+\.(?:png|zip|log|txt|webm|html|xml)$|note: |warning: |hint: |\[\d+:0x\w+\] +\d+ ms: )/i;
const MAX_LINES = 60;
const MAX_TAIL_LINES = 5;

export function errorLines(lines: readonly string[]): readonly string[] {
	const found: string[] = [];
	for (const [i, raw] of lines.entries()) {
		if (found.length >= MAX_LINES) break;
		const line = raw.replace(/^[│|] /, "");
		if (line.trim() === "" || EMPTY.test(line) || !(TELLING.test(line) || PLACE.test(line))) continue;
		found.push(withoutPrefix(line));
		// What a heading announces stands below it.
		if (line.trimEnd().endsWith(":") && (lines[i + 1] ?? "").trim() !== "") found.push(withoutPrefix(lines[i + 1]!));
	}
	const specific = found.filter(
		(line) =>
			!/^(?:make(?:\[\d+\])?: \*\*\*|.*exited with code \d+$|.*exit(?:ed)? (?:code|status):? \d+\.?$)/i.test(line),
	);
	if (specific.length > 0) return specific;
	if (found.length > 0) return found;
	return lines.filter((line) => line.trim() !== "" && !EMPTY.test(line)).slice(-MAX_TAIL_LINES);
}

function withoutPrefix(line: string): string {
	return line
		.replace(/^npm (?:ERR!|error) /, "")
		.replace(/^\[\w+\] /, "")
		.replace(/^\s*\d+\) /, "");
}
