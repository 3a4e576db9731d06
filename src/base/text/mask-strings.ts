/** Masks the credentials in every text of a document that is about to be shown. All texts are looked at together: that is much cheaper than one by one. */
import { mapFields } from "../json/map-fields.ts";
import { MASK, maskSecrets } from "./mask.ts";
import { isSecretValue } from "./secret/value.ts";

/** Nothing that is recognised spans it, and no text of a log holds it twice in this form. */
const GAP = "\n\u0000\u0001\n";
const MIN_CHARS = 6;
/** Names beside which a value may be a secret that nothing else gives away. */
const TELLING = /pass|secret|token|key|auth|credential/i;
/** A field that is called so holds nothing else: here a value need not look like a secret. */
const CERTAIN = /(?:password|passwd|passphrase|secret|token|(?:api|access|private)[_-]?key)$/i;

export async function maskStrings(value: unknown): Promise<unknown> {
	const [texts, pairs] = [new Set<string>(), new Map<string, number>()];
	collect(value, texts, pairs);
	const list = [...texts];
	const masked = (await maskSecrets(list.join(GAP))).split(GAP);
	// A secret that has no end may have swallowed a gap: then each text is looked at alone.
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

/** `pairs`: names together with their values, and where the value begins. */
function collect(value: unknown, texts: Set<string>, pairs: Map<string, number>): void {
	if (typeof value === "string") {
		if (value.length >= MIN_CHARS) texts.add(value);
	} else if (Array.isArray(value)) for (const each of value) collect(each, texts, pairs);
	else if (typeof value === "object" && value !== null) {
		for (const [key, each] of Object.entries(value)) {
			if (key.length >= MIN_CHARS) texts.add(key);
			// A name and its value belong together: `password` beside what it is.
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

/** The very same value where nothing in it is hidden. */
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
