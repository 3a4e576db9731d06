/** One turn that outgrows the window: no session may die of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOf } from "./gateway.ts";
import { wordsOf } from "./measure.ts";
import { assertOnWire } from "./wire.ts";
import type { World } from "./world.ts";

export function longTurns(here: () => World): void {
	for (const where of ["first", "later"] as const) {
		test(`one turn of forty calls over twice the window, as the ${where} of a session, ends with an answer`, async () => {
			const world = here();
			const session = `wire-${where}`;
			const key = keyOf("few-64", session);
			if (where === "later") await world.good("few-64", session, "RUN:a:1-5 read these");
			const from = world.model.of(key).length;
			await world.good("few-64", session, "RUN:all:1-44 read all of these and mind the ZEBRA");
			await world.good("few-64", session, "what now");
			await world.good("few-64", session, "and then");
			const sent = world.model.of(key).slice(from);
			for (const [at, request] of sent.entries()) assert.ok(wordsOf(request).includes("ZEBRA"), `request ${at}`);
			assert.ok(sent.some(({ kind }) => kind === "refused"));
			const reads = world.logged("few-64", session).filter(({ role }) => role === "toolResult");
			assert.equal(reads.length, where === "later" ? 49 : 44);
		});
	}

	test("on the wire stand our messages in our order, unchanged, and the turn under way after them", () => {
		for (const session of ["wire-first", "wire-later"]) assertOnWire(here(), "few-64", session);
	});
}
