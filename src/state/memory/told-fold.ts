/**
 * Sentences by which the user told something of their life, for sessions of talk: people and names, preferences, appointments,
 * promises, open questions. Chosen by form and bounded by weight, so that a fact of the first day outlives a month of small talk.
 * A sentence is kept as it was said; whether later words replaced it is decided where it is shown.
 */
import { emptyRecent, getRecent, putRecent, type Recent } from "../../log/fold/keyed.ts";
import type { StateFold } from "../../log/fold/state-fold.ts";
import { handleOf } from "../../log/handle.ts";
import { stripRecalled } from "../../message/recall-tags.ts";
import { userWords } from "../../message/user-words.ts";
import { messageText, viewMessage } from "../../message/view.ts";
import { correctionIn, isDistinct } from "../thread/corrections.ts";
import { isPromise, isQuestion, setsRule } from "../thread/cues.ts";
import { asksForWork } from "../thread/requested-work.ts";
import { sentencesOf } from "../thread/sentences.ts";
import { proseOf } from "../thread/user-prose.ts";
import { asksToRemember, isPreference } from "./durable/lasting-cues.ts";

export type ToldKind = "fact" | "wish" | "date" | "promise" | "correction";

export interface ToldSentence {
	readonly kind: ToldKind;
	/** Word for word. */
	readonly text: string;
	readonly handle: string;
	readonly seq: number;
	/** ms since the epoch. */
	readonly ts: number;
	readonly weight: number;
}

export interface ToldState {
	/** By session, the oldest sentence first. */
	sessions: Recent<ToldSentence[]>;
}

const MAX_SESSIONS = 64;
/** Above it the lightest quarter is dropped at once, the oldest of the same weight first. */
const MAX_SENTENCES = 400;
const MAX_PROSE_CHARS = 6_000;
const [MIN_CHARS, MAX_CHARS] = [10, 280];

export const toldFold: StateFold<ToldState> = {
	name: "told",
	version: 1,
	initial: () => ({ sessions: emptyRecent() }),
	step(state, record) {
		if (record.type !== "Message" || record.payload["role"] !== "user") return;
		const view = viewMessage(record.payload);
		if (view.injected) return;
		const prose = proseOf(userWords(stripRecalled(messageText(view)), record.host));
		if (prose.length > MAX_PROSE_CHARS) return;
		const handle = handleOf(record);
		const { seq, ts, session } = record;
		const found = sentencesOf(prose).flatMap((text, at, all): ToldSentence[] => {
			const lead = all[at - 1] ?? "";
			const rated = rate(text, /[:：]$/.test(lead) && asksToRemember(lead));
			return rated ? [{ ...rated, text, handle, seq, ts }] : [];
		});
		if (found.length === 0) return;
		const known = getRecent(state.sessions, session) ?? [];
		const said = new Set(found.map(({ text }) => text));
		const all = [...known.filter(({ text }) => !said.has(text)), ...found];
		putRecent(state.sessions, session, all.length > MAX_SENTENCES ? heaviest(all) : all, MAX_SESSIONS);
	},
};

export function toldIn({ sessions }: ToldState, session: string): readonly ToldSentence[] {
	return getRecent(sessions, session) ?? [];
}

function heaviest(told: readonly ToldSentence[]): ToldSentence[] {
	const most = Math.floor(MAX_SENTENCES * 0.75);
	const kept = new Set(told.toSorted((one, other) => other.weight - one.weight || other.seq - one.seq).slice(0, most));
	return told.filter((each) => kept.has(each));
}

/** Words between letters of any script. */
function words(...sources: readonly string[]): RegExp {
	return new RegExp(`(?<!\\p{L})(?:${sources.join("|")})(?!\\p{L})`, "iu");
}

/** The user, and those who belong to them. */
const OWN = new RegExp(
	[
		words(
			"i|i['’](?:m|ve|ll|d)|me|my|mine|we|we['’](?:re|ve|ll)|us|our",
			"mum|mom|mother|dad|father|grand(?:ma|pa|mother|father|parents)|sister|brother|wife|husband|son|daughter|aunt|uncle|cousin",
			"ich|mir|mich|mein\\p{L}*|wir|uns|unser\\p{L}*|mama|mutter|papa|vater|oma|opa|schwester|bruder|frau|mann|sohn|tochter",
			"yo|mí|mis?|me|nosotros|nuestr\\p{L}+|mamá|papá|abuel[oa]|herman[oa]|espos[oa]|hij[oa]",
			"je|moi|mon|ma|mes|nous|notre|nos|maman|grand-(?:mère|père)|sœur|frère|femme|mari|fils|fille",
			"io|mi[oaei]i?|noi|nostr\\p{L}+|eu|meus?|minhas?|nós|noss\\p{L}+|ik|mij|mijn|wij|onze?|я|мне|мо[йяи]|мы|наш\\p{L}*",
		).source,
		"(?<!\\p{L})j['’]|私|僕|俺|うち|我们|咱们|我|나는|저는|내가|제가|우리|[내제] ",
	].join("|"),
	"iu",
);

