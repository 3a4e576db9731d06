/** What the user has taken out of memory is not brought back by another road: a session's file, a line of history, an old message. */
import { plainWords } from "../bullet.ts";
import type { RecallItem } from "./item.ts";
import { termsOf } from "./terms.ts";

/** Fewer words than this stand in many a text that says something else. */
const MIN_TERMS = 3;

/** `forgotten`: bullets that the user took out, word for word. */
export function withoutForgotten(items: readonly RecallItem[], forgotten: readonly string[]): readonly RecallItem[] {
	if (forgotten.length === 0) return items;
	const whole = new Set(forgotten.map(plainWords));
	const parts = forgotten.filter((text) => termsOf(text).length >= MIN_TERMS).map(plainWords);
	return items.filter(({ source, text }) => {
		// The user's own file in the workspace says what they want it to say.
		if (source === "workspace") return true;
		const said = plainWords(text);
		return !whole.has(said) && !parts.some((part) => said.includes(part));
	});
}
