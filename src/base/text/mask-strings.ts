/**
 * Masks the credentials in every text of a document for display. All texts are checked together, which is much cheaper
 * than one by one.
 */
import { mapFields } from "../json/write.ts";
import { MASK, maskSecrets } from "./mask.ts";
import { isSecretValue } from "./secret/value.ts";

/** No recognised secret spans it, and no text contains it. */
const GAP = "\n\u0000\u0001\n";
const MIN_CHARS = 6;
/** Names next to which a value may be a secret that nothing else reveals. */
const TELLING = /pass|secret|token|key|auth|credential/i;
/** Fields with these names hold nothing else, so their values need not look like secrets. */
const CERTAIN = /(?:password|passwd|passphrase|secret|token|(?:api|access|private)[_-]?key)$/i;

export async function maskStrings(value: unknown): Promise<unknown> {
	const [texts, pairs] = [new Set<string>(), new Map<string, number>()];
	collect(value, texts, pairs);
	const list = [...texts];
	const masked = (await maskSecrets(list.join(GAP))).split(GAP);
	// A secret without an end may have swallowed a gap: then check each text alone.
	const each = masked.length === list.length ? masked : await Promise.all(list.map((text) => maskSecrets(text)));
	const changed = new Map(
		list.flatMap((text, at) => {
			const seen = each[at] ?? text;
			const shown = seen === text ? hiddenValue(text, pairs.get(text)) : seen;
			return shown === text ? [] : [[text, shown] as const];
		}),
	);
	return changed.size === 0 ? value : replaced(value, changed);
}

/** `pairs`: names joined with their values, and where the value begins. */
function collect(value: unknown, texts: Set<string>, pairs: Map<string, number>): void {
	if (typeof value === "string") {
		if (value.length >= MIN_CHARS) texts.add(value);
	} else if (Array.isArray(value)) for (const each of value) collect(each, texts, pairs);
	else if (typeof value === "object" && value !== null) {
		for (const [key, each] of Object.entries(value)) {
			if (key.length >= MIN_CHARS) texts.add(key);
			// Check a name together with its value: `password` gives the value away.
			if (typeof each === "string" && TELLING.test(key)) {
				texts.add(`${key}=${each}`);
				if (CERTAIN.test(key)) pairs.set(`${key}=${each}`, key.length + 1);
			}
			collect(each, texts, pairs);
		}
	}
}

function hiddenValue(pair: string, start: number | undefined): string {
	if (start === undefined) return pair;
	const value = pair.slice(start);
	const isHidden = /\d|[^\w\s]/.test(value) && isSecretValue(value, "environment", true);
	return isHidden ? `${pair.slice(0, start)}${MASK}` : pair;
}

/** Returns the same value if nothing in it is hidden. */
function replaced(value: unknown, changed: ReadonlyMap<string, string>): unknown {
	if (typeof value === "string") return changed.get(value) ?? value;
	const shown = mapFields(value, (each, field) => {
		const pair = typeof each === "string" && field !== undefined ? changed.get(`${field}=${each}`) : undefined;
		const start = `${field}=`;
		return pair?.startsWith(start) ? pair.slice(start.length) : replaced(each, changed);
	});
	if (typeof shown !== "object" || shown === null || Array.isArray(shown)) return shown;
	const names = Object.entries(shown);
	if (!names.some(([name]) => changed.has(name))) return shown;
	return Object.fromEntries(names.map(([name, each]) => [changed.get(name) ?? name, each]));
}
