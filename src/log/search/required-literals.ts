/**
 * Literals that a text must contain for a pattern to match it, so that most texts need not be matched at all. Conservative: for
 * syntax that it does not understand it requires less, or nothing.
 */

/** Every text that matches contains at least one of these strings. */
export type Clause = readonly string[];

interface PatternPart {
	/** All strings that the part can match, if few. */
	readonly exact: readonly string[] | undefined;
	/** What it requires, if `exact` is unknown. */
	readonly clauses: readonly Clause[];
}

const MAX_EXACT = 16;
const MAX_EXACT_CHARS = 64;
const ANYTHING: PatternPart = { exact: undefined, clauses: [] };
const NOTHING: PatternPart = { exact: [""], clauses: [] };

/**
 * All clauses hold for a matching text. With `ignoreCase` they hold for the folded text and are ASCII only: other letters may
 * have more than two cases.
 */
export function requiredLiterals(pattern: string, options: { readonly ignoreCase: boolean }): readonly Clause[] {
	try {
		const reader = new PatternReader(pattern, options.ignoreCase);
		return clausesOf(reader.read()).map((clause) => [...new Set(clause)]);
	} catch (error) {
		if (error instanceof NotUnderstood) return [];
		throw error;
	}
}

/** True: the pattern has a flag such as (?i). */
export function hasCaseFlag(pattern: string): boolean {
	return /\(\?[A-Za-z-]*i/.test(pattern);
}

const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", f: "\f", v: "\v", a: "\x07" };

class NotUnderstood extends Error {}

class PatternReader {
	readonly #characters: readonly string[];
	readonly #ignoreCase: boolean;
	#at = 0;

	constructor(pattern: string, ignoreCase: boolean) {
		this.#characters = [...pattern];
		this.#ignoreCase = ignoreCase;
	}

	read(): PatternPart {
		const part = this.#alternatives();
		if (this.#at < this.#characters.length) throw new NotUnderstood();
		return part;
	}

	#alternatives(): PatternPart {
		const first = this.#sequence();
		const others: PatternPart[] = [];
		while (this.#take("|")) others.push(this.#sequence());
		return others.length === 0 ? first : oneOf([first, ...others]);
	}

	#sequence(): PatternPart {
		const parts: PatternPart[] = [];
		while (this.#at < this.#characters.length && this.#peek() !== "|" && this.#peek() !== ")") {
			parts.push(this.#repeated(this.#atom()));
		}
		return inOrder(parts);
	}

	#atom(): PatternPart {
		const character = this.#next();
		switch (character) {
			case "(":
				return this.#group();
			case "[":
				return this.#characterClass();
			case "\\":
				return this.#escape();
			case ".":
				return ANYTHING;
			case "^":
			case "$":
				return NOTHING;
			default:
				return this.#literal(character);
		}
	}

	#group(): PatternPart {
		if (this.#take("?")) {
			const rest = this.#characters.slice(this.#at, this.#at + 64).join("");
			const opening = /^(?:P?<\w+>|[imsU-]*:)/.exec(rest);
			const flags = /^[imsU-]+\)/.exec(rest);
			const prefix = opening ?? flags;
			if (!prefix) throw new NotUnderstood();
			this.#at += prefix[0].length;
			if (flags) return NOTHING;
		}
		const part = this.#alternatives();
		if (!this.#take(")")) throw new NotUnderstood();
		return part;
	}

	#characterClass(): PatternPart {
		this.#take("^");
		this.#take("]");
		for (let character = this.#next(); character !== "]"; character = this.#next()) {
			if (character === "\\" && /[Q]/.test(this.#next())) throw new NotUnderstood();
			if (character === "[" && this.#take(":")) while (!(this.#next() === ":" && this.#take("]")));
		}
		return ANYTHING;
	}

	#escape(): PatternPart {
		const character = this.#next();
		if (/[dDsSwW]/.test(character)) return ANYTHING;
		if (/[AzbB]/.test(character)) return NOTHING;
		if (character === "p" || character === "P") {
			if (this.#next() === "{") while (this.#next() !== "}");
			return ANYTHING;
		}
		const control = CONTROLS[character];
		if (control !== undefined) return this.#literal(control);
		if (/[\p{L}\p{N}]/u.test(character)) throw new NotUnderstood();
		return this.#literal(character);
	}

	/** A part with the quantifier after it, greedy or not. */
	#repeated(part: PatternPart): PatternPart {
		const [min, max] = this.#quantifier();
		if (min === 1 && max === 1) return part;
		this.#take("?");
		if (min >= 1) return { exact: undefined, clauses: clausesOf(part) };
		const exact = max === 1 && part.exact && part.exact.length < MAX_EXACT ? [...part.exact, ""] : undefined;
		return { exact, clauses: [] };
	}

	#quantifier(): readonly [min: number, max: number] {
		if (this.#take("*")) return [0, Number.POSITIVE_INFINITY];
		if (this.#take("+")) return [1, Number.POSITIVE_INFINITY];
		if (this.#take("?")) return [0, 1];
		const counted = /^\{(\d+)(,\d*)?\}/.exec(this.#characters.slice(this.#at, this.#at + 16).join(""));
		if (!counted) return [1, 1];
		this.#at += counted[0].length;
		// The upper bound only matters for {0,1} and {1}; treating others as unbounded requires less, never more.
		return [Number(counted[1]), Number.POSITIVE_INFINITY];
	}

	#literal(character: string): PatternPart {
		const code = character.codePointAt(0)!;
		if (code >= 0xd800 && code <= 0xdfff) return ANYTHING;
		if (!this.#ignoreCase) return { exact: [character], clauses: [] };
		return code < 0x80 ? { exact: [character.toLowerCase()], clauses: [] } : ANYTHING;
	}

	#peek(): string | undefined {
		return this.#characters[this.#at];
	}

	#next(): string {
		const character = this.#characters[this.#at++];
		if (character === undefined) throw new NotUnderstood();
		return character;
	}

	#take(character: string): boolean {
		if (this.#peek() !== character) return false;
		this.#at++;
		return true;
	}
}

/** Joins neighbouring exact parts into longer strings, up to a part that is not exact. */
function inOrder(parts: readonly PatternPart[]): PatternPart {
	const clauses: Clause[] = [];
	let joined: readonly string[] = [""];
	let broken = false;
	const flush = () => {
		clauses.push(...useful(joined));
		joined = [""];
		broken = true;
	};
	for (const part of parts) {
		const longer = part.exact?.flatMap((end) => joined.map((start) => start + end));
		if (longer && longer.length <= MAX_EXACT && longer.every((text) => text.length <= MAX_EXACT_CHARS)) {
			joined = longer;
			continue;
		}
		flush();
		if (part.exact) joined = part.exact;
		else clauses.push(...part.clauses);
	}
	if (!broken) return { exact: joined, clauses: [] };
	return { exact: undefined, clauses: [...clauses, ...useful(joined)] };
}

/** Takes the strictest clause of each branch. A branch that requires nothing makes the whole require nothing. */
function oneOf(branches: readonly PatternPart[]): PatternPart {
	const exact = branches.flatMap((branch) => branch.exact ?? []);
	if (branches.every((branch) => branch.exact) && exact.length <= MAX_EXACT) return { exact, clauses: [] };
	const union: string[] = [];
	for (const branch of branches) {
		const best = clausesOf(branch).toSorted((a, b) => shortest(b) - shortest(a))[0];
		if (!best) return ANYTHING;
		union.push(...best);
	}
	return { exact: undefined, clauses: union.length <= MAX_EXACT ? [union] : [] };
}

function clausesOf(part: PatternPart): readonly Clause[] {
	return part.exact ? useful(part.exact) : part.clauses;
}

/** Every text contains the empty string, so a clause with it requires nothing. */
function useful(strings: Clause): readonly Clause[] {
	return strings.length > 0 && strings.every((text) => text !== "") ? [strings] : [];
}

function shortest(clause: Clause): number {
	return Math.min(...clause.map((text) => text.length));
}
