/**
 * Forty facts as three people tell them, in English, German and Spanish, written after the forms that weft knows and never used to fit
 * them: a change that finds more of them needs a new list. Some take several sentences, and eight change some two weeks later.
 */
import { changed, fact, type PlantedFact } from "./month.ts";

export const UNFITTED_FACTS: readonly PlantedFact[] = [
	fact("the lads settled on thursdays for five a side, 7 at Powerleague", "Where do we play football?", "Powerleague"),
	fact("finally got the blue badge through for nan, expires 2028", "Until when is nan's parking permit good?", "2028"),
	changed(
		"viewing at 4 on saturday, the terrace one on Quarry Lane",
		{ said: "agent texted, viewing is sunday at 11 instead", value: "sunday at 11", stale: "4 on saturday" },
		"When do we look at the house?",
		"4 on saturday",
	),
	fact("ok so the bins go out tuesday night, green one first", "Which bin comes first?", "green one"),
	fact("Priyanka from accounts covers for me while im off", "Who stands in for me?", "Priyanka"),
	fact("lens prescription: -2.75 left, -3.25 right", "What strength is my right eye?", "-3.25"),
	fact(
		"the dog gets half a tablet with breakfast, not a whole one like the vet said first",
		"How much medicine for the dog?",
		"half a tablet",
	),
	changed(
		"were naming him Idris if its a boy",
		{ said: "so we went off Idris, its going to be Emrys", value: "Emrys", stale: "Idris if" },
		"What name did we pick for the baby?",
		"Idris",
	),
	fact("parked on level 4, bay 412, remind me when i land", "Where did I leave the car?", "bay 412"),
	fact("Owen lent me his drill, he needs it back before easter", "Whose drill do I have?", "Owen"),
	fact(
		"mortgage renewal is with Skipton, the woman is called Deirdre Quill",
		"Who handles our mortgage?",
		"Deirdre Quill",
	),
	fact(
		"please keep it to two or three lines when im at work, i read you on my watch",
		"How long may answers be at work?",
		"two or three lines",
	),
	fact("i cant do cilantro, tastes like soap to me", "Which herb tastes awful to me?", "cilantro"),
	fact(
		"reading Piranesi at the minute, about 80 pages in, no spoilers",
		"Which book am I in the middle of?",
		"Piranesi",
	),
	changed(
		"the interview is on teams, 10 sharp on the 9th",
		{
			said: "they moved the interview, it's the 12th now, half two",
			value: "12th now, half two",
			stale: "10 sharp on the 9th",
		},
		"When is my interview?",
		"10 sharp on the 9th",
	),
	fact(
		"Zanele finishes nursery at half 3 on wednesdays and we keep forgetting",
		"When must I fetch Zanele midweek?",
		"half 3",
	),
	fact(
		"Mein Zug nach Graz fährt um 6:41 von Gleis 9, Wagen 23",
		"Von welchem Bahnsteig fahre ich nach Graz?",
		"Gleis 9",
	),
	fact(
		"die Kleine hat jetzt endlich einen Kitaplatz, ab September bei den Wühlmäusen",
		"In welche Kita geht unsere Tochter?",
		"Wühlmäusen",
	),
	changed(
		"Physio ist dienstags um halb acht bei Frau Sedlmayr",
		{
			said: "die Physio hat angerufen, ab jetzt bin ich donnerstags dran, viertel nach neun",
			value: "viertel nach neun",
			stale: "dienstags um halb acht",
		},
		"Wann habe ich Physio?",
		"halb acht",
	),
	fact(
		"Vatis Blutdrucktabletten heißen Ramipril, 5 mg, nur morgens",
		"Was nimmt mein Vater gegen den Blutdruck?",
		"Ramipril",
	),
	fact(
		"hab Tante Gerlinde zugesagt, dass wir zu ihrem Achtzigsten kommen, Dritter Advent",
		"Zu wessen Feier kommen wir?",
		"Gerlinde",
	),
	fact("das Rad steht bei Zweirad Nold, die wollen 189 dafür", "Was kostet die Reparatur?", "189"),
	fact("Garagencode ist neuerdings 3390 Raute", "Wie komme ich in die Garage?", "3390"),
	changed(
		"wir fahren im Juni nach Rügen, Ferienwohnung ist schon angezahlt",
		{
			said: "Rügen wird nix, Leon hat da Prüfungen, wir nehmen jetzt die Woche im August an der Müritz",
			value: "Müritz",
			stale: "Ferienwohnung ist schon angezahlt",
		},
		"Wohin geht es in den Urlaub?",
		"Rügen",
	),
	fact("schreib mir bitte nie was auf Englisch, ich bin da raus", "In welcher Sprache nicht?", "nie was auf Englisch"),
	fact("Jonte verträgt keine Erdbeeren, kriegt sofort Quaddeln", "Was darf Jonte nicht essen?", "Erdbeeren"),
	fact("die Neue im Team ist Frau Abubakar, sitzt im Zimmer 3.17", "Wer ist neu bei uns?", "Abubakar"),
	fact(
		"wir sind uns mit den Küchenfronten noch nicht einig, Salbei oder Anthrazit",
		"Zwischen welchen Farben schwanken wir?",
		"Salbei",
	),
	fact("Strom läuft über Tibber, Kundennummer 7781204", "Welche Kundennummer haben wir beim Strom?", "7781204"),
	fact("unsere Hebamme heißt Nele Wittkopf und kommt immer montags", "Wer ist unsere Hebamme?", "Wittkopf"),
	fact("quedé con Chus en llevarle las herramientas el sábado", "¿Qué prometí a Chus?", "herramientas"),
	fact("el casero se llama Ildefonso, contesta solo por la tarde", "¿Quién es mi casero?", "Ildefonso"),
	changed(
		"la ITV del coche es el 14 a las diez y media",
		{ said: "me han cambiado la ITV, ahora es el 21 a las nueve", value: "21 a las nueve", stale: "14 a las diez" },
		"¿Cuándo paso la inspección del coche?",
		"14 a las diez",
	),
	fact("a Nerea le salió la plaza en Lugo, empieza en octubre", "¿Dónde va a trabajar Nerea?", "Lugo"),
	fact("no puedo tomar ibuprofeno por lo del riñón", "¿Qué medicina no puedo tomar?", "ibuprofeno"),
	changed(
		"la boda de mi primo es en Ronda, el 6 de junio",
		{
			said: "lo de mi primo no es en Ronda al final, lo hacen en Antequera",
			value: "Antequera",
			stale: "es en Ronda, el 6",
		},
		"¿Dónde se casa mi primo?",
		"Ronda",
	),
	fact("el wifi de la casa del pueblo es almendro2019", "¿Cuál es la clave del wifi del pueblo?", "almendro2019"),
	fact("mi talla de chaqueta es la 48, la 50 me baila", "¿Qué talla uso?", "la 48"),
	fact("trátame de tú, lo de usted me hace sentir mayor", "¿Cómo debes hablarme?", "trátame de tú"),
	changed(
		"dentista el jueves, 17:45, con la doctora Arrizabalaga",
		{ said: "anulado el dentista, la doctora está de baja, me llaman ellos", value: "me llaman ellos", stale: "17:45" },
		"¿Cuándo tengo dentista?",
		"17:45",
	),
];