/** How things are, not what happened once. */
const LASTING = new RegExp(
	[
		words(
			"is|are|am|was born|were born|lives?|works?|stud(?:y|ies)|has|have|own(?:s|ed)?|called|named|hates?|loves?|likes?|takes?|drinks?|eats?|speaks?|plays?|wears?|costs?|belongs?|runs? out|expires?|ends?|begins?|starts?|opens?|closes?|moved? (?:to|in)|owes?|booked|allergic|favou?rite|usually|always|never",
			"ist|sind|bin|heiß(?:t|e|en)|wohn(?:t|e|en)|arbeite[nt]?|hat|habe|haben|mag|hass(?:t|e)|lieb(?:t|e)|spielt?|trink(?:t|e)|kostet|gehört|läuft ab|beginnt|zieht|gebucht|geboren",
			"es|son|soy|está|vive|vivo|trabaj[ao]|tiene|tengo|se llama|me llamo|odi[ao]|gusta|cuesta|empieza|termina|nació|reservad[oa]",
			"est|sont|suis|habite|travaille|ai|s['’]appelle|m['’]appelle|déteste|adore|aime|coûte|commence|finit|née?|réservée?",
			"è|sono|vive|lavora|ha|ho|si chiama|mora|trabalha|tem|tenho|woont|werkt|heet|heeft|живёт|живет|работает|зовут|любит|ненавидит",
		).source,
		"['’](?:s|m|re)(?!\\p{L})|です|ます|だ。|である|いる|住んで|是|叫|住在|喜欢|讨厌|入|이다|입니다|살아|좋아|싫어",
	].join("|"),
	"iu",
);

const DATE = new RegExp(
	[
		"\\d{1,2}[:.]\\d{2}(?!\\d)|\\d{4}-\\d{2}-\\d{2}|\\d{1,2}[./]\\d{1,2}[./]|(?<!\\d)\\d{1,2}(?:st|nd|rd|th)(?!\\p{L})|\\d{1,2} ?(?:am|pm|Uhr|h)(?!\\p{L})",
		words(
			"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|june|july|august|september|october|november|december|(?:\\d{1,2}|in|since|until|by) may|tomorrow|tonight|next (?:week|month|year|spring|summer|autumn|fall|winter)|birthday|anniversary|appointment|deadline",
			"montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|januar|februar|märz|juni|juli|oktober|dezember|morgen|übermorgen|nächste[ns]? \\p{L}+|geburtstag|termin",
			"lunes|martes|miércoles|jueves|viernes|sábado|domingo|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|mañana|cumpleaños|cita",
			"lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|demain|anniversaire|rendez-vous",
		).source,
		"\\d+月|\\d+日|曜日|明日|来週|誕生日|予約|明天|下周|星期|生日|내일|다음 ?주|요일|생일",
	].join("|"),
	"iu",
);

/** Promised, owed, or still to be decided. */
const OPEN = new RegExp(
	[
		words(
			"(?:i|we) (?:promised?|owe|must|have to|need to|still)|i['’]ll|we['’]ll|remind me|don['’]t let me forget|not (?:sure|decided) yet|still (?:have|need|open|to)|to[- ]do|should we",
			"versprochen|verspreche|schulde|muss noch|müssen noch|noch (?:offen|nicht entschieden|zu)|erinnere? mich",
			"promet[ií]|debo|tengo que|tenemos que|todavía|recuérdame|promis|je dois|nous devons|encore à|rappelle-moi",
		).source,
		"約束|まだ決め|しなきゃ|答应|还没|得去|提醒我|약속|아직|해야",
	].join("|"),
	"iu",
);

/** A word with a capital inside a sentence. */
const NAME = /(?<=[\p{L},] )\p{Lu}\p{Ll}+|\p{Script=Katakana}{3,}/u;
const THANKS = words("thanks?|thank you|thx|danke|gracias|merci|grazie|obrigad\\p{L}|hello|hi|hey|hallo|hola|bonjour");
const MIN_WEIGHT = 1.5;

/** Undefined: the sentence tells nothing that is worth keeping. `isLed`: "Remember:" is before it. */
function rate(sentence: string, isLed: boolean): Pick<ToldSentence, "kind" | "weight"> | undefined {
	if (sentence.length < MIN_CHARS || sentence.length > MAX_CHARS || isQuestion(sentence)) return undefined;
	const isMarked = isLed || asksToRemember(sentence);
	const isWish = isPreference(sentence) || setsRule(sentence);
	if (!isMarked && !isWish && (asksForWork(sentence) || (THANKS.test(sentence) && !OWN.test(sentence))))
		return undefined;
	const [isOwn, isLasting, isDated, isOpen] = [OWN, LASTING, DATE, OPEN].map((form) => form.test(sentence));
	const isCorrection = correctionIn(sentence) !== undefined;
	const weight =
		(isMarked ? 4 : 0) +
		(isWish ? 3 : 0) +
		(isOpen || isPromise(sentence) ? 2 : 0) +
		(isCorrection ? 1.5 : 0) +
		(isOwn && isLasting ? 2 : isOwn || isLasting ? 0.5 : 0) +
		(isDated ? 1.5 : 0) +
		(sentence.split(/\s+/).some(isDistinct) ? 1 : 0) +
		(NAME.test(sentence) ? 0.75 : 0);
	if (weight < MIN_WEIGHT) return undefined;
	if (isWish) return { kind: "wish", weight };
	if (isCorrection) return { kind: "correction", weight };
	if (isOpen) return { kind: "promise", weight };
	return { kind: isDated ? "date" : "fact", weight };
}
