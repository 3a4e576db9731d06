/** Search terms of a text, and the text of an item for the index. */
import { identifierParts, indexedText, spread } from "../../../log/search/words.ts";
import type { RecallItem } from "./item-index.ts";

/**
 * Words that say nothing about a subject. Grammar words are never searched for. Ordinary work words ("fix", "file") are,
 * but finding them proves little.
 */

const GRAMMAR = [
	// English
	"a an the and or but if of to in on at by for with from as is are was were be been being am do does did done doing have",
	"has had having i you he she it we they me him her us them my your his its our their this that these those there here",
	"what which who whom whose when where why how can could will would shall should may might must not no nor so than then",
	"too very just about into over under again also any some all each both more most other such own same s t d m ll re ve don",
	"up out off down let lets yes ok okay please thanks thank now still yet ever never only really maybe quite",
	// German, French, Spanish, Portuguese, Italian
	"der die das den dem des ein eine einen einem einer und oder aber wenn ist sind war waren sein hat haben ich du er sie es",
	"wir ihr mich dich mir dir uns nicht kein keine mit von zu zum zur im am auf aus bei nach vor wie was wer wo wann warum",
	"auch noch nur schon mal bitte danke ja nein doch dann jetzt",
	"le la les un une des du et ou mais si est sont je tu il elle nous vous ils elles ne pas que qui quoi dans sur pour avec",
	"par ce cette ces mon ma mes ton ta tes son sa ses au aux oui non merci plus",
	"el los las una unos unas y o pero es son yo ella ellos no de que en con por para como cuando donde lo se su sus mi tu",
	"gracias si ya muy todo esta este eso",
	"os uma uns umas e mas eu ele ela nos eles elas nao com por para como quando onde isso este obrigado sim",
	"il lo gli i di che non per come quando dove questo quello grazie anche piu",
	// Russian
	"и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из",
	"ему когда даже ну ли если или это этот спасибо пожалуйста",
];

const ORDINARY = [
	"add answer ask back best better bit build call change check code come continue create day delete description different do",
	"easy error example explain feature few file files find first fix full function get give go good great hard help idea issue keep",
	"kind know last later like line list little long look lot make many mean much name need new next nice number old one open",
	"option part people place plan point possible problem project put question read ready real remove right run same save say",
	"see set short show side simple small some something start step stop sure take tell test tests thing think time today",
	"together tomorrow top try turn two type update use user using value version want way week well word work working write",
	"wrong year yesterday",
	"branch broken bug button class component crash data diff directory fail folder library log method module output",
	"package page pass path repo repository request result review script server service setting string table variable warning",
	"able above actually after ago agree ahead allow almost alone along already although always amazing another appear around",
	"away awesome bad because become before begin behind believe below beside between big both bring busy buy can care carry",
	"case catch center certain child choose clean clear close cold color common complete confused consider cool correct could",
	"cost cover cut deal decide deep definitely difference draw drop during each early either else end enjoy enough entire",
	"especially even evening every everyone everything everywhere exactly except excited expect face fact fair fall far fast",
	"feel fill final finally fine finish follow force forget free friend front fun further future general glad guess half hand",
	"happen happy head hear hello here hi high hold home hope hour however huge hurry imagine important include inside instead",
	"interesting join joke kid large late laugh learn least leave left less level life light live local lose love low luck main",
	"major matter meet middle mind minor minute miss moment money month morning move must near nearly neat necessary next night",
	"none normal note nothing notice obvious often once order otherwise outside own pain pair particular past pay perfect",
	"perhaps pick play pleasant plenty power pretty probably proper proud prove pull push quick quickly quiet rather reach",
	"reason recent recently remember repeat rest return round sad safe second seem send sense separate serious several share",
	"similar simply since single sit situation size slow slowly smart somehow someone soon sorry sort sound space speak special",
	"spend stay still story strange strong stuff such suggest support suppose surprise talk teach term thin though thought",
	"through throw tiny toward travel true trust truth twice understand understood unless until usual usually view visit wait",
	"walk warm watch wear whatever while white whole wide win wish within without wonder wonderful world worry worse worst",
	"worth yeah young",
];

const grammar = new Set(GRAMMAR.join(" ").split(" "));
const ordinary = new Set(ORDINARY.join(" ").split(" "));

const ENDINGS = [/$/, /s$/, /es$/, /d$/, /ed$/, /ing$/, /er$/];

function isGrammar(word: string): boolean {
	return grammar.has(word);
}

export function isOrdinary(word: string): boolean {
	return ENDINGS.some((ending) => ordinary.has(word.replace(ending, "")));
}

/** A message may be a pasted file. */
const MAX_READ_CHARS = 20_000;
const MAX_WORD_CHARS = 60;
const WORD = /[\p{L}\p{N}]+/gu;
const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** Distinct terms in lower case, in order: words, parts of identifiers, pairs of CJK characters. */
export function termsOf(text: string, { stopWords = true } = {}): readonly string[] {
	const terms = new Set<string>();
	const add = (word: string) => {
		const term = word.toLowerCase();
		if (term.length > MAX_WORD_CHARS || (stopWords && isGrammar(term))) return;
		terms.add(term);
	};
	for (const [word] of spread(text.slice(0, MAX_READ_CHARS), { open: true }).matchAll(WORD)) {
		add(word);
		const parts = identifierParts(word);
		if (parts.length > 1) for (const part of parts) add(part);
	}
	return [...terms];
}

/** The text to index. With `about`: also heading, day and paths. */
export function indexedItem(item: RecallItem, { about = true } = {}): string {
	const text = about
		? `${item.text}\n${item.heading} ${dayWords(item.date)} ${(item.paths ?? []).join(" ")}`
		: item.text;
	return indexedText(text);
}

/** Ways in which people write a day. In UTC, so that the bytes are the same everywhere. */
function dayWords(ms: number | undefined): string {
	if (ms === undefined || !Number.isFinite(ms)) return "";
	const date = new Date(ms);
	if (Number.isNaN(date.getTime())) return "";
	return `${date.toISOString().slice(0, 10)} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${DAYS[date.getUTCDay()]}`;
}
