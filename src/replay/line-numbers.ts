/**
 * `   12→text`, `12⇥text`, `12: text`, `12 | text`, `00012| text`: how hosts number the lines of a file that they show. An
 * agent copies the text without that.
 */
const NUMBERED = /^[ \t]*\d+(?:[→\t]|: | ?\| ?)/gm;

export function withoutLineNumbers(text: string): string {
	return text.replace(NUMBERED, "");
}
