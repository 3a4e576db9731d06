/**
 * weft in the real OpenClaw: a gateway with weft, a gateway with the host's own engine, the host's own client, and a
 * scripted model that refuses what is over its window. What is asserted is what stood on the wire, in weft's log and in the
 * host's own tables; never how long something took.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Engine, openEngine } from "../../src/engine.ts";
import { type Agent, type Answered, Gateway, keyOf } from "./gateway.ts";
import { measure, type Row, table, wordsOf } from "./measure.ts";
import { ScriptedModel } from "./model.ts";

const TABLE_PAGE = new URL("../../docs/openclaw.md", import.meta.url);
const LETTERS = ["a", "b", "c", "d", "e"] as const;

let model: ScriptedModel;
let weft: Gateway;
const rows: Row[] = [];

before(async () => {
	model = await ScriptedModel.start();
	weft = new Gateway("weft", "weft", model.url);
	await weft.start();
});

after(async () => {
	await weft?.stop();
	model?.stop();
	weft?.remove();
	if (rows.length === 0) return;
	const text = table(rows);
	process.stdout.write(`${text}\n`);
	if (process.env["WEFT_WRITE_DOCS"]) writeTable(text);
});

function look<Answer>(work: (engine: Engine) => Answer): Answer {
	const engine = openEngine({ cwd: weft.workspace, home: weft.home, host: "test", env: {} });
	try {
		return work(engine);
	} finally {
		engine.close();
	}
}

/** What the log has of a session, in its order, through all of its conversations. */
function logged(session: string): { role: string; text: string }[] {
	return look(({ log }) => {
		const started = [...log.read({ types: ["SessionStarted"], host: "openclaw" })];
		const names = started
			.filter(({ payload }) => (payload["raw"] as { sessionKey?: string })?.sessionKey === session)
			.map((record) => record.session);
		return [...log.read({ types: ["Message"], host: "openclaw" })]
			.filter((record) => names.includes(record.session))
			.map(({ payload }) => {
				const { role, content } = payload["raw"] as { role: string; content: unknown };
				return { role, text: typeof content === "string" ? content : JSON.stringify(content) };
			});
	});
}

function good(answer: Answered, what: string): void {
	assert.ok(answer.ok, `${what}: ${answer.text.slice(0, 300)}`);
}

/** After a good turn: the host has delivered it, and has nothing to say against us. */
function clean(agent: Agent): void {
	assert.equal(weft.outbox(agent), 0, "a turn waits in the outbox");
	const said = weft.warnings().filter((line) => /\[context-engine\]|^weft: /.test(line));
	assert.deepEqual(said, []);
}

test("turns that were aborted or failed are in the log once, after the next turn, in the host's order", async () => {
	const session = "undelivered";
	good(await weft.turn("few-64", session, "first words"), "first");
	const failed = await weft.turn("few-64", session, "FAIL:a second words");
	assert.equal(failed.ok, false);
	const hanging = weft.turn("few-64", session, "HANG:a third words", "hang-1");
	await waitFor(() => model.of(keyOf("few-64", session)).some((request) => wordsOf(request).includes("third words")));
	await weft.request("chat.abort", { sessionKey: keyOf("few-64", session), runId: "hang-1" });
	assert.equal((await hanging).ok, false);
	good(await weft.turn("few-64", session, "fourth words"), "fourth");
	const asked = logged(keyOf("few-64", session)).filter(({ role }) => role === "user");
	const order = asked.map(({ text }) => /(\w+) words/.exec(text)?.[1]);
	assert.deepEqual(order, ["first", "second", "third", "fourth"]);
	clean("few-64");
});

test("a word said before /new, /reset and the reset call is in no later request", async () => {
	const session = "reset";
	const key = keyOf("few-64", session);
	const resets = ["/new", "/reset", "call"];
	const words = ["PELICAN", "GANNET", "HERON"];
	for (const [nth, how] of resets.entries()) {
		const word = words[nth]!;
		good(await weft.turn("few-64", session, `RUN:${LETTERS[nth]}:1-5 the word is ${word}`), word);
		if (how === "call") await weft.request("sessions.reset", { key });
		else await weft.turn("few-64", session, how);
		const from = model.of(key).length;
		good(await weft.turn("few-64", session, `RUN:${LETTERS[nth]}:6-10 what was the word`), `after ${how}`);
		await weft.request("sessions.compact", { key });
		good(await weft.turn("few-64", session, "and now"), `after ${how} and a compaction`);
		for (const request of model.of(key).slice(from)) assert.ok(!wordsOf(request).includes(word), how);
	}
	clean("few-64");
	good(await weft.turn("few-64", session, 'CALL:lcm_grep:{"query":"PELICAN","session":"all"}'), "the tool");
	const found = wordsOf(model.of(key).at(-1)!);
	assert.match(found, /the word is PELICAN/, "the tools find it when they are asked for the old conversation");
});

