/** Reads arguments as models write them: a number may be a text or out of bounds, and the nearest sensible value is used. */
import Type, { type TUnsafe } from "typebox";

export function textArgument(value: unknown): string {
	return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

export function numberArgument(value: unknown, fallback: number, min: number, max: number): number {
	const given = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
	if (typeof given !== "number" || Number.isNaN(given)) return fallback;
	return Math.min(max, Math.max(min, Math.trunc(given)));
}

export function wordArgument<const Word extends string>(value: unknown, words: readonly Word[], fallback: Word): Word {
	return words.find((word) => word === value) ?? fallback;
}

/** A plain string enum, which all providers understand. */
export function enumeration<const Word extends string>(
	words: readonly Word[],
	options: { readonly description: string; readonly default?: Word },
): TUnsafe<Word> {
	return Type.Unsafe<Word>({ type: "string", enum: [...words], ...options });
}
