/** The value under a key of the object itself: `constructor` and the like are no keys. */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
	return Object.hasOwn(record, key) ? record[key] : undefined;
}
