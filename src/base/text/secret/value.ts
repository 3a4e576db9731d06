/** A secret's position in a text: start included, end excluded. */
export type SecretRange = readonly [start: number, end: number];

/** Finds secrets of one kind. Pure, and linear in the length of the text. */
export type Finder = (text: string) => Iterable<SecretRange>;

/** Does a value look like a secret? Names, types, calls and placeholders do not. */

/** How sure the place is that its value is a secret. */
export type SecretPlace =
	/** `DB_PASSWORD=…` of an environment: nearly any text. */
	| "environment"
	/** A password that people choose: short, but not a word of code. */
	| "password"
	/** Tokens and keys, which machines make: long and random. */
	| "token";

const MIN_CHARS = { environment: 4, password: 6, token: 12 } as const;

const PLACEHOLDER =
	/^(?:x{3,}|\*+|\.{2,}|-+|_+|#+|•+|…+|0+|your.*|(?:my|the|some|an?|insert|enter|put|add|set|fake|dummy|sample|example|replace|change|fixme|todo)(?:$|[-_ .<][a-z<_ -]+)|.*(?:change|replace|fill)[-_ ]?(?:me|this|it)[!.]?|.*[-_ ](?:here|placeholder|example)|placeholder|redacted|removed|hidden|masked|secret|password|passwd|passphrase|pass|pw|pwd|token|user|username|key|api[-_]?key|value|string|text|none|null|nil|undefined|true|false|yes|no|on|off|required|optional|default|empty|unset|test|tests|testing|foo|bar|baz)$/i;
/** References: `$NAME`, `${…}`, `$(…)`, `{{ … }}`, `%s`, `<name>`, `[secret]`, `@file`, `!vault`, `&anchor`. */
const REFERENCE = /^(?:[$<[{(@!&`]|%[a-z({]|\\\()|\$\{|\$\(|\{\{|#\{/;
/** `getToken(`, `os.environ[`, `new Token`, `config.password`, `token?:`, `A | B`. */
const CODE =
	/^(?:[\w$.#?!:]+[([<]|(?:await|new|typeof|this|self|process|env|import|function|async|return)\b)|=>|\|\||\?\?|::/;
const PATH_OF_NAMES = /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$#][\w$]*)+[,;)]*$/;
const FILE_PATH = /^(?:~|\.{1,2})?(?:\/[\w.@+-]+)+\/?$|^[A-Za-z]:\\/;
const URL = /^[a-z][a-z0-9+.-]*:\/\//i;
/** Words joined by marks, with a small number at most: a name, a file, a version. */
const WORDS = /^[A-Za-z]+\d{0,2}(?:[-_./: ][A-Za-z]+\d{0,2})*(?:[-_.: ]?v?\d{1,4})?$/;
/** The characters of tokens; other unquoted signs are code. */
const TOKEN_CHARS = /^[\w.+/=~:%@-]+$/;
const OPERATORS = /[(){}[\]]|[!<>]=|==[^=]|&&|\?\.|[,;][A-Za-z_$][\w$]*=/;
/** `SignatureV4Sign`: a name in code. */
const CAMEL = /^[a-z]*(?:[A-Z]{1,4}[a-z]{2,}|[A-Z]\d{1,2})*$/;
const LEFT_OUT = /\.\.\.|…/;
const TIME = /^\d{4}-\d{2}-\d{2}/;

export function isSecretValue(value: string, place: SecretPlace, quoted: boolean): boolean {
	if (value.length < MIN_CHARS[place] || value.length > 8_000) return false;
	if (PLACEHOLDER.test(value) || REFERENCE.test(value) || URL.test(value) || TIME.test(value)) return false;
	if (LEFT_OUT.test(value)) return false;
	if (place === "environment") return quoted || !(CODE.test(value) || OPERATORS.test(value) || FILE_PATH.test(value));
	if (/\s/.test(value)) return place === "password" && quoted && isPassphrase(value);
	if (!quoted && (CODE.test(value) || OPERATORS.test(value) || PATH_OF_NAMES.test(value))) return false;
	if (!quoted && place === "token" && (!TOKEN_CHARS.test(value) || CAMEL.test(value))) return false;
	if (FILE_PATH.test(value) && value.length < 40) return false;
	const hasLetter = /[A-Za-z]/.test(value);
	const hasDigit = /\d/.test(value);
	if (place === "password") {
		if (hasDigit) return hasLetter ? !isCountOrType(value) : value.length >= 6 && quoted;
		return quoted && (/[!#$%^&*?~]/.test(value) || (value.length >= 16 && !/[-_./:]/.test(value)));
	}
	return hasLetter && hasDigit && !WORDS.test(value);
}

const SENTENCE_WORDS =
	/^(?:an?|the|is|are|was|be|been|must|should|may|can|cannot|will|at|least|most|to|for|of|on|in|by|from|with|without|your|my|and|or|not|no|if|it|that|this|too|than|then|do|does|has|have|need|needs|please|enter|wrong|invalid|new|old|required|characters?|password)$/;

/** Several words that are no sentence: `battery staple lamp`. */
function isPassphrase(value: string): boolean {
	const words = value.split(" ");
	return (
		words.length >= 3 &&
		words.length <= 8 &&
		words.every((word) => /^[a-z0-9]+$/.test(word) && !SENTENCE_WORDS.test(word))
	);
}

/** `12px`, `str2`, `8+`. */
function isCountOrType(value: string): boolean {
	return /^\d+[a-z]{0,3}$/i.test(value) || /^[A-Za-z]{2,8}\d{1,2}$/.test(value);
}

/** Base64 of `name:password`. */
export function isBasic(value: string): boolean {
	if (!/^[A-Za-z0-9+/_-]{8,}={0,2}$/.test(value)) return false;
	return /^[\x21-\x7e]{0,80}:[\x20-\x7e]{3,}$/.test(Buffer.from(value, "base64").toString("latin1"));
}
