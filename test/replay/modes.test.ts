import assert from "node:assert/strict";
import test from "node:test";
import { ceilingTokens } from "../../src/context/seal/rule.ts";
import { measureMessage } from "../../src/replay/host-facts.ts";
import { call, PiLines, replayAll, text, texts, withRecording } from "./rig.ts";

const WINDOW = 40_000;
const CEILING = ceilingTokens(WINDOW);

test("warp keeps the request and the newest turns of a run that outgrows the ceiling, and names the turns that left", async () => {
	await withRecording(longRun(40), async (recording) => {
		const { requests, report } = await replayAll(recording, "warp", WINDOW);
		assert.ok(report.maxTokens - recording.fixedTokens <= CEILING, `${report.maxTokens} tokens`);
		assert.ok(report.seals > 0);
		const last = texts(requests.at(-1)!);
		assert.match(last[0]!, /^\[WARP ENGINE CONTEXT\]/);
		assert.match(last[0]!, /The request of this run \(m-[0-9a-f]+\), word for word:\nCount the parcels\.\n/);
		assert.match(last[0]!, /Earlier turns of this run .*\bm-[0-9a-f]+/);
		assert.match(last.at(-1)!, /^output 39 /);
	});
});

test("warp is computed once per run and then only grows at its end; with warpPer request it is computed for each request", async () => {
	await withRecording(longRun(4), async (recording) => {
		const perRun = (await replayAll(recording, "warp", WINDOW)).requests.map(texts);
		for (const [at, sent] of perRun.slice(1).entries()) {
			assert.deepEqual(sent.slice(0, perRun[at]!.length), perRun[at], `request ${at + 1}`);
		}
		const perRequest = (await replayAll(recording, "warp", WINDOW, "request")).requests.map(texts);
		const openings = new Set(perRequest.map(([opening]) => opening));
		assert.equal(openings.size, perRequest.length);
	});
});

