import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { user } from "../../../test/rig/events.ts";
import { stateAfter } from "../../../test/rig/fold-specification.ts";
import { laterThan, laterThanEcho } from "./superseded-words.ts";
import { laterWordsOn } from "./supersession.ts";
import { threadIn } from "./thread.ts";
import { threadFold } from "./thread-fold.ts";

/** The user's later words on the first of these messages. */
function laterOn(first: string, ...later: readonly string[]): string | undefined {
	const thread = threadIn(stateAfter(threadFold, user(first), ...later.map((text) => user(text))), "s");
	assert.ok(thread);
	return laterWordsOn(thread, first, thread.orders[0]?.seq ?? 0)?.text;
}

for (const [language, first, later] of [
	["English", "invoices go out on Mondays", "send invoices on Fridays"],
	["German", "die Rechnungen gehen montags raus", "Rechnungen gehen freitags raus"],
	["Finnish, for which we have no words", "laskut lähtevät maanantaina", "laskut lähtevät perjantaina"],
	["Japanese", "請求書は月曜に送る", "請求書は金曜に送る"],
	["Chinese", "发票周一寄出", "发票周五寄出"],
	["Korean", "청구서는 월요일 발송", "청구서는 금요일 발송"],
] as const) {
	test(`later words on the same are found without a word that says so (${language})`, () => {
		assert.equal(laterOn(first, "Fix the login page.", later), later);
	});
}

test("the newest of them counts, and words before it do not", () => {
	assert.equal(
		laterOn("the cache lives for a day", "the cache lives for a week", "the cache lives for an hour"),
		"the cache lives for an hour",
	);
	const thread = threadIn(
		stateAfter(threadFold, user("the cache lives for a day"), user("the cache lives for a week")),
		"s",
	);
	assert.ok(thread);
	const [, second] = thread.orders;
	assert.equal(laterWordsOn(thread, "the cache lives for a week", second?.seq ?? 0), undefined);
});

test("other subjects, questions and the same words again say nothing about a sentence", () => {
	assert.equal(
		laterOn("invoices go out on Mondays", "the parser drops the last line", "rename the settings page"),
		undefined,
	);
	assert.equal(laterOn("invoices go out on Mondays", "do invoices go out on Fridays?"), undefined);
	assert.equal(laterOn("invoices go out on Mondays", "Invoices go out on Mondays."), undefined);
	assert.equal(laterOn("Never touch b.txt.", "From now on never touch c.txt."), undefined);
});

