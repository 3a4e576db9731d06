/**
 * The path to a call: everything that the host's history held when it asked. One walk over all calls, in their order,
 * keeps one list; going on adds to it, and a jump to another branch takes back what that branch has not.
 */
import type { JsonObject } from "../json/read.ts";
import type { RecordedMessage } from "./recorded-message.ts";
import type { PathStep, RecordedCall } from "./recording.ts";

/** Belongs to the walk, and changes with its next step: read it, do not keep it. */
export interface Path {
	/** Those that are sent, oldest first. */
	readonly messages: readonly SentMessage[];
	readonly compactions: readonly Compaction[];
	/** The call does not go on from the one before it in the file. */
	readonly jumped: boolean;
}

export type SentMessage = RecordedMessage & { readonly wire: JsonObject };

export interface Compaction {
	readonly id: string;
	/** How many messages stood before it. */
	readonly at: number;
	readonly summary: string;
	readonly firstKept: string | undefined;
}

interface Mark {
	readonly call: RecordedCall;
	readonly messages: number;
	readonly compactions: number;
}

export class Walk {
	readonly #messages: SentMessage[] = [];
	readonly #compactions: Compaction[] = [];
	/** The calls on the path, and how long the path was at each. */
	readonly #marks: Mark[] = [];
	/** Answers at the end: a request never ends with them. They come back with what follows. */
	#held: SentMessage[] = [];

	moveTo(call: RecordedCall): Path {
		this.#messages.push(...this.#held);
		this.#held = [];
		const kept = call.before ? this.#marks.findLastIndex((mark) => mark.call === call.before) : -1;
		const jumped = kept !== this.#marks.length - 1;
		if (kept < 0) this.#begin(call);
		else {
			const mark = this.#marks[kept]!;
			this.#marks.length = kept + 1;
			this.#messages.length = mark.messages;
			this.#compactions.length = mark.compactions;
			this.#add(call.added);
		}
		this.#mark(call);
		// Two calls at once: the second had not seen the answer to the first.
		while (this.#messages.at(-1)?.role === "assistant") this.#held.unshift(this.#messages.pop()!);
		return { messages: this.#messages, compactions: this.#compactions, jumped };
	}

	/** From the root: nothing of the list is on its way. */
	#begin(call: RecordedCall): void {
		this.#marks.length = 0;
		this.#messages.length = 0;
		this.#compactions.length = 0;
		const way: RecordedCall[] = [];
		for (let at: RecordedCall | undefined = call; at; at = at.before) way.push(at);
		for (const each of way.reverse()) {
			this.#add(each.added);
			if (each !== call) this.#mark(each);
		}
	}

	#mark(call: RecordedCall): void {
		this.#marks.push({ call, messages: this.#messages.length, compactions: this.#compactions.length });
	}

	#add(steps: readonly PathStep[]): void {
		for (const step of steps) {
			if (step.kind === "compaction") {
				const { id, summary, firstKept } = step;
				this.#compactions.push({ id, at: this.#messages.length, summary, firstKept });
			} else if (step.message.wire && (this.#messages.length > 0 || speaksFirst(step.message))) {
				this.#messages.push(step.message as SentMessage);
			}
		}
	}
}

/** A file may begin in the middle; nobody takes a conversation that does not begin with the user. */
function speaksFirst({ role }: RecordedMessage): boolean {
	return role !== "assistant" && role !== "toolResult";
}
