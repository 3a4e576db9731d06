/**
 * `woven` for one session: before each request it says which seed stands and from which message on the rest is raw, and
 * seals first where that pays. Live and in replay the same code; only the files come from elsewhere.
 */
import type { EventRecord, NewEvent } from "../../event/types.ts";
import type { FileSource } from "../../work/file-source.ts";
import type { Section } from "../section/seed/section.ts";
import { renderSeed, type SeedState } from "../section/seed/seed.ts";
import { type EpochMessage, type EpochOptions, type EpochPlan, Epochs, type NextOptions, type Seal } from "./epochs.ts";

export interface WovenMessage extends EpochMessage {
	/** What a model reads in it. */
	readonly text: string;
}

export interface WeaveOptions extends EpochOptions {
	readonly session: string;
	readonly root: string;
	/** What is true at this moment. */
	readonly state: () => SeedState;
	/** The files as they are at this moment. */
	readonly files: () => FileSource;
	/** The history section for a seed: nodes with their handles. */
	readonly history?: () => Section | undefined;
}

export class Weave {
	readonly epochs: Epochs;
	readonly #options: WeaveOptions;

	constructor(options: WeaveOptions) {
		this.#options = options;
		this.epochs = new Epochs(options);
	}

	/** Index of the first message that would stay if `next` were asked now; undefined: it would not seal. */
	wouldSeal(messages: readonly WovenMessage[], options: NextOptions): number | undefined {
		return this.epochs.wouldSeal(messages, options);
	}

	/** `messages`: the active path, whole and closed. */
	next(messages: readonly WovenMessage[], options: NextOptions): EpochPlan {
		return this.epochs.next(messages, options, (first, budget) => {
			const history = this.#options.history?.();
			return renderSeed({
				session: this.#options.session,
				state: this.#options.state(),
				files: this.#options.files(),
				root: this.#options.root,
				raw: messages
					.slice(first)
					.map((message) => message.text)
					.join("\n"),
				budget,
				...(history ? { history } : {}),
			});
		});
	}
}

/** The event that a seal leaves in the log: the seed itself, and the arithmetic that led to it. */
export function sealEvent(seal: Seal, session: string, host: string, ts: number): NewEvent {
	const { seed, from, decision, tokensBefore, tokensAfter, left } = seal;
	const { why, regret, price, floor } = decision;
	return {
		type: "Seal",
		session,
		host,
		ts,
		entry: `seal ${from}`,
		payload: {
			from,
			why,
			arithmetic: { regret, price, floor },
			tokensBefore,
			tokensAfter,
			left,
			sections: seed.sections.map((section) => ({ ...section })),
			seed: seed.text,
		},
	};
}

/** The seals of a session, as its events tell of them, oldest first. */
export function sealsOf(records: Iterable<EventRecord>, tokensOf: (text: string) => number): Seal[] {
	const seals: Seal[] = [];
	for (const { type, payload } of records) {
		if (type !== "Seal" || typeof payload["seed"] !== "string" || typeof payload["from"] !== "string") continue;
		const text = payload["seed"];
		const arithmetic = payload["arithmetic"] as { regret: number; price: number; floor: number };
		seals.push({
			seed: { text, tokens: tokensOf(text), sections: payload["sections"] as Seal["seed"]["sections"] },
			from: payload["from"],
			decision: { seal: true, why: payload["why"] as Seal["decision"]["why"], ...arithmetic },
			tokensBefore: Number(payload["tokensBefore"]),
			tokensAfter: Number(payload["tokensAfter"]),
			left: Number(payload["left"]),
		});
	}
	return seals;
}
