/** Turns that no commit delivered are in the log all the same: once, in the host's order. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { keyOf } from "./gateway.ts";
import { wordsOf } from "./measure.ts";
import { type World, waitFor } from "./world.ts";

export function undelivered(here: () => World): void {
	test("turns that were aborted or failed are in the log once, after the next turn, in the host's order", async () => {
		const world = here();
		const { weft, model } = world;
		const session = "undelivered";
		const key = keyOf("few-64", session);
		await world.good("few-64", session, "first words");
		assert.equal((await weft.turn("few-64", session, "FAIL:a second words")).ok, false);
		const hanging = weft.turn("few-64", session, "HANG:a third words");
		await waitFor(() => model.of(key).some((request) => wordsOf(request).includes("third words")));
		await weft.request("chat.abort", { sessionKey: key });
		assert.equal((await hanging).ok, false);
		await world.good("few-64", session, "fourth words");
		assert.deepEqual(world.asked("few-64", session), ["first", "second", "third", "fourth"]);
	});

	// Behind each answer the host writes a marker of Anthropic's cache, and then finds no end of the turn: whichever engine
	// it has chosen, it delivers none of them, and its outbox keeps the newest until the next turn.
	test("where the host's cache marker keeps every commit from us, each turn is in the log when it is over, once, also after a paste over the window", async () => {
		const world = here();
		const { weft } = world;
		const session = "marked";
		const order: string[] = [];
		const paste = `paste words ${"lorem ipsum dolor ".repeat(20_000)}`;
		for (const words of [paste, "first words", "RUN:a:1-2 second words", "third words"]) {
			assert.equal((await weft.turn("other", session, words)).ok, words !== paste, words.slice(0, 40));
			order.push(/(\w+) words/.exec(words)![1]!);
			assert.deepEqual(world.asked("other", session), order);
		}
		const calls = weft.calls().filter((each) => each.session === keyOf("other", session));
		assert.ok(!calls.some(({ call }) => call === "commitTurn"), "the host has mended its fault: the check is void");
		const reads = world.logged("other", session).filter(({ role }) => role === "toolResult");
		assert.equal(reads.length, 2);
	});

	test("a log that is deleted in the middle of a turn is there again after the next one, in the host's order", async () => {
		const world = here();
		const { weft, model } = world;
		const session = "deleted";
		await world.good("many-64", session, "first words");
		await world.good("many-64", session, "second words");
		const folder = world.look("many-64", ({ project }) => project.folder);
		model.onRequest = (request) => {
			if (request.kind !== "text" || !wordsOf(request).includes("third words")) return;
			model.onRequest = undefined;
			rmSync(folder, { recursive: true, force: true });
		};
		assert.ok((await weft.turn("many-64", session, "RUN:c:1-2 third words")).ok);
		assert.ok(world.complaints().some((line) => /deleted or replaced while it was in use/.test(line)));
		world.forgive();
		await world.good("many-64", session, "fourth words");
		assert.deepEqual(world.asked("many-64", session), ["first", "second", "third", "fourth"]);
		const reads = world.logged("many-64", session).filter(({ role }) => role === "toolResult");
		assert.equal(reads.length, 2);
	});

	test("a commit that fails once, and one that fails twice: nothing lost, nothing twice", async () => {
		const world = here();
		const { weft } = world;
		const session = "failing";
		await world.good("few-64", session, "first words");
		weft.failCommits(1);
		assert.ok((await weft.turn("few-64", session, "second words")).ok);
		assert.equal(weft.outbox("few-64"), 1, "the host keeps it");
		assert.ok((await weft.turn("few-64", session, "third words")).ok);
		assert.equal(weft.outbox("few-64"), 0);
		// Twice: once after its turn, once before the next, which the host then answers by itself.
		weft.failCommits(2);
		assert.ok((await weft.turn("few-64", session, "RUN:a:1-2 fourth words")).ok);
		assert.ok((await weft.turn("few-64", session, "fifth words")).ok);
		assert.ok(world.complaints().some((line) => /degraded to "legacy"/.test(line)));
		world.forgive();
		await world.good("few-64", session, "sixth words");
		const order = ["first", "second", "third", "fourth", "fifth", "sixth"];
		assert.deepEqual(world.asked("few-64", session), order);
		const reads = world.logged("few-64", session).filter(({ role }) => role === "toolResult");
		assert.equal(reads.length, 2);
	});
}
