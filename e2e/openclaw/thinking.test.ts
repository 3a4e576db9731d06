/** The real OpenClaw against a provider that binds thinking to what is before it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openEngine } from "../../src/engine.ts";
import { ThinkingProvider } from "../../test/rig/thinking-provider.ts";
import { AGENTS, Gateway, keyOf, OTHER_BINDING_MODEL } from "./gateway.ts";
import { ScriptedModel } from "./model.ts";
import { isGood, LETTERS } from "./world.ts";

const AGENT = "opus";
const MAX_TRIES = 4;
/** The host's own words on a machine that is too busy for it. */
const BUSY = /projection is rebuilding|timed out/;
let model: ScriptedModel;
const gateways: Gateway[] = [];

before(async () => {
	model = await ScriptedModel.start();
});
after(async () => {
	for (const gateway of gateways) {
		await gateway.stop();
		gateway.remove();
	}
	model?.stop();
});

async function open(): Promise<Gateway> {
	const gateway = new Gateway("thinking", "weft", model.url);
	gateways.push(gateway);
	await gateway.start();
	await turn(gateway, "warm", "hello");
	return gateway;
}

async function turn(gateway: Gateway, session: string, words: string): Promise<void> {
	let answer = await gateway.turn(AGENT, session, words);
	for (let tries = 1; tries < MAX_TRIES && BUSY.test(answer.text); tries++)
		answer = await gateway.turn(AGENT, session, words);
	isGood(answer, words);
}

test("ten seals between turns, within one and after an overflow: all is answered, nothing refused, no valid thinking lost", async () => {
	const gateway = await open();
	const provider = new ThinkingProvider({ generation: "newer", alwaysThinks: true });
	model.provider = provider;
	const seals = () => {
		const engine = openEngine({ cwd: gateway.workspace(AGENT), home: gateway.home, host: "test", env: {} });
		try {
			return [...engine.log.read({ types: ["Seal"] })].map(({ payload }) => payload["why"]);
		} finally {
			engine.close();
		}
	};
	const isRefused = () => [provider.refused, provider.dropped, provider.lost];
	// Each fills more than the half of the budget that a turn begins with, so the next one seals first.
	for (const files of [...LETTERS.map((letter) => `${letter}:1-10`), "a:2-12", "b:2-12"])
		await turn(gateway, "long", `BATCH:${files} read these`);
	assert.deepEqual(isRefused(), [[], 0, []]);
	const between = seals().length;
	assert.ok(between >= 5, `${between} seals`);
	await turn(gateway, "long", "RUN:f:1-3 read a little first");
	await turn(gateway, "long", "RUN:all:1-16 fills the budget within the turn");
	assert.equal(seals().at(-1), "host-threshold");
	await turn(gateway, "long", "BATCH:all:17-48 is more than the window");
	assert.equal(seals().at(-1), "overflow");
	// The host tries that turn again with a message that its transcript never has.
	await turn(gateway, "long", "RUN:f:4-5 once more");
	const all = seals().length;
	assert.ok(all >= 10, `${all} seals`);
	assert.deepEqual(isRefused(), [[], 0, []]);
	assert.ok(provider.leftOut > 0 && Math.max(...provider.kept) > 5, `${provider.kept}`);
	console.log(`thinking: OpenClaw: ${all} seals, kept ${provider.kept.join(" ")}`);
});

test("a switch between two models that bind thinking, there and back, with a compaction between: nothing is refused, nothing valid lost", async () => {
	const gateway = gateways[0] ?? (await open());
	const provider = new ThinkingProvider({ generation: "newer", alwaysThinks: true, readsOthers: true });
	model.provider = provider;
	const session = "switched";
	await turn(gateway, session, "RUN:a:1-3 read these");
	for (const name of [OTHER_BINDING_MODEL, AGENTS[AGENT].model]) {
		await gateway.switchModel(AGENT, session, `anthropic/${name}`);
		await turn(gateway, session, `RUN:${name === OTHER_BINDING_MODEL ? "b" : "c"}:1-3 read these`);
		await gateway.request("sessions.compact", { key: keyOf(AGENT, session) });
		await turn(gateway, session, `RUN:${name === OTHER_BINDING_MODEL ? "d" : "e"}:1-2 and these`);
	}
	const models = new Set(model.of(keyOf(AGENT, session)).map((request) => request.model));
	assert.deepEqual([...models].sort(), [AGENTS[AGENT].model, OTHER_BINDING_MODEL].sort());
	assert.deepEqual([provider.refused, provider.dropped, provider.lost], [[], 0, []]);
	assert.ok(Math.max(...provider.kept) > 1, `${provider.kept}`);
});
