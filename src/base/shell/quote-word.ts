/** A word as a person can paste it into a shell. */
export function quoteWord(word: string): string {
	return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
