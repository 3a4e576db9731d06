/** How `ask` finds an answer that has few words of the question: in the next paragraph, the next answer, the newest words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { answerQuestion } from "../../src/ask/answer.ts";
import type { AskAnswer } from "../../src/ask/types.ts";
import { type Engine, openEngine } from "../../src/engine.ts";
import type { NewEvent } from "../../src/log/event/types.ts";
import { EVERYONE } from "../../src/state/session/scope.ts";
import { assistant, eventsOf, ran, type SessionWords, sessionStarted, user } from "../rig/events.ts";
import { TemporaryProject } from "../rig/temporary-folder.ts";

const NOW = new Date(2026, 2, 18, 12).getTime();
const HOUR_MS = 3_600_000;

/** Sessions of one project, an hour apart, the last one an hour ago. */
function project(...sessions: readonly SessionWords[]) {
	const folder = new TemporaryProject();
	const cwd = folder.folder;
	const engine = openEngine({ cwd, home: folder.home, host: "pi", env: {}, now: () => NOW });
	for (const [at, words] of sessions.entries()) {
		const of = { session: `made-up-${at}`, host: "pi" };
		const start = NOW - (sessions.length - at) * HOUR_MS;
		engine.record(
			eventsOf([sessionStarted(cwd), ...words], cwd).map(
				(event, n) => ({ ...event, ...of, ts: start + n * 1_000 }) as NewEvent,
			),
		);
	}
	return {
		ask: (question: string) => ask(engine, question),
		[Symbol.dispose]() {
			engine.close();
			folder[Symbol.dispose]();
		},
	};
}

function ask(engine: Engine, question: string): AskAnswer {
	const { log, project } = engine;
	const sources = { log, session: undefined, scope: EVERYONE, memory: () => [], root: project.root, now: NOW };
	return answerQuestion({ ...sources, state: () => engine.state().state }, { question });
}

function linesOf({ sections }: AskAnswer, of: string): readonly string[] {
	return sections.filter(({ title }) => title === of).flatMap(({ lines }) => lines.map(({ text }) => text));
}

/** Words about something else, so that nothing is found by being the only one. */
const SMALL_TALK: SessionWords = Array.from({ length: 30 }, (_, n) =>
	assistant(`Step ${n}: the lantern of the harbour is painted, and its ladder too.`),
);

test("a name is looked for in whole texts: the answer may be far behind it", () => {
	const before = "The harness has been in this place for a while, and nobody looked at it. ".repeat(4);
	using made = project([
		user("what are the two libraries for?"),
		assistant(
			`${before}\n\n**\`use-key-press\`** — a hook that listens for keys, as its page says at some length, with many words about browsers, about frames and about the order of events in them. The dialog closes on Escape by it.`,
		),
		...SMALL_TALK,
	]);
	assert.match(linesOf(made.ask("what is use-key-press for"), "Said").join("\n"), /closes on Escape/);
});

test("words that end with a colon stay with what they introduce", () => {
	using made = project([
		user("What about the mooring suite?"),
		assistant(
			"I timed the whole mooring suite on both piers of the harbour yesterday, once with the crane and once without it, and this is how long it takes:\n\n- North: eleven minutes.\n- South: nine minutes.",
		),
		...SMALL_TALK,
	]);
	assert.match(linesOf(made.ask("how long does the mooring suite take"), "Said")[0] ?? "", /eleven minutes/);
});

test("a heading stays with what it is the heading of", () => {
	using made = project([
		user("What about the berths?"),
		assistant(
			"The berths of the north pier get new lanterns, and the ones of the south pier are left as they are, because nobody asked for more than that so far.\n\n## Out of scope\n\nThe ferry and the dinghy.",
		),
		...SMALL_TALK,
	]);
	assert.match(linesOf(made.ask("which berths are out of scope"), "Said").join("\n"), /The ferry and the dinghy/);
});

test("a name of an agent that does nothing in the question is its subject", () => {
	using made = project([
		user("fetch the pi logo for the section"),
		assistant("The pi logo is the one of the harbour's museum."),
		...SMALL_TALK,
	]);
	const answer = made.ask("where does the pi logo come from");
	assert.match(linesOf(answer, "Said").join("\n"), /museum/);
	assert.deepEqual(linesOf(answer, "Sessions"), []);
});

test("whoever asked the same before got an answer, which comes first", () => {
	using made = project([
		user("if one crane fails and the other lifts, how does the harbour office count it"),
		assistant("I will look at the rules of the harbour office for cranes that fail, and at the office itself."),
		assistant("Strictly: both must lift, else the ship waits."),
		user("thanks"),
		...SMALL_TALK,
	]);
	const [first = ""] = linesOf(made.ask("how does the harbour office count a crane that fails?"), "Said");
	assert.match(first, /both must lift/);
});

