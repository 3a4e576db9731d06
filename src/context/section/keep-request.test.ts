import assert from "node:assert/strict";
import { test } from "node:test";
import { withNotes } from "../../message/note.ts";
import { renderKeepRequest } from "./keep-request.ts";
import { SEED_STYLE } from "./seed.ts";

test("weft's own notes are not among the lines that speak of what the user asked to keep", () => {
	const messages = [
		{ handle: "m-1", role: "toolResult", text: withNotes("1 of 9 checks failed", ["new failure: the checks"]) },
		{ handle: "m-2", role: "user", text: "Run the checks.\n\n[weft] checks: my own words" },
	];
	const text = renderKeepRequest({ words: "Keep the checks", messages }, SEED_STYLE, 4_000).lines.join("\n");
	assert.match(text, /\(m-1\) 1 of 9 checks failed/);
	assert.match(text, /\(m-2\) Run the checks\./);
	assert.doesNotMatch(text, /new failure/);
	assert.match(text, /my own words/);
});

test("a short word is found where a word or a part of an identifier begins, not inside of another word", () => {
	const messages = [
		{
			handle: "m-1",
			role: "toolResult",
			text: "export const a = 1;\nimport b\nconst httpPort = 2;\nthe ports are 4711",
		},
	];
	const text = renderKeepRequest({ words: "keep everything about the port", messages }, SEED_STYLE, 4_000).lines.join(
		"\n",
	);
	assert.match(text, /httpPort/);
	assert.match(text, /the ports are 4711/);
	assert.doesNotMatch(text, /export|import/);
});

const ITEMS = [
	{ kind: "rule", handle: "m-1", text: "never push to main directly" },
	{ kind: "rule", handle: "m-2", text: "use tabs, two spaces hurt my eyes" },
	{ kind: "decision", handle: "m-3", text: "we go with postgres instead of mongo" },
	{ kind: "dead-end", handle: "t-4", text: "npm run seed: ECONNREFUSED 127.0.0.1:5432" },
	{ kind: "open", handle: "a-5", text: "I have not run the browser tests." },
] as const;
const MESSAGES = [
	{ handle: "m-6", role: "user", text: "sign-in must expire after an hour, OAuth for the couriers" },
	{ handle: "t-7", role: "toolResult", text: "p95 412 ms, 140 req/s" },
	{ handle: "a-8", role: "assistant", text: "The rollout went through with the second try." },
	{ handle: "t-9", role: "toolResult", text: "src/ui/card.css" },
];

for (const [words, ...handles] of [
	["our conventions", "m-2", "m-1"],
	["what I told you not to do", "m-2", "m-1"],
	["die Regeln", "m-2", "m-1"],
	["前に決まりとして言ったこと", "m-2", "m-1"],
	["the choices that we made", "m-3"],
	["mistakes with the commands", "t-4"],
	["what is still unfinished", "a-5"],
	["the login", "m-6"],
	["authentication", "m-6"],
	["how fast it is", "t-7"],
	["the deployment", "a-8"],
	["the visual design", "t-9"],
	["the database", "m-3"],
] as const) {
	test(`finds what the words mean where none of them is in it: ${words}`, () => {
		const { items } = renderKeepRequest({ words, items: ITEMS, messages: MESSAGES }, SEED_STYLE, 4_000);
		const found = items.flatMap(({ handle }) => handle ?? []);
		assert.deepEqual(found.slice(0, handles.length), handles);
	});
}

test("of the kind that is asked for, those on the subject are kept, or else all of them", () => {
	const kept = (words: string) =>
		renderKeepRequest({ words, items: ITEMS, messages: [] }, SEED_STYLE, 4_000).items.flatMap(
			({ handle }) => handle ?? [],
		);
	assert.deepEqual(kept("the rules on tabs"), ["m-2"]);
	assert.deepEqual(kept("the rules"), ["m-2", "m-1"]);
});