test("two sessions at once keep to themselves", async () => {
	const [one, other] = await Promise.all([
		weft.turn("few-64", "one", "RUN:a:1-5 the word is OSPREY"),
		weft.turn("few-200", "other", "RUN:b:1-5 the word is BITTERN"),
	]);
	good(one!, "one");
	good(other!, "other");
	for (const request of model.of(keyOf("few-64", "one"))) assert.ok(!wordsOf(request).includes("BITTERN"));
	for (const request of model.of(keyOf("few-200", "other"))) assert.ok(!wordsOf(request).includes("OSPREY"));
	clean("few-64");
});

for (const where of ["first", "later"] as const) {
	test(`one turn of forty calls over twice the window, as the ${where} of a session, ends with an answer`, async () => {
		const session = `long-${where}`;
		if (where === "later") good(await weft.turn("few-64", session, "RUN:a:1-5 read these"), "the turn before");
		const asked = "RUN:all:1-44 read all of these and mind the ZEBRA";
		const from = model.of(keyOf("few-64", session)).length;
		good(await weft.turn("few-64", session, asked), "the long turn");
		good(await weft.turn("few-64", session, "what now"), "the next message");
		good(await weft.turn("few-64", session, "and then"), "the one after it");
		const sent = model.of(keyOf("few-64", session)).slice(from);
		for (const [at, request] of sent.entries()) assert.ok(wordsOf(request).includes("ZEBRA"), `request ${at}`);
		assert.ok(sent.some(({ kind }) => kind === "refused"));
		clean("few-64");
		const reads = logged(keyOf("few-64", session)).filter(({ role }) => role === "toolResult");
		assert.equal(reads.length, where === "later" ? 49 : 44);
	});
}

test("on the wire stand our messages in our order, and the turn under way after them", async () => {
	const key = keyOf("few-64", "long-first");
	const sealed = model.of(key).filter((request) => /The work so far/.test(wordsOf(request)));
	assert.ok(sealed.length > 0);
	for (const { messages } of sealed) {
		const spoken = messages.filter(({ role }) => role !== "system" && role !== "developer");
		assert.match(JSON.stringify(spoken[0]), /The work so far/);
		const times = JSON.stringify(spoken).split("The work so far, computed").length - 1;
		assert.equal(times, 1, "the seed stands there once");
	}
});

/** Ten turns of six requests. */
async function sixty(gateway: Gateway, agent: Agent, session: string): Promise<void> {
	for (const letter of LETTERS) {
		good(await gateway.turn(agent, session, `RUN:${letter}:1-5 read these`), `${agent} ${letter} 1-5`);
		good(await gateway.turn(agent, session, `RUN:${letter}:6-10 go on with these`), `${agent} ${letter} 6-10`);
	}
}

function measured(agent: Agent, session: string) {
	const key = keyOf(agent, session);
	const aux = model.requests.filter((request) => request.kind === "aux" && request.session === key);
	return measure(model.of(key), aux);
}

for (const agent of ["few-64", "many-64", "few-200", "many-200"] as const) {
	test(`sixty requests over ten turns, ${agent}: all answered, none too large, each extends the one before but at a seal`, async () => {
		await sixty(weft, agent, "sixty");
		const result = measured(agent, "sixty");
		const disk = diskBytes(weft.home);
		rows.push({ engine: "weft", where: agent, ...result, diskBytes: disk });
		assert.deepEqual([result.requests, result.refused, result.breaks - result.seals], [60, 0, 0]);
		assert.ok(result.seals <= 5, `${result.seals} seals in ten turns`);
		clean(agent);
	});
}

