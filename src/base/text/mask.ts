/**
 * Hides credentials in text for exports, summaries and pages; stored texts stay exact. Maintained rules come first; ours
 * find what they miss: values next to a secret's name, passwords in URLs and headers, keys that were cut or numbered.
 * Mask before you shorten: half a secret is not recognised.
 */
import { addresses } from "./secret/address.ts";
import { assignedValues } from "./secret/assignment.ts";
import { cutTokens } from "./secret/cut-token.ts";
import { privateKeys } from "./secret/private-key.ts";
import { knownFormats } from "./secret/provider-format.ts";
import type { Finder, SecretRange } from "./secret/range.ts";
import { spokenPasswords } from "./secret/sentence.ts";
import { tokens } from "./secret/token.ts";
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
