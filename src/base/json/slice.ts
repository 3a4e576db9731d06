/** Slices a JSON text without parsing it, so the parts keep their exact bytes. */

export interface Sliced {
	/** The text of each element of the list. */
	readonly elements: readonly string[];
	/** The text of the object, with the list emptied. */
	readonly rest: string;
}

/** The list under `key` of a JSON object. `text` must be valid JSON; undefined: it has no such list. */
export function sliceList(text: string, key: string): Sliced | undefined {
	const start = valueStart(text, key);
	if (start === undefined || text[start] !== "[") return undefined;
	const elements: string[] = [];
	let from = start + 1;
	let depth = 0;
	for (let at = start; at < text.length; at++) {
		const char = text[at];
		if (char === '"') at = endOfString(text, at);
		else if (char === "[" || char === "{") depth++;
		else if (char === "," && depth === 1) {
			elements.push(text.slice(from, at).trim());
			from = at + 1;
		} else if ((char === "]" || char === "}") && --depth === 0) {
			const last = text.slice(from, at).trim();
			if (last !== "") elements.push(last);
			return { elements, rest: `${text.slice(0, start)}[]${text.slice(at + 1)}`.trim() };
		}
	}
	return undefined;
}

/** Where the value of a key of the outermost object begins. */
function valueStart(text: string, key: string): number | undefined {
	let depth = 0;
	for (let at = 0; at < text.length; at++) {
		const char = text[at];
		if (char === "{" || char === "[") depth++;
		else if (char === "}" || char === "]") depth--;
		if (char !== '"') continue;
		const end = endOfString(text, at);
		const next = skipSpace(text, end + 1);
		if (depth === 1 && text[next] === ":" && text.slice(at, end + 1) === JSON.stringify(key)) {
			return skipSpace(text, next + 1);
		}
		at = end;
	}
	return undefined;
}

/** The closing quote: the first one without an odd number of backslashes before it. */
function endOfString(text: string, start: number): number {
	for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
		let before = at;
		while (before - 1 > start && text[before - 1] === "\\") before--;
		if ((at - before) % 2 === 0) return at;
	}
	return text.length;
}

function skipSpace(text: string, from: number): number {
	let at = from;
	while (at < text.length && /\s/.test(text.charAt(at))) at++;
	return at;
}
