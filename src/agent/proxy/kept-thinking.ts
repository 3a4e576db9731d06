/**
 * Thinking that an agent keeps across its own compaction. Claude Code keeps its newest turn whole. Behind the seed, a model that binds
 * thinking to what is before it refuses that turn, so its thinking is left out of every request until the next compaction.
 */
import type { RequestInput } from "../../context/request.ts";
import type { Engine } from "../../engine.ts";
import { signaturesOf } from "../../message/thinking.ts";

const NONE: ReadonlySet<string> = new Set();

export class KeptThinking {
	/** Undefined: not known since the proxy started. */
	#signatures: ReadonlySet<string> | undefined;
	/** The answer to the newest compaction, until a request shows that the agent took it. */
	#seed: string | undefined;

	/** True: no request has shown yet whether it holds any. */
	get isUnknown(): boolean {
		return this.#signatures === undefined;
	}

	/** True: the next request may hold some. */
	get isPossible(): boolean {
		return this.#seed !== undefined || this.#signatures !== NONE;
	}

	/** A compaction was answered with this seed. */
	expect(seed: string): void {
		this.#seed = seed;
	}

	begin(signatures: ReadonlySet<string> = NONE): void {
		this.#signatures = signatures.size === 0 ? NONE : signatures;
	}

	/**
	 * The signatures that this request must not send, of all that it holds. The model wrote none of them after the seed if this is the
	 * first request that holds it.
	 */
	of(all: ReadonlySet<string>, holdsSeed: (seed: string) => boolean): ReadonlySet<string> {
		if (this.#seed !== undefined && holdsSeed(this.#seed)) {
			this.#seed = undefined;
			this.begin(all);
		}
		return new Set([...all].filter((signature) => this.#signatures?.has(signature)));
	}
}

/** True: the log has all the messages with this thinking. */
export function holdsSignatures({ requests }: Engine, input: RequestInput, signatures: ReadonlySet<string>): boolean {
	const written = signaturesOf(requests.moment(input).path.messages.map(({ sent }) => sent));
	return [...signatures].every((each) => written.has(each));
}

/** The thinking that the agent kept across its newest compaction, by the log. */
export function keptSignatures({ requests }: Engine, input: RequestInput): ReadonlySet<string> {
	const { opening, messages } = requests.moment(input).path;
	return signaturesOf(messages.slice(0, opening?.madeAt ?? 0).map(({ sent }) => sent));
}
