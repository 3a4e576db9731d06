/**
 * JSON text with a part that stays text: the agent's own entry in a payload, or a payload in an archive's line. The part is
 * joined as the last key and cut out again, so its bytes are never parsed and rewritten.
 */
import { EngineError } from "../../base/error/engine-error.ts";

/** The text of a payload, with the agent's entry as its last key, `raw`. */
export function payloadText(payload: object, raw: string | undefined): string {
	const head = stringify(payload);
	return raw === undefined ? head : joinLast(head, "raw", raw);
}

/** The text of a payload without the agent's entry of `rawChars` characters. */
export function headText(text: string, rawChars: number): string {
	const head = text.slice(0, text.length - rawChars - ',"raw":}'.length);
	return head === "" ? "{}" : `${head}}`;
}

/** An object's text with one more key at its end; the value is JSON text. */
export function joinLast(head: string, key: string, value: string): string {
	return head === "{}" ? `{"${key}":${value}}` : `${head.slice(0, -1)},"${key}":${value}}`;
}

/**
 * The text of the value of `key`, which must be the object's last key. Skips the strings before it, which could hold the same
 * bytes.
 */
export function splitLast(text: string, key: string): string | undefined {
	const only = `{"${key}":`;
	if (text.startsWith(only)) return text.slice(only.length, -1);
	const mark = `,"${key}":`;
	let depth = 0;
	for (let at = 0; at < text.length; at++) {
		const char = text.charCodeAt(at);
		if (char === QUOTE) at = endOfString(text, at);
		else if (char === OPEN_BRACE || char === OPEN_BRACKET) depth++;
		else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) depth--;
		else if (char === COMMA && depth === 1 && text.startsWith(mark, at)) return text.slice(at + mark.length, -1);
	}
	return undefined;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

function endOfString(text: string, start: number): number {
	for (let at = start + 1; at < text.length; at++) {
		const char = text.charCodeAt(at);
		if (char === BACKSLASH) at++;
		else if (char === QUOTE) return at;
	}
	return text.length;
}

function stringify(payload: object): string {
	let text: string | undefined;
	try {
		text = JSON.stringify(payload);
	} catch (cause) {
		throw new EngineError("bad-event", `An event's payload cannot be written as JSON: ${(cause as Error).message}`, {
			cause,
		});
	}
	if (text === undefined || !text.startsWith("{")) {
		throw new EngineError("bad-event", "An event's payload must be a plain object.");
	}
	return text;
}
