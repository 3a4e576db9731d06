/**
 * Summaries that models write beside the session. A seal never waits for a model; afterwards the models that the user
 * configured write what the next seal will show. Nobody waits for it, a failure is nobody's trouble, and when the hour's
 * limit is reached it goes on later.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Summariser } from "../../state/history/summariser.ts";
import { rewriteSummaries } from "../../state/history/summary-rewrite.ts";
import type { LivePi } from "./live.ts";
import { configuredSummarisers, summarisers } from "./side-models.ts";

export class BackgroundSummaries {
	readonly #ending = new AbortController();
	/** Nodes that no model could write. */
	readonly #given = new Set<string>();
	#running: Promise<void> | undefined;
	#isAskedAgain = false;

	/** Begins, or goes on when what is running has ended. */
	start(live: LivePi): void {
		if (this.#ending.signal.aborted) return;
		this.#isAskedAgain = this.#running !== undefined;
		this.#running ??= this.#run(live)
			// Cancelled, or the log is closed: what is missing is written in the next session.
			.catch(() => {})
			.finally(() => {
				this.#running = undefined;
				if (this.#isAskedAgain) this.start(live);
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
		// What the host knows is asked for now: later the session may be another one.
		const [session, leaf] = [live.session, live.leaf()];
		for (;;) {
			const options = { session, leaf, models, gate: live.gate, given: this.#given, signal };
			const { waitMs } = await rewriteSummaries(history, options);
			if (waitMs === undefined) return;
			await sleep(waitMs, undefined, { signal, ref: false });
		}
	}
}

/** `lossless` is made of summaries: there the session's own model writes too, where the limit held it up. */
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
