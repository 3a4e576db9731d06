/** Runs a tap that changes nothing after the bytes have left for the agent. A tap that fails is reported and not called again. */
import type { IncomingHttpHeaders } from "node:http";
import type { Tap } from "./watch.ts";

export class DeferredTap implements Tap {
	readonly changes = false;
	readonly held: Buffer = EMPTY;
	readonly #onFail: (error: unknown) => void;
	#tap: Tap | undefined;
	#looks: (() => void)[] = [];

	constructor(tap: Tap, onFail: (error: unknown) => void) {
		this.#tap = tap;
		this.#onFail = onFail;
	}

	start(status: number, headers: IncomingHttpHeaders): void {
		this.#lookSoon(() => this.#tap?.start(status, headers));
	}

	pass(chunk: Buffer): Buffer {
		this.#lookSoon(() => this.#tap?.pass(chunk));
		return chunk;
	}

	end(): Buffer {
		this.#lookSoon(() => this.#tap?.end());
		return EMPTY;
	}

	broken(): void {
		this.#lookSoon(() => this.#tap?.broken());
	}

	#lookSoon(look: () => void): void {
		if (this.#looks.push(look) === 1) setImmediate(() => this.#lookNow());
	}

	#lookNow(): void {
		try {
			for (const look of this.#looks.splice(0)) look();
		} catch (error) {
			this.#tap = undefined;
			this.#onFail(error);
		}
	}
}

const EMPTY: Buffer = Buffer.alloc(0);
