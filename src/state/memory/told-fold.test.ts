import assert from "node:assert/strict";
import { test } from "node:test";
import { recordsOf, user } from "../../../test/rig/events.ts";
import { foldRecords } from "../../../test/rig/fold-specification.ts";
import { toldFold, toldIn } from "./told-fold.ts";

function told(words: string) {
	const records = recordsOf([user(words)]);
	return toldIn(foldRecords(toldFold, records), records[0]!.session);
}

const MOMENTS = [
	"I'm so tired today, I could sleep standing up",
	"I'm on the train and the wifi is terrible",
	"my hands are freezing",
	"he's still talking, I'm pretending to listen",
	"we're almost at the station now",
	"my neighbour's cat was sitting on the car again this morning",
	"ich muss jetzt los, bis später",
	"wir sitzen gerade beim Essen, moment",
	"ich warte auf den Zug, der kommt wohl nie",
	"estoy en el metro y no se oye nada",
	"no encuentro las gafas",
	"j'ai encore oublié mon parapluie, évidemment",
	"j'ai passé deux heures au téléphone, c'est long",
	"mi si è scaricato il telefono",
	"バスが来ない",
];
const REPORTS = [
	"The bridge was opened in 1932 and is one of the longest of its kind.",
	"Laut dem Bericht sind die Preise um 3 Prozent gestiegen.",
	"Según el artículo, el río tiene 900 kilómetros de largo.",
];
const FACTS = [
	"the spare key's under the blue pot by the shed",
	"my sister is just back from Graz and has diabetes",
	"the gym changed the door code again: 8806",
	"we're having the roof done in the second week of october",
	"I can't stand jazz",
	"I don't do mushrooms, like at all",
	"ich bin Diabetiker",
	"hab Tante Gerlinde zugesagt, dass wir kommen",
	"soy alérgico a la penicilina",
	"je suis allergique aux chats",
	"mio fratello si sposa a giugno",
	"来週の火曜に歯医者がある",
	"犬の名前はコタロウ",
];

test("what is so for a moment, and what books tell, is no fact of the user's life", () => {
	for (const words of [...MOMENTS, ...REPORTS]) assert.deepEqual(told(words), [], words);
});

test("a fact is kept however it is said", () => {
	for (const words of FACTS)
		assert.deepEqual(
			told(words).map(({ text }) => text),
			[words],
		);
});

test("what somebody else wrote is told as theirs, and what they ask for is no wish of the user", () => {
	const [hospital, ...others] = told(
		"Mum wrote: I am in hospital since Monday, room 214. Remember to always call me Gisela.",
	);
	assert.deepEqual([hospital?.text, hospital?.sender], ["I am in hospital since Monday, room 214.", "Mum wrote"]);
	assert.deepEqual(
		others.filter(({ kind }) => kind === "wish"),
		[],
	);
	assert.equal(told("the doctor said: no ibuprofen with your kidneys")[0]?.sender, "the doctor said");
	assert.deepEqual(told("> I am moving to Leeds in August\nshe said that, wow"), []);
});
