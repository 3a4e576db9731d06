/** The border between people in the real OpenClaw: two senders, a group and a reset in one workspace, each reader asked. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openEngine } from "../../src/engine.ts";
import { Gateway, keyOf } from "./gateway.ts";
import { wordsOf } from "./measure.ts";
import { ScriptedModel } from "./model.ts";
import { isGood } from "./world.ts";

const AGENT = "few-64";
const ALICE = "whatsapp:direct:alice";
const MALLORY = "whatsapp:direct:mallory";
const FAMILY = "whatsapp:group:family";
/** What Alice said, as far as it must not be seen elsewhere. */
const SECRET = /PELICAN|cassowary/;

let model: ScriptedModel;
let gateway: Gateway;

before(async () => {
	model = await ScriptedModel.start();
	gateway = new Gateway("border", "weft", model.url);
	await gateway.start();
	for (let tries = 0; tries < 5; tries++) if ((await gateway.turn(AGENT, "warm", "hello")).ok) break;
});
after(async () => {
	await gateway?.stop();
	gateway?.remove();
	model?.stop();
});

async function say(session: string, message: string): Promise<string> {
	const key = keyOf(AGENT, session);
	const from = model.of(key).length;
	isGood(await gateway.turn(AGENT, session, message), message);
	return model.of(key).slice(from).map(wordsOf).join("\n");
}

const call = (tool: string, args: object) => `CALL:${tool}:${JSON.stringify(args)}`;

test("what one sender said reaches no other sender, no group and no later conversation; its owner finds it", async () => {
	writeFileSync(join(gateway.workspace(AGENT), "MEMORY.md"), "## Facts\n\n- The zeppelin lands in Friedrichshafen.\n");
	await say(
		ALICE,
		"The wifi at the harbour answers to PELICAN-77 and my blood type is cassowary, please remember that.",
	);
	await say(ALICE, call("decide", { decision: "The harbour wifi stays PELICAN-77." }));
	await gateway.request("sessions.compact", { key: keyOf(AGENT, ALICE) });
	await say(ALICE, "Always use cassowary when you fill in a form about the harbour.");

	const readers = [
		"Which wifi does the harbour have, and what is my blood type?",
		call("recall", { query: "wifi of the harbour and the blood type" }),
		call("thread", {}),
		call("lcm_grep", { query: "harbour", session: "all" }),
		call("lcm_grep", { query: "PELI.*7", mode: "regex", session: "all" }),
		call("lcm_describe", { section: "overview" }),
		call("decide", { decision: "x", supersedes: "e-1" }),
		...handlesOfAlice().map((id) => call("lcm_expand", { summary_id: id })),
	];
	for (const session of [MALLORY, FAMILY]) {
		// Each turn takes seconds: the group is asked by the readers that search by themselves.
		for (const words of session === MALLORY ? readers : readers.slice(0, 4)) {
			const seen = await say(session, words);
			const own = seen.replaceAll("PELI.*7", "");
			assert.doesNotMatch(own, SECRET, `${session}: ${words}`);
		}
		await gateway.request("sessions.compact", { key: keyOf(AGENT, session) });
		assert.doesNotMatch(await say(session, "and now"), SECRET, `the seed of ${session}`);
		assert.match(
			await say(session, "Where does the zeppelin land?"),
			/Friedrichshafen/,
			"the workspace's file is shared",
		);
	}

	await say(ALICE, "/new");
	for (const words of [readers[0]!, call("recall", { query: "wifi of the harbour" }), call("thread", {})]) {
		assert.doesNotMatch(await say(ALICE, words), SECRET, `after the reset: ${words}`);
	}
	const found = await say(ALICE, call("lcm_grep", { query: "harbour", session: "all" }));
	assert.match(found, /PELICAN-77/, "an explicit search by the owner finds it");
	assert.deepEqual(
		gateway.warnings().filter((line) => /\[context-engine\]|\bweft: /.test(line)),
		[],
	);
});

/** Of some messages and events of Alice's, as an attacker might have seen them. */
function handlesOfAlice(): string[] {
	const engine = openEngine({ cwd: gateway.workspace(AGENT), home: gateway.home, host: "test", env: {} });
	try {
		const { log } = engine;
		const records = [...log.read({ types: ["Message", "Decision", "UserIntent"] })];
		const told = records.filter(({ payload }) => /PELICAN-77/.test(JSON.stringify(payload)));
		return told.slice(0, 2).flatMap(({ seq }) => log.handleAt(seq) ?? []);
	} finally {
		engine.close();
	}
}
