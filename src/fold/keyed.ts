/** Plain objects used as maps. Keys come from outside: a file or a session may be called `__proto__`. */
export type Keyed<Value> = Record<string, Value>;

export function getKey<Value>(map: Readonly<Keyed<Value>>, key: string): Value | undefined {
	return Object.hasOwn(map, key) ? map[key] : undefined;
}

export function setKey<Value>(map: Keyed<Value>, key: string, value: Value): void {
	if (key !== "__proto__") map[key] = value;
	else Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Moves a key to the end of a list of the last used ones; returns what fell off at its front. */
export function touch(order: string[], key: string, most: number): string | undefined {
	if (order.at(-1) === key) return undefined;
	const at = order.lastIndexOf(key);
	if (at !== -1) order.splice(at, 1);
	order.push(key);
	return order.length > most ? order.shift() : undefined;
}