test("any words can be compared, and the search gives the same again", () => {
	fc.assert(
		fc.property(fc.array(fc.string({ minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 12 }), (texts) => {
			const thread = threadIn(stateAfter(threadFold, ...texts.map((text) => user(text))), "s");
			const [first = ""] = texts;
			if (thread) assert.equal(laterWordsOn(thread, first, 0), laterWordsOn(thread, first, 0));
		}),
		{ numRuns: 40 },
	);
});

for (const [language, first, later] of [
	["English", "the docs are built with mkdocs", "we replaced mkdocs with starlight"],
	["German", "Einladungen laufen nach einer Woche ab", "Einladungen laufen nie ab"],
	["Chinese", "邀请一周后过期", "邀请永不过期"],
	["Korean", "초대는 일주일 뒤 만료", "초대는 만료되지 않음"],
] as const) {
	test(`words that turn something round share less with what they replace (${language})`, () => {
		assert.equal(laterOn(first, "Fix the login page.", later), later);
	});
}

test("a word that comes up in talk of anything does not link two sentences", () => {
	const talk = ["the worker logs to a file", "the worker restarts at night", "the worker has its own queue"];
	assert.equal(laterOn("deploy the worker on Fridays only", ...talk, "mail goes out from the worker now"), undefined);
});

test("two pieces of work, and lines of a terminal, are not about the same", () => {
	assert.equal(laterOn("write some code in markdown in the chat", "write some markdown here in the chat"), undefined);
	assert.equal(laterOn("commit this", "commit and push this please"), undefined);
	assert.equal(
		laterOn("me@host demo % sync install-hooks --all", "me@host other % sync install-hooks --all"),
		undefined,
	);
	assert.equal(
		laterOn("got merge conflicts from parent topic/hooks", "please look at the conflicts from parent topic/hooks"),
		undefined,
	);
});

test("of the agent's sentences only those that repeat the user's words are marked", () => {
	const words = [user("invoices go out on Mondays"), user("invoices go out on Fridays")];
	const thread = threadIn(stateAfter(threadFold, ...words), "s");
	assert.ok(thread);
	const seq = thread.orders[0]?.seq ?? 0;
	const on = (text: string) => laterThanEcho(thread, text, seq + 1)?.text;
	assert.equal(on("Understood: invoices go out on Mondays."), "invoices go out on Fridays");
	assert.equal(on("The job that sends invoices on Mondays is in src/jobs."), undefined);
});

test("words that name the old value beside another of its kind are about the same", () => {
	const later = "TTL bitte 900, mit 300 brennt der Origin";
	assert.equal(laterOn("Cache-TTL 300", later), later);
});

test("a yes, and words that keep the names of a sentence, do not change it", () => {
	assert.equal(laterOn("table link is 4477aa", "yes, the old table had link lines as 4477aa"), undefined);
	assert.equal(
		laterOn("conflicts from parent team/tide-42", "more changes coming from parent team/tide-42"),
		undefined,
	);
	assert.equal(laterOn("table link is 4477aa", "table link is 5588bb"), "table link is 5588bb");
});

test("more words on the same, without another value or a turn, are no reason to look further", () => {
	assert.equal(laterOn("tasks はコミットするようにしたい", "コミットして"), undefined);
	assert.equal(
		laterOn("reruns are boring in the best way", "and reruns are boring in the best way, even at night"),
		undefined,
	);
	assert.equal(laterOn("4477aa is what link text is in the old page", "link text differs from links there"), undefined);
	const later = "log level in prod is warn, info is too much";
	assert.equal(laterOn("log level in prod is info", later), later);
});

test("work that was asked for is taken back by words about just this work", () => {
	assert.equal(
		laterOn("read docs/theme.md in full, then theme.ts", "undo that, it was actually the logging in theme.ts"),
		undefined,
	);
	assert.equal(
		laterOn("stash the docs, pictures and stuff we made", "some of the stuff can be moved to docs now"),
		undefined,
	);
	const later = "no trigger, do it in the application code";
	const thread = threadIn(stateAfter(threadFold, user("do it with a trigger in the db"), user(later)), "s");
	assert.ok(thread);
	assert.equal(laterThan(thread, "do it with a trigger in the db", thread.orders[0]?.seq ?? 0)?.text, later);
});

test("a draft, a question in the middle of a line and far indented lines correct nothing", () => {
	const draft = Array.from({ length: 20 }, (_, at) => `Part ${at} of the text is about invoices.`);
	for (const later of [
		[...draft, "Invoices go out on Fridays now."].join("\n"),
		"# One\nInvoices go out on Fridays now.\n# Two\nMore.\n# Three\nMore.",
		"it says\n              invoices go out on Fridays now",
	])
		assert.equal(laterOn("invoices go out on Mondays", later), undefined);
	assert.equal(laterOn("81a2be is what link text is", "do we only have one link colour? link text differs"), undefined);
});

for (const [language, first, later] of [
	["English", "orders are read from /srv/inbox/orders", "I checked: it's /srv/drop/orders, they moved it in spring"],
	["German", "der import liest aus /srv/eingang/auftraege", "nachgesehen, es ist /srv/ablage/auftraege, wurde verlegt"],
	["Korean", "토픽은 shop.orders.raw", "우리가 쓸 토픽은 shop.orders.clean, 중복 있음"],
] as const) {
	test(`a place whose name differs in one part replaces the one before (${language})`, () => {
		assert.equal(laterOn(first, "Fix the login page.", later), later);
	});
}

test("two places named in two orders are two pieces of work", () => {
	assert.equal(laterOn("Add a test for /srv/inbox/orders.", "Add a test for /srv/drop/orders too."), undefined);
});

for (const [language, first, later] of [
	["English", "we host that one on fly.io", "fly.io is off the table, it runs on our own box"],
	["Spanish", "eso lo tenemos en fly.io", "fly.io descartado, va en nuestra maquina"],
	["Chinese", "那个服务放在fly.io上", "fly.io不考虑了，跑在我们自己的机器上"],
] as const) {
	test(`a name that is out replaces what was said of it (${language})`, () => {
		const thread = threadIn(stateAfter(threadFold, user(first), user("Fix the login page."), user(later)), "s");
		assert.ok(thread);
		assert.equal(laterThan(thread, first, thread.orders[0]?.seq ?? 0)?.text, later);
	});
}

test("a value that is named as the old one does not agree with it", () => {
	const later = "hashes go through bcrypt, argon2id isn't certified";
	assert.equal(laterOn("hashes go through argon2id", "Fix the login page.", later), later);
});

test("a Chinese word of change around the subject leaves the subject", () => {
	assert.equal(laterOn("你别自己提交", "修一下登录页", "以后你可以自己提交了"), "以后你可以自己提交了");
});

test("a sentence about its own subject is not replaced by one about another", () => {
	const order = (part: number) =>
		`Migrate module ${part}. Its owner is person-${part}, and it is answered with care because of order ${part * 3}.`;
	assert.equal(laterOn(order(1), order(2), order(3)), undefined);
});
