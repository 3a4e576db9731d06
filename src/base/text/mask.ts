/**
 * Hides credentials in text for exports, summaries and pages; stored texts stay exact. Maintained rules come first; ours
 * find what they miss: values next to a secret's name, passwords in URLs and headers, keys that were cut or numbered.
 * Mask before you shorten: half a secret is not recognised.
 */

import type { lintSource } from "@secretlint/core";
import { assignedValues } from "./secret/assignment.ts";
import { privateKeys } from "./secret/private-key.ts";
import { tokens } from "./secret/token.ts";
import { type Finder, isBasic, isSecretValue, type SecretRange } from "./secret/value.ts";
import { withoutColours } from "./terminal-colour.ts";

export const MASK = "[secret]";
const FINDERS: readonly Finder[] = [privateKeys, tokens, cutTokens, addresses, assignedValues, spokenPasswords];

/** Replaces every recognised credential by `[secret]`, along with colours inside it. */
export async function maskSecrets(text: string): Promise<string> {
	return masked(text, await knownFormats(withoutColours(text).plain));
}

/** The same by our own rules alone, for callers that cannot wait for the others to load. */
export function maskAtOnce(text: string): string {
	return masked(text, []);
}

function masked(text: string, known: readonly SecretRange[]): string {
	const { plain, placeOf } = withoutColours(text);
	const ranges: SecretRange[] = [...known];
	for (const find of FINDERS) ranges.push(...find(plain));
	ranges.sort((a, b) => a[0] - b[0]);
	let kept = "";
	let at = 0;
	for (const [start, end] of ranges.map(placeOf)) {
		if (end <= at) continue;
		if (start >= at) kept += text.slice(at, start) + MASK;
		at = end;
	}
	return kept + text.slice(at);
}

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

/** Secrets in URLs, headers, cookies, and `user:password` arguments. */
function* addresses(text: string): Generator<SecretRange> {
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

const BEGINNINGS =
	"sk-|csk-|gsk_|xai-|pplx-|nvapi-|hf_|tgp_v1_|AKIA|ASIA|AIza|GOCSPX-|ya29\\.|do[opr]_v1_|hv[sbr]\\.|dapi|sbp_|sb_secret_|tskey-|gh[oprsu]_|github_pat_|glpat-|ATATT3|npm_|pypi-|dckr_[po]at_|xapp-|xox[abeoprs]-|[sr]k_(?:live|test|prod)_|whsec_|SG\\.|shp(?:at|ca|pa|ss)_|NRAK-|sntry[su]_|lin_api_|ntn_|figd_|PMAK-|eyJ[\\w-]{8,}\\.eyJ[\\w-]{8,}\\.";
const CUT = new RegExp(`(?<![A-Za-z0-9])(?:${BEGINNINGS})(?=[\\w.~+/=-]*\\d)[\\w.~+/=-]{4,}$`);
/** Where a text may have been cut. Texts checked together have a zero between them. */
const ENDS = /…|\.\.\.|\n\0|$/g;
const TOKEN_CHAR = /[\w.~+/=-]/;
const [MIN_CHARS, MAX_CHARS] = [6, 300];

/**
 * Tokens cut off after their beginning, known by their prefix. Only looked for at the end of a text and before an
 * ellipsis; anywhere else so short a match could be anything.
 */
function* cutTokens(text: string): Generator<SecretRange> {
	for (const match of text.matchAll(ENDS)) {
		let { index } = match;
		// The full stop of a sentence is no part of a token.
		while (index > 0 && text[index - 1] === ".") index--;
		let start = index;
		while (start > 0 && index - start < MAX_CHARS && TOKEN_CHAR.test(text.charAt(start - 1))) start--;
		const found = index - start < MIN_CHARS ? undefined : CUT.exec(text.slice(start, index));
		if (found) yield [start + found.index, index];
	}
}

const RULES = "@secretlint/secretlint-rule-";

type Config = Parameters<typeof lintSource>[0]["options"]["config"];
type Scanner = (text: string) => Promise<SecretRange[]>;

/** Without one of these words AWS's rule for ids finds nothing; it takes as long as all the others together. */
const MAY_HAVE_AWS_ID = /account|A3T|A(?:KI|GP|ID|RO|IP|NP|NV|SI)A/i;

let scanner: Promise<Scanner> | undefined;

/**
 * The maintained rules: secretlint's, which know each provider's format. The rules (about 60 ms) load at the first
 * call.
 */
async function knownFormats(text: string): Promise<SecretRange[]> {
	scanner ??= loadScanner();
	return (await scanner)(text);
}

async function loadScanner(): Promise<Scanner> {
	const [{ lintSource }, { rules }] = await Promise.all([
		import("@secretlint/core"),
		import("@secretlint/secretlint-rule-preset-recommend"),
	]);
	const configWith = (aws: { readonly enableIDScanRule: boolean }) =>
		({
			rules: rules
				// A comment in a text must not switch the masking off.
				.filter((rule) => rule.meta.id !== `${RULES}filter-comments`)
				.map((rule) => ({ id: rule.meta.id, rule, options: rule.meta.id === `${RULES}aws` ? aws : {} })),
		}) as Config;
	const [withIds, withoutIds] = [configWith({ enableIDScanRule: true }), configWith({ enableIDScanRule: false })];
	return async (text) => {
		const config = MAY_HAVE_AWS_ID.test(text) ? withIds : withoutIds;
		const source = { content: text, filePath: "text.txt", ext: ".txt", contentType: "text" } as const;
		const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } });
		return messages.map((message) => secretRange(text, message.range, message.data));
	};
}

