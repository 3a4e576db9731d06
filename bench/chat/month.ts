/**
 * A month of somebody's talk with an agent, made from a seed: 50 turns a day in a few sittings, small talk for the most part,
 * and thirty facts, each told once and asked for later. No question and no answer repeats the words that tell a fact.
 */
import { random } from "../corpus.ts";
import { itemAt } from "../measure.ts";

export interface TalkTurn {
	readonly prompt: string;
	readonly answer: string;
	/** Time since the turn before. */
	readonly pauseMs: number;
	/** A fact that this turn asks for, how long ago it was told, and what holds by then. */
	readonly asks?: Question | undefined;
}

export interface Question {
	readonly fact: PlantedFact;
	readonly after: Age;
	readonly value: string;
	/** Held once, and was replaced. */
	readonly stale?: string | undefined;
}

export interface PlantedFact {
	readonly said: string;
	readonly question: string;
	/** Words of the fact that occur nowhere else. */
	readonly value: string;
	/** Told later, and from then on the fact. */
	readonly then?: { readonly said: string; readonly value: string; readonly stale: string } | undefined;
}

/** In turns since the fact was told; end: after the last turn of the month. */
export type Age = "60" | "390" | "end";

const MINUTE_MS = 60_000;
const TURNS_A_SITTING = 5;
const SITTINGS_A_DAY = 10;
const FIRST_FACT_AT = 20;
/** Two weeks. */
const TURNS_UNTIL_CHANGED = 700;

export function* month(turns: number, { seed = 33, facts = FACTS } = {}): Generator<TalkTurn> {
	const talk = new SmallTalk(seed);
	const tellAt = new Map<number, Pick<Question, "fact" | "value"> & { readonly said: string }>();
	const askAt = new Map<number, Pick<Question, "fact" | "after">>();
	const isFree = (at: number) => !tellAt.has(at) && !askAt.has(at);
	const firstFree = (from: number) => {
		let at = from;
		while (!isFree(at)) at++;
		return at;
	};
	const step = Math.max(1, Math.floor((turns - FIRST_FACT_AT) / facts.length));
	for (const [nth, fact] of facts.entries()) tellAt.set(FIRST_FACT_AT + nth * step, { ...fact, fact });
	for (const [at, { fact }] of [...tellAt]) {
		if (fact.then) tellAt.set(firstFree(at + TURNS_UNTIL_CHANGED), { ...fact.then, fact });
		for (const after of ["60", "390"] as const) askAt.set(firstFree(at + Number(after)), { fact, after });
	}
	const changed = new Set<PlantedFact>();
	const ask = (fact: PlantedFact, after: Age): Question => {
		const { value, stale } = fact.then && changed.has(fact) ? fact.then : { ...fact, stale: undefined };
		return { fact, after, value, stale };
	};
	for (let nth = 0; nth < turns; nth++) {
		const pauseMs = pauseBefore(nth);
		if (nth % TURNS_A_SITTING === 0) talk.changeTopic();
		const [tells, asks] = [tellAt.get(nth), askAt.get(nth)];
		if (tells?.said === tells?.fact.then?.said && tells) changed.add(tells.fact);
		if (tells) yield { prompt: `${talk.words(1)} ${tells.said}`, answer: `Noted. ${talk.words(2)}`, pauseMs };
		else if (asks)
			yield {
				prompt: asks.fact.question,
				answer: `Let me think. ${talk.words(3)}`,
				pauseMs,
				asks: ask(asks.fact, asks.after),
			};
		else yield { prompt: talk.words(5), answer: talk.words(20), pauseMs };
	}
	for (const fact of facts)
		yield { prompt: fact.question, answer: "Let me think.", pauseMs: MINUTE_MS, asks: ask(fact, "end") };
}

function pauseBefore(nth: number): number {
	if (nth % (TURNS_A_SITTING * SITTINGS_A_DAY) === 0) return 10 * 60 * MINUTE_MS;
	return nth % TURNS_A_SITTING === 0 ? 80 * MINUTE_MS : MINUTE_MS;
}

