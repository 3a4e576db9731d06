/**
 * Values next to a secret's name: `KEY=value`, JSON, YAML, flags, headers. The name says what the value is, but the
 * value must look like a secret too: code, prose and examples mention passwords all the time.
 */
import { isBasic, isSecretValue, type SecretPlace, type SecretRange } from "./value.ts";

const KEY_OWNERS =
	"api|access|secret|private|auth|signing|sign|signature|encryption|encrypt|crypto|cipher|master|account|admin|service|server|deploy|storage|session|subscription|application|jwt|hmac|webhook|license|consumer|client|function|bot|ssh|gpg|cookie|logged_in|secure_auth|nonce|write|vault|publish|ingest|database|db|data|instrumentation|integration";
const PASSWORD = "pass(?:word|wd|phrase|code)|pwd|psw";
/**
 * The end of a secret's name, perhaps with a suffix that says which of several it is. The part before it is checked
 * last, which skips most characters at once.
 */
const NAME = new RegExp(
	`(?:(${PASSWORD})|secret|token|key(?<=(?:${KEY_OWNERS})[_-]?key)(?:[_-]?base)?|credentials?|authorization|auth(?<![a-z]auth)|pat(?<![a-z]pat))(?:[_-](?:base|prod|production|dev|staging|stage|test|live|old|new|primary|secondary|main|b64|base64)|[_-]?\\d{1,3})?(?![A-Za-z0-9_])`,
	"gi",
);
const NAME_BEFORE = /[\w.$@:-]*$/;
const MAX_NAME_CHARS = 80;
/** `API_KEY=some-name`: people choose passwords of words, but not keys. */
const SEVERAL_WORDS = /^[a-z]+\d{0,2}(?:[-_ ][a-z]+\d{0,2})+(?![\w-])/i;
/** Between a name and its value, up to the opening quote. */
const ASSIGNED =
	/(?:\\*["'`])?\]?[ \t]*(?::=|=>|[:=]|(?<=["'][ \t]*),(?=[ \t]*["']))[ \t]*(?:@?(\\*["'`])(?:FlyV1 )?|(?=[^\s]))/y;
const SPACED = /[ \t]+(["'])?(?=\S)/y;
const ELEMENT = />(?=[^<\s])/y;
/** `- name: API_TOKEN` and its value in the line below. */
const NAMED_VALUE = /["']?[ \t]*\r?\n[ \t]*value:[ \t]*(["'])?(?=\S)/y;

export function* assignedValues(text: string): Generator<SecretRange> {
	NAME.lastIndex = 0;
	for (const match of text.matchAll(NAME)) {
		const end = match.index + match[0].length;
		const [before = ""] = NAME_BEFORE.exec(text.slice(Math.max(0, match.index - MAX_NAME_CHARS), match.index)) ?? [];
		const range = valueAfter(text, end, { before, word: match[0], isPassword: match[1] !== undefined });
		if (range) yield range;
	}
}

interface SecretName {
	/** The text directly before the word. */
	readonly before: string;
	readonly word: string;
	readonly isPassword: boolean;
}

function valueAfter(text: string, at: number, name: SecretName): SecretRange | undefined {
	if (/public|^pwd$/i.test(name.before + name.word) || /(?:^|[^A-Z])OLD$/.test(name.before)) return undefined;
	const assigned = step(ASSIGNED, text, at);
	if (assigned) {
		const isQuery = /[?&][\w.-]*$/.test(text.slice(Math.max(0, at - name.word.length - MAX_NAME_CHARS), at));
		return judge(text, assigned, name, { stops: isQuery ? /[\s"'`<>&#\\]/g : /[\s"'`;<>\\]/g });
	}
	const flag =
		/(?:^|[^\w])--[\w-]*$/.test(name.before) || isSetBefore(text, at - name.word.length - name.before.length);
	const spaced = flag ? step(SPACED, text, at) : undefined;
	if (spaced) return judge(text, spaced, name, { stops: /[\s"'`;<>|\\]/g });
	const element = step(ELEMENT, text, at);
	if (element) return judge(text, { ...element, quote: "<" }, name, { stops: /[<\n]/g });
	const below = step(NAMED_VALUE, text, at);
	return below && judge(text, below, name, { stops: /[\s"'`]/g });
}

/** `set -x NAME value`, `setenv NAME value`, `login ann password value`. */
function isSetBefore(text: string, at: number): boolean {
	return /(?:\bset(?:env)?(?: -[a-z]+)* |\blogin \S{1,80} )$/.test(text.slice(Math.max(0, at - 100), at));
}

interface ValueStart {
	readonly at: number;
	readonly quote: string | undefined;
}

function step(pattern: RegExp, text: string, at: number): ValueStart | undefined {
	pattern.lastIndex = at;
	const match = pattern.exec(text);
	return match ? { at: at + match[0].length, quote: match[1] } : undefined;
}

function judge(
	text: string,
	{ at, quote }: ValueStart,
	name: SecretName,
	{ stops }: { readonly stops: RegExp },
): SecretRange | undefined {
	const end = quote === undefined || quote === "<" ? bareEnd(text, at, stops) : quotedEnd(text, at, quote);
	if (end === undefined) return undefined;
	const value = text.slice(at, end);
	const isFound = /^auth$/i.test(name.word)
		? isBasic(value)
		: isSecretValue(value, placeOf(text, at, name), quote !== undefined);
	return isFound ? [at, end] : undefined;
}

function placeOf(text: string, at: number, { before, word, isPassword }: SecretName): SecretPlace {
	const own = (/[A-Za-z0-9_]*$/.exec(before)?.[0] ?? "") + word;
	const assigned = /[A-Za-z0-9_]=["']?$/.test(text.slice(Math.max(0, at - 3), at));
	const isLoud = own === own.toUpperCase() && (own.includes("_") || isPassword || assigned);
	if (isLoud && assigned && (isPassword || !SEVERAL_WORDS.test(text.slice(at, at + 80)))) return "environment";
	return isPassword ? "password" : "token";
}

function bareEnd(text: string, at: number, stops: RegExp): number {
	stops.lastIndex = at;
	let end = stops.exec(text)?.index ?? text.length;
	while (end > at && /[,;)\]}]$|(?<!\.)\.$/.test(text.slice(Math.max(at, end - 2), end))) end--;
	return end;
}

/** undefined: the quote is not closed in this line. At the end of the text, the value was cut off. */
function quotedEnd(text: string, at: number, quote: string): number | undefined {
	const end = text.indexOf(quote, at);
	const line = text.indexOf("\n", at);
	if (end === -1) return line === -1 ? text.length : undefined;
	return line !== -1 && line < end ? undefined : end;
}
