/** The words of a sentence that say what it is about, in a form that two sentences can be compared by. */

const WORD = /[\p{Script=Latin}\p{Script=Cyrillic}\p{N}_/][\p{Script=Latin}\p{Script=Cyrillic}\p{M}\p{N}_./:@#'’-]*/gu;
/** Scripts that join words to each other or to their endings. The letters of Japanese grammar are left out. */
const RUN = /\p{Script=Han}+|[\p{Script=Katakana}ー]{2,}|\p{Script=Hangul}+/gu;
/** Endings of Korean words. */
const PARTICLES =
	/(?:에서는|에서|으로|에는|까지|부터|이라고|라고|마다|보다|처럼|이야|이어야|여야|입니다|합니다|한다|하자|해줘|해야|하고|이고|은|는|이|가|을|를|에|로|의|와|과|도|만|씩)$/u;

const COMMON = new Set(
	[
		"btw fyi psst übrigens today called named name the and for you not now use used uses with that this from are can may never always must don rule again please pls forget about any more",
		"our when its it's was were will would should shall have has had get got gets one all only every each than then rather instead actually",
		"sorry correction meant wrong back after let's lets want make makes made stay stays keep just also but into per yet still there they them",
		"too very your who what which how did does didn't doesn't isn't don't dont no longer anymore over under out off on in at to of by be is it we i a an as or so if do go up us me my",
		"und der die das den dem des ein eine einen nicht immer nie mehr wieder ist sind wird werden wurde soll sollen muss müssen darf kann jetzt nun doch statt sondern nur kein keine",
		"mit für auf von vom zum zur aus bei bitte im am zu sein heißt heisst wir ich sie uns mir dir als wie auch noch schon hier dort lieber ab sofort heißt bleibt bleiben kommt kommen nimm nehmen nutzen",
		"los las el la lo un una unos unas que con sin por para del al de en y o no ya nunca siempre es son era está están ser se le les su sus más muy ahora mejor vez lugar sino aquí usa usamos usar",
		"vamos hay ha han este esta eso nada solo llama llaman tiene tienen puede puedes queda al final otra tras cada",
	]
		.join(" ")
		.split(" "),
);
const COMMON_WORDS = new Set(
	"现在 我们 不是 而是 可以 应该 这个 一个 就用 不用 不要 已经 还是 改成 改为 以后 不再 使用 继续 保留 両方 変更 今後 必要 禁止 使用 絶対 必ず 前 日 月 年 分 秒 時 回 個 件 行 位 个 天 次 了 用 是 在 有 不 的 和 我 你 都 要 也 就 能 会 把 被 从 到 走 이제 절대 하지 대신 항상 반드시 사용 금지 변경 말고 말 마 것 수 다시 아니라 더 이상 안 꼭".split(
		" ",
	),
);
const ENDINGS = /(?:ungen|ieren|iert|ings?|ions?|ados?|adas?|amos|emos|ed|es|en|er|em|st|os|as|ar|te|s|e|n|t|a|o)$/u;
const MIN_STEM_CHARS = 4;

/** The terms of a sentence, with the characters that each takes. */
export interface Wording {
	readonly terms: ReadonlySet<string>;
	readonly spans: readonly TermSpan[];
}

/** Pairs of characters overlap; everything else follows one another. */
interface TermSpan {
	readonly term: string;
	readonly from: number;
	readonly to: number;
}

export function termsOf(text: string): Set<string> {
	return new Set(wordingOf(text).terms);
}

export function wordingOf(text: string): Wording {
	const spans: TermSpan[] = [];
	const lower = text.toLowerCase();
	let at = 0;
	const add = (term: string, from = at) => {
		at = Math.max(at, from + term.length);
		if (!COMMON_WORDS.has(term)) spans.push({ term, from, to: from + term.length });
	};
	for (const [found] of lower.matchAll(WORD)) {
		const start = at;
		for (const [place, word] of partsOf(bare(found)).entries()) {
			if (word.length < 2 && !/\p{N}/u.test(word)) continue;
			// The parts of a joined word lie inside it.
			if (!COMMON.has(word)) add(isValue(word) ? word : stemOf(word), place === 1 ? start : at);
		}
	}
	for (const [run] of lower.matchAll(RUN)) {
		const words = /\p{Script=Han}/u.test(run)
			? run.split(HAN_GRAMMAR)
			: [/\p{Script=Hangul}/u.test(run) ? run.replace(PARTICLES, "") || run : run];
		for (const word of words) {
			const start = at;
			for (const [place, pair] of pairsOf(word).entries()) add(pair, start + place);
		}
	}
	return { terms: new Set(spans.map(({ term }) => term)), spans };
}

/** How many words the terms are: those that overlap are parts of one. */
export function wordCount({ spans }: Wording): number {
	return spans.filter(({ from }, at) => spans.slice(0, at).every(({ to }) => to <= from)).length;
}

/**
 * How much of a sentence the other's terms make up, `without` some. Long words weigh more: those of grammar are short in every
 * language.
 */
export function sharedPart(
	{ terms, spans }: Wording,
	other: ReadonlySet<string>,
	without: ReadonlySet<string> = new Set(),
): number {
	const own = spans.filter(({ term }) => !without.has(term));
	const chars = coveredChars(own, terms);
	return chars === 0 ? 0 : coveredChars(own, other) / chars;
}

function coveredChars(spans: readonly TermSpan[], terms: ReadonlySet<string>): number {
	let [covered, end] = [0, 0];
	for (const { term, from, to } of spans) {
		if (!terms.has(term)) continue;
		covered += Math.max(0, to - Math.max(from, end));
		end = Math.max(end, to);
	}
	return covered;
}

/** The values among the terms: numbers and names of programs. */
export function valuesOf(text: string): Set<string> {
	const values = [...text.matchAll(WORD)].map(([word]) => bare(word.toLowerCase()));
	return new Set([...values.filter(isValue), ...(text.toLowerCase().match(NUMERALS) ?? [])]);
}

/** Small numbers in words, with a mark that keeps them from being part of another word. */
const NUMERALS =
	/\b(?:two|three|four|five|six|seven|eight|nine|ten|twice|zwei|drei|vier|fünf|sechs|(?:zwei|drei|fünf)mal|dos|tres|cuatro|cinco|seis)\b|[一二三四五六七八九十两](?=[回次つ步段张個个])|(?:두|세|네|다섯|여섯)(?= (?:번|개|단계))/gu;

function isValue(word: string): boolean {
	return /\p{N}|_|\p{L}[./:#@-]\p{L}|^\/\p{L}/u.test(word);
}

/** A word without the signs after it. */
function bare(word: string): string {
	return word.replaceAll("’", "'").replace(/[./:@#'-]+$/, "");
}

/** `uploader-timeout`: two words that are written as one. */
function partsOf(word: string): string[] {
	return /^\p{L}+(?:-\p{L}+)+$/u.test(word) ? [word, ...word.split("-")] : [word];
}

/** Characters of Chinese grammar, which are in every sentence. */
const HAN_GRAMMAR = /[的了是在有不和我你们都要也就能会把被从到再改用]/u;

/** Scripts that join words have no borders between them: two characters are a word, more are read as pairs. */
function pairsOf(words: string): string[] {
	const characters = [...words];
	if (characters.length <= 2 || !/[\p{Script=Han}\p{Script=Hangul}]/u.test(words)) return words === "" ? [] : [words];
	return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

function stemOf(word: string): string {
	const one = word.length >= MIN_STEM_CHARS ? word.replace(/(?<=[^s'])'?s$/, "") : word;
	const stem = one.replace(ENDINGS, "");
	return (stem.length >= MIN_STEM_CHARS ? stem : one).slice(0, 7);
}

export function sharedCount(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
	let count = 0;
	for (const term of one) if (other.has(term)) count++;
	return count;
}

const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u;

/** How many words a term is: scripts without spaces write several as one. */
export function wordsInTerm(term: string): number {
	return UNSPACED.test(term) ? Math.max(1, Math.floor([...term].length / 2)) : 1;
}
