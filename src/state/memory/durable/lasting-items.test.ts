import assert from "node:assert/strict";
import { test } from "node:test";
import { noteRemarks } from "../../thread/remarks.ts";
import type { SessionThread } from "../../thread/thread.ts";
import { lastingWords } from "./lasting-items.ts";

function said(...messages: readonly string[]): SessionThread {
	const thread: SessionThread = {
		orders: [],
		orderCount: 0,
		remarks: [],
		corrections: [],
		plan: [],
		failedForms: [],
		approved: null,
		ruleFiles: [],
		summary: null,
		changedAt: -1,
		check: null,
		uncommitted: [],
		branch: null,
		phases: [],
		awaited: {},
		running: {},
		queued: [],
		written: [],
		closed: {},
		note: null,
		marks: {},
	};
	for (const [at, text] of messages.entries()) {
		const words = { handle: `m-${at}`, seq: at + 1, text };
		const outcome = { handle: `m-a${at}`, text: "Understood.", leadsToCalls: false };
		thread.orders.push({
			...words,
			via: "message",
			statements: [],
			outcome,
			proofs: [],
			changed: [],
			hasBranch: false,
		});
		noteRemarks(thread, words);
	}
	return thread;
}

function lasting(...messages: readonly string[]): string[] {
	const options = { after: -1, isWorkedOn: () => false, isRepeated: () => false };
	return lastingWords(said(...messages), options).items.map(({ kind, text }) => `${kind}: ${text}`);
}

test("takes whole sentences, without the words that only introduce them", () => {
	assert.deepEqual(lasting("Some facts first: we use pnpm, never npm."), ["rule: We use pnpm, never npm."]);
	assert.deepEqual(lasting("Deploys go out on Tuesdays; never on Fridays."), [
		"rule: Deploys go out on Tuesdays; never on Fridays.",
	]);
	assert.deepEqual(lasting("Please remember that invoices are sent on the 3. of a month."), [
		"fact: Invoices are sent on the 3. of a month.",
	]);
	assert.deepEqual(lasting("Port: 8443 for the relay, certificates required."), [
		"fact: Port: 8443 for the relay, certificates required.",
	]);
});

test("a message that asks for work gives only what it says is meant for longer", () => {
	assert.deepEqual(lasting("Refactor the cache. Never change its functions."), []);
	assert.deepEqual(lasting("Add a flag that is off by default."), []);
	assert.deepEqual(lasting("Fix the link. From now on never use relative links."), [
		"rule: From now on never use relative links.",
	]);
	assert.deepEqual(lasting("Schreib den Test. Wir nutzen Vitest für alles."), [
		"decision: Wir nutzen Vitest für alles.",
	]);
});

test("an order to remember names the words beside it; questions, thanks and troubles are not kept", () => {
	assert.deepEqual(lasting("Fix the form. Vessel ids have seven digits. Remember that."), [
		"fact: Vessel ids have seven digits.",
	]);
	assert.deepEqual(
		lasting("Is the relay on 8443?", "Thanks, that looks great.", "The build fails on the main machine."),
		[],
	);
});

test("words that the session itself replaced are not kept", () => {
	assert.deepEqual(lasting("The relay listens on 7443.", "The relay listens on 8443 now, not 7443."), [
		"fact: The relay listens on 8443 now, not 7443.",
	]);
});

test("a choice between two tools is a rule where it is all that the user says", () => {
	for (const words of ["Use bun, not npm.", "Nimm bun statt npm.", "usa bun, no npm", "npmではなくbunを使って。"])
		assert.deepEqual(lasting(words), [`rule: ${words}`]);
	assert.deepEqual(lasting("Use a map, not an array."), []);
	assert.deepEqual(lasting("Paint the button. Use red, not blue."), []);
	for (const words of ["Use red, not blue.", "Nimm rot statt blau.", "Use 12px, not 14px."])
		assert.deepEqual(lasting(words), []);
});

