/** Frozen copies for handlers, so that only a patch can change a request. */

/** Objects that this file froze at every level; they are not copied again for the next handler. */
const known = new WeakSet<object>();

/** Copies of frozen objects: the same source has the same copy at every request. */
const copies = new WeakMap<object, unknown>();

export function frozenCopy<Value>(value: Value): Value {
	if (value === null || typeof value !== "object" || known.has(value)) return value;
	const before = copies.get(value);
	if (before !== undefined) return before as Value;
	const copy = Array.isArray(value)
		? value.map((item) => frozenCopy(item))
		: // fromEntries defines each key, so that one named __proto__ stays a key.
			Object.fromEntries(Object.entries(value).map(([key, field]) => [key, frozenCopy(field)]));
	known.add(copy);
	const frozen = Object.freeze(copy);
	if (Object.isFrozen(value)) copies.set(value, frozen);
	return frozen as Value;
}
