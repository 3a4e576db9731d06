/** A request whose first parts are sent before it is whole. */
import type http from "node:http";

export class EarlyRequest {
	readonly #asked: http.ClientRequest;
	#isAbandoned = false;
	#failed: NodeJS.ErrnoException | undefined;
	#again: (() => void) | undefined;
	onDrop: (error: NodeJS.ErrnoException) => void = () => {};

	constructor(ask: (onError: (error: NodeJS.ErrnoException, wasKept: boolean) => void) => http.ClientRequest) {
		this.#asked = ask((error, wasKept) => {
			if (this.#isAbandoned) return;
			this.#failed = error;
			// Until the decision nothing is lost: the whole request is sent again then.
			if (this.#again && wasKept && error.code === "ECONNRESET") this.#again();
			else if (this.#again) this.onDrop(error);
		});
	}

	get isAlive(): boolean {
		return this.#failed === undefined;
	}

	write(chunk: Buffer): void {
		if (this.isAlive) this.#asked.write(chunk);
	}

	/** `again` sends the whole request, if the provider closed a kept connection just then. */
	finish(last: Buffer, again: () => void): void {
		this.#again = again;
		this.#asked.end(last);
	}

	/** The caller sends the rest. */
	take(): http.ClientRequest {
		this.#again = () => this.drop();
		return this.#asked;
	}

	/** Reports a failure from before the decision. */
	drop(): void {
		if (this.#failed) this.onDrop(this.#failed);
	}

	abandon(): void {
		this.#isAbandoned = true;
		this.#asked.destroy();
	}
}
