/**
 * JSON of a value, however deep it is. The system's own writer calls itself for each level and gives up at some thousands;
 * its reader does not, so a log can hold what could then not be shown. Where it gives up, this goes on without calling
 * itself, and without indenting: a hundred thousand levels of spaces would fill the memory.
 */
export function writeJson(value: unknown, indent?: number): string {
	try {
		return JSON.stringify(value, null, indent) ?? "null";
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		return writeDeep(value);
	}
}

/** What is left to write: text as it is, or a value. */
type Rest = { readonly text: string } | { readonly value: unknown };

function writeDeep(value: unknown): string {
	const parts: string[] = [];
	const stack: Rest[] = [{ value }];
	for (let next = stack.pop(); next; next = stack.pop()) {
		if ("text" in next) parts.push(next.text);
		else if (Array.isArray(next.value))
			pushAll(
				stack,
				"[",
				next.value.map((item) => ["", item] as const),
				"]",
			);
		else if (typeof next.value === "object" && next.value !== null) {
			const fields = Object.entries(next.value).filter(([, field]) => field !== undefined);
			pushAll(
				stack,
				"{",
				fields.map(([key, field]) => [`${JSON.stringify(key)}:`, field] as const),
				"}",
			);
		} else parts.push(JSON.stringify(next.value) ?? "null");
	}
	return parts.join("");
}

/** The last first, because the stack gives back what was put on it last. */
function pushAll(stack: Rest[], open: string, items: readonly (readonly [string, unknown])[], close: string): void {
	stack.push({ text: close });
	for (const [name, value] of items.slice(1).reverse()) stack.push({ value }, { text: `,${name}` });
	const [first] = items;
	if (first) stack.push({ value: first[1] }, { text: first[0] });
	stack.push({ text: open });
}
