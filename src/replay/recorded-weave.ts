/** `woven` on a recording: the weave that works live, with state, files and history as they were at a call. */

import { SEED_FOLDS } from "../context/project-state.ts";
import type { Seal } from "../context/seal/epochs.ts";
import { HIDDEN_PRICE_TOKENS, seedBudget } from "../context/seal/rule.ts";
import { Weave } from "../context/seal/weave.ts";
import { HISTORY_SHARE, historySection } from "../context/section/seed/history.ts";
import { logUpTo } from "../fold/log-up-to.ts";
import { StateRunner } from "../fold/state.ts";
import { compact } from "../history/compact.ts";
import { History } from "../history/history.ts";
import type { SessionRef } from "../session/tree.ts";
import { RecordedFiles } from "../work/recorded-files.ts";
import type { ModeOptions } from "./modes.ts";
import type { SentMessage } from "./path.ts";
import type { RecordedCall } from "./recording.ts";

export interface RecordedWeaveOptions extends Omit<ModeOptions, "fixed"> {
	readonly session: SessionRef;
}

export class RecordedWeave {
	readonly #options: RecordedWeaveOptions;
	readonly #history: History;
	readonly #files = new RecordedFiles();
	readonly #state;
	#call: RecordedCall | undefined;

	constructor(options: RecordedWeaveOptions) {
		this.#options = options;
		this.#history = new History(options.log);
		const upTo = () => this.#upTo;
		this.#state = new StateRunner(logUpTo(options.log, upTo), SEED_FOLDS, { snapshots: false });
	}

	/** Everything is from now on as it was before this call was answered. */
	moveTo(call: RecordedCall): void {
		this.#call = call;
	}

	make(seals: readonly Seal[]): Weave {
		const { log, prices, profile, window, session, rootOf } = this.#options;
		return new Weave({
			session: session.session,
			root: rootOf(session.session),
			prices,
			profile,
			window,
			hidden: HIDDEN_PRICE_TOKENS[profile],
			seals,
			state: () => this.#state.current().state,
			files: () => {
				this.#files.advance(log, this.#upTo);
				return this.#files;
			},
			history: () => {
				const leaf = this.#call?.leaf ?? undefined;
				const { nodes } = this.#history.path(session, leaf);
				return historySection(nodes, seedBudget(profile, window) * HISTORY_SHARE);
			},
		});
	}

	/** Nodes over everything before a message, by the summariser that needs no model. */
	async summarise(keepFrom: SentMessage): Promise<void> {
		const { leaf, answer, session } = this.#call!;
		if (leaf === null) return;
		const settings = { minMessages: 1 };
		await compact(this.#history, { session, leaf, keepFrom: keepFrom.seq, settings, now: () => answer.ts });
	}

	get #upTo(): number {
		return (this.#call?.answer.seq ?? 1) - 1;
	}
}
