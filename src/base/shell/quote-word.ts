const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", "'": "\\'" };

/** A word as a person can paste it into a shell, on one line. */
export function quoteWord(word: string): string {
	if (/^[\w./:@%+=-]+$/.test(word)) return word;
	if (/[\n\r\t]/.test(word)) return `$'${word.replace(/[\n\r\t\\']/g, (each) => ESCAPES[each] ?? each)}'`;
	return `'${word.replaceAll("'", "'\\''")}'`;
}
