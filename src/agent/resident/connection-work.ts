/** What the resident does for one connection: it says so while it works, and the connection ends with the resident. */
import type { Duplex } from "node:stream";
import { BEAT_MS } from "./call-lines.ts";

export class ConnectionWork implements Disposable {
	readonly #stream: Duplex;
	readonly #ending: AbortSignal;
	readonly #stopped = new AbortController();
	readonly #onEnding = () => this.#stopIfDone();
	#running = 0;
	#beat: NodeJS.Timeout | undefined;

	/** `ending`: the resident ends. */
	constructor(stream: Duplex, ending: AbortSignal) {
		this.#stream = stream;
		this.#ending = ending;
		ending.addEventListener("abort", this.#onEnding);
	}

	/** The resident ends, and nothing waits for an answer. */
	get stopped(): AbortSignal {
		return this.#stopped.signal;
	}

	async during<Result>(work: () => Promise<Result>): Promise<Result> {
		this.#running++;
		this.#beat ??= setInterval(() => this.#stream.writable && this.#stream.write("\n"), BEAT_MS);
		try {
			return await work();
		} finally {
			if (--this.#running === 0) this.#rest();
			setImmediate(this.#onEnding);
		}
	}

	[Symbol.dispose](): void {
		this.#ending.removeEventListener("abort", this.#onEnding);
		this.#rest();
	}

	#rest(): void {
		clearInterval(this.#beat);
		this.#beat = undefined;
	}

	#stopIfDone(): void {
		if (this.#ending.aborted && this.#running === 0) this.#stopped.abort();
	}
}
