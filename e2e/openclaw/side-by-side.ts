/** Beside each other: two sessions and two agents at once, commands and a heartbeat between turns, a compaction, a sub-agent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Agent, type Gateway, keyOf } from "./gateway.ts";
import { wordsOf } from "./measure.ts";
import { RECALLED as CONTEXT_BLOCK, isCarrier, textOf } from "./model.ts";
import { type World, waitFor } from "./world.ts";

const SEED = /The (?:work|conversation) so far, computed[\s\S]*?(?=\n\nRuntime: |$)/;

export function sideBySide(here: () => World): void {
	// Plain names are the operator's, and memory crosses between the sessions of one owner as soon as it is written.
	for (const [who, names, crossing] of [
		["people", ["whatsapp:direct:one", "whatsapp:direct:other"], ""],
		["the operator", ["one", "other"], CONTEXT_BLOCK],
	] as const) {
		test(`two sessions of ${who} at once keep to themselves`, async () => {
			const world = here();
			const [one, other] = [keyOf("few-200", names[0]), keyOf("few-200", names[1])];
			await Promise.all([
				world.weft.turn("few-200", names[0], "RUN:a:1-5 the word is OSPREY"),
				world.weft.turn("few-200", names[1], "RUN:b:1-5 the word is BITTERN"),
			]);
			await Promise.all([
				world.weft.request("sessions.compact", { key: one }),
				world.weft.turn("few-200", names[1], "and on"),
			]);
			await world.good("few-200", names[0], "and on");
			const own = (session: string) =>
				world.model.of(session).map((request) => wordsOf(request).replaceAll(crossing, ""));
			for (const words of own(one)) assert.ok(!words.includes("BITTERN"));
			for (const words of own(other)) assert.ok(!words.includes("OSPREY"));
			assert.equal(own(one).length + own(other).length, 14);
		});
	}

	test("two agents at once in one gateway keep to themselves, each in a log of its own", async () => {
		const world = here();
		const words = { "few-64": "PLOVER", "few-200": "DUNLIN" } as const;
		const agents = Object.keys(words) as (keyof typeof words)[];
		const session = "together";
		for (const turn of ["RUN:a:1-5 first words", "RUN:b:1-5 second words", "third words"]) {
			await Promise.all(agents.map((agent) => world.good(agent, session, `${turn} of ${words[agent]}`)));
		}
		for (const [agent, other] of [agents, agents.toReversed()] as [Agent, keyof typeof words][]) {
			assert.deepEqual(world.asked(agent, session), ["first", "second", "third"]);
			const texts = [
				...world.model.of(keyOf(agent, session)).map(wordsOf),
				JSON.stringify(world.logged(agent, session)),
			];
			for (const text of texts) assert.ok(!text.includes(words[other]));
		}
	});

	test("/weft in a chat says how the session stands, and that OpenClaw uses weft", async () => {
		assert.match(await command(here().weft, "few-200", "one", "/weft"), /OpenClaw uses weft: it made the context of/);
	});

	// The host shows the model what its user said to a plugin's command, not what the command said.
	test("words to a command stand in the next request as they do under the host's own engine", async () => {
		const { weft, legacy, model } = here();
		const session = "commanded";
		const sent: string[] = [];
		for (const gateway of [weft, legacy]) {
			for (const words of ["first words", "second words"]) {
				assert.ok((await gateway.turn("few-64", session, words)).ok);
				const found = words === "first words" && (await command(gateway, "few-64", session, "/lcm search words"));
				if (found) assert.match(found, /found in this conversation/i);
			}
			const own = model.of(keyOf("few-64", session)).filter((request) => request.gateway === gateway.engine);
			const said = own.at(-1)!.messages.filter((message) => message.role === "user" && !isCarrier(message));
			const words = said.map(({ content }) => textOf(content).replaceAll(/\[[^\]]*UTC\] |\n\nRuntime: .*/g, ""));
			// What weft remembers of other conversations is no word to a command.
			sent.push(words.filter((text) => !text.startsWith("<runtime_context>")).join("|"));
		}
		assert.match(sent[0]!, /\/lcm search words/);
		assert.equal(sent[0], sent[1]);
	});

	test("a heartbeat between turns is no part of the conversation, of the seed and of the log's messages", async () => {
		const world = here();
		const { weft, model } = world;
		const key = keyOf("few-64", "beating");
		await world.good("few-64", "beating", "RUN:c:1-5 first words");
		const from = model.of(key).length;
		await weft.request("wake", { mode: "now", text: "something happened", sessionKey: key, agentId: "few-64" });
		const beats = () => weft.calls().filter(({ call, session }) => call === "commitTurn" && session === key);
		await waitFor(() => beats().some(({ given }) => given["isHeartbeat"] === true), "a heartbeat");
		assert.ok(model.of(key).length > from);
		await world.good("few-64", "beating", "second words");
		await weft.request("sessions.compact", { key });
		await world.good("few-64", "beating", "third words");
		assert.deepEqual(world.asked("few-64", "beating"), ["first", "second", "third"]);
		const seed = SEED.exec(wordsOf(model.of(key).at(-1)!))?.[0] ?? "";
		assert.notEqual(seed, "");
		assert.ok(!/heartbeat/i.test(seed), seed);
	});

	test("a sub-agent that is forked opens with its parent's seed, works by itself, and its parent goes on", async () => {
		const world = here();
		const { weft, model } = world;
		const parent = keyOf("many-200", "parent");
		await world.good("many-200", "parent", "RUN:d:1-5 the word is KESTREL");
		await weft.request("sessions.compact", { key: parent });
		await world.good("many-200", "parent", "and on");
		const seed = SEED.exec(wordsOf(model.of(parent).at(-1)!))?.[0];
		assert.match(seed ?? "", /KESTREL/);
		await world.good("many-200", "parent", 'CALL:sessions_spawn:{"task":"fork-task","context":"fork"} ');
		const called = (name: string) =>
			weft.calls().find(({ call, session }) => call === name && session.includes("subagent"));
		await waitFor(() => called("onSubagentEnded") !== undefined, "the sub-agent's end");
		const child = called("prepareSubagentSpawn")!.session;
		const [first] = model.of(child);
		assert.equal(SEED.exec(wordsOf(first!))?.[0], seed);
		assert.ok(wordsOf(first!).includes("fork-task"));
		await world.good("many-200", "parent", "last words");
		assert.ok(world.asked("many-200", "parent").includes("last"));
		const lives = world.look("many-200", ({ log }) => [...log.read({ types: ["Subagent"], host: "openclaw" })]);
		// The call and the host's own word are both recorded; they speak of the same one.
		assert.deepEqual([...new Set(lives.map(({ payload }) => payload["child"]))], [child]);
	});

	// The word of a sub-agent that ends may come while its parent's model asks for another one. The host then skips that call
	// ("Skipped to process an incoming message.") and tells the model so: nobody is to be prepared.
	test("a fork right after an isolated sub-agent: each that the host accepts was prepared, one that it skips was not", async () => {
		const world = here();
		const { weft, model } = world;
		const parent = keyOf("many-200", "after");
		const prepared = () =>
			weft.calls().filter(({ call, given }) => call === "prepareSubagentSpawn" && given["parentSessionKey"] === parent);
		const answers = () => {
			const results = model.of(parent).flatMap(({ messages }) => messages.filter(({ role }) => role === "tool"));
			return [...new Set(results.map(({ content }) => textOf(content)))];
		};
		const spawn = (task: string, context: string) =>
			world.good("many-200", "after", `CALL:sessions_spawn:{"task":"${task}","context":"${context}"} `);
		await spawn("alone", "isolated");
		for (let tries = 0; tries < 5 && !prepared().some(({ given }) => given["contextMode"] === "fork"); tries++) {
			await spawn(`forked-${tries}`, "fork");
		}
		const accepted = answers().filter((text) => text.includes('"accepted"'));
		const children = prepared().map(({ session }) => session);
		assert.deepEqual(
			children.filter((child) => !accepted.some((text) => text.includes(child))),
			[],
		);
		assert.equal(children.length, accepted.length, answers().join("\n"));
		assert.equal(prepared().at(-1)?.given["contextMode"], "fork");
		// The isolated one was of the first turn, when nothing of its parent was delivered yet.
		const sessions = world.look("many-200", ({ log }) =>
			[...log.read({ types: ["Subagent"], host: "openclaw" })].filter(({ payload }) =>
				children.includes(String(payload["child"])),
			),
		);
		assert.ok(
			sessions.every(({ session }) => !session.includes(":")),
			"each is recorded under the session's id",
		);
	});
}

/** What a command of the chat answers. */
async function command(gateway: Gateway, agent: Agent, session: string, message: string): Promise<string> {
	const sessionKey = keyOf(agent, session);
	const rows = async () => ((await gateway.request("chat.history", { sessionKey }))["messages"] ?? []) as ChatRow[];
	const before = (await rows()).length;
	await gateway.request("chat.send", { sessionKey, message, idempotencyKey: `${session} ${message}` });
	for (let tries = 0; tries < 600; tries++) {
		const last = (await rows()).slice(before).findLast(({ role }) => role === "assistant");
		if (last) return textOf(last.content);
		await new Promise((done) => setTimeout(done, 100));
	}
	return "";
}

interface ChatRow {
	readonly role: string;
	readonly content: unknown;
}
