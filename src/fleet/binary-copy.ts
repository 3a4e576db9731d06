/** Rows in COPY's binary format, so that the server need not parse text. */
export type Cell =
	| { readonly text: string }
	| { readonly bigint: number }
	| { readonly int: number }
	| { readonly bytes: Uint8Array }
	| { readonly uuid: string }
	| null;

const SIGNATURE = Buffer.from("PGCOPY\n\xff\r\n\0", "latin1");
const PIECE_BYTES = 256 * 1024;

/** Collects rows; `end` returns the pieces of the whole COPY. */
export class CopyRows {
	readonly #pieces: Buffer[] = [];
	#buffer = Buffer.allocUnsafe(PIECE_BYTES);
	#at = 0;

	constructor() {
		this.#bytes(SIGNATURE);
		this.#int32(0);
		this.#int32(0);
	}

	add(cells: readonly Cell[]): void {
		this.#int16(cells.length);
		for (const cell of cells) this.#cell(cell);
	}

	end(): readonly Uint8Array[] {
		this.#int16(-1);
		return [...this.#pieces, this.#buffer.subarray(0, this.#at)];
	}

	#cell(cell: Cell): void {
		if (cell === null) this.#int32(-1);
		else if ("text" in cell) this.#text(cell.text);
		else if ("bigint" in cell) {
			this.#int32(8);
			this.#room(8);
			this.#buffer.writeBigInt64BE(BigInt(cell.bigint), this.#at);
			this.#at += 8;
		} else if ("int" in cell) {
			this.#int32(4);
			this.#int32(cell.int);
		} else if ("bytes" in cell) {
			this.#int32(cell.bytes.length);
			this.#bytes(cell.bytes);
		} else {
			this.#int32(16);
			this.#bytes(Buffer.from(cell.uuid.replaceAll("-", ""), "hex"));
		}
	}

	#text(text: string): void {
		this.#room(4 + text.length * 3);
		const bytes = this.#buffer.write(text, this.#at + 4);
		this.#buffer.writeInt32BE(bytes, this.#at);
		this.#at += 4 + bytes;
	}

	#int16(value: number): void {
		this.#room(2);
		this.#at = this.#buffer.writeInt16BE(value, this.#at);
	}

	#int32(value: number): void {
		this.#room(4);
		this.#at = this.#buffer.writeInt32BE(value, this.#at);
	}

	#bytes(bytes: Uint8Array): void {
		this.#room(bytes.length);
		this.#buffer.set(bytes, this.#at);
		this.#at += bytes.length;
	}

	/** Makes room for the next bytes in one piece. */
	#room(bytes: number): void {
		if (this.#at + bytes <= this.#buffer.length) return;
		this.#pieces.push(this.#buffer.subarray(0, this.#at));
		this.#buffer = Buffer.allocUnsafe(Math.max(PIECE_BYTES, bytes));
		this.#at = 0;
	}
}
