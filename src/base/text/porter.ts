/**
 * Porter's stemmer, as SQLite's full text search has it: words of fewer than three letters stay as they are. A word is of small
 * letters; any other sign counts as a consonant. (M. F. Porter, An algorithm for suffix stripping, 1980.)
 */
const MIN_LETTERS = 3;
const MAX_LETTERS = 64;

export function stem(word: string): string {
	if (word.length < MIN_LETTERS || word.length > MAX_LETTERS) return word;
	return finish(stripThird(stripSecond(endInI(stripPast(stripPlural(word))))));
}

function stripPlural(word: string): string {
	if (!word.endsWith("s")) return word;
	if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
	return word.endsWith("ss") ? word : word.slice(0, -1);
}

function stripPast(word: string): string {
	if (word.endsWith("eed")) return measure(word, 3) > 0 ? word.slice(0, -1) : word;
	const cut = word.endsWith("ed") ? 2 : word.endsWith("ing") ? 3 : 0;
	if (cut === 0 || !hasVowel(word, word.length - cut)) return word;
	const rest = word.slice(0, -cut);
	if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
	if (endsInDouble(rest) && !/[lsz]$/.test(rest)) return rest.slice(0, -1);
	return measure(rest, 0) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

function endInI(word: string): string {
	return word.endsWith("y") && hasVowel(word, word.length - 1) ? `${word.slice(0, -1)}i` : word;
}

type Rules = Readonly<Record<string, readonly (readonly [ending: string, becomes: string])[]>>;

/** By the last letter but one. */
const SECOND: Rules = {
	a: [
		["ational", "ate"],
		["tional", "tion"],
	],
	c: [
		["enci", "ence"],
		["anci", "ance"],
	],
	e: [["izer", "ize"]],
	g: [["logi", "log"]],
	l: [
		["bli", "ble"],
		["alli", "al"],
		["entli", "ent"],
		["eli", "e"],
		["ousli", "ous"],
	],
	o: [
		["ization", "ize"],
		["ation", "ate"],
		["ator", "ate"],
	],
	s: [
		["alism", "al"],
		["iveness", "ive"],
		["fulness", "ful"],
		["ousness", "ous"],
	],
	t: [
		["aliti", "al"],
		["iviti", "ive"],
		["biliti", "ble"],
	],
};

/** By the last letter. */
const THIRD: Rules = {
	e: [
		["icate", "ic"],
		["ative", ""],
		["alize", "al"],
	],
	i: [["iciti", "ic"]],
	l: [
		["ical", "ic"],
		["ful", ""],
	],
	s: [["ness", ""]],
};

const FOURTH: Readonly<Record<string, readonly string[]>> = {
	a: ["al"],
	c: ["ance", "ence"],
	e: ["er"],
	i: ["ic"],
	l: ["able", "ible"],
	n: ["ant", "ement", "ment", "ent"],
	o: ["ion", "ou"],
	s: ["ism"],
	t: ["ate", "iti"],
	u: ["ous"],
	v: ["ive"],
	z: ["ize"],
};

function stripSecond(word: string): string {
	return replaceEnding(word, SECOND[word.charAt(word.length - 2)]);
}

function stripThird(word: string): string {
	return stripFourth(replaceEnding(word, THIRD[word.charAt(word.length - 1)]));
}

function replaceEnding(word: string, rules: Rules[string] | undefined): string {
	const rule = rules?.find(([ending]) => word.endsWith(ending));
	if (!rule || measure(word, rule[0].length) === 0) return word;
	return word.slice(0, -rule[0].length) + rule[1];
}

function stripFourth(word: string): string {
	const ending = FOURTH[word.charAt(word.length - 2)]?.find((each) => word.endsWith(each));
	if (ending === undefined || measure(word, ending.length) <= 1) return word;
	const rest = word.slice(0, -ending.length);
	return ending === "ion" && !/[st]$/.test(rest) ? word : rest;
}

function finish(word: string): string {
	let rest = word;
	if (rest.endsWith("e")) {
		const size = measure(rest, 1);
		if (size > 1 || (size === 1 && !endsShort(rest.slice(0, -1)))) rest = rest.slice(0, -1);
	}
	return rest.endsWith("ll") && measure(rest, 1) > 1 ? rest.slice(0, -1) : rest;
}

/** How often a consonant follows a vowel in the word without its last `cut` letters. */
function measure(word: string, cut: number): number {
	let [count, wasVowel] = [0, false];
	for (let at = 0; at < word.length - cut; at++) {
		const is = isVowel(word, at, wasVowel);
		if (wasVowel && !is) count++;
		wasVowel = is;
	}
	return count;
}

function hasVowel(word: string, end: number): boolean {
	for (let at = 0, was = false; at < end; at++) {
		was = isVowel(word, at, was);
		if (was) return true;
	}
	return false;
}

/** `y` is a vowel after a consonant. */
function isVowel(word: string, at: number, wasVowel: boolean): boolean {
	const letter = word.charAt(at);
	return letter === "y" ? at > 0 && !wasVowel : "aeiou".includes(letter);
}

function vowelAt(word: string, at: number): boolean {
	let was = false;
	for (let place = 0; place <= at; place++) was = isVowel(word, place, was);
	return was;
}

function endsInDouble(word: string): boolean {
	const last = word.length - 1;
	return last > 0 && word.charAt(last) === word.charAt(last - 1) && !vowelAt(word, last);
}

/** Consonant, vowel, consonant, and the last one is none of w, x and y. */
function endsShort(word: string): boolean {
	const last = word.length - 1;
	return (
		last >= 2 && !/[wxy]$/.test(word) && !vowelAt(word, last) && vowelAt(word, last - 1) && !vowelAt(word, last - 2)
	);
}
