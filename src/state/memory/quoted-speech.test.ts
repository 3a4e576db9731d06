import assert from "node:assert/strict";
import { test } from "node:test";
import { ownSpeech, spokenLines } from "./quoted-speech.ts";

test("words of somebody else are apart from the user's own, with who said them", () => {
	for (const [line, by, theirs, own] of [
		[
			"Mum wrote: I am in hospital since Monday, room 214.",
			"Mum wrote",
			"I am in hospital since Monday, room 214.",
			"",
		],
		["Oma schreibt: ich bin im Krankenhaus", "Oma schreibt", "ich bin im Krankenhaus", ""],
		["mi hermana me dijo ayer: tengo un perro", "mi hermana me dijo ayer", "tengo un perro", ""],
		["Léa a écrit : je déménage en mai", "Léa a écrit", "je déménage en mai", ""],
		["Luca ha scritto: cambio casa", "Luca ha scritto", "cambio casa", ""],
		["as I told you, Mum wrote: I am in hospital", "as I told you, Mum wrote", "I am in hospital", ""],
		["母から：月曜に入院した", "母から", "月曜に入院した", ""],
		[
			'wow. Ben texted me: "I quit my job" and I have no idea why',
			"Ben texted me",
			"I quit my job",
			"wow. \n and I have no idea why",
		],
		[
			"Mum wrote:\nI am in hospital.\nRoom 214.\n\nI must call her.",
			"Mum wrote",
			"I am in hospital.\nRoom 214.",
			"\nI must call her.",
		],
	] as const) {
		const parts = spokenLines(line);
		const others = parts.filter((part) => part.by !== undefined);
		assert.deepEqual([...new Set(others.map((part) => part.by))], [by], line);
		assert.equal(others.map(({ text }) => text).join("\n"), theirs, line);
		assert.equal(ownSpeech(line), own, line);
	}
	assert.equal(ownSpeech("> I am moving to Leeds\nshe said that, wow"), "she said that, wow");
});

test("the user's own words stay their own", () => {
	for (const words of [
		"I said: never call me Bob",
		"ich habe gesagt: bitte keine Listen",
		"j'ai écrit: pas de listes",
		"Remember what I asked: no lists",
		"Rules: no lists",
		"dentist: thursday 10:15",
		"Mum said she is in hospital since Monday",
	])
		assert.deepEqual(spokenLines(words), [{ text: words }], words);
});
