/** A conversation in the real OpenClaw over three restarts of its gateway: every request extends the one before it, from byte 0. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { TOOLS } from "../../src/tool/catalogue.ts";
import { Gateway, keyOf } from "./gateway.ts";
import { isCarrier, ScriptedModel, type WireRequest } from "./model.ts";
import { isGood, warm } from "./world.ts";

const AGENT = "few-64";
const SESSION = "head";
const RESTARTS = 3;

/** What a provider's cache is made of, in its order. The host moves its own last message with every request. */
function cachedPart({ tools, messages }: WireRequest): string {
	const sent = messages.filter((message) => !isCarrier(message));
	return [tools, ...sent].map((part) => `${JSON.stringify(part)}\n`).join("");
}

function firstDifference(one: string, other: string): string {
	let at = 0;
	while (at < one.length && one[at] === other[at]) at++;
	return [one, other].map((text) => text.slice(Math.max(0, at - 100), at + 200)).join("\n---\n");
}

test("tools, system prompt and everything sent before are the same bytes over three restarts", async (t) => {
	const model = await ScriptedModel.start();
	const gateway = new Gateway("head", "weft", model.url);
	t.after(async () => {
		await gateway.stop();
		gateway.remove();
		model.stop();
	});
	for (let n = 0; n <= RESTARTS; n++) {
		await gateway.start();
		// A turn that the host gives up while it loads would leave the next one without the first's words.
		await warm(gateway, AGENT);
		isGood(await gateway.turn(AGENT, SESSION, `RUN:a:${n + 1}-${n + 1} words ${n}`), `turn ${n}`);
		await gateway.stop();
	}
	const requests = model.of(keyOf(AGENT, SESSION));
	assert.equal(requests.length, 2 * (RESTARTS + 1));
	const [first = "", ...others] = requests.map(cachedPart);
	for (const { name } of TOOLS) assert.ok(first.includes(`"${name}"`), name);
	assert.ok(first.includes("Lossless history"), `weft says how to search: ${gateway.warnings().slice(-9).join("\n")}`);
	let before = first;
	for (const [at, text] of others.entries()) {
		if (!text.startsWith(before))
			assert.fail(`request ${at + 1} differs from the one before: ${firstDifference(before, text)}`);
		before = text;
	}
});
