import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { assistant, eventsOf, fileRead, OF, user } from "../../../test/rig/events.ts";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { openEngine } from "../../engine.ts";
import { toldIn } from "../../state/memory/told-fold.ts";

const TOLD = [
	"My sister Mara was born on 14 May.",
	"Remember: the spare key is with Mrs Pellegrini.",
	"Ich bin gegen Haselnüsse allergisch.",
	"I prefer short answers.",
	"The dentist is on Tuesday at 9:40.",
	"I promised Priya to return her tripod by Friday.",
	"The code of the bicycle lock is 6518.",
	"Our wifi password is kestrel-harbour-92.",
	"Our wifi password is heron-quay-17 now, not kestrel-harbour-92.",
];
const chat = (n: number) => `Then the neighbours looked at boat ${n}, laughed, and went home along the river.`;

function open(mode?: "lossless") {
	const root = temporaryFolder();
	return openEngine({ cwd: root, home: join(root, "home"), host: OF.host, env: {}, ...(mode && { mode }) });
}

const said = (words: string) => [user(words), assistant("I see.")];

test("the seed of talk has what the user told, in its kinds, without values that were corrected, and no word of work", async () => {
	const engine = open();
	after(() => engine.close());
	const small = Array.from({ length: 60 }, (_, n) => `${chat(n)} Have you heard of boat ${n}?`);
	engine.record(eventsOf([...TOLD, ...small].flatMap(said)));
	const seal = await engine.seal({ ...OF, window: 16_000, force: true });
	assert.ok(seal);
	const text = seal.seed.text;
	for (const words of TOLD.slice(2, 7)) assert.ok(text.includes(`- ${words}`), words);
	assert.match(
		text,
		/## Appointments and dates[^\n]*\n(?:- [^\n]*\n)*- The dentist is on Tuesday at 9:40\. \(\d{4}-\d\d-\d\d\)/,
	);
	assert.match(text, /the spare key is with Mrs Pellegrini/);
	assert.match(text, /heron-quay-17 now/);
	assert.ok(!text.includes(TOLD[7]!), "a corrected value is not shown");
	assert.doesNotMatch(text, /Repository:|[Tt]he task|Done for it|nothing changed/);
});

test("in lossless too the text for talk names no task", async () => {
	const engine = open("lossless");
	after(() => engine.close());
	const small = Array.from({ length: 60 }, (_, n) => `${chat(n)} Have you heard of boat ${n}?`);
	engine.record(eventsOf([...TOLD, ...small].flatMap(said)));
	const seal = await engine.seal({ ...OF, window: 16_000, force: true });
	assert.ok(seal);
	assert.match(seal.seed.text, /- The code of the bicycle lock is 6518\./);
	assert.doesNotMatch(seal.seed.text, /[Tt]he task|The work so far|What was asked/);
});

test("a session that begins to read files gets the seed of work again", async () => {
	const engine = open();
	after(() => engine.close());
	const small = Array.from({ length: 90 }, (_, n) => said(chat(n)));
	engine.record(eventsOf([...small.flat(), user("Look at the notes."), fileRead("notes.md"), ...said("And now?")]));
	const seal = await engine.seal({ ...OF, window: 16_000, force: true });
	assert.match(seal?.seed.text ?? "", /What was asked, and what came of it/);
});

test("a fact of the first day outlives thousands of others, and the list stays bounded", () => {
	const engine = open();
	after(() => engine.close());
	const others = Array.from({ length: 2_000 }, (_, n) => user(`The bus number ${n} is late.`));
	engine.record(eventsOf([user("Please remember that my blood type is AB negative."), ...others]));
	const told = toldIn(engine.state().state.told, OF.session);
	assert.ok(told.length > 200 && told.length <= 400, `${told.length}`);
	assert.equal(told[0]?.text, "Please remember that my blood type is AB negative.");
});

test("what people tell in half sentences and other languages is kept, and a moved appointment takes the place of the old one", async () => {
	const engine = open();
	after(() => engine.close());
	const spoken = [
		"btw mums new number, 0151 2788 4410, the old one's dead",
		"nut allergy btw. me. hazelnut n walnut",
		"hairdresser mon 14:20, finally",
		"el portero se llama Anselmo, el nuevo",
		"そういえば妹が来月から札幌で働くことになったよ",
		"moved mum into Haus Abendrot, she even smiled. Room 214. You can only call after four",
		"can you not do those long bullet lists pls, drives me nuts",
		"Noah has chess on tuesdays",
		"hairdresser just rang, they've pushed me to wed 8:50",
	];
	const small = Array.from({ length: 60 }, (_, n) => `${chat(n)} The baker moved boat ${n}, of all places.`);
	engine.record(eventsOf([...spoken, ...small].flatMap(said)));
	const text = (await engine.seal({ ...OF, window: 16_000, force: true }))?.seed.text ?? "";
	assert.match(text, /^The conversation so far/);
	for (const words of spoken.toSpliced(2, 1)) assert.ok(text.includes(`- ${words}`), words);
	assert.match(
		text,
		/- hairdresser just rang[^\n]*8:50 \(\d{4}-\d\d-\d\d, instead of: hairdresser mon 14:20, finally\)/,
	);
	assert.doesNotMatch(text, /- hairdresser mon|instead of: Noah/);
});

test("a change that is said loosely stands with the older words on the same thing, and two facts on one thing both stay", async () => {
	const engine = open();
	after(() => engine.close());
	const spoken = [
		"hairdresser mon 14:20, finally",
		"Der Zahnarzt ist am Dienstag um halb zwei",
		"the locksmith said 90 quid for the door",
		"cenamos con Maite el viernes a las nueve en casa",
		"Noah has chess on tuesdays",
		"spare fuses are behind the flour tin",
		"they've pushed the hairdresser to wed",
		"Zahnarzt doch lieber um drei",
		"the locksmith charged me 130 now",
		"lo de Maite mejor el sábado",
		"Noah has swimming on fridays at 16:00",
	];
	const small = Array.from({ length: 60 }, (_, n) => `${chat(n)} The baker moved boat ${n}, of all places.`);
	engine.record(eventsOf([chat(60), ...spoken, ...small].flatMap(said)));
	const text = (await engine.seal({ ...OF, window: 16_000, force: true }))?.seed.text ?? "";
	const lineOf = (words: string) => text.split("\n").filter((line) => line.includes(words));
	for (const [newer, older] of [
		["they've pushed the hairdresser to wed", "hairdresser mon 14:20"],
		["Zahnarzt doch lieber um drei", "Dienstag um halb zwei"],
		["the locksmith charged me 130", "the locksmith said 90 quid"],
		["lo de Maite mejor el sábado", "cenamos con Maite el viernes"],
	] as const) {
		assert.ok(lineOf(newer)[0]?.startsWith(`- ${newer}`), newer);
		for (const line of lineOf(older))
			assert.match(line, new RegExp(`^- ${newer}.*, (?:instead of|before, on [\\d-]+): `), older);
	}
	assert.match(text, /^- Zahnarzt doch lieber um drei \([^\n]*am Dienstag/m, "the day stays in view");
	for (const words of ["Noah has chess on tuesdays", "Noah has swimming", "spare fuses"])
		assert.ok(lineOf(words)[0]?.startsWith("- "), words);
	assert.doesNotMatch(text, /(?:instead of|before, on [\d-]+): (?:Noah|spare)/);
});
