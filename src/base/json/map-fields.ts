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
