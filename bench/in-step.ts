/**
 * Agents that work at the same task in step: a scripted model answers one of them at a time, and the next one when the first
 * is back with its next request. So a machine that is busy now and idle later disturbs all of them equally, request by request.
 */
export class InStep {
	readonly #waiting = new Map<string, () => void>();
	readonly #answered = new Map<string, number>();

	constructor(agents: readonly string[]) {
		for (const agent of agents) this.#answered.set(agent, 0);
	}

	/** When it is this agent's turn to be answered. */
	async turn(agent: string): Promise<void> {
		await new Promise<void>((resolve) => {
			this.#waiting.set(agent, resolve);
			this.#answerNext();
		});
	}

	/** It asks no more. */
	leave(agent: string): void {
		this.#waiting.delete(agent);
		this.#answered.delete(agent);
		this.#answerNext();
	}

	/** While one is at work, the others wait. */
	#answerNext(): void {
		if (this.#waiting.size < this.#answered.size) return;
		const [next] = [...this.#answered].toSorted(([, one], [, other]) => one - other);
		if (!next) return;
		const [agent, answered] = next;
		const answer = this.#waiting.get(agent);
		this.#waiting.delete(agent);
		this.#answered.set(agent, answered + 1);
		answer?.();
	}
}
