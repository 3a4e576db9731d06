import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { toPayload } from "../context/patch/transform.ts";
import { recallAfterPatch } from "../context/session-patches.ts";
import { type Engine, openEngine } from "../engine.ts";
import { knownMemoryFiles, readCandidates } from "../state/memory/import-candidates.ts";
import { MEMORY, type MemoryFile, MemoryFiles, memoryFile, sessionFile } from "../state/memory/memory-files.ts";
import { renderBlock } from "../state/memory/recall/block.ts";
import { forgetSession } from "./forget.ts";
import { renderFound, renderMemory, searchMemory, viewMemory } from "./memory.ts";
import { addMemory, editMemory, forgetMemory, importMemory, previewImport, renderImport } from "./memory-edits.ts";
import { memoryHistory, memoryStory, renderMemoryHistory, renderStory } from "./memory-story.ts";
import { PLAIN } from "./text-style.ts";

const NOW = Date.UTC(2026, 10, 16, 12);
const hand = { now: NOW, why: "command", by: { session: "cli", host: "cli" } } as const;
let home: string;
let cwd: string;
let engine: Engine;
/** Of MEMORY.md. */
let path: string;
beforeEach(() => {
	home = temporaryFolder();
	cwd = join(home, "project");
	mkdirSync(cwd);
	engine = openEngine({ cwd, host: "cli", session: "cli", home: join(home, "data"), env: {}, now: () => NOW });
	path = join(engine.project.folder, "memory", "MEMORY.md");
});
afterEach(() => engine.close());

test("reading makes nothing", () => {
	assert.deepEqual(renderMemory(viewMemory(engine), PLAIN), [
		"This project has no memory yet. weft writes it when an agent runs here.",
	]);
	assert.equal(existsSync(join(engine.project.folder, "memory")), false);
	assert.deepEqual(searchMemory(engine, ["x"]).bullets, []);
	assert.throws(() => memoryStory(engine, "f-00000000"), { code: "not-found" });
});

test("what a person adds, edits and forgets is told by show, search, why and history", () => {
	addMemory(engine, { text: "the tests need a database", section: "facts" }, hand);
	const [added] = viewMemory(engine).files[0]!.bullets;
	const { ops } = editMemory(engine, added!.id.slice(0, 6), "the tests need a database and a queue", hand);
	const id = ops[0]!.id;
	addMemory(engine, { text: "tabs", section: "Preferences" }, hand);
	assert.deepEqual(renderMemory(viewMemory(engine), PLAIN).slice(0, 5), [
		"MEMORY.md revision 3",
		"  Facts",
		`    ${id} the tests need a database and a queue (yours)`,
		"  Preferences",
		`    ${viewMemory(engine).files[0]!.bullets[1]!.id} tabs (yours)`,
	]);
	assert.deepEqual(renderFound(searchMemory(engine, ["QUEUE", "tests"]), PLAIN), [
		"MEMORY.md, Facts",
		`    ${id} the tests need a database and a queue (yours)`,
	]);
	const story = renderStory(memoryStory(engine, id), PLAIN).join("\n");
	assert.match(story, /written {3}2026-11-\d\d \d\d:\d\d by you \(command\), session cli/);
	assert.match(story, /replaces {2}the tests need a database$/m);
	const narrow = renderStory(memoryStory(engine, id), { ...PLAIN, columns: 40 });
	assert.ok(narrow.every(({ length }) => length <= 40) && !narrow.join("").includes("…"), narrow.join("\n"));
	forgetMemory(engine, id, hand);
	assert.match(renderStory(memoryStory(engine, id), PLAIN).join("\n"), /^was in {4}MEMORY\.md, Facts$/m);
	assert.match(
		renderStory(memoryStory(engine, id), PLAIN).join("\n"),
		/gone .* by you: forgotten: the same words stay deleted/,
	);
	assert.match(
		renderMemoryHistory(memoryHistory(engine, 1), PLAIN).join("\n"),
		/MEMORY\.md, revision 4 \(command\): 1 gone/,
	);
	assert.throws(() => addMemory(engine, { text: "x", section: "Fact" }, hand), /Did you mean 'Facts'/);
	assert.throws(() => addMemory(engine, { text: "TABS.", section: "Facts" }, hand), /it is there already/);
});

