/** Failures of handlers, and requests that must not be sent: reported once, and logged once. */

import { errorText } from "../../base/error/error-text.ts";
import type { NewEvent } from "../../log/event/types.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { Violation } from "../../message/validity.ts";
import { describeFailure, type HandlerFailure } from "./chain.ts";

interface Failed {
	readonly failures: readonly HandlerFailure[];
	readonly violations?: readonly Violation[] | undefined;
}

export class HandlerFaults {
	readonly #warn: ((message: string) => void) | undefined;
	/** Already logged: a handler that fails at every request would fill the log. */
	readonly #recorded = new Set<string>();
	readonly #told = new Set<string>();

	constructor(warn: ((message: string) => void) | undefined) {
		this.#warn = warn;
	}

	/** Reports each handler once for each moment at which it runs. */
	tell(failures: readonly HandlerFailure[]): void {
		for (const failure of failures) {
			const key = `${failure.handler} ${failure.reason}`;
			if (failure.reason === "compaction" || this.#told.has(key)) continue;
			this.#told.add(key);
			this.#warn?.(describeFailure(failure));
		}
	}

	/** Those that are not in the log yet. */
	faults({ failures, violations = [] }: Failed, base: SessionRef & { readonly ts: number }): NewEvent[] {
		const payloads = [
			...failures.map(({ handler, reason, error }) => ({
				where: `handler ${handler}`,
				code: reason,
				message: errorText(error),
			})),
			...violations.map(({ rule, message }) => ({ where: "assemble", code: rule, message })),
		];
		const fresh = payloads.filter((payload) => !this.#recorded.has(JSON.stringify(payload)));
		for (const payload of fresh) this.#recorded.add(JSON.stringify(payload));
		return fresh.map((payload) => ({ ...base, type: "Fault", payload }));
	}
}
