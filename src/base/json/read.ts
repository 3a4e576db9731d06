/** Reads untrusted JSON: each function takes anything and never throws. */

export type JsonObject = Readonly<Record<string, unknown>>;

const DEEPEST_LEVEL = 64;

export function asObject(value: unknown): JsonObject | undefined {
	return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

export function asText(value: unknown): string | undefined {
	return typeof value === "string" ? value : undefined;
}

/** A text with something in it. */
export function asName(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}

export function asInteger(value: unknown): number | undefined {
	return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
	return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** No real count is larger. A larger one is an error in the source, and sums must stay exact. */
const MAX_TOKENS = 1e12;

/** A number of tokens. */
export function asTokens(value: unknown): number | undefined {
	const count = asNumber(value);
	return count !== undefined && count >= 0 && count <= MAX_TOKENS ? count : undefined;
}

/** The last moment of a Date, and before the epoch the first one. */
export const MAX_DATE_MS = 8.64e15;

/** ms since the epoch, from a number or the text of a date; undefined for what a Date cannot hold. */
export function asTime(value: unknown): number | undefined {
	const time = typeof value === "string" ? Date.parse(value) : value;
	return typeof time === "number" && Math.abs(time) <= MAX_DATE_MS ? Math.trunc(time) : undefined;
}

export function asList(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

/**
 * JSON for reading and search: strings without escapes, so that a word after a line break stays a word and a quoted
 * phrase is found as it was typed. Cut below 64 levels.
 */
export function plainJson(value: unknown, level = 0): string {
	if (typeof value === "string") return `"${value}"`;
	if (value === null || typeof value !== "object") return String(value);
	if (level >= DEEPEST_LEVEL) return "…";
	if (Array.isArray(value)) return `[${value.map((item) => plainJson(item, level + 1)).join(",")}]`;
	const fields = Object.entries(value).map(([key, field]) => `"${key}":${plainJson(field, level + 1)}`);
	return `{${fields.join(",")}}`;
}

/** Parses a JSON object. Undefined: the text is something else. */
export function parseObject(text: string | undefined): JsonObject | undefined {
	return asObject(parseJson(text));
}

/** Undefined: not JSON. */
export function parseJson(text: string | undefined): unknown {
	try {
		return text === undefined ? undefined : JSON.parse(text);
	} catch {
		return undefined;
	}
}
