/**
 * Maps in plain JSON for the states of folds. Keys come from outside: a file or a session may be called `__proto__`. `Keyed`
 * holds every key; `Recent` holds the keys that were used last.
 */
import { memoize } from "../../base/text/memo.ts";

export type Keyed<Value> = Record<string, Value>;

export function getKey<Value>(map: Readonly<Keyed<Value>>, key: string): Value | undefined {
	return Object.hasOwn(map, key) ? map[key] : undefined;
}

export function setKey<Value>(map: Keyed<Value>, key: string, value: Value): void {
	if (key !== "__proto__") map[key] = value;
	else Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * A bounded map, the oldest key first. Keys are stored with a letter before them, because an object lists keys that look like
 * numbers out of order and `__proto__` is no key at all. The order must survive JSON.
 */
export interface Recent<Value> {
	items: Record<string, Value>;
	count: number;
}

export function emptyRecent<Value>(): Recent<Value> {
	return { items: {}, count: 0 };
}

/** One string object per key, so that V8 hashes it once: folds ask for the same few keys again and again. */
const nameOf = memoize(256, (key) => `k${key}`);
/** The key that was put last, which is already the newest. Only a shortcut. */
const lastPut = new WeakMap<object, string>();

export function getRecent<Value>(recent: Recent<Value>, key: string): Value | undefined {
	return recent.items[nameOf(key)];
}

/** Makes the key the newest. Above `most` the oldest quarter is dropped at once, so that a step costs the same on average. */
export function putRecent<Value>(recent: Recent<Value>, key: string, value: Value, most: number): void {
	const name = nameOf(key);
	if (lastPut.get(recent) === name) {
		recent.items[name] = value;
		return;
	}
	lastPut.set(recent, name);
	if (Object.hasOwn(recent.items, name)) delete recent.items[name];
	else recent.count++;
	recent.items[name] = value;
	if (recent.count <= most) return;
	const oldest = Object.keys(recent.items).slice(0, Math.ceil(most / 4));
	for (const old of oldest) delete recent.items[old];
	recent.count -= oldest.length;
}

export function dropRecent<Value>(recent: Recent<Value>, key: string): void {
	const name = nameOf(key);
	if (!Object.hasOwn(recent.items, name)) return;
	lastPut.delete(recent);
	delete recent.items[name];
	recent.count--;
}

/** The newest first. */
export function* newestFirst<Value>(recent: Recent<Value>): Generator<readonly [key: string, value: Value]> {
	for (const key of Object.keys(recent.items).reverse()) {
		const value = recent.items[key];
		if (value !== undefined) yield [key.slice(1), value];
	}
}

/** Moves a key to the end of a list of recently used ones. */
export function touch(order: string[], key: string, most: number): void {
	if (order.at(-1) === key) return;
	const at = order.lastIndexOf(key);
	if (at !== -1) order.splice(at, 1);
	order.push(key);
	if (order.length > most) order.shift();
}
