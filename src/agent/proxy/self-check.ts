/**
 * May the proxy seal for a version that nobody tested? Only when the wire is as we know it: each request extends the one before, the
 * answer ends with its usage, and what was sent stands in the agent's own file. Until some requests in a row have shown it, the
 * proxy only records. What cannot be seen in advance, the words of a compaction, does no harm: they are then not recognised.
 */
export interface SeenTurn {
	readonly isExtended: boolean;
	readonly hasUsage: boolean;
	/** The newest result that was sent is in the log. */
	readonly isWritten: boolean;
}

const TURNS_IN_A_ROW = 6;

export class SelfCheck {
	readonly #tested: ReadonlySet<string>;
	/** By version: turns in a row that were as expected. */
	readonly #seen = new Map<string, number>();

	constructor(tested: readonly string[]) {
		this.#tested = new Set(tested);
	}

	isTested(version: string | undefined): boolean {
		return version !== undefined && this.#tested.has(version);
	}

	passes(version: string | undefined): boolean {
		return this.isTested(version) || (this.#seen.get(version ?? "") ?? 0) >= TURNS_IN_A_ROW;
	}

	/** True: it has just passed. */
	take(version: string | undefined, { isExtended, hasUsage, isWritten }: SeenTurn): boolean {
		if (this.passes(version)) return false;
		const before = this.#seen.get(version ?? "") ?? 0;
		this.#seen.set(version ?? "", isExtended && hasUsage && isWritten ? before + 1 : 0);
		return this.passes(version);
	}
}
