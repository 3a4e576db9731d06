/**
 * Calls in a short script whose arguments are written out: `await tools.exec_command({cmd: "ls"})`. Reads the text and
 * runs nothing. An argument may be a literal, a sum or a joined list of texts, or a `const` that holds one; a call with
 * any other argument is left out. Linear in the length of the script.
 */

export interface LiteralCall {
	/** `exec_command` of `tools.exec_command(…)` */
	readonly name: string;
	readonly argument: unknown;
}

const MAX_SCRIPT_CHARS = 400_000;
const MAX_CALLS = 200;
const MAX_DEPTH = 20;

/** The calls of an object's functions, in the order of the text. */
export function literalCalls(script: string, object: string): LiteralCall[] {
	if (script.length > MAX_SCRIPT_CHARS || !script.includes(`${object}.`)) return [];
	return new ScriptReader(script, object).calls();
}

/** A value that is not written out. */
const OPAQUE = Symbol("opaque");

class ScriptReader {
	readonly #text: string;
	readonly #object: string;
	readonly #constants = new Map<string, unknown>();
	#at = 0;

	constructor(text: string, object: string) {
		this.#text = text;
		this.#object = object;
	}

	calls(): LiteralCall[] {
		const found: LiteralCall[] = [];
		while (this.#at < this.#text.length && found.length < MAX_CALLS) {
			if (this.#skipSpace()) continue;
			const char = this.#text[this.#at] ?? "";
			if (QUOTES.has(char)) {
				this.#readText();
				continue;
			}
			const word = this.#word();
			if (word === "") this.#at++;
			else if (word === "const" || word === "let" || word === "var") this.#readConstant(word);
			else if (word === this.#object) found.push(...this.#readCall());
		}
		return found;
	}

	/** `const name = literal`. A `let` may change later. */
	#readConstant(kind: string): void {
		this.#skipAllSpace();
		const name = this.#word();
		this.#skipAllSpace();
		if (name === "" || this.#text[this.#at] !== "=" || this.#text[this.#at + 1] === "=") return;
		const start = ++this.#at;
		const value = this.#readValue(0);
		if (kind === "const" && value !== OPAQUE && this.#endsStatement()) this.#constants.set(name, value);
		// What is no literal may hold a call.
		else this.#at = start;
	}

	#endsStatement(): boolean {
		const rest = /^[ \t]*(?:;|\r?\n|$)/.test(this.#text.slice(this.#at, this.#at + 200));
		return rest || this.#at >= this.#text.length;
	}

	#readCall(): LiteralCall[] {
		const [whole, name = ""] =
			/^\s*\.\s*([A-Za-z_$][\w$]*)\s*\(/.exec(this.#text.slice(this.#at, this.#at + 200)) ?? [];
		if (whole === undefined) return [];
		this.#at += whole.length;
		const start = this.#at;
		const argument = this.#readValue(0);
		this.#skipAllSpace();
		if (this.#text[this.#at] === ",") this.#at++;
		this.#skipAllSpace();
		if (argument !== OPAQUE && this.#text[this.#at] === ")") return [{ name, argument }];
		this.#at = start;
		return [];
	}

	/** A value with the sums and calls of `join` after it. */
	#readValue(depth: number): unknown {
		let value = this.#readOperand(depth);
		for (;;) {
			const before = this.#at;
			this.#skipAllSpace();
			if (this.#text[this.#at] === "+" && typeof value === "string") {
				this.#at++;
				const more = this.#readOperand(depth + 1);
				value = typeof more === "string" || typeof more === "number" ? `${value}${more}` : OPAQUE;
				continue;
			}
			const [join] = /^\.join\(/.exec(this.#text.slice(this.#at, this.#at + 10)) ?? [];
			if (join !== undefined && Array.isArray(value)) {
				this.#at += join.length;
				const between = this.#readOperand(depth + 1);
				this.#skipAllSpace();
				if (typeof between !== "string" || this.#text[this.#at] !== ")") return OPAQUE;
				this.#at++;
				value = value.map(String).join(between);
				continue;
			}
			this.#at = before;
			return value;
		}
	}

	#readOperand(depth: number): unknown {
		this.#skipAllSpace();
		if (depth > MAX_DEPTH) return OPAQUE;
		const char = this.#text[this.#at] ?? "";
		if (QUOTES.has(char)) return this.#readText();
		if (char === "{") return this.#readObject(depth);
		if (char === "[") return this.#readList(depth);
		const [number] = /^-?\d[\d_]*(?:\.\d+)?(?![\w.])/.exec(this.#text.slice(this.#at, this.#at + 40)) ?? [];
		if (number !== undefined) {
			this.#at += number.length;
			return Number(number.replaceAll("_", ""));
		}
		const word = this.#word();
		if (word === "String" && this.#text.startsWith(".raw`", this.#at)) {
			this.#at += 4;
			return this.#readText({ isRaw: true });
		}
		if (word === "true" || word === "false") return word === "true";
		if (word === "null" || word === "undefined") return null;
		const isPlainName = !/^\s*[.([`]/.test(this.#text.slice(this.#at, this.#at + 20)) || this.#isJoin();
		return isPlainName && this.#constants.has(word) ? this.#constants.get(word) : OPAQUE;
	}

	#isJoin(): boolean {
		return this.#text.startsWith(".join(", this.#at);
	}

	#readObject(depth: number): unknown {
		this.#at++;
		const fields: [string, unknown][] = [];
		for (;;) {
			this.#skipAllSpace();
			const char = this.#text[this.#at];
			if (char === "}") {
				this.#at++;
				return fields.some(([, value]) => value === OPAQUE) ? OPAQUE : Object.fromEntries(fields);
			}
			if (char === undefined) return OPAQUE;
			const key = QUOTES.has(char) ? this.#readText() : this.#word();
			if (typeof key !== "string" || key === "") return OPAQUE;
			this.#skipAllSpace();
			// `{cmd}` is short for `{cmd: cmd}`.
			const isShort = this.#text[this.#at] === "," || this.#text[this.#at] === "}";
			if (!isShort && this.#text[this.#at] !== ":") return OPAQUE;
			if (!isShort) this.#at++;
			fields.push([key, isShort ? (this.#constants.get(key) ?? OPAQUE) : this.#readValue(depth + 1)]);
			if (!this.#readComma("}")) return OPAQUE;
		}
	}

	#readList(depth: number): unknown {
		this.#at++;
		const items: unknown[] = [];
		for (;;) {
			this.#skipAllSpace();
			if (this.#text[this.#at] === "]") {
				this.#at++;
				return items.includes(OPAQUE) ? OPAQUE : items;
			}
			items.push(this.#readValue(depth + 1));
			if (items.at(-1) === OPAQUE || !this.#readComma("]")) return OPAQUE;
		}
	}

	/** False: something else follows. */
	#readComma(end: string): boolean {
		this.#skipAllSpace();
		if (this.#text[this.#at] === ",") this.#at++;
		else if (this.#text[this.#at] !== end) return false;
		return true;
	}

	/** OPAQUE: a template with a value inside. */
	#readText({ isRaw = false }: { readonly isRaw?: boolean } = {}): string | typeof OPAQUE {
		const quote = this.#text[this.#at++];
		let [text, isOpaque] = ["", false];
		for (; this.#at < this.#text.length; this.#at++) {
			const char = this.#text[this.#at] ?? "";
			if (char === quote) {
				this.#at++;
				return isOpaque ? OPAQUE : text;
			}
			if (char === "\\" && !isRaw) text += this.#readEscape();
			else {
				if (char === "\\") text += this.#text[this.#at++];
				if (quote === "`" && this.#text.startsWith("${", this.#at)) isOpaque = true;
				text += this.#text[this.#at] ?? "";
			}
		}
		return OPAQUE;
	}

	/** Ends at the last character of the escape. */
	#readEscape(): string {
		const char = this.#text[++this.#at] ?? "";
		const code = ESCAPES[char];
		if (code !== undefined) return code;
		if (char !== "u" && char !== "x") return char === "\n" ? "" : char;
		const [digits, inBraces] =
			/^(?:\{([0-9a-fA-F]{1,6})\}|[0-9a-fA-F]{2,4})/.exec(this.#text.slice(this.#at + 1, this.#at + 10)) ?? [];
		if (digits === undefined) return char;
		const hex = inBraces ?? digits.slice(0, char === "x" ? 2 : 4);
		this.#at += inBraces === undefined ? hex.length : digits.length;
		const point = Number.parseInt(hex, 16);
		return inBraces === undefined ? String.fromCharCode(point) : point <= 0x10ffff ? String.fromCodePoint(point) : "";
	}

	#word(): string {
		WORD.lastIndex = this.#at;
		const [word = ""] = WORD.exec(this.#text) ?? [];
		this.#at += word.length;
		return word;
	}

	#skipAllSpace(): void {
		while (this.#skipSpace());
	}

	/** White space or a comment; true: some was there. */
	#skipSpace(): boolean {
		SPACE.lastIndex = this.#at;
		const [space = ""] = SPACE.exec(this.#text) ?? [];
		this.#at += space.length;
		if (space !== "") return true;
		if (!this.#text.startsWith("/*", this.#at)) return false;
		const end = this.#text.indexOf("*/", this.#at + 2);
		this.#at = end === -1 ? this.#text.length : end + 2;
		return true;
	}
}

const QUOTES = new Set(['"', "'", "`"]);
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", "0": "\0" };
const WORD = /[A-Za-z_$][\w$]*/y;
const SPACE = /(?:\s+|\/\/[^\n]*)/y;
