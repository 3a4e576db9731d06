/**
 * Corrections in the user's words: "8443 now, not 7443". Read by the form of the sentence, in several languages. Only the old
 * and the new value matter, so a form that is not known here costs nothing but the mark on older sentences.
 */

interface ValueChange {
	readonly wrong: string;
	readonly right: string;
}

/** One value: quoted, a token of a program, or up to three words. */
const QUOTED = String.raw`["'\x60“„«「『][^"'\x60”“»」』\n]{1,80}["'\x60”“»」』]`;
const WORDS = String.raw`[\p{L}\p{N}@#$/][\p{L}\p{N}@#$%+_./:\\-]*(?: [\p{L}\p{N}@#$/][\p{L}\p{N}@#$%+_./:\\-]*){0,3}`;
const VALUE = `(?:${QUOTED}|${WORDS})`;
const CJK = String.raw`["'\x60「『“]?[\p{L}\p{N}@#$%+_./:\\-]{1,40}["'\x60」』”]?`;

/**
 * A form, and words that a sentence must have for it. The words are looked for first: V8 compiles an expression when it first
 * runs, which takes a millisecond or more for one of these.
 */
type CorrectionForm = readonly [words: RegExp, form: RegExp];

const formOf = ([words, source]: readonly [words: RegExp, source: string]): CorrectionForm => [
	words,
	new RegExp(source, "iu"),
];

/** The right value first. */
const RIGHT_FIRST = (
	[
		[
			/ not /iu,
			`(${VALUE})(?: now| instead| from now on)?(?:,| and|;| –| —) not (?:on |in |at |to |with |by |the )*(${VALUE})`,
		],
		[
			/instead of|rather than|in place of/iu,
			`(${VALUE})(?: now)? (?:instead of|rather than|in place of) (?:on |in |at |the )*(${VALUE})`,
		],
		[
			/nicht|statt/iu,
			`(${VALUE})(?: jetzt)?,? (?:nicht(?: mehr)?|(?:an)?statt) (?:auf |in |an |der |die |das |den )*(${VALUE})`,
		],
		[
			/en (?:vez|lugar) de|y no/iu,
			`(${VALUE})(?: ahora)?,? (?:en (?:vez|lugar) de|y no) (?:en |el |la |los |las )*(${VALUE})`,
		],
		[/au lieu de|et non/iu, `(${VALUE})(?: maintenant)?,? (?:au lieu de|et non) (?:le |la |les )*(${VALUE})`],
		[
			/maintenant|désormais|dorénavant/iu,
			`(?:maintenant|désormais|dorénavant) (${VALUE}),? (?:et )?(?:non |pas |plus (?=(?:sur|à|au|dans|chez|avec) ))(?:plus )?(?:sur |à |au |dans |en |chez |avec |le |la |les )*(${VALUE})`,
		],
		[
			/ya no|non più|não mais|niet meer|już nie|больше не|уже не/iu,
			`(${VALUE}),? (?:y |e |en |и |а |i )?(?:ya no|non più|não mais|niet meer|już nie|больше не|уже не) (?:en |por |con |su |a |con |em |no |na |op |met |w |na |в |с )*(${VALUE})`,
		],
		[/而不是/u, `(${CJK})(?:，|,)?而不是(${CJK})`],
	] as const
).map(formOf);

/** `8443, no 7443`: the words mean something else in another language, so both values must be tokens of a program. */
const TOKENS_ONLY = formOf([
	/ (?:no|pas|non|não) /iu,
	`(${VALUE}),? (?:no|pas|non|não) (?:en |el |la |le )*(${VALUE})`,
]);

