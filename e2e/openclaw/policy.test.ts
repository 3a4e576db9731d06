/** The user's policy of seals in the real OpenClaw: at which share of the window a seal comes, as the provider counts it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AGENTS, Gateway } from "./gateway.ts";
import { ScriptedModel } from "./model.ts";
import { isGood } from "./world.ts";

const AGENT = "few-64";
let model: ScriptedModel;
let gateway: Gateway;

before(async () => {
	model = await ScriptedModel.start();
	gateway = new Gateway("policy", "weft", model.url);
});
after(async () => {
	await gateway?.stop();
	gateway?.remove();
	model?.stop();
});

/** Percent of the window that the newest request before each seal took. */
async function sealedAt(seal: string): Promise<number[]> {
	await gateway.start("weft", { seal });
	for (const letter of ["a", "b"])
		for (let from = 1; from < 16; from += 3)
			isGood(await gateway.turn(AGENT, seal, `RUN:${letter}:${from}-${from + 2} read these`), letter);
	await gateway.stop();
	const shares = model.of(`agent:${AGENT}:${seal}`).map(({ tokens }) => (100 * tokens) / AGENTS[AGENT].window);
	console.log(`policy: OpenClaw, ${seal}: ${shares.map(Math.round).join(" ")}`);
	return shares.filter((share, at) => share > 1.3 * (shares[at + 1] ?? share));
}

/** The host appends the current turn to our messages, so the turn that fills the share ends before a seal comes. */
const TURN_PERCENT = 14;

test("window seals at the first turn that begins beyond 60 % of the window, or earlier by a read", async () => {
	const shares = await sealedAt("window");
	assert.ok(shares.length > 0, "no seal");
	for (const share of shares) assert.ok(share > 52 && share < 60 + TURN_PERCENT, `${shares}`);
});
