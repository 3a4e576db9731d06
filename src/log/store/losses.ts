/** What reads could not give back, once each, until it is reported. */
import type { Loss } from "../types.ts";

const MAX_LOSSES = 5_000;

export class Losses {
	readonly #losses = new Map<number | string, Loss>();

	note(loss: Loss): void {
		if (this.#losses.size < MAX_LOSSES) this.#losses.set(loss.seq ?? loss.blob ?? "", loss);
	}

	all(): Loss[] {
		return [...this.#losses.values()];
	}

	forget(): void {
		this.#losses.clear();
	}
}