/** The wrong value first. */
const WRONG_FIRST = (
	[
		[/but/iu, `not (?:on |in |at |to |the )*(${VALUE}),? but (?:rather )?(?:on |in |at |to |the )*(${VALUE})`],
		[
			/from/iu,
			`(?:switch(?:e[ds])?|change[ds]?|move[ds]?|rename[ds]?|migrate[ds]?|went|go) (?:it |this |that |the \\w+ )?from (?:the )?(${VALUE}) to (?:the )?(${VALUE})`,
		],
		[
			/drop|scrap|ditch|forget|replace|remove/iu,
			`(?:drop|scrap|ditch|forget|replaced?|remove) (?:the )?(${VALUE})(?:,| and| with|;)+ (?:use |take |go with |we use |we go with |now )*(?:the )?(${VALUE})`,
		],
		[
			/sondern/iu,
			`nicht (?:mehr )?(?:auf |in |an |der |die |das |den )*(${VALUE}),? sondern (?:auf |in |an |der |die |das |den )*(${VALUE})`,
		],
		[
			/pasa|cambi/iu,
			`(?:pasan?|pasamos|cambi\\w+) (?:\\w+ )??de (?:los |las |el |la )*(${VALUE}) a (?:los |las |el |la )*(${VALUE})`,
		],
		[/wechseln von/iu, `wechseln von (${VALUE}) (?:zu|auf) (${VALUE})`],
		[/sino/iu, `no (?:es |en |el |la )*(${VALUE}),? sino (?:en |el |la )*(${VALUE})`],
		[/pas /iu, `pas (?:le |la )*(${VALUE}),? mais (?:le |la )*(${VALUE})`],
		[/ではなく|じゃなくて|でなく/u, `(${CJK}?)(?:ではなく|じゃなくて|でなく)て?、?(${CJK})`],
		[/から/u, `(${CJK}?)から(${CJK}?)(?:に|へ)(?:変更|変え|移行|切り替え)`],
		[/不是/u, `不是(${CJK}?)(?:，|,)?而?是(${CJK})`],
		[/从/u, `从(${CJK}?)(?:改成|改为|换成|换到|切换到)(${CJK})`],
		[/아니라/u, `(${CJK}?)(?:이|가)? ?아니라 ?(${CJK})`],
		[/대신/u, `(${CJK}?) ?대신(?:에)? ?(${CJK})`],
		[/에서/u, `(${CJK}?)에서 (${CJK}?)(?:으로|로) (?:변경|바꿔|바꾸|바꿨|옮)`],
	] as const
).map(formOf);

/** Words that only look like a value. */
const NO_VALUE =
	/^(?:now|yet|just|only|sure|that|this|it|them|here|there|so|because|working|really|the|a|an|to|be|do|have|what|how|mehr|nur|ganz|so|solo|más|que|all|any|as|if|in|on|at|by|for|with|is|are|was)$/iu;

export function correctionIn(sentence: string): ValueChange | undefined {
	for (const [forms, isRightFirst] of [
		[RIGHT_FIRST, true],
		[WRONG_FIRST, false],
	] as const) {
		for (const form of forms) {
			const found = findForm(form, sentence);
			if (!found) continue;
			const [first, second] = [valueIn(found[1] ?? "", -1), valueIn(found[2] ?? "", 0)];
			const [right, wrong] = isRightFirst ? [first, second] : [second, first];
			if (wrong !== "" && right !== "" && wrong !== right && !NO_VALUE.test(wrong) && !NO_VALUE.test(right)) {
				return { wrong, right };
			}
		}
	}
	const [, right = "", wrong = ""] = findForm(TOKENS_ONLY, sentence) ?? [];
	const tokens = { right: valueIn(right, -1), wrong: valueIn(wrong, 0) };
	return isDistinct(tokens.right) && isDistinct(tokens.wrong) && tokens.right !== tokens.wrong ? tokens : undefined;
}

function findForm([words, form]: CorrectionForm, sentence: string): RegExpExecArray | null {
	return words.test(sentence) ? form.exec(sentence) : null;
}

const IS_JOINED = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u;

