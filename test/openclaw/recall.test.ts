/** What the project remembers, before the user's words, where the user's row is the host's. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { HostModel } from "../../src/agent/openclaw/conformance/host-model.ts";
import type { AgentMessage, AssembleResult } from "../../src/agent/openclaw/contract.ts";
import { hostMessages } from "../../src/context/envelope/envelope.ts";
import { CONTEXT_TAG } from "../../src/message/recall-tags.ts";
import { place, says, textOf, user } from "./rig.ts";

const S = { sessionId: "s1", sessionKey: "agent:main:s1" };
const shown = ({ messages }: AssembleResult) =>
	messages.map((message) =>
		message["weft"] === undefined ? textOf(message) : /port \d+|Kittiwake/.exec(textOf(message))?.[0],
	);

test("a message of ours stands directly before the user's row, and stays there with the same bytes", async (t) => {
	const { engine, cwd, events, warnings, look } = place(t);
	writeFileSync(
		join(cwd, "MEMORY.md"),
		"## Facts\n\n- The relay listens on port 7443.\n- The tower answers to the call sign Kittiwake.\n",
	);
	const weft = engine();
	const first = await weft.assemble({
		...S,
		messages: [],
		prompt: "Which port does the relay use?",
		tokenBudget: 40_000,
	});
	assert.deepEqual(shown(first), ["port 7443"]);
	assert.match(textOf(first.messages[0]), /^<runtime_context>\n[\s\S]*<\/runtime_context>$/);
	// The host hands our answer back within the turn.
	const again = await weft.assemble({ ...S, messages: first.messages, tokenBudget: 60_000 });
	assert.deepEqual(again.messages, first.messages);

	const history = [user("Which port does the relay use?", 1), says("7443.", 2)];
	const thanks = await engine().assemble({ ...S, messages: history, prompt: "Thanks!", tokenBudget: 40_000 });
	assert.deepEqual(shown(thanks), ["port 7443", "Which port does the relay use?", "7443."]);
	assert.deepEqual(thanks.messages[0], first.messages[0]);

	const more = [...history, user("Thanks!", 3), says("Welcome.", 4)];
	const tower = await engine().assemble({
		...S,
		messages: more,
		prompt: "And the call sign of the tower?",
		tokenBudget: 40_000,
	});
	assert.deepEqual(shown(tower).slice(-2), ["Welcome.", "Kittiwake"]);
	const later = [...more, user("And the call sign of the tower?", 5), says("It is that.", 6)];
	const last = await engine().assemble({ ...S, messages: later, prompt: "continue", tokenBudget: 40_000 });
	assert.deepEqual(shown(last), [...shown(tower), "And the call sign of the tower?", "It is that."]);
	assert.equal(JSON.stringify(last.messages.slice(0, tower.messages.length)), JSON.stringify(tower.messages));
	// The log alone gives the same messages, the first block among them.
	const [{ session, host } = assert.fail()] = events("Message");
	const sent = look(({ requests }) => hostMessages(requests.envelopeNow({ session, host, decide: false })));
	assert.deepEqual(
		sent.map((message) => textOf(message as AgentMessage)),
		last.messages.slice(0, sent.length).map(textOf),
	);
	assert.ok(sent.length >= tower.messages.length);
	assert.ok(events("UserIntent").every(({ payload }) => !JSON.stringify(payload).includes("runtime_context")));
	assert.ok(events("Message").every(({ payload }) => !JSON.stringify(payload).includes("runtime_context")));
	assert.deepEqual(warnings, []);
});

test("recalled items name their source, unless the host's user wants no citations", async (t) => {
	for (const [citationsMode, names] of [
		[undefined, true],
		["auto", true],
		["on", true],
		["off", false],
	] as const) {
		const { engine, cwd } = place(t);
		writeFileSync(join(cwd, "MEMORY.md"), "## Facts\n\n- The relay listens on port 7443.\n");
		const asked = { ...S, messages: [], prompt: "Which port does the relay use?", tokenBudget: 40_000, citationsMode };
		const [recalled] = (await engine().assemble(asked)).messages;
		assert.match(textOf(recalled), /The relay listens on port 7443\./);
		assert.equal(/\[(?:memory|workspace)\/facts\] /.test(textOf(recalled)), names, textOf(recalled));
		assert.equal(/\[recalled\]/.test(textOf(recalled)), !names);
	}
});

test("memory is asked once for the words of a turn: what comes to be known in its middle waits for the next one", async (t) => {
	const { engine, cwd } = place(t);
	const weft = engine();
	const asked = { ...S, messages: [], prompt: "Which port does the relay use?", tokenBudget: 40_000 };
	assert.deepEqual((await weft.assemble(asked)).messages, []);
	writeFileSync(join(cwd, "MEMORY.md"), "## Facts\n\n- The relay listens on port 7443.\n");
	assert.deepEqual((await weft.assemble(asked)).messages, [], "the same turn");
	assert.deepEqual(shown(await engine().assemble(asked)), ["port 7443"], "the engine of the next one");
});

const BLOCK = new RegExp(`<${CONTEXT_TAG}>[\\s\\S]*?</${CONTEXT_TAG}>`, "g");

// Memory is written some time after a turn, so which turn of the other session sees it first depends on the machine.
for (const [who, names] of [
	["two people", ["whatsapp:direct:ann", "whatsapp:direct:bob"]],
	["the operator", ["one", "other"]],
] as const) {
	for (const isAtOnce of [true, false]) {
		const how = isAtOnce ? "at once" : "one after the other";
		test(`two sessions of ${who}, ${how}: only an owner's own memory crosses, as a block before the words`, async (t) => {
			const at = place(t);
			const hosts = names.map(
				(peer) =>
					new HostModel({
						make: ({ readTranscript, now }) => at.engine({ readTranscript, now: () => now }),
						peer,
						sessionId: `id-${names.indexOf(peer as never)}`,
					}),
			);
			const said = ["the word is OSPREY, remember that", "the word is BITTERN, remember that"];
			const turns = hosts.map((host, nth) => () => host.turn(said[nth]!, [{ result: "a file" }]));
			if (isAtOnce) await Promise.all(turns.map((turn) => turn()));
			else for (const turn of turns) await turn();
			for (const host of hosts) await host.turn("and on");
			for (const [nth, foreign] of [/BITTERN/, /OSPREY/].entries()) {
				const sent = hosts[nth]!.requests.map((request) => JSON.stringify(request));
				assert.equal(
					sent.some((text) => foreign.test(text)),
					who === "the operator",
				);
				for (const text of sent) assert.doesNotMatch(text.replaceAll(BLOCK, ""), foreign);
			}
		});
	}
}
