import assert from "node:assert/strict";
import test from "node:test";
import { call, PiLines, replayAll, text, withRecording } from "./rig.ts";

/** Files are read, then only commands run: the reading makes the first seal dear, and no later one. */
function readThenWork(files: number, rounds: number): PiLines {
	const session = new PiLines();
	session.user("Look at the parts, then run the checks.");
	for (let file = 0; file < files; file++) {
		session.answer([call(`r${file}`, "read", { path: `src/part${file}.ts` })]);
		session.result(`r${file}`, `${`const a${file} = 1;\n`.repeat(400)}`);
	}
	for (let round = 0; round < rounds; round++) {
		session.answer([text("Next check."), call(`c${round}`, "bash", { command: `./check ${round}` })]);
		session.result(`c${round}`, `check ${round}\n${"lorem ipsum dolor sit amet ".repeat(160)}`);
	}
	return session;
}

test("replay learns from its own seals, as a live session does: what one of them hid does not make the next dear", async () => {
	await withRecording(readThenWork(8, 90).lines, async (recording) => {
		const { requests } = await replayAll(recording, "woven");
		const prices = requests.flatMap(({ plan }) => plan.seal?.decision.price ?? []);
		assert.ok(prices.length >= 2, `${prices.length} seals`);
		assert.ok(prices[1]! < prices[0]! / 2, prices.join(", "));
	});
});

test("where the provider keeps what is written for an hour, a seal costs what such a write costs", async () => {
	const priceOf = async (usage: object) => {
		const session = readThenWork(0, 60);
		for (const { message } of session.lines as { message?: { role: string; usage?: object } }[])
			if (message?.role === "assistant") message.usage = usage;
		return await withRecording(session.lines, async (recording) => {
			const { requests } = await replayAll(recording, "woven");
			return requests.flatMap(({ plan }) => plan.seal?.decision ?? []);
		});
	};
	const usage = { input: 10, output: 10, cacheRead: 1_000, cacheWrite: 1_000 };
	const [short, long] = [await priceOf(usage), await priceOf({ ...usage, cacheWrite1h: 1_000 })];
	// What a seal hides has the same price in both; the rest is the write beyond a read: 1.9 beside 1.15.
	const [written, writtenShort] = [long[0]!.price - 20_000, short[0]!.price - 20_000];
	assert.ok(written > writtenShort * 1.5, `${written} beside ${writtenShort}`);
});
