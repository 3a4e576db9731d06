/**
 * Thirty facts told as people really talk: half sentences, several languages, a fact inside a longer story, names with typos, and
 * corrections or moved appointments some two weeks later. Written without regard to the forms that weft knows.
 */
import { changed, fact, type PlantedFact } from "./month.ts";

export const SPOKEN_FACTS: readonly PlantedFact[] = [
	fact("btw mums new number, 0151 2788 4410, the old one's dead", "Can you give me mum's number?", "2788 4410"),
	fact(
		"ugh so the plumber came, left a mess everywhere, anyway he says the boiler needs a new valve, 340 with labour, and he's back thursday week",
		"How much was the plumber asking for?",
		"340",
	),
	fact(
		"We were at Lena's yesterday and it was lovely, the kids played with her cat for hours and wouldn't leave. She told me she's pregnant, due in March, but it's still a secret. Then there was pasta and we walked home in the rain.",
		"When is Lena's baby coming?",
		"due in March",
	),
	fact(
		"ach ja, der Hausmeister heißt jetzt Herr Wojcik, der alte ist in Rente",
		"Wer ist unser Hausmeister?",
		"Wojcik",
	),
	fact("nut allergy btw. me. hazelnut n walnut, peanuts are fine", "Which nuts must I avoid?", "walnut"),
	fact("la clave del portal es 4471#, por si preguntan los del reparto", "¿Con qué código se abre el portal?", "4471#"),
	fact("sinon j'ai rdv chez l'ophtalmo mardi 3 à 16h15, faut pas que j'oublie", "C'est quand, mon ophtalmo ?", "16h15"),
	changed(
		"hairdresser mon 14:20, finally",
		{ said: "hairdresser just rang, they've pushed me to wed 8:50", value: "8:50", stale: "14:20" },
		"When am I at the hairdresser?",
		"14:20",
	),
	changed(
		"my new boss starts monday, Katherin Oyelaran",
		{ said: "its Kathryn btw, Kathryn Oyelaran, with a y, I had it wrong", value: "Kathryn", stale: "Katherin " },
		"How does one spell my boss's first name?",
		"Katherin Oyelaran",
	),
	fact("ski boots: 39.5 for me, not 40 like last time, those killed me", "Which size do I need for ski boots?", "39.5"),
	fact(
		"lol no way. ok so Dad turns 70 on the 8th of Feb and we're doing a surprise thing at the Boathouse",
		"Where do we celebrate Dad?",
		"Boathouse",
	),
	fact(
		"can you not do those long bullet lists pls, drives me nuts",
		"How should your answers not look?",
		"bullet lists",
	),
	fact(
		"told Ines i'd water her plants while shes in Porto, till the 22nd",
		"What did I tell Ines I would do?",
		"Porto",
	),
	fact(
		"we still haven't figured out if it's gonna be the Skoda or the Kia, gotta ask the bank first",
		"Between which cars are we choosing?",
		"Skoda",
	),
	fact("そういえば妹が来月から札幌で働くことになったよ", "妹はどこで働くの？", "札幌"),
	fact("对了，我的车牌是沪A73K52，停车的时候要填", "我的车牌号是多少？", "A73K52"),
	fact(
		"cars at Moreau's garage til fri, they gave me a yellow twingo meanwhile",
		"Which car do I drive meanwhile?",
		"twingo",
	),
	fact(
		"the one I liked was the second flat, the one on Tilgate Street w the balcony, 1150 a month",
		"In which street was the flat that I liked?",
		"Tilgate",
	),
	fact("gym changed the door code again: 8806", "How do I get into the gym?", "8806"),
	changed(
		"i have Noah every friday now, judge said so",
		{
			said: "scratch that about fridays, I have Noah on saturdays from now on, they changed it again",
			value: "saturdays",
			stale: "every friday",
		},
		"On which day is Noah with me?",
		"every friday",
	),
	changed(
		"doctor thinks its gluten, so no bread for me for now",
		{
			said: "turns out its not gluten after all, its lactose, blood test came back today",
			value: "lactose",
			stale: "no bread",
		},
		"What can't I digest?",
		"gluten",
	),
	fact("flights KL1683, 6 am, terminal 2, so im up at 3 i guess", "What is my flight number?", "KL1683"),
	fact(
		"Sam, the therapist not my brother Sam, wants me to keep a journal",
		"Which Sam wants me to write a journal?",
		"therapist",
	),
	fact("we went with Pflaume for the kitten in the end, the kids won", "How is our kitten called?", "Pflaume"),
	fact(
		"moved mum into Haus Abendrot last week, it went better than I thought, she even smiled at the nurse. Room 214. You can only call between four and six though",
		"Which room does mum have?",
		"214",
	),
	fact("кстати, мы переехали, новый адрес Лесная 18, кв 7", "Какой у нас теперь адрес?", "Лесная 18"),
	fact("im on sertraline, 50 in the morning, so nothing with grapefruit", "Which medicine do I take?", "sertraline"),
	fact(
		"the loan's with Nordea, 2.9, fixed until 2031, for when you do the budget",
		"Until when is our loan fixed?",
		"2031",
	),
	fact("19 oct, wedding anniversary, i ALWAYS forget, save me", "When did we marry?", "19 oct"),
	fact(
		"so I was on the bus and this lady kept going on about her dog and I thought about what you said about sleep, and honestly the only thing that works is no screens after ten, thats my rule now",
		"What is my rule for the evening?",
		"no screens after ten",
	),
];