export const fact = (said: string, question: string, value: string): PlantedFact => ({ said, question, value });

/** `stale`: words of the first telling that hold no longer once the second was said. */
export const changed = (
	said: string,
	then: { readonly said: string; readonly value: string; readonly stale: string },
	question: string,
	value: string,
): PlantedFact => ({ said, question, value, then });

/** People, preferences, appointments, corrections, promises and open questions. */
export const FACTS: readonly PlantedFact[] = [
	fact("My sister Mara was born on 14 May.", "When is my sister's birthday?", "14 May"),
	fact("Remember that I am allergic to hazelnuts.", "What am I allergic to?", "hazelnuts"),
	fact("The dentist is on Tuesday the 17th at 9:40.", "When is my dentist appointment?", "9:40"),
	fact("My landlord is called Osvaldo Brandt.", "What is the name of my landlord?", "Osvaldo"),
	fact("I prefer answers in short sentences, without emoji.", "How do I prefer your answers?", "without emoji"),
	fact("Our wifi password is kestrel-harbour-92.", "What is the wifi password?", "kestrel-harbour-92"),
	fact("My blood type is AB negative.", "Which blood type do I have?", "AB negative"),
	fact("Please remember that Jonas hates coriander.", "Which herb does Jonas hate?", "coriander"),
	fact("I promised Priya to return her tripod by Friday.", "What did I promise Priya?", "tripod"),
	fact("The vet of our dog Biscuit is Doctor Hallgren.", "Who is the vet of Biscuit?", "Hallgren"),
	fact("My passport runs out in November 2027.", "When does my passport expire?", "November 2027"),
	fact("No, Mara's husband is not Tom, he is called Tobias.", "What is Mara's husband called?", "Tobias"),
	fact("I take the 7:12 train to the office.", "Which train do I take to the office?", "7:12"),
	fact("My shoe size is 43.5 these days.", "What is my shoe size?", "43.5"),
	fact("Grandmother lives in Villefranche now.", "Where does grandmother live?", "Villefranche"),
	fact("We still have to decide who feeds the tortoise in August.", "What is still open for August?", "tortoise"),
	fact("The code of the bicycle lock is 6518.", "What is the code of my bicycle lock?", "6518"),
	fact("My favourite tea is lapsang souchong.", "What is my favourite tea?", "lapsang"),
	fact("The parents' evening at school moved to the 23rd.", "When is the parents' evening?", "23rd"),
	fact("My new colleague is called Ngozi and sits beside me.", "Who is my new colleague?", "Ngozi"),
	fact("Remember: the spare key is with Mrs Pellegrini.", "Who has the spare key?", "Pellegrini"),
	fact("I would like to learn the bandoneon.", "Which instrument would I like to learn?", "bandoneon"),
	fact("Our anniversary dinner is booked at the Saffron Lantern.", "Where is our anniversary dinner?", "Saffron"),
	fact("I never drink coffee after 15:30.", "Until when do I drink coffee?", "15:30"),
	fact("My cousin Elif works as a glaciologist.", "What does my cousin Elif do for work?", "glaciologist"),
	fact("The car goes to inspection on the 29th at Kowalczyk's.", "Where does the car go for inspection?", "Kowalczyk"),
	fact("Our holiday flat in June is number 12C.", "What is the number of our holiday flat?", "12C"),
	fact("I owe Samir 38 euros for the concert.", "How much do I owe Samir?", "38 euros"),
	fact("My insurance number ends in 77409.", "How does my insurance number end?", "77409"),
	fact("Please always call me Kit, not Christopher.", "What should you call me?", "call me Kit"),
];

const PEOPLE =
	"the neighbours|my uncle|a friend from school|the children|our team|the baker|her boss|the coach|an old teacher".split(
		"|",
	);