test("a line that the user wrote into the file is found by the id that it is shown with, or gets one", () => {
	addMemory(engine, { text: "tabs", section: "Preferences" }, hand);
	writeFileSync(path, `${readFileSync(path, "utf8")}- mine alone\n`);
	const mine = () => viewMemory(engine).files[0]!.bullets.find(({ text }) => text === "mine alone")!;
	assert.equal(mine().by, null);
	addMemory(engine, { text: "one more", section: "Facts" }, hand);
	assert.equal(mine().by, "user");
	for (const ask of [() => forgetMemory(engine, " ", hand), () => memoryStory(engine, "")])
		assert.throws(
			ask,
			/Say which bullet: 'weft memory' shows the id/,
			"without an id nothing is meant, least of all the only bullet",
		);
	forgetMemory(engine, mine().id, hand);
	assert.doesNotMatch(readFileSync(path, "utf8"), /mine alone/);
});

test("text of the user's own is told from bullets, numbers make bullets, and nothing said by hand is cut in silence", () => {
	addMemory(engine, { text: "tabs", section: "Preferences" }, hand);
	writeFileSync(path, `${readFileSync(path, "utf8")}\n## Facts\n1. first of all\n\nSome prose \u001b[31m of mine.\n`);
	addMemory(engine, { text: "and more", section: "Facts" }, hand);
	const bullets = viewMemory(engine).files[0]!.bullets;
	assert.equal(bullets.find(({ text }) => text === "first of all")?.by, "user");
	assert.match(readFileSync(path, "utf8"), /^1\. first of all <!-- f-/m);
	const prose = bullets.find(({ text }) => text.startsWith("Some prose"))!;
	assert.match(
		renderMemory(viewMemory(engine), PLAIN).join("\n"),
		/t-[0-9a-f]{8} Some prose \S* ?of mine\. \(your text\)/,
	);
	assert.throws(
		() => forgetMemory(engine, prose.id, hand),
		/is your own text between the bullets: edit it in the file/,
	);
	assert.throws(
		() => addMemory(engine, { text: "x".repeat(501), section: "Facts" }, hand),
		/501 characters; a bullet holds 500/,
	);
	assert.throws(() => editMemory(engine, bullets[0]!.id, "x ".repeat(400), hand), /Shorten it/);
});

test("of a file that is gone or damaged it is said so, with what the log knows", () => {
	addMemory(engine, { text: "tabs", section: "Preferences" }, hand);
	addMemory(engine, { text: "first of all", section: "Facts" }, hand);
	const whole = readFileSync(path, "utf8");
	const shown = () => renderMemory(viewMemory(engine), PLAIN).join("\n");
	rmSync(path);
	assert.match(
		shown(),
		/^MEMORY\.md revision \d+\n {2}The file is gone\. It is made again from the log at the next write\.\n {2}Preferences\n/,
	);
	writeFileSync(path, Buffer.from([0xff, 0xfe, 0x1b, 0x00]));
	assert.match(shown(), /The file is damaged\. [\s\S]*first of all \(yours\)/);
	rmSync(path);
	mkdirSync(path);
	assert.match(shown(), /does not touch .*: it cannot be read/);
	rmSync(path, { recursive: true });
	writeFileSync(path, whole);
	assert.doesNotMatch(shown(), /The file is/);
});