test("what should be done is what the user said, if it bears on the question", () => {
	using made = project([
		user("add the two gaps too, use table driven cases for the berth checks where possible"),
		assistant("The berth checks now cover both gaps. The berth checks of the harbour run last."),
		...Array.from({ length: 4 }, (_, n) =>
			assistant(`The berth checks pass on pier ${n}, berth checks of others too.`),
		),
		...SMALL_TALK,
	]);
	const [first = ""] = linesOf(made.ask("how should the berth checks be written"), "Said");
	assert.match(first, /^user: .*table driven/);
});

test("rules that share no word with the question come after what was said about it", () => {
	using made = project([
		user("Never paint the lantern red."),
		assistant("Understood."),
		user("the casing of tide keys is camelCase, as in the old harbour"),
		assistant("All tide keys have camelCase as their casing now."),
	]);
	const { sections } = made.ask("should the casing of tide keys be camelCase?");
	const titles = sections.map(({ title }) => title);
	assert.ok(titles.indexOf("Said") !== -1 && titles.indexOf("Said") < titles.indexOf("Rules"), titles.join(", "));
});

test("a decision is also what the user answered to a proposal, whose words it need not have", () => {
	using made = project([
		user("can you look at the transactional moorings"),
		assistant("Transactional moorings have no demand yet. Keep the ticket, or close it? And strip the sketch of them?"),
		user("keep the ticket, but take the sketch out"),
		assistant("Done."),
		...SMALL_TALK,
	]);
	const lines = linesOf(made.ask("what did we decide about transactional moorings"), "Decided");
	assert.ok(
		lines.some((line) => /^user, then: keep the ticket/.test(line)),
		lines.join("\n"),
	);
});

test("a long request is no decision, only its sentences that decide something are", () => {
	const plan = "Go through the harbour and note every lantern, every ladder and every crane, with its age. ".repeat(10);
	using made = project([
		user(`${plan}We decided to paint the lantern green. ${plan}`),
		assistant("I will."),
		...SMALL_TALK,
	]);
	const lines = linesOf(made.ask("what did we decide about the lantern"), "Decided");
	assert.ok(
		lines.every((line) => !line.includes("Go through")) && lines.some((line) => /paint the lantern green/.test(line)),
	);
});

test("a question about now gets the newest words, also where the thing has another name", () => {
	using made = project(
		[user("ok, we rename the repo to harbour, so imports use it too"), assistant("Done."), ...SMALL_TALK],
		[user("one more: we rename the repo once more, to harbour-lights"), assistant("Done."), ...SMALL_TALK],
		[user("is the repo clean? it is called in a loop"), assistant("The repo is clean.")],
	);
	const [first = ""] = linesOf(made.ask("what is the repo called now"), "Said");
	assert.match(first, /harbour-lights/);
});

test("a name of two letters is a name", () => {
	using made = project([
		user("log an improvement for it"),
		assistant("Logged as HAR-241: run gc at safe points."),
		...SMALL_TALK,
	]);
	assert.match(linesOf(made.ask("which ticket did we log for the gc problem"), "Said").join("\n"), /HAR-241/);
});

test("every word of a question for a reason counts", () => {
	using made = project([
		user("remove the stray crane and push it to main"),
		assistant("The stray crane is a file. I remove the stray crane only."),
		assistant(
			"I did not push it, because the harbour's guide forbids that. The harbour's guide is old, and it is long.",
		),
		...Array.from({ length: 8 }, (_, n) => assistant(`The stray crane is gone from pier ${n}.`)),
	]);
	const lines = linesOf(made.ask("why was the stray crane not pushed"), "Said");
	assert.ok(
		lines.slice(0, 3).some((line) => line.includes("forbids")),
		lines.join("\n"),
	);
});

test("a command that has the name says which last run is meant", () => {
	using made = project(
		[
			user("talk about lint, the lint of the tide and its lint run"),
			ran("npm run lint", "Checked 3 files."),
			assistant("The lint of the tide passes, and lint is fast."),
		],
		[user("and now the crane"), ran("npx oxlint src", "Found 2 problems."), assistant("Done.")],
	);
	const [first = ""] = linesOf(made.ask("did the last lint run pass"), "Last runs");
	assert.match(first, /oxlint/);
});

test("a day that is named has a story, even where no word of the question is in it", () => {
	using made = project([user("paint the lantern"), assistant("The lantern is green.")]);
	assert.match(
		made.ask("what was our final achievement on 2026-03-18?").sections[0]?.lines[0]?.text ?? "",
		/paint the lantern/,
	);
	assert.equal(made.ask("what about zeppelins?").found, false);
});