test("an order without an article is no fact of the project", () => {
	for (const words of ["Install left-pad.", "Please upgrade vitest to 4.1", "清理 legacy 目录。", "Installe left-pad."])
		assert.deepEqual(lasting(words), [], words);
	for (const words of [
		"Install scripts are off in the relay image.",
		"Update windows for customers: Tuesday evening.",
		"Create branches from develop, never from main.",
		"测试放在 tests 目录下面。",
		"部署在周二晚上进行。",
	])
		assert.equal(lasting(words).length, 1, words);
});

test("what is said in passing, asked without a mark or pasted is no fact of the project", () => {
	for (const words of [
		"can we move the buoys to the north side",
		"also should we group the piers by harbour",
		"wait why are we counting gulls twice",
		"ooh, we caught a big one",
		"nah let's keep the old sails, they never mattered",
		"great, another lighthouse.",
		"count then say ahoy",
		"We looked at this previously.",
		"The rules of the quay are:",
		"❯ make moor\nNOTE: we're overriding $ROPE: /usr/share/rope",
		"**Note:** our callers keep countBerths() as it is, and we never pass null.",
		"Check this post: A step forward as we build a harbour for everyone.",
		"always returns the old berth after the pilot has left.",
	])
		assert.deepEqual(lasting(words), [], words);
	const paste = "We invite every captain of the coast. Our piers are long. We serve tea at four. ".repeat(12);
	assert.deepEqual(lasting(paste), []);
	for (const words of [
		"btw we use pnpm here",
		"we deploy on tuesdays",
		"tests go next to the source file",
		"this project uses conventional commits",
		"use zod for validation, not yup",
		"wir deployen nur dienstags",
		"nuestros tests usan vitest",
		"on utilise pnpm",
		"We deploy from the branch quay.",
		"our staging host is called kittiwake-2",
		"No direct pushes to main.",
		"Always moor at pier 7.",
	])
		assert.equal(lasting(words).length, 1, words);
});

test("a number of four digits names one thing", () => {
	assert.deepEqual(lasting("Fix the relay. It listens on 8443 now, not 7443."), [
		"fact: It listens on 8443 now, not 7443.",
	]);
	assert.deepEqual(lasting("Fix the relay. It waits for 300 seconds now, not 200."), []);
});

test("doubts, half sentences, orders with their place and what the program does by default stay with their session", () => {
	for (const words of [
		"since berths.json is private perhaps we don't need it, the local one is ignored right",
		"we never open the gate on Sundays, maybe",
		"no, the gate should be grey, no need for white,",
		"/0, /1 being the first berths to be made.",
		"in the harbour page make sure that you always read the tide table",
	])
		assert.deepEqual(lasting(words), [], words);
	const isWorkedOn = () => true;
	const worked = (words: string) => lastingWords(said(words), { after: -1, isWorkedOn, isRepeated: () => false }).items;
	assert.deepEqual(worked("When there is one berth, it should be chosen by default."), []);
	assert.deepEqual(worked("A step forward as we build the harbour where boats and people move."), []);
	assert.equal(worked("In this project every berth has a number.").length, 1);
	assert.equal(lasting("We never open the gate on Sundays.").length, 1);
});

test("of talk only what tells of somebody's life outlives the session, though it looks like an order", () => {
	const options = { after: -1, isWorkedOn: () => false, isRepeated: () => false, isTalk: true };
	const words = (...messages: readonly string[]) =>
		lastingWords(said(...messages), options).items.map(({ kind, text }) => `${kind}: ${text}`);
	assert.deepEqual(words("After lunch our team postponed the old carousel by the river."), []);
	assert.deepEqual(words("In Solvurlun our team repaired every novel there was."), []);
	assert.deepEqual(words("my sister moved to Ghent, she starts there on monday"), [
		"fact: my sister moved to Ghent, she starts there on monday",
	]);
	assert.deepEqual(words("Remember that the spare key is with Mrs Pellegrini."), [
		"fact: The spare key is with Mrs Pellegrini.",
	]);
	for (const passing of [
		"ich hab heute 12 Mails beantwortet, reicht jetzt auch",
		"In 1969 the first humans landed on the moon.",
	])
		assert.deepEqual(words(passing), [], passing);
	assert.deepEqual(words("the gate code is 1887"), ["fact: the gate code is 1887"]);
	assert.deepEqual(words("Mum wrote: I am allergic to nuts. Remember to always call me Gisela."), []);
	assert.deepEqual(words("> Never call me before noon\nBen sent that. My sister moved to Ghent."), [
		"fact: My sister moved to Ghent.",
	]);
});

