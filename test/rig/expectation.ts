/** The end of a specification: compares what came of it with what the test expects, and shows the difference. */
import assert, { AssertionError } from "node:assert/strict";

export class Expectation<Expected extends readonly unknown[], Result = void> {
	readonly #compare: (...expected: Expected) => Result;

	constructor(compare: (...expected: Expected) => Result) {
		this.#compare = compare;
	}

	/** Returns no specification: what has a `then` must never be returned to the test runner, which would await it. */
	// biome-ignore lint/suspicious/noThenProperty: given, when, then
	then(...expected: Expected): Result {
		return this.#compare(...expected);
	}
}

/** An expected text that is a pattern matches any text that fits; all else must be equal. */
export function assertSame(actual: unknown, expected: unknown, story: string): void {
	try {
		assert.deepEqual(adoptPatterns(actual, expected), expected);
	} catch (error) {
		if (!(error instanceof AssertionError)) throw error;
		const { operator, message } = error;
		throw new AssertionError({ message: `${story}\n${message}`, actual, expected, operator, stackStartFn: assertSame });
	}
}

/** The actual value, with the patterns that it fits in place of its texts: a difference shows only what does not fit. */
function adoptPatterns(actual: unknown, expected: unknown): unknown {
	if (expected instanceof RegExp) return typeof actual === "string" && expected.test(actual) ? expected : actual;
	if (Array.isArray(expected) && Array.isArray(actual)) {
		return actual.map((each, at) => (at < expected.length ? adoptPatterns(each, expected[at]) : each));
	}
	if (!isPlain(expected) || !isPlain(actual)) return actual;
	const adopted = Object.entries(actual).map(([key, value]) => [key, adoptPatterns(value, expected[key])]);
	return Object.setPrototypeOf(Object.fromEntries(adopted), Object.getPrototypeOf(actual) as object | null);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
	if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === Object.prototype || prototype === null;
}
