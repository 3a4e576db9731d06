/** Masks the credentials in every text of a document that is about to be shown. All texts are looked at together: that is much cheaper than one by one. */
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

function replaced(value: unknown, changed: ReadonlyMap<string, string>): unknown {
	if (typeof value === "string") return changed.get(value) ?? value;
	if (Array.isArray(value)) return value.map((each) => replaced(each, changed));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, each]) => {
			const pair = typeof each === "string" ? changed.get(`${key}=${each}`) : undefined;
			const shown = pair?.startsWith(`${key}=`) ? pair.slice(key.length + 1) : replaced(each, changed);
			return [changed.get(key) ?? key, shown];
		}),
	);
}