test("of a session's bullet why tells the message that it comes from", () => {
	const of = { session: "s1", host: "pi" };
	engine.record([{ type: "SessionStarted", ...of, payload: { cwd } }]);
	const raw = JSON.stringify({ type: "message", id: "m1", message: { role: "user", content: "never push" } });
	const { seqs } = engine.record([{ type: "Message", ...of, entry: "m1", payload: { role: "user", form: "pi" }, raw }]);
	const source = engine.log.handleAt(seqs[0]!)!;
	const build = () => [{ op: "add", section: "Constraints", text: "never push", by: "state", source }] as const;
	const files = new MemoryFiles({ log: engine.log });
	const { ops } = files.write({ file: sessionFile(of), why: "turn", session: of, ts: NOW, cause: seqs[0], build });
	const story = memoryStory(engine, ops[0]!.id);
	assert.deepEqual(
		[story.stands[0]?.source, story.stands[0]?.cause, story.stands[0]?.file],
		[source, source, "session"],
	);
	assert.match(
		renderStory(story, PLAIN).join("\n"),
		new RegExp(`comes from +${source}: 'weft expand ${source}' shows it`),
	);
});

test("memory files of other agents are candidates with their origin, taken on probation, never twice", () => {
	mkdirSync(join(cwd, "memory"));
	const claude =
		"---\ntitle: x\n---\n# Project\n\nIt is a compiler for tide tables.\n\n## Rules\n- Never push to main.\n- tabs\n```\n- code here\n```\n";
	writeFileSync(join(cwd, "CLAUDE.md"), claude);
	writeFileSync(join(cwd, "memory", "2026-11-15.md"), "### Decisions\n* We chose SQLite.\n| a | table |\n");
	const found = knownMemoryFiles({ root: cwd, home, env: {} });
	assert.deepEqual(found, [join(cwd, "CLAUDE.md"), join(cwd, "memory")]);
	const candidates = readCandidates(found);
	assert.deepEqual(
		candidates.map(({ section, text }) => [section, text]),
		[
			["Facts", "It is a compiler for tide tables."],
			["Constraints", "Never push to main."],
			["Decisions", "We chose SQLite."],
		],
	);
	assert.deepEqual(renderImport(previewImport(undefined, candidates), PLAIN).at(-1), "3 candidates.");
	assert.deepEqual(renderImport(previewImport(engine, candidates), PLAIN).at(-1), "3 candidates.");
	const view = importMemory(engine, candidates, { ...hand, why: "import" });
	assert.equal(view.taken, 3);
	const again = importMemory(engine, candidates, { ...hand, why: "import" });
	assert.deepEqual([again.taken, again.candidates[0]?.note], [0, "it is there already"]);
	const preview = previewImport(engine, candidates);
	assert.equal(preview.candidates[0]?.note, "it is there already");
	assert.equal(renderImport(preview, PLAIN).at(-1), "0 candidates.");
	const many = Array.from({ length: 90 }, (_, n) => ({
		section: "Facts" as const,
		text: `number ${n} of many`,
		origin: "m",
	}));
	const facts = () => viewMemory(engine).files.find(({ file }) => file === "memory")!.bullets;
	const before = facts().filter(({ id }) => id.startsWith("f-"));
	const full = importMemory(engine, many, { ...hand, why: "import" });
	assert.deepEqual([full.candidates[0]?.note, full.candidates[89]?.note], [undefined, "Facts is full: it holds 60"]);
	assert.ok(
		before.every(({ id }) => facts().some((each) => each.id === id)),
		"what stood there stays",
	);
	assert.match(
		renderImport({ applied: false, candidates: [], taken: 0 }, PLAIN, ["x.txt"])[0]!,
		/nothing to remember in x\.txt/,
	);
	const bullet = viewMemory(engine)
		.files.find(({ file }) => file === "memory")!
		.bullets.find(({ text }) => text === "We chose SQLite.");
	assert.equal(bullet?.until, NOW + 30 * 24 * 3_600_000);
	assert.match(renderStory(memoryStory(engine, bullet!.id), PLAIN).join("\n"), /imported .*2026-11-15\.md/);
	assert.equal(memoryStory(engine, bullet!.id.slice(2)).id, bullet!.id, "without what all ids begin with");
});

