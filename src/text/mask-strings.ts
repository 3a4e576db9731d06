/** Masks the credentials in every text of a document that is about to be shown. All texts are looked at together: that is much cheaper than one by one. */
import { mapFields } from "../json/map-fields.ts";
import { maskSecrets } from "./mask.ts";

/** Nothing that is recognised spans it, and no text of a log holds it twice in this form. */
const GAP = "\n\u0000\u0001\n";
const LEAST_CHARS = 6;
/** Names beside which a value may be a secret that nothing else gives away. */
const TELLING = /pass|secret|token|key|auth|credential/i;

export async function maskStrings(value: unknown): Promise<unknown> {
	const texts = new Set<string>();
	collect(value, texts);
	const list = [...texts];
	const masked = (await maskSecrets(list.join(GAP))).split(GAP);
	// A secret that has no end may have swallowed a gap: then each text is looked at alone.
	const each = masked.length === list.length ? masked : await Promise.all(list.map((text) => maskSecrets(text)));
	const changed = new Map(list.flatMap((text, at) => (each[at] === text ? [] : [[text, each[at]!] as const])));
	return changed.size === 0 ? value : replaced(value, changed);
}

function collect(value: unknown, texts: Set<string>): void {
	if (typeof value === "string") {
		if (value.length >= LEAST_CHARS) texts.add(value);
	} else if (Array.isArray(value)) for (const each of value) collect(each, texts);
	else if (typeof value === "object" && value !== null) {
		for (const [key, each] of Object.entries(value)) {
			if (key.length >= LEAST_CHARS) texts.add(key);
			// A name and its value belong together: `password` beside what it is.
			if (typeof each === "string" && TELLING.test(key)) texts.add(`${key}=${each}`);
			collect(each, texts);
		}
	}
}

/** The very same value where nothing in it is hidden. */
function replaced(value: unknown, changed: ReadonlyMap<string, string>): unknown {
	if (typeof value === "string") return changed.get(value) ?? value;
	const shown = mapFields(value, (each, field) => {
		const pair = typeof each === "string" && field !== undefined ? changed.get(`${field}=${each}`) : undefined;
		return pair?.startsWith(`${field}=`) ? pair.slice(field!.length + 1) : replaced(each, changed);
	});
	if (typeof shown !== "object" || shown === null || Array.isArray(shown)) return shown;
	const names = Object.entries(shown);
	if (!names.some(([name]) => changed.has(name))) return shown;
	return Object.fromEntries(names.map(([name, each]) => [changed.get(name) ?? name, each]));
}
