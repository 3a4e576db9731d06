/**
 * JSON of a value of any depth. JSON.stringify recurses and fails at some thousands of levels, though JSON.parse does
 * not, so some values could be read but not written. Deeper values are written without recursion and without
 * indentation: a hundred thousand levels of spaces would fill the memory.
 */
export function writeJson(value: unknown, indent?: number): string {
	try {
		return JSON.stringify(value, null, indent) ?? "null";
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		return writeDeep(value);
	}
}

/** Still to write: text, or a value. */
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

/** In reverse, because the stack returns the last item first. */
function pushAll(stack: Rest[], open: string, items: readonly (readonly [string, unknown])[], close: string): void {
	stack.push({ text: close });
	for (const [name, value] of items.slice(1).reverse()) stack.push({ value }, { text: `,${name}` });
	const [first] = items;
	if (first) stack.push({ value: first[1] }, { text: first[0] });
	stack.push({ text: open });
}

/**
 * Maps the values of an object or a list, one level deep. Returns the same object if nothing changed, so callers can
 * compare by identity and write only what is new. `field` is undefined for list items.
 */
export function mapFields<Value>(value: Value, change: (each: unknown, field: string | undefined) => unknown): Value {
	if (typeof value !== "object" || value === null) return value;
	if (Array.isArray(value)) {
		let list: unknown[] | undefined;
		for (const [at, each] of value.entries()) {
			const made = change(each, undefined);
			if (made === each) continue;
			list ??= [...value];
			list[at] = made;
		}
		return (list ?? value) as Value;
	}
	let fields: Map<string, unknown> | undefined;
	for (const [field, each] of Object.entries(value)) {
		const made = change(each, field);
		if (made === each) continue;
		fields ??= new Map(Object.entries(value));
		fields.set(field, made);
	}
	return (fields ? Object.fromEntries(fields) : value) as Value;
}
