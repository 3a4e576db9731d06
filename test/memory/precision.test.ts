import assert from "node:assert/strict";
import { test } from "node:test";
import { recall } from "../../src/state/memory/recall/recall.ts";
import { PROJECT_MEMORY, PROJECT_NOW } from "./project-memory.ts";

/** Turns that have nothing to do with what the project remembers. */
const UNRELATED = `
thanks
thank you!
thanks a lot, that was quick
ok
okay, go on
continue
please continue
continue with the next one
yes
yes please
no
no, not like that
sure, do it
go ahead
looks good to me
lgtm
great work
perfect, thanks
stop
wait
try again
again, please
undo that
do the same for the other file
make it shorter
can you explain that again?
why?
what do you mean?
I don't understand
hello
hi there
good morning
never mind
you are right
that did not work
it still fails
same error as before
fix it
run the tests
run it once more
commit it
show me the diff
read the file again
what changed?
write a haiku about autumn
what is the capital of Mongolia?
how do I boil an egg?
translate "good evening" into Swedish
who painted the ceiling of the Sistine Chapel?
tell me a joke about cats
recommend a novel for a long train ride
how far away is the moon?
what's the weather like in Lisbon in winter?
explain recursion to a child
give me a recipe for lentil soup
set up a new React app with a dark theme toggle
write a bash one-liner that counts lines in all markdown files
add a favicon to the landing page
create a GitHub Action that greets new contributors
rename the variable foo to bar everywhere
write a regex for email addresses
how do I center a div?
draft a blog post about remote work
make the button rounder and blue
generate ten fake usernames
what's the difference between let and const?
convert this list into a JSON array
refactor the sidebar into smaller components
add keyboard shortcuts to the editor
how does garbage collection work in Go?
write a unit test for the fibonacci function
bump the minor version
sort these names alphabetically: Zoe, Adam, Mia
danke
danke, weiter
mach weiter
ja, bitte
nochmal bitte
das sieht gut aus
schreib mir ein Gedicht über den Herbst
wie geht es dir?
merci beaucoup
continue s'il te plaît
oui, vas-y
raconte-moi une blague
gracias
sigue
cuéntame algo sobre los volcanes
obrigado, continua
grazie, va bene così
спасибо
продолжай
расскажи анекдот про кошек
谢谢
继续
好的
写一首关于秋天的诗
ありがとう
続けてください
고마워요
`
	.trim()
	.split("\n");

/** Questions, and words of the item that answers. */
const RELATED: readonly (readonly [string, RegExp])[] = [
	["which port does the relay use?", /7443/],
	["what unit are draughts stored in?", /centimetres/],
	["when do the nightly exports run, and where?", /gannet/],
	["customs keeps answering 429, what is the limit?", /five requests/],
	["how is the IMO check digit verified?", /imo\.ts/],
	["I get ERR_OFFSET_UNKNOWN again", /ERR_OFFSET_UNKNOWN/],
	["may I run the migrations from my laptop against production?", /pipeline/],
	["why don't we use Redis for the queues?", /PostgreSQL/],
	["where are prices rounded?", /resolveTariff/],
	["can we deploy on Friday? which days are deployments?", /Tuesdays/],
	["how do I start PostgreSQL for the integration tests?", /docker compose/],
	["the scheduler test is flaky again", /fake clock/],
	["which API versions must stay compatible?", /version 3/],
	["was the archive of 2024 moved to cold storage?", /cold storage/],
	["where were we?", /importer for harbour/],
	["what are the next steps?", /tokenizer/],
	["wo waren wir stehen geblieben?", /importer for harbour/],
	["下一步是什么", /tokenizer/],
	["数据库迁移脚本要在哪里运行", /预发布/],
	["請求書の番号はどこから始まる", /請求書/],
	["what language are commit messages in?", /imperative/],
	["may the vendor sample files be committed?", /sample files/],
];

const ask = (text: string) => recall(PROJECT_MEMORY, text, { now: PROJECT_NOW });

test("of 100 turns that have nothing to do with the memory at most 2 bring something back", async () => {
	assert.equal(UNRELATED.length, 100);
	const injected: string[] = [];
	for (const text of UNRELATED) {
		const { items } = await ask(text);
		if (items.length > 0) injected.push(`${text} → ${items[0]!.item.text}`);
	}
	assert.ok(injected.length <= 2, injected.join("\n"));
});

test("what the memory knows is brought back first", async () => {
	const missed: string[] = [];
	for (const [text, expected] of RELATED) {
		const { items } = await ask(text);
		if (!items.slice(0, 2).some(({ item }) => expected.test(item.text))) {
			missed.push(`${text} → ${items[0]?.item.text}`);
		}
	}
	assert.deepEqual(missed, []);
});