/** With the place of the name in the words that were found: the first after a verb, the last before one. */
const ENDED = (
	[
		[
			String.raw`\b(?:drop(?:ped)?|scrap|ditch|forget|remove[ds]?|replaced?|not|no|without|instead of|rather than|no longer \w+(?: \w+)?|not only|rid of) (?:on |in |at |to |through |the |a |an |only )*(${VALUE})`,
			0,
		],
		[
			String.raw`(${VALUE})(?: \w+)? (?:is|are|was|were|got|has been) (?:\w+ )?(?:dead|gone|retired|deleted|removed|wrong|too|obsolete|annoying|renamed|off the table)`,
			-1,
		],
		[String.raw`(${VALUE}) (?:left|doesn't exist|does not exist)`, -1],
		[
			String.raw`\b(?:kein\w*|nicht(?: mehr)?|statt|vergiss|ohne) (?:auf |in |an |durch |den |die |das |beim |zum |ein\w* )*(${VALUE})`,
			0,
		],
		[
			String.raw`(${VALUE}) (?:fliegt|ist (?:weg|tot|abgeschaltet|gestrichen|vom tisch|zu|im)|war(?:en)? falsch|gibt es nicht|heißt jetzt)`,
			-1,
		],
		[
			String.raw`(?:^|\s)(?:nada de|sin|quita(?:mos)?|olvida|en (?:vez|lugar) de|ya no (?:\w+ )?(?:por|en)|cambiamos|no) (?:en |el |la |al |por |se )*(${VALUE})`,
			0,
		],
		[String.raw`(${VALUE})(?: no,| se fue| ya no| descartad\w| estaba| está (?:muert|retirad|de)\w*)`, -1],
		[`(${CJK}?)(?:は|を)?(?:廃止|やめ|削除|退職|引退|忘れ|間違|もうない|ではなく|じゃなく|の代わり)`, -1],
		[`(?:不用|不要|不是|不再是|不再走|不存|不在|不按|不|别管|代替|从)(${CJK}?)(?=[，。了改换]|$)`, 0],
		[`(${CJK}?)(?:已经|废弃|下线|离职|去掉|不考虑|是错)`, -1],
		[
			`(${CJK}?)(?:은|는|이|가|을|를)? ?(?:폐기|삭제|취소|은퇴|퇴사|빼|잊어|말고|대신|아니라|틀렸|더 이상|이제 없|안 쓰|교체)`,
			-1,
		],
	] as const
).map(([source, at]) => [new RegExp(source, "giu"), at] as const);

/** Names that the sentence says are over. */
export function endedIn(sentence: string): string[] {
	return ENDED.flatMap(([form, at]) =>
		[...sentence.matchAll(form)].flatMap(([, phrase = ""]) => {
			const names = IS_JOINED.test(phrase) ? [valueIn(phrase, -1), phrase] : [phrase.split(" ").at(at) ?? ""];
			return names.filter((name) => name.length > 1 && !NO_VALUE.test(name));
		}),
	);
}

/** The part of a phrase that names a value: the quoted text, the token of a program, else the word beside the turn. */
function valueIn(phrase: string, at: number): string {
	const bare = phrase.replace(/^["'`“„«「『]|["'`”“»」』]$/gu, "").trim();
	if (bare !== phrase.trim()) return bare;
	// Scripts without spaces join the value to the words around it.
	const token = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u.test(bare)
		? /[\p{Script=Latin}\p{N}@#$%+_./:\\-]{2,}/u.exec(bare)?.[0]
		: undefined;
	if (token !== undefined) return token;
	const words = bare.split(" ").map((word) => word.replace(/[.,:;]+$/, ""));
	return words.find(isDistinct) ?? words.at(at) ?? "";
}

/** A token that hardly appears by chance: a number, a path, an identifier. */
export function isDistinct(word: string): boolean {
	return word.length > 1 && /\p{N}|[_./:#@$\\-](?=.)|\p{Ll}\p{Lu}/u.test(word);
}

/** A token that names one thing wherever it appears. A short number does not. */
export function isUnmistakable(word: string): boolean {
	return (
		word.length >= 4 &&
		isDistinct(word) &&
		!/^\p{N}{1,3}[^\p{L}\p{N}]?\p{L}{0,8}$/u.test(word) &&
		/\p{L}|\p{N}{4}|\./u.test(word)
	);
}

const LETTER = /[\p{L}\p{N}_]/u;

/** Whether the text has the value as a word of its own. */
export function hasValue(text: string, value: string): boolean {
	const [where, what] = [text.toLowerCase(), value.toLowerCase()];
	const isSpaced = !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(what);
	for (let at = where.indexOf(what); at !== -1; at = where.indexOf(what, at + 1)) {
		if (!isSpaced) return true;
		const [before = "", after = ""] = [where[at - 1], where[at + what.length]];
		if (isEdge(before) && isEdge(after)) return true;
	}
	return false;
}

/** Scripts without spaces may follow a number at once. */
function isEdge(char: string): boolean {
	return !LETTER.test(char) || /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(char);
}
