/**
 * A look at the log's file that holds until the event loop turns. A host asks dozens of times in one hook whether something
 * was written since; what another process writes meanwhile, the next hook sees. What this process commits is seen at once.
 */

/** Of all logs of this process: two of them may have the same file open. */
let commits = 0;

export function noteCommit(): void {
	commits++;
}

export class OncePerTick<Value> {
	readonly #look: () => Value;
	#seen: { readonly value: Value; readonly commits: number } | undefined;

	constructor(look: () => Value) {
		this.#look = look;
	}

	get(): Value {
		if (this.#seen?.commits === commits) return this.#seen.value;
		const isFirst = this.#seen === undefined;
		this.#seen = { value: this.#look(), commits };
		if (isFirst) {
			setImmediate(() => {
				this.#seen = undefined;
			});
		}
		return this.#seen.value;
	}
}
