/** An array of PostgreSQL in its binary form, so that the server need not parse text. */
const ELEMENT_TYPES = { int8: 20, int4: 23, text: 25, bytea: 17, uuid: 2950, tsvector: 3614 } as const;

export type ElementType = keyof typeof ELEMENT_TYPES;
export type Element = string | number | Uint8Array | null;

const HEADER_BYTES = 20;
const FIRST_BYTES = 4 * 1024;

/** Elements of one type; a number for an integer, bytes for `bytea` and `tsvector`, else a text. */
export class BinaryArray {
	readonly #type: ElementType;
	#buffer = Buffer.allocUnsafe(FIRST_BYTES);
	#at = HEADER_BYTES;
	#count = 0;
	#hasNull = false;

	constructor(type: ElementType) {
		this.#type = type;
	}

	add(element: Element): void {
		this.#count++;
		if (element === null) {
			this.#hasNull = true;
			this.#int32(-1);
		} else if (typeof element === "number") this.#integer(element);
		else if (typeof element !== "string") this.#bytes(element);
		else if (this.#type === "uuid") this.#bytes(Buffer.from(element.replaceAll("-", ""), "hex"));
		else this.#text(element);
	}

	/** Of at least one element. */
	bytes(): Buffer {
		const header = [1, this.#hasNull ? 1 : 0, ELEMENT_TYPES[this.#type], this.#count, 1];
		for (const [at, value] of header.entries()) this.#buffer.writeInt32BE(value, at * 4);
		return this.#buffer.subarray(0, this.#at);
	}

	#integer(value: number): void {
		if (this.#type === "int4") {
			this.#int32(4);
			this.#int32(value);
			return;
		}
		this.#int32(8);
		this.#room(8);
		this.#at = this.#buffer.writeBigInt64BE(BigInt(value), this.#at);
	}

	#text(text: string): void {
		this.#room(4 + text.length * 3);
		const bytes = this.#buffer.write(text, this.#at + 4);
		this.#buffer.writeInt32BE(bytes, this.#at);
		this.#at += 4 + bytes;
	}

	#bytes(bytes: Uint8Array): void {
		this.#int32(bytes.length);
		this.#room(bytes.length);
		this.#buffer.set(bytes, this.#at);
		this.#at += bytes.length;
	}

	#int32(value: number): void {
		this.#room(4);
		this.#at = this.#buffer.writeInt32BE(value, this.#at);
	}

	#room(bytes: number): void {
		const needed = this.#at + bytes;
		if (needed <= this.#buffer.length) return;
		const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
		this.#buffer.copy(larger, 0, 0, this.#at);
		this.#buffer = larger;
	}
}
