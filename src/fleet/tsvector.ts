/**
 * A text's stems with their places, as the server's `tsvectorrecv` reads them. They are made here: a server that stems every
 * word itself takes in half as much. Nothing is allocated per word: the same stems serve all texts, one after the other.
 */
export interface Stem {
	readonly text: string;
	/** In UTF-8, with the zero at its end. */
	readonly bytes: Uint8Array;
	/** The text that it was seen in last, and its places there: the first, the last, how many. */
	of: number;
	first: number;
	last: number;
	count: number;
}

/** A tsvector may hold a megabyte, places among it. */
const MAX_BYTES = 500_000;
/** Of a stem, and the last place: the server keeps no more. */
const MAX_PLACES = 256;
const LAST_PLACE = 16_383;
const MAX_STEM_BYTES = 2_000;

let text = 0;
/** By the place of a stem, where the same one stands next. */
const next = new Uint16Array(LAST_PLACE + 1);

export function newStem(text: string): Stem {
	return { text, bytes: Buffer.from(`${text}\0`), of: 0, first: 0, last: 0, count: 0 };
}

/** Groups of stems that follow each other, with a wall before each. */
export function makeVector(groups: readonly (readonly Stem[])[], wall: Stem): Uint8Array {
	text++;
	const found: Stem[] = [];
	let [at, size] = [0, 4];
	const add = (each: Stem) => {
		if (size > MAX_BYTES || each.bytes.length > MAX_STEM_BYTES) return;
		if (at < LAST_PLACE) at++;
		if (each.of !== text) {
			each.of = text;
			each.first = at;
			each.last = at;
			each.count = 1;
			found.push(each);
			size += each.bytes.length + 4;
		} else if (each.count < MAX_PLACES && each.last !== at) {
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
	return written(found, size);
}

function written(found: readonly Stem[], size: number): Uint8Array {
	const vector = Buffer.allocUnsafe(size);
	let at = vector.writeInt32BE(found.length, 0);
	for (const { bytes, first, count } of found) {
		for (let byte = 0; byte < bytes.length; byte++) vector[at++] = bytes[byte]!;
		vector[at++] = count >> 8;
		vector[at++] = count & 0xff;
		for (let nth = 0, place = first; nth < count; nth++) {
			vector[at++] = place >> 8;
			vector[at++] = place & 0xff;
			place = next[place]!;
		}
	}
	return vector;
}
