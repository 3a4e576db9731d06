/** Of an output that no recogniser knows: the lines that say what went wrong. */
const TELLING =
	/\b(?:error|errors|err!|fail|fails|failed|failure|failing|exception|fatal|panic|panicked|cannot|can't|could not|couldn't|unable|undefined|unresolved|unknown|not found|no such|denied|refused|unexpected|invalid|missing|abort|aborted|segmentation|killed|assert\w*|expected|mismatch|conflict|rejected|timed out|timeout|unsupported|illegal|must|duplicate|already)\b|[✖✗×]/i;
/** They report that something failed, not what; or name another log each time. */
const EMPTY =
	/^(?:npm (?:ERR!|error) (?:A complete log|errno|Lifecycle|Exit status|.*\.log$|path |command |workspace )|error Command failed with exit code|info Visit |\s*at \S|ELIFECYCLE|make(?:\[\d+\])?: (?:Entering|Leaving)|Node\.js v\d|\d+ (?:errors?|warnings?|failures?)(?: generated)?\.?$|note: |warning: |hint: )/i;
const MAX_LINES = 60;
const MAX_TAIL_LINES = 5;

export function errorLines(lines: readonly string[]): readonly string[] {
	const found: string[] = [];
	for (const [i, line] of lines.entries()) {
		if (found.length >= MAX_LINES) break;
		if (line.trim() === "" || EMPTY.test(line) || !TELLING.test(line)) continue;
		found.push(withoutPrefix(line));
		// What a panic says stands in the next line.
		if (/panicked at .*:$/.test(line) && lines[i + 1] !== undefined) found.push(lines[i + 1]!);
	}
	const specific = found.filter(
		(line) =>
			!/^(?:make(?:\[\d+\])?: \*\*\*|.*exited with code \d+$|.*exit(?:ed)? (?:code|status):? \d+\.?$)/i.test(line),
	);
	if (specific.length > 0) return specific;
	if (found.length > 0) return found;
	return lines.filter((line) => line.trim() !== "").slice(-MAX_TAIL_LINES);
}

function withoutPrefix(line: string): string {
	return line.replace(/^npm (?:ERR!|error) /, "").replace(/^\[\w+\] /, "");
}
