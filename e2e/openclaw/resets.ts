/** What was forgotten stays forgotten, and the tools find it when they are asked for it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOf } from "./gateway.ts";
import { wordsOf } from "./measure.ts";
import { LETTERS, type World } from "./world.ts";

export const RESET_SESSION = "reset";
export const FORGOTTEN = ["PELICAN", "GANNET", "HERON"] as const;

export function resets(here: () => World): void {
	test("a word said before /new, /reset and the reset call is in no later request", async () => {
		const world = here();
		const { weft, model } = world;
		const key = keyOf("few-64", RESET_SESSION);
		for (const [nth, how] of ["/new", "/reset", "call"].entries()) {
			const word = FORGOTTEN[nth]!;
			await world.good("few-64", RESET_SESSION, `RUN:${LETTERS[nth]}:1-5 the word is ${word}`);
			if (how === "call") await weft.request("sessions.reset", { key });
			else await weft.turn("few-64", RESET_SESSION, how);
			const from = model.of(key).length;
			await world.good("few-64", RESET_SESSION, `RUN:${LETTERS[nth]}:6-10 what was the word`);
			const compacted = await weft.request("sessions.compact", { key });
			assert.equal(compacted["compacted"], true, JSON.stringify(compacted).slice(0, 300));
			await world.good("few-64", RESET_SESSION, "and now");
			for (const request of model.of(key).slice(from)) assert.ok(!wordsOf(request).includes(word), how);
		}
		await world.good("few-64", RESET_SESSION, 'CALL:lcm_grep:{"query":"PELICAN","session":"all"}');
		const found = wordsOf(model.of(key).at(-1)!);
		assert.match(found, /the word is PELICAN/, "the tools find it when they are asked for the old conversation");
		const conversations = new Set(world.logged("few-64", RESET_SESSION).map(({ session }) => session));
		assert.equal(conversations.size, 4);
	});
}