/**
 * The position of the credential. The AWS rule reports the start of the assignment with the length of the key, which
 * would leave the key's end visible; `data` has the credential itself.
 */
function secretRange(text: string, range: SecretRange, data: unknown): SecretRange {
	for (const value of Object.values(data ?? {})) {
		if (typeof value !== "string" || value.length < 8) continue;
		const start = text.indexOf(value, range[0]);
		if (start >= range[0] && start <= range[1] && start + value.length > range[1]) return [start, start + value.length];
	}
	return range;
}

const PATTERNS: readonly RegExp[] = [
	/\b(?:ROLE|USER)\b[^;\n]{0,200}?\bPASSWORD\s+'([^'\n]{3,200})'/dgi,
	/\bIDENTIFIED\s+(?:WITH\s+\S{1,60}\s+)?BY\s+'([^'\n]{3,200})'/dgi,
	// host:port:database:role:password, a whole line.
	/(?:^|[\n\t "'])[\w.*[\]-]{1,200}:(?:5432|5433|6432|\*):[^:\s"']{1,100}:[^:\s"']{1,100}:([^\s"':]{3,200})(?=["'\n\\]|$)/dg,
	/\blogin[ \t]+\S{1,100}\s+password[ \t]+(\S{3,200})/dgi,
	/\bpass(?:word|phrase|wd|code)\b[ \t]+(?:is|was)(?:[ \t]+now)?:?[ \t]+["'`]?(?=[^\s"'`]*\d)(?=[^\s"'`]*[A-Za-z])([^\s"'`]{6,200}?)(?=[.,;!?]?(?:[\s"'`]|$))/dgi,
];
/** Without one of these, no pattern matches. */
const MAY_BE = /passw|passp|passc|identified|:(?:5432|5433|6432|\*):/i;
/** Names of algorithms, which sentences about passwords mention. */
const ALGORITHM = /^(?:sha|md|base|utf|argon|aes|rsa|hs|rs|es|ed|scrypt|bcrypt|pbkdf|ascii|latin|oauth|blake)-?\d/i;

const PLACEHOLDER = /^(?:\[secret\]|[$<{*%].*|x{3,}|\.{3}|…)$/i;

/** Passwords that the words around them reveal: in SQL, `.pgpass`, `.netrc`, and sentences. */
function* spokenPasswords(text: string): Generator<SecretRange> {
	if (!MAY_BE.test(text)) return;
	for (const pattern of PATTERNS) {
		for (const match of text.matchAll(pattern)) {
			const [range, value = ""] = [match.indices?.[1], match[1]];
			if (range && !ALGORITHM.test(value) && !PLACEHOLDER.test(value)) yield range;
		}
	}
}
