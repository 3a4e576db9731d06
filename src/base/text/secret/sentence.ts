/** Passwords that the words around them reveal: in SQL, `.pgpass`, `.netrc`, and sentences. */
import type { SecretRange } from "./range.ts";

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

export function* spokenPasswords(text: string): Generator<SecretRange> {
	if (!MAY_BE.test(text)) return;
	for (const pattern of PATTERNS) {
		for (const match of text.matchAll(pattern)) {
			const [range, value = ""] = [match.indices?.[1], match[1]];
			if (range && !ALGORITHM.test(value) && !PLACEHOLDER.test(value)) yield range;
		}
	}
}