test("lossless opens with its summaries once the history outgrows the ceiling, and keeps the newest turns", async () => {
	await withRecording(longRun(40), async (recording) => {
		const { requests, report } = await replayAll(recording, "lossless", WINDOW);
		assert.ok(report.maxTokens - recording.fixedTokens <= CEILING, `${report.maxTokens} tokens`);
		assert.ok(report.seals > 0);
		const last = texts(requests.at(-1)!);
		assert.match(last[0]!, /^## Conversation History \(Lossless Context Management\)$/m);
		assert.match(last[0]!, /Count the parcels\./);
		assert.match(last[0]!, /\bs-[0-9a-f]{10}\b/);
		assert.match(last.at(-1)!, /^output 39 /);
	});
});

test("woven opens with a seed that has the task and the handles of the messages that left", async () => {
	await withRecording(longRun(40), async (recording) => {
		const { requests, report } = await replayAll(recording, "woven", WINDOW);
		assert.ok(report.maxTokens - recording.fixedTokens <= CEILING, `${report.maxTokens} tokens`);
		assert.ok(report.seals > 0);
		assert.equal(report.prefixBreaks, report.seals);
		const last = texts(requests.at(-1)!);
		assert.match(last[0]!, /Count the parcels\./);
		assert.match(last[0]!, /\bs-[0-9a-f]{10}\b/);
	});
});

test("after a jump back every mode continues from the messages of that branch", async () => {
	const session = new PiLines();
	session.user("Count the parcels.");
	const fork = session.answer([text("Which ones?")]);
	session.user("Those on the left.");
	turns(session, 30);
	session.user("No, those on the right.", { parentId: fork });
	session.answer([text("As you wish.")]);
	await withRecording(session.lines, async (recording) => {
		for (const name of ["woven", "lossless", "host"] as const) {
			const { requests, report } = await replayAll(recording, name, WINDOW);
			assert.deepEqual(texts(requests.at(-1)!), ["Count the parcels.", "Which ones?", "No, those on the right."], name);
			assert.equal(report.causes["another branch"], 1, name);
		}
	});
});

test("the host sends its whole history as long as it fits", async () => {
	await withRecording(longRun(20), async (recording) => {
		const { requests, report } = await replayAll(recording, "host", 200_000);
		assert.deepEqual([requests.at(-1)!.envelope.messages.cached.length, report.seals, report.prefixBreaks], [41, 0, 0]);
	});
});

test("near the window's end the host keeps about 20,000 tokens, never from a result on, and the summariser is paid once", async () => {
	const window = 80_000;
	await withRecording(longRun(60), async (recording) => {
		const { requests, report } = await replayAll(recording, "host", window);
		const sealed = requests.filter(({ isSealed }) => isSealed);
		assert.deepEqual(report.causes, { "the host compacted": sealed.length });
		assert.ok(sealed.length > 0 && report.seals === sealed.length);
		for (const { envelope, plan, summariserTokens } of sealed) {
			const [summary, first] = envelope.messages.cached;
			assert.deepEqual([summary!.seed, first!.role], [true, "assistant"]);
			const kept = plan.seal!.tokensAfter - plan.seal!.seed.tokens;
			assert.ok(kept > 15_000 && kept <= 20_000, `${kept} tokens kept`);
			assert.ok(plan.seal!.seed.tokens <= 2_100);
			assert.equal(summariserTokens, 2_000);
		}
		assert.equal(report.summariserTokens, 2_000 * sealed.length);
		assert.ok(report.maxTokens <= window - 16_384, `${report.maxTokens} tokens`);
	});
});

test("a host that compacted in the recording compacts only there; in a smaller window it compacts more often", async () => {
	const session = new PiLines();
	session.user("Count the parcels.");
	turns(session, 30);
	const kept = session.answer([text("Half of them.")]);
	session.add({ type: "compaction", summary: "they counted", firstKeptEntryId: kept, tokensBefore: 10 });
	session.user("On.");
	turns(session, 200);
	await withRecording(session.lines, async (recording) => {
		assert.equal((await replayAll(recording, "host", 200_000)).report.seals, 1);
		assert.ok((await replayAll(recording, "host", 80_000)).report.seals > 3);
	});
});

test("a recorded compaction of the host stays in its place with the messages that it kept, and is paid once", async () => {
	const session = new PiLines();
	session.user("first ".repeat(200));
	session.answer([text("one")]);
	const kept = session.user("second");
	session.answer([text("two")]);
	session.add({ type: "compaction", summary: "they talked", firstKeptEntryId: kept, tokensBefore: 10 });
	session.user("third");
	session.answer([text("three")]);
	session.user("fourth");
	session.answer([text("four")]);
	await withRecording(session.lines, async (recording) => {
		const { requests, report } = await replayAll(recording, "host", 200_000);
		assert.deepEqual(texts(requests[2]!), ["they talked", "second", "two", "third"]);
		assert.deepEqual(texts(requests[3]!), ["they talked", "second", "two", "third", "three", "fourth"]);
		const written = measureMessage(requests[2]!.envelope.messages.cached[0]!).tokens;
		assert.deepEqual(
			requests.map(({ summariserTokens }) => summariserTokens),
			[0, 0, Math.round(written), 0],
		);
		assert.deepEqual([report.seals, report.causes], [1, { "the host compacted": 1 }]);
		const woven = await replayAll(recording, "woven", 200_000);
		assert.deepEqual(texts(woven.requests[2]!), ["first ".repeat(200), "one", "second", "two", "third"]);
	});
});

test("a message that the host changed explains the break in every mode", async () => {
	const session = new PiLines();
	const first = session.user("a long story");
	session.answer([text("one")]);
	session.add({ type: "context_edit", targetId: first, replacement: { content: "a story" } });
	session.user("on");
	session.answer([text("two")]);
	await withRecording(session.lines, async (recording) => {
		for (const name of ["woven", "lossless", "host"] as const) {
			const { requests, report } = await replayAll(recording, name);
			assert.deepEqual(texts(requests[1]!), ["a story", "one", "on"]);
			assert.deepEqual(report.causes, { "the host changed a message": 1 });
		}
	});
});

function longRun(count: number): readonly object[] {
	const session = new PiLines();
	session.user("Count the parcels.");
	turns(session, count);
	session.answer([text("All are counted.")]);
	return session.lines;
}

function turns(session: PiLines, count: number): void {
	for (let turn = 0; turn < count; turn++) {
		session.answer([call(`t${turn}`, "bash", { command: `count ${turn}` })]);
		session.result(`t${turn}`, `output ${turn} ${"parcel ".repeat(600)}`);
	}
}