test("every result of the sixty requests comes back whole by lcm_grep and lcm_expand, through the host", async () => {
	for (const letter of LETTERS) good(await weft.turn("few-200", "sixty", `RECALL:${letter}:1-10 fetch these`), letter);
	const results = logged(keyOf("few-64", "sixty")).filter(({ role }) => role === "toolResult");
	assert.equal(model.recalled.size, 50);
	for (const [file, text] of model.recalled) {
		const [letter, number] = file.split("-");
		const fact = new RegExp(`FACT-${letter}-${Number(number)}: [a-z-]+\\d+`).exec(
			readFileSync(join(weft.workspace, "data", `${file}.txt`), "utf8"),
		)![0];
		assert.ok(text.includes(fact), `${file}: ${text.slice(0, 300)}`);
	}
	assert.equal(results.length, 50);
});

test("killed between the model's call and the commit, then a turn by the host's own engine: nothing lost, nothing twice", async () => {
	const session = "killed";
	const key = keyOf("few-64", session);
	good(await weft.turn("few-64", session, "RUN:a:1-3 the word is KESTREL"), "before");
	const killed = new Promise<void>((done) => {
		model.onRequest = async (request) => {
			if (!wordsOf(request).includes("kill words") || request.kind !== "text") return;
			model.onRequest = undefined;
			await weft.stop("SIGKILL");
			done();
		};
	});
	void weft.turn("few-64", session, "RUN:b:1-2 kill words");
	await killed;
	await weft.start("legacy");
	good(await weft.turn("few-64", session, "legacy words"), "by the host's own engine");
	await weft.stop();
	await weft.start("weft", { summaries: true });
	good(await weft.turn("few-64", session, "last words"), "after the restart");
	const said = logged(key);
	const asked = said.filter(({ role }) => role === "user").map(({ text }) => /(KESTREL|\w+ words)/.exec(text)?.[1]);
	assert.deepEqual(asked, ["KESTREL", "kill words", "legacy words", "last words"]);
	const reads = said.filter(({ role }) => role === "toolResult");
	assert.equal(reads.length, 5);
	assert.ok(wordsOf(model.of(key).at(-1)!).includes("KESTREL"));
	const reset = model.of(keyOf("few-64", "reset")).length;
	good(await weft.turn("few-64", "reset", "after the restart"), "the session that was reset");
	for (const request of model.of(keyOf("few-64", "reset")).slice(reset)) {
		assert.ok(!/PELICAN is|HERON/.test(wordsOf(request)), "what was forgotten is back after a restart");
	}
});

test("the agent's own model writes one summary after a turn, at most", async () => {
	const isAsked = /source-[0-9a-f]{12}/;
	const asked = () =>
		model.requests.filter(({ kind, messages }) => kind === "aux" && isAsked.test(JSON.stringify(messages)));
	const letters = ["a", "b", "c"];
	const before = asked().length;
	for (const letter of letters) good(await weft.turn("few-200", "summaries", `RUN:${letter}:1-10 read these`), letter);
	await waitFor(() => asked().length > before);
	const last = asked().length;
	good(await weft.turn("few-200", "summaries", "one more"), "one more");
	assert.ok(last - before <= letters.length, `${last - before} calls in ${letters.length} turns`);
	clean("few-200");
});

test("the same sixty requests cost less than with the host's own engine", async () => {
	await weft.stop();
	const legacy = new Gateway("legacy", "legacy", model.url);
	try {
		await legacy.start();
		for (const agent of ["few-64", "few-200"] as const) {
			await sixty(legacy, agent, "legacy");
			const theirs = measured(agent, "legacy");
			rows.push({ engine: "legacy", where: agent, ...theirs });
			const ours = rows.find(({ engine, where }) => engine === "weft" && where === agent)!;
			assert.ok(ours.paid < theirs.paid, `${agent}: weft paid ${ours.paid}, legacy ${theirs.paid}`);
		}
	} finally {
		await legacy.stop();
		legacy.remove();
	}
});

async function waitFor(isDone: () => boolean): Promise<void> {
	for (let tries = 0; tries < 3_000 && !isDone(); tries++) await new Promise((done) => setTimeout(done, 100));
	assert.ok(isDone(), "it never happened");
}

function diskBytes(folder: string): number {
	const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function writeTable(text: string): void {
	const page = readFileSync(TABLE_PAGE, "utf8");
	const [open, close] = ["<!-- table: npm run test:openclaw -->", "<!-- end of table -->"];
	const [head, rest] = page.split(open);
	const tail = rest?.split(close)[1];
	if (tail !== undefined) writeFileSync(TABLE_PAGE, `${head}${open}\n\n${text}\n\n${close}${tail}`);
}