test("what was learnt from a session that is forgotten goes with it; what a person wrote stays", async () => {
	addMemory(engine, { text: "tabs", section: "Preferences" }, hand);
	const of = { session: "s2", host: "pi" };
	engine.record([{ type: "SessionStarted", ...of, payload: { cwd } }]);
	const raw = JSON.stringify({ type: "message", id: "m9", message: { role: "user", content: "hello" } });
	engine.record([{ type: "Message", ...of, entry: "m9", payload: { role: "user", form: "pi" }, raw }]);
	const files = new MemoryFiles({ log: engine.log });
	const fact = { op: "add", section: "Facts", text: "learnt in s2; password=hunter2hunter2", by: "state" } as const;
	files.write({ file: MEMORY, why: "consolidation", session: of, ts: NOW, build: () => [fact] });
	files.write({
		file: sessionFile(of),
		why: "turn",
		session: of,
		ts: NOW,
		build: () => [{ ...fact, section: "Worklog" }],
	});
	assert.match(readFileSync(path, "utf8"), /- learnt in s2; password=\[secret\] <!--/);
	await forgetSession(engine.log, "s2", { now: NOW, apply: true, archive: "none" });
	assert.doesNotMatch(readFileSync(path, "utf8"), /learnt in s2/);
	assert.equal(existsSync(files.pathOf(sessionFile(of))), false);
	addMemory(engine, { text: "after all that", section: "Facts" }, hand);
	const texts = viewMemory(engine)
		.files.find(({ file }) => file === "memory")!
		.bullets.map(({ text, by }) => `${text} ${by}`);
	assert.ok(texts.includes("tabs user") && texts.includes("after all that user"));
	assert.ok(!texts.some((text) => text.includes("learnt in s2")));
});

test("why refuses the beginning of several ids, and says when a bullet was recalled", () => {
	for (const text of ["one", "another"]) addMemory(engine, { text, section: "Facts" }, hand);
	assert.throws(() => memoryStory(engine, "f-"), /'f-' is the beginning of several ids\. Type more of it\./);
	addMemory(engine, { text: "the queue is rabbit", section: "Facts" }, hand);
	const { id } = viewMemory(engine).files[0]!.bullets.find(({ text }) => text === "the queue is rabbit")!;
	assert.doesNotMatch(renderStory(memoryStory(engine, id), PLAIN).join("\n"), /recalled/);
	const item = { id, text: "the queue is rabbit", heading: "Facts", source: "memory" } as const;
	const block = renderBlock({ items: [{ item }], left: 0, considered: [], terms: [] }, { salt: "one" })!;
	for (const entry of ["transform a.recall", "transform b.recall"]) {
		const payload = toPayload(recallAfterPatch("", block, NOW));
		engine.record([{ type: "Transform", session: "one", host: "pi", ts: NOW, entry, payload }]);
	}
	const { recalled } = memoryStory(engine, id);
	assert.deepEqual([recalled.times, recalled.last?.session, recalled.last?.at], [2, "one", NOW]);
	assert.match(
		renderStory(memoryStory(engine, id), PLAIN).join("\n"),
		/^recalled {2}2 times, last on 2026-11-16 \S+, session one: 'weft show \S+' shows it$/m,
	);
});

test("a conversation with an owner is shown with files of its own, what is remembered first", () => {
	const folder = join(home, "talk");
	mkdirSync(folder);
	const talk = openEngine({ cwd: folder, host: "openclaw", home: join(home, "talk-data"), env: {}, now: () => NOW });
	try {
		const of = { session: "s1", host: "openclaw" };
		talk.record([{ type: "SessionStarted", ...of, payload: { cwd: folder, format: "openclaw", owner: "operator" } }]);
		const files = new MemoryFiles({ log: talk.log });
		const write = (file: MemoryFile, section: string, text: string) =>
			files.write({ file, why: "turn", session: of, ts: NOW, build: () => [{ op: "add", section, text, by: "user" }] });
		write(sessionFile(of), "Next Steps", "Paint the buoy.");
		write(memoryFile(of), "Constraints", "Never paint at night.");
		const shown = viewMemory(talk, of).files.map(({ file, bullets }) => [file, bullets[0]?.text]);
		assert.deepEqual(shown, [
			["memory", "Never paint at night."],
			["session", "Paint the buoy."],
		]);
	} finally {
		talk.close();
	}
});
