/**
 * Decides whether a model may be called now. A breaker per model stops calls to one that is down, and one limit for all
 * keeps a loop from spending a fortune. In memory only.
 */
const FAILURES_TO_OPEN = 5;
const OPEN_MS = 30 * 60_000;
const CALLS_PER_HOUR = 60;
const HOUR_MS = 3_600_000;

export class ModelGate {
	readonly #now: () => number;
	readonly #failures = new Map<string, number>();
	readonly #openUntil = new Map<string, number>();
	#calls: number[] = [];

	constructor(now: () => number = Date.now) {
		this.#now = now;
	}

	/** Why a call is refused; undefined: it may run, and is counted. */
	enter(model: string): string | undefined {
		const now = this.#now();
		const until = this.#openUntil.get(model) ?? 0;
		if (now < until) return `it failed ${FAILURES_TO_OPEN} times and rests until ${new Date(until).toISOString()}`;
		this.#calls = this.#calls.filter((at) => at > now - HOUR_MS);
		if (this.#calls.length >= CALLS_PER_HOUR) return `${CALLS_PER_HOUR} calls were made within the hour`;
		this.#calls.push(now);
		// One try after the pause: another failure opens the breaker again at once.
		if (until > 0) this.#failures.set(model, FAILURES_TO_OPEN - 1);
		return undefined;
	}

	/** ms until the hour's limit lets a call through; 0: now. */
	waitMs(): number {
		const now = this.#now();
		const recent = this.#calls.filter((at) => at > now - HOUR_MS);
		const oldest = recent.at(-CALLS_PER_HOUR);
		return oldest === undefined ? 0 : oldest + HOUR_MS - now + 1;
	}

	passed(model: string): void {
		this.#failures.delete(model);
		this.#openUntil.delete(model);
	}

	failed(model: string): void {
		const failures = (this.#failures.get(model) ?? 0) + 1;
		this.#failures.set(model, failures);
		if (failures >= FAILURES_TO_OPEN) this.#openUntil.set(model, this.#now() + OPEN_MS);
	}

	/** A person asked: try again what was held back. */
	reset(): void {
		this.#failures.clear();
		this.#openUntil.clear();
		this.#calls = [];
	}
}
