import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { assistant, call, user } from "../../../test/rig/events.ts";
import { given, stateAfter } from "../../../test/rig/fold-specification.ts";
import { supersededIn } from "./superseded-words.ts";
import { type ThreadState, threadIn } from "./thread.ts";
import { threadFold } from "./thread-fold.ts";

const remarks = (state: ThreadState) =>
	(threadIn(state, "s")?.remarks ?? []).map(({ kind, text, replacedBy }) => [
		kind,
		text,
		replacedBy === null ? "holds" : "replaced",
	]);

test("a rule holds until the user takes it back", () => {
	const rule = user("Never touch the Dockerfile.");
	given(rule, user("Fix the parser."))
		.when(threadFold, remarks)
		.then([["rule", "Never touch the Dockerfile.", "holds"]]);
	given(rule, user("You may change the Dockerfile now."))
		.when(threadFold, remarks)
		.then([["rule", "Never touch the Dockerfile.", "replaced"]]);
});

test("a choice among options, a reason and a proposal are no rules", () => {
	given(
		user("the small one, apart and don't merge./ I want you to build 2."),
		user("also can we push it to the other server, don't want my notes to be public"),
		user("The easiest way for the two colours would be to always take the first."),
		user("please don't commit"),
	)
		.when(threadFold, (state: ThreadState) => remarks(state).filter(([kind]) => kind === "rule"))
		.then([["rule", "please don't commit", "holds"]]);
});

test("a wish for the work in hand, a report and an example are neither rules nor decisions", () => {
	given(
		user("I want a strong gauge that fits whatever I hang on it."),
		user("We have a harbour with 50k ships and we go into this error:"),
		user("By default, each visit of the harbour leaves long lines in its log."),
		user("For example, if it counts 10 ships and drops 5 instead of 3, the table says 10."),
		user("Someone has to say whether we should stick to the old colour."),
		user("Make sure the text of the tide is used."),
	)
		.when(threadFold, remarks)
		.then([]);
});

test("what must not be, what is not needed and one thing for another are held, with any apostrophe", () => {
	given(
		user("use bun not npm"),
		user("we shouldn’t touch the default config of the harbour"),
		user("and we don’t need the old tables, they only make it harder"),
		user("keep reviewing after each phase, only stop if you need something from me"),
		user("I want the notes in NOTES.md, not in a comment"),
	)
		.when(threadFold, (state: ThreadState) => remarks(state).map(([kind]) => kind))
		.then(["rule", "rule", "rule", "rule", "decision"]);
});

test("a rule about one thing does not replace the same rule about another", () => {
	given(user("Never touch b.txt."), user("From now on never touch c.txt."))
		.when(threadFold, remarks)
		.then([
			["rule", "Never touch b.txt.", "holds"],
			["rule", "From now on never touch c.txt.", "holds"],
		]);
});

test("a rule behind a paste that is longer than a request's room is found", () => {
	const paste = Array.from({ length: 600 }, (_, line) => `2026-03-02T10:00:00Z INFO handled request ${line} in 7 ms`);
	given(user(`${paste.join("\n")}\n\nNever push to main.`))
		.when(threadFold, remarks)
		.then([["rule", "Never push to main.", "holds"]]);
});

test("an option that the user chose in a dialog is a decision with its question, and no rule", () => {
	given(
		user("Plan it."),
		call(
			"AskUserQuestion",
			{ questions: [] },
			'User has answered your questions: "Keep the error field?"="Always keep it (Recommended)", "Where?"="never in main". You can now continue.',
		),
	)
		.when(threadFold, remarks)
		.then([
			["decision", '"Keep the error field?"="Always keep it (Recommended)"', "holds"],
			["rule", "never in main", "holds"],
		]);
});

test("words with a refused call and answers in a dialog are the user's", () => {
	const refused =
		"The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nnever deploy from here";
	given(
		user("Ship it."),
		call("bash", { command: "make deploy" }, { text: refused, isError: true }),
		call(
			"AskUserQuestion",
			{ questions: [] },
			'User has answered your questions: "Which?"="always ask me first". You can now continue with the user\'s answers in mind.',
		),
		call(
			"AskUserQuestion",
			{ questions: [] },
			'The user answered: "Where?"="never in main", "When?"="always at night". Read the answers carefully — they may request changes.',
		),
	)
		.when(threadFold, remarks)
		.then([
			["rule", "never deploy from here", "holds"],
			["rule", "always ask me first", "holds"],
			["rule", "never in main", "holds"],
			["rule", "always at night", "holds"],
		]);
});

