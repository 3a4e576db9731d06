/**
 * Some models give every turn's calls the same ids. Providers take each id once: a second answer that uses one gets another
 * name for it, the same wherever that answer stands.
 */
export class CallNames {
	readonly #used = new Set<string>();
	readonly #names = new Map<string, readonly string[]>();

	/** The names of an answer's calls, in their order. */
	of(answer: string, ids: readonly string[]): readonly string[] {
		const known = this.#names.get(answer);
		if (known) return known;
		const names = ids.map((id) => {
			const name = this.#free(id);
			this.#used.add(name);
			return name;
		});
		this.#names.set(answer, names);
		return names;
	}

	#free(id: string): string {
		const wish = id === "" ? "call" : id;
		if (!this.#used.has(wish)) return wish;
		for (let copy = 2; ; copy++) if (!this.#used.has(`${wish}_${copy}`)) return `${wish}_${copy}`;
	}
}
