/**
 * A look at the log's file that holds until the event loop turns. A host asks dozens of times in one hook whether something
 * was written since; what another process writes meanwhile, the next hook sees. What this process commits is seen at once.
 */

/** Of all logs of this process: two of them may have the same file open. */
let commits = 0;
/** Counted while somebody looks. One timer for all: none of them holds a log that was closed. */
let tick = 0;
let isCounting = false;

export function noteCommit(): void {
	commits++;
}

export class OncePerTick<Value> {
	readonly #look: () => Value;
	#seen: { readonly value: Value; readonly commits: number; readonly tick: number } | undefined;

	constructor(look: () => Value) {
		this.#look = look;
	}

	get(): Value {
		if (this.#seen?.commits === commits && this.#seen.tick === tick) return this.#seen.value;
		const value = this.#look();
		this.saw(value);
		return value;
	}

	/** Somebody has looked in another way. */
	saw(value: Value): void {
		this.#seen = { value, commits, tick };
		if (isCounting) return;
		isCounting = true;
		setImmediate(countTick);
	}
}

function countTick(): void {
	tick++;
	isCounting = false;
}
