/**
 * The door between an agent and weft. It catches every failure behind it, and the agent carries on as if weft were not there.
 * It records each failure and warns the user once per session, not at every hook.
 */

import { EngineError } from "../../base/error/engine-error.ts";
import { errorText } from "../../base/error/error-text.ts";

export interface Fault {
	readonly where: string;
	readonly code: string;
	readonly message: string;
}

export interface DoorOptions {
	readonly record: (fault: Fault) => void;
	readonly tell: (notice: string) => void;
	/** The end of the notice: how the agent carries on. */
	readonly consequence: string;
}

const MAX_MESSAGE_CHARS = 2_000;

export class Door {
	readonly #options: DoorOptions;
	#hasFailed = false;

	constructor(options: DoorOptions) {
		this.#options = options;
	}

	/** True: something behind it has failed. */
	get hasFailed(): boolean {
		return this.#hasFailed;
	}

	/** Runs `body` and gives its answer. Never throws: a failure gives undefined. */
	pass<Answer>(where: string, body: () => Answer): Answer | undefined {
		try {
			return body();
		} catch (error) {
			this.fail(where, error);
			return undefined;
		}
	}

	async passAsync<Answer>(where: string, body: () => Promise<Answer>): Promise<Answer | undefined> {
		try {
			return await body();
		} catch (error) {
			this.fail(where, error);
			return undefined;
		}
	}

	fail(where: string, error: unknown): void {
		const fault = faultOf(where, error);
		try {
			this.#options.record(fault);
		} catch {
			// It may be the log that failed.
		}
		if (!this.#hasFailed) this.tell(`${fault.message} ${this.#options.consequence} (${where}).`);
		this.#hasFailed = true;
	}

	tell(notice: string): void {
		this.#options.tell(notice);
	}
}

export function faultOf(where: string, error: unknown): Fault {
	const code = error instanceof EngineError ? error.code : error instanceof Error ? error.name : "unknown";
	const message = errorText(error);
	return { where, code, message: message.slice(0, MAX_MESSAGE_CHARS) };
}