for (const [language, first, later] of [
	["English", "the relay listens on port 7443", "sorry, the relay is on 8443 now, not 7443"],
	[
		"English, without the old value",
		"timeout for the uploader is 30s",
		"correction: the uploader timeout should be 45s",
	],
	["German", "der Bucket heißt acme-uploads-eu", "er heißt acme-media-eu, nicht acme-uploads-eu"],
	["Spanish", "usamos date-fns", "date-fns no, temporal"],
	["Japanese", "リレーは7443番で待ち受け", "すみません、リレーは7443ではなく8443です"],
	["Chinese", "中继监听7443端口", "抱歉，中继现在在8443，不是7443"],
	["Korean", "릴레이는 7443 포트에서 듣는다", "미안, 릴레이는 7443이 아니라 8443이야"],
] as const) {
	test(`a corrected sentence is no longer true, whoever said it (${language})`, () => {
		const state = stateAfter(threadFold, user(first), assistant(`Understood: ${first}.`), user(later));
		const thread = threadIn(state, "s")!;
		assert.ok(supersededIn(thread).replacerOf(first, 1));
		assert.ok(supersededIn(thread).replacerOf(`Understood: ${first}.`, 2));
		assert.equal(supersededIn(thread).replacerOf(later, thread.orders.at(-1)!.seq), undefined);
		assert.equal(supersededIn(thread).replacerOf(first, 99), undefined, "said again later, it holds");
	});
}

test("a short number that was corrected says nothing of other sentences with it", () => {
	const state = stateAfter(
		threadFold,
		user("database is Postgres 10"),
		user("hold the lock for 25 seconds rather than 10"),
	);
	const thread = threadIn(state, "s") ?? assert.fail();
	assert.equal(supersededIn(thread).replacerOf("database is Postgres 10", 1), undefined);
});

test("ordinary requests replace nothing", () => {
	given(
		user("Always run the tests before you say you are done."),
		user("Now run the tests again."),
		user("Add a test for the lexer too."),
		user("Don't forget the docs."),
	)
		.when(threadFold, (state) => remarks(state)[0])
		.then(["rule", "Always run the tests before you say you are done.", "holds"]);
});

test("what the thread remembers of the user's words is bounded, however long the session is", () => {
	fc.assert(
		fc.property(fc.array(fc.string({ maxLength: 80 }), { maxLength: 20 }), (lines) => {
			const words = lines.map((line, at) => user(`Never use name-${at} ${line}, it is value${at} now.`));
			const { remarks: kept, corrections } = threadIn(stateAfter(threadFold, ...words, user("x")), "s")!;
			const bytes = (texts: readonly { text: string }[]) => texts.reduce((sum, { text }) => sum + text.length, 0);
			assert.ok(bytes(kept) <= 60_000 && bytes(corrections) <= 60_000);
		}),
		{ numRuns: 20 },
	);
});

test("a question without its mark, an order and a wish to have something done are no corrections or decisions", () => {
	for (const text of [
		"why is it in the top left and not in the footer like the other buttons",
		"warum ist der Knopf jetzt oben links und nicht im Fuß der Seite",
		"I want you to look at the footer of the page",
		"replication instead of sync maybe?",
	]) {
		given(user("The button is in the footer of the page."), user(text)).when(threadFold, remarks).then([]);
	}
	given(user("I want the button in the footer, not in the header."))
		.when(threadFold, remarks)
		.then([["decision", "I want the button in the footer, not in the header.", "holds"]]);
});

test("what the user asks to remember is a rule, also where it states a fact", () => {
	for (const text of [
		"Remember that the staging database is shared.",
		"remember: releases go out on Tuesdays",
		"Merk dir, dass die Testdatenbank geteilt wird.",
		"Recuerda que el lunes es festivo.",
		"覚えておいて、テストDBは共有です。",
		"记住，测试库是共用的。",
		"기억해, 테스트 DB는 공유야.",
	])
		given(user(text))
			.when(threadFold, (state) => threadIn(state, "s")?.remarks.map(({ kind }) => kind))
			.then(["rule"]);
});

const kinds = (state: ThreadState) => threadIn(state, "s")?.remarks.map(({ kind }) => kind);

test("a report of a fault and an order for the work in hand are no rules", () => {
	for (const text of [
		"hm, i think the ruler widget doesn't honour that each tick must not leave its box",
		"the label must end where the box ends ...",
		"a little wider would be good, don't change the palette, look into the header sources",
		"Rewrite the setup page make sure it has no dead links in it, add a list of ports.",
		"빌드가 제대로 안되고 너비는 유지돼서",
		"ツールチップが全部表示されない",
	])
		given(user(text)).when(threadFold, kinds).then([]);
});

test("a short ban and words that hold beyond the work are rules, also beside an order", () => {
	for (const text of [
		"gah, take the names from the palette, no hex codes!",
		"no emojis!",
		"Fix the ruler, and never touch the palette.",
		"we do TDD here",
		"패널이 크래시하면 안 됩니다",
		"스쿼시 머지 금지",
	])
		given(user(text)).when(threadFold, kinds).then(["rule"]);
});

test("what a question only assumes is no rule", () => {
	for (const text of [
		"tell me what we could drop if:\n- the harbour is read only, we always repaint it\n- we never count the ships",
		"was fällt weg, wenn:\n- wir immer alles neu malen",
		"see what could go if we never count the ships",
	])
		given(user(text)).when(threadFold, kinds).then([]);
	given(user("stop if:\n- it rains\n\nAlso never paint the sign.")).when(threadFold, kinds).then(["rule"]);
});

test("a value of the agent that the user corrects is a correction", () => {
	const correction = "the preview should be on 8443, not 7443";
	given(user("Start the preview."), assistant("It runs on port 7443."), user(correction))
		.when(threadFold, remarks)
		.then([["correction", correction, "holds"]]);
});
