/** Collections that never grow past a limit: they drop the entry that was added first. */

/** Setting a known key keeps its place in the order. `onDrop` gets the entries that made room, not deleted ones. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
	readonly #max: number;
	readonly #onDrop: ((key: Key, value: Value) => void) | undefined;

	constructor(max: number, onDrop?: (key: Key, value: Value) => void) {
		super();
		this.#max = max;
		this.#onDrop = onDrop;
	}

	override set(key: Key, value: Value): this {
		super.set(key, value);
		if (this.size > this.#max) {
			for (const [oldest, dropped] of this) {
				this.delete(oldest);
				this.#onDrop?.(oldest, dropped);
				break;
			}
		}
		return this;
	}
}

export class BoundedSet<Value> extends Set<Value> {
	readonly #max: number;

	constructor(max: number) {
		super();
		this.#max = max;
	}

	override add(value: Value): this {
		super.add(value);
		if (this.size > this.#max) {
			for (const oldest of this) {
				this.delete(oldest);
				break;
			}
		}
		return this;
	}
}
