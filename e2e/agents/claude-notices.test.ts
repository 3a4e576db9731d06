/** The real Claude Code with weft's plugin: what the user hears of money and of a seal, and when. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { ClaudeWorld } from "./claude-world.ts";

const HOUR_MS = 3_600_000;

test("after a pause the user hears once what the next request writes again; at a compaction, what left", async (t) => {
	const world = await ClaudeWorld.start({ "f1.js": "one();\n" });
	t.after(() => world.close());
	const { script } = world;
	script.add({ text: "Brick upon brick upon brick. ".repeat(8_000) }, { text: "Any time." });
	// Without weft, and an hour ago.
	const env = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "1000000" };
	const before = world.open({ weft: false, env });
	await before.turn("Count the bricks of the lighthouse");
	const session = String((await before.turn("Thanks.")).session_id);
	assert.equal(await before.end(), 0, before.told);
	const file = world.transcript(session);
	const lines = readFileSync(file, "utf8").replaceAll(
		/"timestamp":"([^"]+)"/g,
		(_, time: string) => `"timestamp":"${new Date(Date.parse(time) - HOUR_MS).toISOString()}"`,
	);
	writeFileSync(file, lines);

	const claude = world.open({ resume: session, env, args: ["--include-hook-events"] });
	const heard = (words: RegExp) => claude.said.filter((said) => words.test(JSON.stringify(said))).length;
	const again = /the pause emptied the provider's cache, so the next request writes \d+,\d{3} tokens again/;
	script.add({ text: "Still here." }, { text: "And here." });
	await claude.turn("And now?");
	assert.ok(heard(again) > 0, JSON.stringify(claude.said).slice(0, 4_000));
	const first = heard(again);
	await claude.turn("And then?");
	assert.equal(heard(again), first, "once");
	await claude.turn("/compact");
	assert.ok(
		heard(/sealed \(as you asked\): \d+ messages left the context, .+ To get them back: weft grep WORDS/) > 0,
		JSON.stringify(claude.said.slice(-12)).slice(0, 6_000),
	);
	assert.equal(await claude.end(), 0, claude.told);
});
