/**
 * May the proxy seal for an untested version? Only when its wire is as we know it: each request extends the one before, the answer ends
 * with its usage, and the agent's own file holds the messages that it sent. Until some requests in a row have shown this, the proxy only
 * records. New words for a compaction cannot be seen in advance, but do no harm: the proxy does not recognise them.
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
	/** Turns in a row that were as expected, by version. */
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
