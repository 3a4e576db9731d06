/**
 * A text's stems with their positions, in the binary form that PostgreSQL's `tsvectorrecv` reads. The shipper makes them, because
 * a server that stems every word itself takes in half as much. Nothing is allocated per word: all texts share the stems.
 */
export interface Stem {
	readonly text: string;
	/** UTF-8 with a zero at the end. */
	readonly bytes: Uint8Array;
	/** The last text that has it, and its positions there: first, last, count. */
	of: number;
	first: number;
	last: number;
	count: number;
}

/** A tsvector may have a megabyte, positions included. */
const MAX_VECTOR_BYTES = 500_000;
/** PostgreSQL keeps no more positions of a stem, and none above the last. */
const MAX_POSITIONS = 256;
const MAX_POSITION = 16_383;
const MAX_STEM_BYTES = 2_000;

let text = 0;
/** By position, the next position of the same stem. */
const next = new Uint16Array(MAX_POSITION + 1);

export function newStem(text: string): Stem {
	return { text, bytes: Buffer.from(`${text}\0`), of: 0, first: 0, last: 0, count: 0 };
}

/** Groups of stems in a row, with a wall before each. */
export function makeVector(groups: readonly (readonly Stem[])[], wall: Stem): Uint8Array {
	text++;
	const found: Stem[] = [];
	let [at, size] = [0, 4];
	const add = (each: Stem) => {
		if (size > MAX_VECTOR_BYTES || each.bytes.length > MAX_STEM_BYTES) return;
		if (at < MAX_POSITION) at++;
		if (each.of !== text) {
			each.of = text;
			each.first = at;
			each.last = at;
			each.count = 1;
			found.push(each);
			size += each.bytes.length + 4;
		} else if (each.count < MAX_POSITIONS && each.last !== at) {
			next[each.last] = at;
			each.last = at;
			each.count++;
			size += 2;
		}
	};
	for (const group of groups) {
		add(wall);
		for (const each of group) add(each);
	}
	return encode(found, size);
}

function encode(found: readonly Stem[], size: number): Uint8Array {
	const vector = Buffer.allocUnsafe(size);
	let at = vector.writeInt32BE(found.length, 0);
	for (const { bytes, first, count } of found) {
		for (const byte of bytes) vector[at++] = byte;
		vector[at++] = count >> 8;
		vector[at++] = count & 0xff;
		for (let nth = 0, place = first; nth < count; nth++) {
			vector[at++] = place >> 8;
			vector[at++] = place & 0xff;
			place = next[place] ?? 0;
		}
	}
	return vector;
}
