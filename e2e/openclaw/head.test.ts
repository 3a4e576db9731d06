/** A conversation in the real OpenClaw over three restarts of its gateway: tools and system prompt are the same from byte 0. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { TOOLS } from "../../src/tool/catalogue.ts";
import { Gateway, keyOf } from "./gateway.ts";
import { ScriptedModel, type WireRequest } from "./model.ts";
import { isGood } from "./world.ts";

const AGENT = "few-64";
const SESSION = "head";
const RESTARTS = 3;
/** The host gives up a turn, or its own start, where the machine is too busy. */
const MAX_TRIES = 5;

function headOf({ tools, messages }: WireRequest): string {
	return JSON.stringify([tools, messages.filter(({ role }) => role === "system" || role === "developer")]);
}

async function start(gateway: Gateway): Promise<void> {
	for (let tries = 1; tries < MAX_TRIES; tries++) {
		try {
			return await gateway.start();
		} catch {
			await gateway.stop();
		}
	}
	await gateway.start();
}

test("tools and system prompt are the same bytes over three restarts", async (t) => {
	const model = await ScriptedModel.start();
	const gateway = new Gateway("head", "weft", model.url);
	t.after(async () => {
		await gateway.stop();
		gateway.remove();
		model.stop();
	});
	for (let n = 0; n <= RESTARTS; n++) {
		await start(gateway);
		let answer = await gateway.turn(AGENT, SESSION, `RUN:a:${n + 1}-${n + 1} words ${n}`);
		for (let tries = 1; tries < MAX_TRIES && !answer.ok; tries++)
			answer = await gateway.turn(AGENT, SESSION, `once more, words ${n}`);
		isGood(answer, `turn ${n}`);
		await gateway.stop();
	}
	const requests = model.of(keyOf(AGENT, SESSION));
	assert.ok(requests.length >= 2 * (RESTARTS + 1), `${requests.length} requests`);
	const [first = ""] = requests.map(headOf);
	for (const { name } of TOOLS) assert.ok(first.includes(`"${name}"`), name);
	assert.match(first, /Lossless history/);
	for (const request of requests) assert.equal(headOf(request), first);
});
