/**
 * Splits a stream of bytes into lines. The parts of a line are joined once, so a line of any length takes linear time. Only the
 * ends of a line above the limit are kept: enough to answer its sender.
 */
export type StreamLine =
	| { readonly kind: "line"; readonly text: string }
	| { readonly kind: "too-long"; readonly bytes: number; readonly start: string; readonly end: string };

const LINE_FEED = 10;
/** Of each end of a line that is too long. */
const KEPT_BYTES = 4_096;

export class StreamLines {
	readonly #maxBytes: number;
	#parts: Buffer[] = [];
	#bytes = 0;
	/** Set once the line is too long. */
	#start: Buffer | undefined;

	constructor(maxBytes: number) {
		this.#maxBytes = maxBytes;
	}

	/** The lines that end in this chunk. */
	*take(chunk: Buffer): Generator<StreamLine> {
		let from = 0;
		for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
			this.#add(chunk.subarray(from, end));
			yield this.#finish();
			from = end + 1;
		}
		this.#add(chunk.subarray(from));
	}

	/** The last line, if nothing ends it. */
	*rest(): Generator<StreamLine> {
		if (this.#bytes > 0) yield this.#finish();
	}

	#add(part: Buffer): void {
		if (part.length === 0) return;
		this.#bytes += part.length;
		this.#parts.push(part);
		if (this.#bytes <= this.#maxBytes) return;
		const held = this.#start ? this.#parts : [Buffer.concat(this.#parts)];
		this.#start ??= Buffer.from(held[0]?.subarray(0, KEPT_BYTES) ?? []);
		// A copy: a part of the chunk would keep all of it.
		this.#parts = [Buffer.from(Buffer.concat(held).subarray(-KEPT_BYTES))];
	}

	#finish(): StreamLine {
		const [bytes, start] = [this.#bytes, this.#start];
		const text = Buffer.concat(this.#parts).toString("utf8");
		this.#parts = [];
		this.#bytes = 0;
		this.#start = undefined;
		if (start) return { kind: "too-long", bytes, start: start.toString("utf8"), end: text };
		return { kind: "line", text };
	}
}
