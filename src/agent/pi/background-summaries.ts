/**
 * Summaries that models write in the background. A seal never waits for a model; afterwards the user's configured models
 * rewrite the summaries for the next seal. A failure leaves the old summary. At the hourly limit the rewriting pauses.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Summariser } from "../../state/history/summariser.ts";
import { rewriteSummaries } from "../../state/history/summary-rewrite.ts";
import type { LivePi } from "./live.ts";
import { configuredSummarisers, summarisers } from "./side-models.ts";

export class BackgroundSummaries {
	readonly #ending = new AbortController();
	/** Nodes that no model could write; they are not tried again. */
	readonly #given = new Set<string>();
	#running: Promise<void> | undefined;
	#shouldRunAgain = false;

	/** Starts a run, or another one after the current run. */
	start(live: LivePi): void {
		if (this.#ending.signal.aborted) return;
		this.#shouldRunAgain = this.#running !== undefined;
		this.#running ??= this.#run(live)
			// Cancelled, or the log is closed: the next session writes the rest.
			.catch(() => {})
			.finally(() => {
				this.#running = undefined;
				if (this.#shouldRunAgain) this.start(live);
			});
	}

	end(): void {
		this.#ending.abort();
	}

	async #run(live: LivePi): Promise<void> {
		const { signal } = this.#ending;
		const models = modelsOf(live);
		if (models.length === 0) return;
		const { history } = live.engine;
		// Read now: Pi's session may change while the run waits.
		const [session, leaf] = [live.session, live.leaf()];
		for (;;) {
			const options = { session, leaf, models, gate: live.gate, given: this.#given, signal };
			const { waitMs } = await rewriteSummaries(history, options);
			if (waitMs === undefined) return;
			await sleep(waitMs, undefined, { signal, ref: false });
		}
	}
}

/** `lossless` consists of summaries, so there the session's own model also writes those that the limit delayed. */
function modelsOf(live: LivePi): readonly Summariser[] {
	switch (live.mode()) {
		case "woven":
			return configuredSummarisers(live);
		case "lossless":
			return summarisers(live);
		default:
			return [];
	}
}
