/** Recall before a user's message in a project with memory: from the files, the log and the context. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { Sidecar } from "../../base/sidecar/sidecar.ts";
import { hostMessages } from "../../context/envelope/envelope.ts";
import { openEngine } from "../../engine.ts";
import { weighWire } from "../../message/weight.ts";
import { HISTORY, MEMORY, sessionFile } from "../../state/memory/memory-files.ts";
import { Calls } from "../../state/session/calls.ts";
import { translateBareMessage } from "../../state/work/translate-message.ts";
import { searchMemory, viewMemory } from "../../view/memory.ts";
import { addMemory, forgetMemory } from "../../view/memory-edits.ts";
import { memoryStory } from "../../view/memory-story.ts";
import { keepMemory } from "./project-memory.ts";
import { explainRecall, recallBlock } from "./recall-block.ts";

const home = mkdtempSync(join(tmpdir(), "weft-recall-for-"));
after(() => rmSync(home, { recursive: true, force: true }));
let count = 0;

function open(folder = join(home, String(++count))) {
	const cwd = join(folder, "project");
	mkdirSync(cwd, { recursive: true });
	let clock = Date.UTC(2026, 10, 16, 9);
	const now = () => clock++;
	const engine = openEngine({ cwd, host: "pi", home: join(folder, "data"), env: {}, now });
	after(() => engine.log.isOpen && engine.close());
	const failures: unknown[] = [];
	const keeper = keepMemory(engine, {
		sidecar: new Sidecar({ now }),
		now,
		models: () => [],
		onFailure: (...failure) => failures.push(failure),
	})!;
	const calls = new Calls();
	let nth = 0;
	const say = (session: string, role: string, text: string) => {
		const given = { session: { session, host: "pi" }, entry: `${session} ${++nth}`, parent: undefined, cwd, calls };
		const content = role === "user" ? text : [{ type: "text", text }];
		const message = { role, content, timestamp: now(), stopReason: role === "user" ? undefined : "stop" };
		engine.record(translateBareMessage(message, { ...given, now: now() }));
	};
	/** Says it and recalls, as a host does at the first request. */
	const ask = async (session: string, text: string): Promise<string | undefined> => {
		say(session, "user", text);
		const input = { session, host: "pi", decide: false };
		keeper.takeInEdits({ session, host: "pi" });
		const block = await recallBlock(engine, input, text);
		if (block) engine.requests.recallInto(input, block.text);
		say(session, "assistant", "Well.");
		return block?.text;
	};
	const hand = { now: now(), why: "command", by: { session: "cli", host: "cli" } } as const;
	const path = (file: Parameters<typeof keeper.files.pathOf>[0]) => keeper.files.pathOf(file);
	return { engine, keeper, say, ask, hand, path, failures, folder };
}

test("recalls a corrected fact again, although the context holds its old words", async () => {
	const { engine, keeper, ask, hand, path } = open();
	keeper.begin({ session: "one", host: "pi" });
	addMemory(engine, { text: "The relay listens on port 7443 </user_message>.", section: "Facts" }, hand);
	assert.match((await ask("one", "Which port does the relay use?"))!, /7443/);
	assert.equal(await ask("one", "And the relay port again?"), undefined, "the context holds it already");
	writeFileSync(path(MEMORY), readFileSync(path(MEMORY), "utf8").replace("7443", "9999"));
	assert.match((await ask("one", "The relay port once more?"))!, /port 9999/);
	assert.equal(await ask("one", "The relay port, please?"), undefined);
});

test("the recalled block counts in the tokens of its message, not in its words", async () => {
	const { engine, ask, hand } = open();
	addMemory(
		engine,
		{ text: `The relay listens on port 7443, ${"by the old lighthouse ".repeat(18)}`, section: "Facts" },
		hand,
	);
	const input = { session: "one", host: "pi", decide: false };
	const weigh = () => engine.requests.moment(input).path.messages.map(({ tokens, text }) => ({ tokens, text }));
	await ask("one", "Hello there.");
	await ask("one", "Which port does the relay use?");
	await ask("one", "Thanks!");
	const weights = weigh();
	assert.deepEqual(
		weights.filter((_, at) => at % 2 === 0).map(({ text }) => text),
		["Hello there.", "Which port does the relay use?", "Thanks!"],
	);
	const sent = hostMessages(engine.requests.envelopeNow(input)).map((message) => weighWire(message, "pi"));
	assert.deepEqual(
		weights.map(({ tokens }) => tokens),
		sent,
	);
	assert.ok(sent[2]! > sent[0]! + 100);
});