const DEEDS =
	"talked about|laughed at|repaired|painted|forgot|found|borrowed|praised|moved|cleaned|sold|photographed|described|looked for|complained about|measured|wrapped|auctioned|rehearsed|translated|decorated|smuggled|postponed|inherited|invented|collected|planted|polished|burnt|rescued".split(
		"|",
	);
const KINDS =
	"old|green|noisy|wooden|tiny|famous|broken|expensive|second-hand|friendly|strange|heavy|quiet|bright|crooked|salty|striped|frozen|velvet|hollow|golden|dusty|fragrant|narrow|slippery|portable|circular|rusty|woollen|transparent".split(
		"|",
	);
const THINGS =
	"fence|table|film|radio|match|stall|bookshelf|coat|bus stop|pool|window|ladder|piano|map|pumpkin|staircase|museum|bridge|quilt|lamp|novel|song|recipe|podcast|balcony|puzzle|kite|canoe|mirror|carpet|telescope|orchard|violin|lighthouse|compost|thermos|bonfire|aquarium|chandelier|trumpet|greenhouse|sledge|typewriter|hammock|windmill|sculpture|marathon|beehive|submarine|tapestry|volcano|carousel|observatory|vineyard|accordion|waterfall|parade|circus|dictionary|tournament".split(
		"|",
	);
const PLACES =
	"on the square|by the river|behind the station|at the library|in the cellar|near the park|upstairs|at the harbour|in the old town|on the ferry".split(
		"|",
	);
const TIMES =
	"this morning|yesterday|last weekend|after lunch|during the storm|a while ago|before breakfast|on the way home|in the evening".split(
		"|",
	);
const SYLLABLES = "bal cor den fir gul han jor kel lun mir nor pel qui ras sol tam vur wen xan zol".split(" ");

/** What one sitting is about: a few things, and names that come up in no other. */
interface Topic {
	readonly who: readonly string[];
	readonly deed: readonly string[];
	readonly kind: readonly string[];
	readonly thing: readonly string[];
	readonly name: readonly string[];
}
type Choose = (from: readonly string[]) => string;
const SHAPES: readonly ((pick: Choose, topic: Topic) => string)[] = [
	(pick, { who, deed, kind, thing }) =>
		`${capital(pick(TIMES))} ${pick(who)} ${pick(deed)} the ${pick(kind)} ${pick(thing)} ${pick(PLACES)}.`,
	(pick, { name, deed, thing }) => `${pick(name)} ${pick(deed)} a ${pick(thing)} in ${pick(name)}, of all places.`,
	(pick, { who, kind, thing }) =>
		`The ${pick(thing)} ${pick(PLACES)} looked ${pick(kind)}, and ${pick(who)} noticed it ${pick(TIMES)}.`,
	(pick, { who, deed, thing, name }) => `In ${pick(name)} ${pick(who)} ${pick(deed)} every ${pick(thing)} there was.`,
	(pick, { kind, thing, name, deed }) =>
		`Have you heard of the ${pick(kind)} ${pick(thing)} that ${pick(name)} ${pick(deed)} ${pick(TIMES)}?`,
];

class SmallTalk {
	readonly #next: () => number;
	#topic: Topic;

	constructor(seed: number) {
		this.#next = random(seed);
		this.#topic = this.#makeTopic();
	}

	changeTopic(): void {
		this.#topic = this.#makeTopic();
	}

	words(sentences: number): string {
		return Array.from({ length: sentences }, () => this.#pick(SHAPES)((of) => this.#pick(of), this.#topic)).join(" ");
	}

	#makeTopic(): Topic {
		const some = (from: readonly string[], count: number) => Array.from({ length: count }, () => this.#pick(from));
		return {
			who: some(PEOPLE, 3),
			deed: some(DEEDS, 5),
			kind: some(KINDS, 5),
			thing: some(THINGS, 5),
			name: Array.from({ length: 5 }, () => capital(some(SYLLABLES, 3).join(""))),
		};
	}

	#pick<Item>(of: readonly Item[]): Item {
		return itemAt(of, Math.floor(this.#next() * of.length));
	}
}

function capital(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
