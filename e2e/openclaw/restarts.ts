/** What outlives the process: a kill in the middle of a turn, turns that another engine answered, what was forgotten. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkOpenClaw } from "../../src/view/openclaw-use.ts";
import { keyOf } from "./gateway.ts";
import { wordsOf } from "./measure.ts";
import { FORGOTTEN, RESET_SESSION } from "./resets.ts";
import { isGood, type World, waitFor } from "./world.ts";

const ASIDE_SESSION = "aside";
/** A question for a summary has the source's mark. */
const SUMMARY_ASKED = /source-[0-9a-f]{12}/;

export function restarts(here: () => World): void {
	test("killed between the model's call and the commit, then turns by the host's own engine: nothing lost, nothing twice", async () => {
		const world = here();
		const { weft } = world;
		const session = "killed";
		await world.good("few-64", session, "RUN:a:1-3 KESTREL words");
		await world.good("few-64", ASIDE_SESSION, "RUN:b:1-5 the bird is a CURLEW, first words");
		await weft.request("sessions.compact", { key: keyOf("few-64", ASIDE_SESSION) });
		await world.good("few-64", ASIDE_SESSION, "and on");
		await killAt(world, session, "RUN:b:1-2 kill words");
		await weft.start("legacy");
		for (const nth of ["one", "two", "three"]) isGood(await weft.turn("few-64", session, `${nth} words`), nth);
		// A reset while another engine is chosen: the plugin's hooks still hear of it.
		await weft.request("sessions.reset", { key: keyOf("few-64", ASIDE_SESSION) });
		isGood(await weft.turn("few-64", ASIDE_SESSION, "second words"), "after the reset");
		await weft.stop();
		await weft.start("weft", { summaries: true });
		world.forgive();
		await world.good("few-64", session, "last words");
		assert.deepEqual(world.asked("few-64", session), ["KESTREL", "kill", "one", "two", "three", "last"]);
		const reads = world.logged("few-64", session).filter(({ role }) => role === "toolResult");
		assert.equal(reads.length, 5);
		assert.ok(wordsOf(world.model.of(keyOf("few-64", session)).at(-1)!).includes("KESTREL"));
	});

	test("killed between the answer and its commit, and between the commit and its receipt: nothing lost, nothing twice", async () => {
		const world = here();
		const { weft } = world;
		const session = "dying";
		const order = ["first"];
		await world.good("few-64", session, "first words");
		for (const when of ["before", "after"] as const) {
			await weft.dieAtCommit(when, () =>
				weft.turn("few-64", session, `RUN:${when === "before" ? "a" : "b"}:1-2 ${when} words`),
			);
			order.push(when);
			assert.equal(weft.outbox("few-64"), 1, "the host keeps it");
			const known = world.asked("few-64", session);
			assert.deepEqual(known, when === "before" ? order.slice(0, -1) : order);
			await weft.start("weft", { summaries: true });
			await world.good("few-64", session, `next-${when} words`);
			order.push(when);
			assert.deepEqual(world.asked("few-64", session), order);
			const reads = world.logged("few-64", session).filter(({ role }) => role === "toolResult");
			assert.equal(reads.length, order.length - 1);
		}
	});

	test("what was forgotten before the restart stays forgotten", async () => {
		const world = here();
		const key = keyOf("few-64", RESET_SESSION);
		const from = world.model.of(key).length;
		await world.good("few-64", RESET_SESSION, "after the restart");
		// The newest conversation has searched for the first word itself.
		const words = FORGOTTEN.slice(1);
		for (const request of world.model.of(key).slice(from)) {
			for (const word of words) assert.ok(!wordsOf(request).includes(word), `${word} is back`);
		}
	});

	test("what was forgotten while another engine was chosen stays forgotten", async () => {
		const world = here();
		const key = keyOf("few-64", ASIDE_SESSION);
		await world.good("few-64", ASIDE_SESSION, "third words");
		assert.ok(!wordsOf(world.model.of(key).at(-1)!).includes("CURLEW"));
	});

	test("three turns that passed weft by were told once, and weft doctor says so until OpenClaw uses weft again", async () => {
		const world = here();
		const told = world.weft.warnings().filter((line) => /has answered \d+ turns without weft/.test(line));
		assert.equal(told.length, 1);
		const check = world.look("few-64", ({ log }) => checkOpenClaw(log, Date.now()));
		assert.equal(check?.level, "ok");
	});

	test("the agent's own model writes one summary after a turn, at most", async () => {
		const world = here();
		const asked = () =>
			world.model.requests.filter(
				({ kind, messages }) => kind === "aux" && SUMMARY_ASKED.test(JSON.stringify(messages)),
			);
		const letters = ["a", "b", "c"];
		for (const letter of letters) await world.good("few-200", "summaries", `RUN:${letter}:1-10 read these`);
		await waitFor(() => asked().length > 0, "a summary");
		await world.good("few-200", "summaries", "one more");
		assert.ok(asked().length <= letters.length + 1, `${asked().length} calls in ${letters.length + 1} turns`);
	});

	test("between turns the gateway has no file of weft's open, however many there were", async () => {
		const { weft } = here();
		await waitFor(() => weft.openFiles().length === 0, `${weft.openFiles()} closed`);
	});
}

/** The process ends when the model is to give its answer: the turn's rows are there, its commit is not. */
async function killAt({ model, weft }: World, session: string, message: string): Promise<void> {
	const killed = new Promise<void>((done) => {
		model.onRequest = async (request) => {
			if (!wordsOf(request).includes(message) || request.kind !== "text") return;
			model.onRequest = undefined;
			await weft.stop("SIGKILL");
			done();
		};
	});
	void weft.turn("few-64", session, message);
	await killed;
}
