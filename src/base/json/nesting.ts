/** Tells, before it is parsed, whether a JSON text is mostly brackets: a parser needs fifty bytes for each of them. */
const MAX_DEPTH = 500;
const MAX_CONTAINERS = 1_000_000;
/** A shorter text costs little, whatever it is. */
const MIN_CHECKED_BYTES = 1_000_000;

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** One pass, and texts within quotes are skipped natively. */
export function isTooNested(bytes: Buffer): boolean {
	if (bytes.length < MIN_CHECKED_BYTES) return false;
	let [depth, containers] = [0, 0];
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at];
		if (byte === QUOTE) {
			at = endOfText(bytes, at + 1);
			if (at === -1) return false;
		} else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
			if (++depth > MAX_DEPTH || ++containers > MAX_CONTAINERS) return true;
		} else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
	}
	return false;
}

/** Where the quote is that ends a text; -1: nowhere. */
function endOfText(bytes: Buffer, from: number): number {
	for (let at = bytes.indexOf(QUOTE, from); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
		let before = at - 1;
		while (before >= from && bytes[before] === BACKSLASH) before--;
		if ((at - before) % 2 === 1) return at;
	}
	return -1;
}
