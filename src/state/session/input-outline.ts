/** A call's arguments without their long texts: the message holds those, and a log holds no text twice. */
import { sha256 } from "../../base/hash/sha256.ts";

const MAX_TEXT_CHARS = 200;
const MAX_LEVEL = 16;
const MAX_ITEMS = 200;

export function outlineInput(value: unknown, level = 0): unknown {
	if (typeof value === "string") return value.length > MAX_TEXT_CHARS ? outlineText(value) : value;
	if (value === null || typeof value !== "object") return value;
	if (level >= MAX_LEVEL) return { omitted: "deeper levels" };
	if (Array.isArray(value)) {
		const items = value.slice(0, MAX_ITEMS).map((item) => outlineInput(item, level + 1));
		return value.length > MAX_ITEMS ? [...items, { omitted: `${value.length - MAX_ITEMS} more items` }] : items;
	}
	const fields = Object.entries(value);
	// fromEntries defines fields and does not assign them: a key named __proto__ stays a key.
	return Object.fromEntries(
		fields.slice(0, MAX_ITEMS).map(([key, field]) => [key, outlineInput(field, level + 1)] as const),
	);
}

function outlineText(text: string): { chars: number; sha256: string } {
	return { chars: text.length, sha256: sha256(text) };
}
