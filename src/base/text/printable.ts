import { stripVTControlCharacters } from "node:util";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text from elsewhere, safe to print in a terminal: escape sequences could move the cursor or set the window's title,
 * and bidirectional overrides could disguise a line. Keeps line breaks and tabs, drops colours, shows other controls as
 * `�`.
 */
export function printable(text: string): string {
	return stripVTControlCharacters(text.toWellFormed()).replace(/\r\n?/g, "\n").replace(CONTROLS, "\ufffd");
}

/** JSON with the same controls as `\\u` escapes: equal in meaning and safe to print. */
export function printableJson(json: string): string {
	return json.replace(CONTROLS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** One line: runs of white space folded into one space. */
export function oneLine(text: string): string {
	return printable(text).replace(/\s+/g, " ").trim();
}