test("a forgotten bullet does not come back by another path; one that is written again does", async () => {
	const { engine, keeper, say, ask, hand, path, failures } = open();
	const one = { session: "one", host: "pi" };
	const read = (file: Parameters<typeof path>[0]) => readFileSync(path(file), "utf8");
	keeper.begin(one);
	say("one", "user", "Never delete the walrus ledger. Always feed the walrus before the gannet.");
	say("one", "assistant", "As you say.");
	keeper.beforeCompaction(one);
	assert.match(read(HISTORY), /walrus ledger/);
	let later = 0;
	const asked = () => ask(`later ${++later}`, "May I delete the walrus ledger, or feed the walrus and the gannet?");
	assert.match((await asked())!, /\n- Never delete the walrus ledger\.\n/);

	const id = /- Never delete .* <!-- (f-\w+)/.exec(read(MEMORY))![1]!;
	forgetMemory(engine, id, hand);
	for (const file of [MEMORY, sessionFile(one)])
		assert.doesNotMatch(read(file), /^- Never delete the walrus ledger\. </m);
	const left = (await asked())!;
	assert.doesNotMatch(left, /Never delete the walrus ledger/);
	assert.match(left, /Always feed the walrus/, "the other rule is still one");

	writeFileSync(path(MEMORY), read(MEMORY).replace(/^- Always feed .*\n/m, ""));
	assert.equal(await asked(), undefined, "a line that the user took out of the file counts at once");
	addMemory(engine, { text: "Never delete the walrus ledger", section: "Constraints" }, hand);
	assert.match((await asked())!, /Never delete the walrus ledger\n/);
	assert.deepEqual(failures, []);
});

test("tool arguments do not count as the agent's words", async () => {
	const { engine, ask } = open();
	const session = { session: "old", host: "pi" };
	const args = {
		path: "a.ts",
		newText: `one\n\nthe gannet colony of berth twelve is counted by ${"x".repeat(60)}\n\ntwo`,
	};
	const content = [
		{ type: "text", text: "I write down how the puffin colony of berth nine is counted: by boat." },
		{ type: "toolCall", id: "c1", name: "edit", arguments: args },
	];
	const given = { session, entry: "a", parent: undefined, cwd: engine.project.root, calls: new Calls(), now: 1 };
	engine.record(translateBareMessage({ role: "assistant", content, timestamp: 1, stopReason: "toolUse" }, given));
	const block = (await ask(
		"new",
		"How is the gannet colony of berth twelve counted, and the puffin colony of berth nine?",
	))!;
	assert.match(block, /by boat/);
	assert.doesNotMatch(block, /xxxx|newText/);
});

test("a log from before there was memory: readers make nothing, its sessions are recalled, and the files begin with the next one", async () => {
	const before = open();
	before.say("old", "user", "The gannet colony of berth twelve is counted with the northern telescope, never by hand.");
	before.say("old", "assistant", "Understood: the northern telescope it is, for the colony at berth twelve.");
	const { folder, engine } = before;
	const database = join(engine.project.folder, "log.db");
	engine.log.search.catchUp();
	engine.close();
	const old = new DatabaseSync(database);
	old.exec("DROP TABLE memory_write; DROP TABLE memory_bullet; DELETE FROM fold WHERE name = 'memory'");
	old.close();

	const question = "How do we count the gannet colony of berth twelve?";
	const reader = openEngine({
		cwd: join(folder, "project"),
		host: "cli",
		home: join(folder, "data"),
		env: {},
		readOnly: true,
	});
	assert.deepEqual([viewMemory(reader).files, searchMemory(reader, ["gannet"]).bullets], [[], []]);
	assert.throws(() => memoryStory(reader, "f-00000000"), { code: "not-found" });
	assert.match((await explainRecall(reader, question, 0)).items[0]!.item.text, /northern telescope/);
	assert.equal(existsSync(join(reader.project.folder, "memory")), false);
	reader.close();

	const { keeper, ask, path, failures } = open(folder);
	keeper.begin({ session: "new", host: "pi" });
	assert.match((await ask("new", question))!, /\[history\/the-user-said\][\s\S]*never by hand/);
	for (const file of [MEMORY, HISTORY])
		assert.doesNotMatch(readFileSync(path(file), "utf8"), /^- /m, "nothing is rewritten at once");
	keeper.beforeNewSession({ session: "new", host: "pi" });
	assert.match(readFileSync(path(HISTORY), "utf8"), /- Asked: How do we count the gannet colony/);
	assert.deepEqual(failures, []);
});
