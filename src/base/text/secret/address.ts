/** Secrets in URLs, headers, cookies, and `user:password` arguments. */
import type { SecretRange } from "./range.ts";
import { isBasic, isSecretValue } from "./value.ts";

const IN_URL = /:\/\/[^\s/:@"'<>`{}$]{0,100}:([^\s@/"'`<>]{3,300})@/g;
const SIGNED =
	/[?&;](?:sig|signature|x-(?:amz|goog)-(?:signature|security-token|credential)|key|code|auth)=([\w%+/.~=-]{16,})/gi;
const BASIC = /\b[Bb](?:asic|ASIC)[ \t]+([A-Za-z0-9+/_-]{8,}={0,2})/g;
const COOKIE = /\b(?:[Ss]et-)?[Cc]ookie["']?:[ \t]*["']?([^\n"']{1,4000})/g;
const COOKIE_VALUE = /[\w.-]{1,60}=([\w%+/.~=:-]{16,})/g;
/** `curl -u ann:password`. */
const USER = /(?:\s-u|\s--user|--proxy-user)[= ]?(["']?)[^\s:"'`$]{1,80}:([^\s"'`$]{4,200})\1/g;
/** `-p` of programs that take a password this way. */
const SHORT_FLAG =
	/\b(?:(?:mysql|mariadb)\w*\b[^\n|;]{0,200}?\s-p(?=\S)|sshpass[ \t]+-p[ \t]*|(?:docker|podman|helm|twine|oc|az)\b[^\n|;]{0,200}?\s-p[ =])(["']?)([^\s"'$-][^\s"'$]{3,600})\1/g;

export function* addresses(text: string): Generator<SecretRange> {
	if (text.includes("://")) {
		for (const { index, 0: whole, 1: password = "" } of text.matchAll(IN_URL)) {
			const start = index + whole.length - 1 - password.length;
			if (isUrlPassword(password)) yield [start, start + password.length];
		}
		yield* lastGroup(text, SIGNED, (value) => isSecretValue(value, "token", true));
	}
	yield* lastGroup(text, BASIC, isBasic);
	for (const { index, 0: whole, 1: pairs = "" } of text.matchAll(COOKIE)) {
		const base = index + whole.length - pairs.length;
		for (const [start, end] of lastGroup(pairs, COOKIE_VALUE, (value) => isSecretValue(value, "token", true))) {
			yield [base + start, base + end];
		}
	}
	for (const match of text.matchAll(USER)) {
		const [, quote = "", password = ""] = match;
		if (isUrlPassword(password)) yield before(match, password, quote.length);
	}
	for (const match of text.matchAll(SHORT_FLAG)) {
		const [, quote = "", password = ""] = match;
		if (isSecretValue(password, "password", true)) yield before(match, password, quote.length);
	}
}

/** In a URL nearly everything between the colon and the @ is a password. */
function isUrlPassword(value: string): boolean {
	return isSecretValue(value, "environment", false) || /^[A-Za-z]+\d+$/.test(value);
}

/** The pattern's group, at the end of the match. */
function* lastGroup(text: string, pattern: RegExp, accept: (value: string) => boolean): Generator<SecretRange> {
	for (const { index, 0: whole, 1: value = "" } of text.matchAll(pattern)) {
		if (accept(value)) yield [index + whole.length - value.length, index + whole.length];
	}
}

function before(match: RegExpExecArray, value: string, quoteChars: number): SecretRange {
	const end = match.index + match[0].length - quoteChars;
	return [end - value.length, end];
}
