/** Words that help a search find the stretch: identifiers, paths, codes, names, and long words of prose. */

const MAX_SCANNED_CHARS = 12_000;
const MAX_TERMS = 4_000;
const WORD = /[A-Za-z_$][\w$]{2,50}(?:[./-][\w$]{1,50}){0,8}/g;
/** Words of scripts without blanks, and words with letters beyond ASCII. */
const OTHER_WORD =
	/\p{Script=Han}{2,6}|\p{Script=Katakana}[\p{Script=Katakana}ー]{2,15}|\p{Script=Hangul}{2,10}|[\p{L}]{5,40}/gu;
const IDENTIFIER = /[a-z$][A-Z]|_|[./]|\d|^[A-Z]{4,}$/;
const COMMON = new Set(
	"about after again also because been before being both could does doing done each every file files first from have having here into just like line lines make more most much need needs next only other over result results return same should since some still such than that their them then there these they thing this those through true false null undefined const function import export string number type value test tests error using want were what when where which while will with would your https http default command exited successfully output".split(
		" ",
	),
);

export class Terms {
	readonly #counts = new Map<string, number>();

	read(text: string, weight: number): void {
		const scanned = text.length > MAX_SCANNED_CHARS ? text.slice(0, MAX_SCANNED_CHARS) : text;
		for (const word of scanned.match(WORD) ?? []) this.#count(word, weight);
		// biome-ignore lint/suspicious/noControlCharactersInRegex: everything that is not ASCII
		if (!/[^\x00-\x7f]/.test(scanned)) return;
		for (const word of scanned.match(OTHER_WORD) ?? []) {
			// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
			if (/[^\x00-\x7f]/.test(word)) this.#count(word, weight);
		}
	}

	/** The most specific first. */
	best(count: number): string[] {
		return [...this.#counts]
			.map(([word, seen]) => [word, Math.log2(1 + seen) * telling(word)] as const)
			.filter(([, score]) => score > 0)
			.sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
			.slice(0, count)
			.map(([word]) => word);
	}

	#count(word: string, weight: number): void {
		const known = this.#counts.get(word);
		if (known === undefined && this.#counts.size >= MAX_TERMS) return;
		this.#counts.set(word, (known ?? 0) + weight);
	}
}

function telling(word: string): number {
	if (IDENTIFIER.test(word)) return word.length > 40 ? 1 : 3;
	if (word.length < 5 && word.charCodeAt(0) < 128) return 0;
	if (COMMON.has(word.toLowerCase())) return 0;
	return /^[A-Z]/.test(word) ? 1.5 : 1;
}
