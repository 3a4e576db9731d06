/** The real OpenClaw against a provider that binds thinking to what is before it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openEngine } from "../../src/engine.ts";
import { ThinkingProvider } from "../../test/rig/thinking-provider.ts";
import { Gateway } from "./gateway.ts";
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

test("ten turns with seals are all answered, nothing is refused, and no valid thinking stays away", async () => {
	const gateway = await open();
	const provider = new ThinkingProvider({ generation: "newer", alwaysThinks: true });
	model.provider = provider;
	for (const letter of LETTERS)
		for (const files of ["1-5", "6-10"]) await turn(gateway, "long", `RUN:${letter}:${files} read these`);
	const engine = openEngine({ cwd: gateway.workspace(AGENT), home: gateway.home, host: "test", env: {} });
	const seals = [...engine.log.read({ types: ["Seal"] })].length;
	engine.close();
	assert.ok(seals >= 2, `${seals} seals`);
	assert.deepEqual([provider.refused, provider.dropped, provider.lost], [[], 0, []]);
	assert.ok(provider.leftOut > 0 && Math.max(...provider.kept) > 5, `${provider.kept}`);
	console.log(`thinking: OpenClaw: ${seals} seals, kept ${provider.kept.join(" ")}`);
});