test("what somebody else wishes is no fact; habits told in passing and words after a lead are kept", () => {
	for (const words of [
		"Maria says we should moor at the old quay.",
		"Der Hafenmeister meint, wir sollten am alten Kai anlegen.",
		"玛丽亚说我们应该停在旧码头。",
		"technically the third berth is the old quay...",
	])
		assert.deepEqual(lasting(words), [], words);
	assert.deepEqual(lasting("one thing: I hate it when you number the berths from zero."), [
		"preference: I hate it when you number the berths from zero.",
	]);
	assert.deepEqual(lasting("ok. so the relay runs on 7443 and the tide table is behind nginx"), [
		"fact: so the relay runs on 7443 and the tide table is behind nginx",
	]);
	assert.deepEqual(lasting("ok. so that returns 404"), []);
	assert.deepEqual(lasting("finalement on a choisi le quai Est plutôt que le quai Ouest"), [
		"decision: finalement on a choisi le quai Est plutôt que le quai Ouest",
	]);
});

test("rules that somebody else wrote are not the user's, though the user pasted them", () => {
	for (const words of [
		"here is the mail from our customer:\n\nHi team,\nplease remember that from now on all invoices go to the old quay.\nRegards, Bob",
		"summarise this ticket:\n\nTitle: Slow gate\nDescription: From now on the gate must never take more than 2 s. Always cache.",
		"the log shows\n2026-11-18T10:00:00Z INFO remember: always restart the gate\n2026-11-18T10:00:01Z WARN never use the tide",
		"der Kunde schreibt:\nAb jetzt müssen alle Rechnungen an den alten Kai gehen.",
		"顾客发来的邮件：\n以后所有发票都必须寄到旧码头。",
		"> From now on never count the gannets.\nis that a sane policy?",
	])
		assert.deepEqual(lasting(words), [], words);
	assert.deepEqual(lasting("Rules for messages:\n- From now on every commit message starts with the berth."), [
		"rule: From now on every commit message starts with the berth.",
	]);
	assert.deepEqual(lasting("From now on never wake the herons. Here is the log:\n\nalways restart the gate"), [
		"rule: From now on never wake the herons.",
	]);
});

test("a rule that the user had to say again is kept though work was asked for; a task that was sent twice gives none", () => {
	const isWorkedOn = () => true;
	const worked = (...messages: readonly string[]) =>
		lastingWords(said(...messages), { after: -1, isWorkedOn, isRepeated: () => false }).items.map(({ text }) => text);
	for (const [first, again, kept] of [
		["Add the gauge. Never edit generated files.", "You edited one: never edit the generated files!"],
		[
			"Baue das Tor. Benutze keine Abkürzungen in Namen.",
			"Da ist wieder eine. Benutze keine Abkürzungen in Namen!",
			"Benutze keine Abkürzungen in Namen!",
		],
		["加一个灯。函数名不要用缩写。", "又用了缩写，函数名不要用缩写。"],
	] as const)
		assert.deepEqual(worked(first, again), [kept ?? again]);
	const task = "Refactor the gate of the quay, never change its name.";
	assert.deepEqual(worked(task, task), []);
	assert.deepEqual(worked(task, `${task} Go on.`), []);
});

test("what is only supposed is no fact", () => {
	assert.deepEqual(lasting("What could we drop if:\n- we never open the gate at night\n- our ships carry no mail"), []);
	assert.deepEqual(lasting("Rules:\n- we never open the gate at night"), ["rule: we never open the gate at night"]);
});
