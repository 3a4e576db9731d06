/** Arguments as models write them: numbers may come as texts, and out of bounds; the nearest sensible value is taken. */
import Type, { type TUnsafe } from "typebox";

export function textArgument(value: unknown): string {
	return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

export function numberArgument(value: unknown, usual: number, least: number, most: number): number {
	const given = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
	if (typeof given !== "number" || Number.isNaN(given)) return usual;
	return Math.min(most, Math.max(least, Math.trunc(given)));
}

export function wordArgument<const Word extends string>(value: unknown, words: readonly Word[], usual: Word): Word {
	return words.find((word) => word === value) ?? usual;
}

/** One of a few words, as the plain string enum that all providers understand. */
export function enumeration<const Word extends string>(
	words: readonly Word[],
	options: { readonly description: string; readonly default?: Word },
): TUnsafe<Word> {
	return Type.Unsafe<Word>({ type: "string", enum: [...words], ...options });
}
