/**
 * A look at the log's file that holds until the event loop turns. An agent asks dozens of times in one hook whether something
 * was written since. It sees its own commits at once and those of other processes in the next hook.
 */

/** Across all logs of this process: two of them may have the same file open. */
let commits = 0;
/** Counts only while looks are held. One timer serves all, so none keeps a closed log alive. */
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

	/** Takes over a value that was read another way. */
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
