import assert from "node:assert/strict";
import test from "node:test";
import { ceilingTokens } from "../../src/context/seal/rule.ts";
import { type ModeName, makeMode } from "../../src/replay/modes.ts";
import type { Recording } from "../../src/replay/open-recording.ts";
import type { PlannedRequest } from "../../src/replay/planned.ts";
import { type ModeReport, runMode } from "../../src/replay/run.ts";
import { UNKNOWN_PRICES } from "../../src/tokens/prices.ts";
import { call, PiLines, text, withRecording } from "./rig.ts";

const WINDOW = 40_000;
const CEILING = ceilingTokens(WINDOW);

test("warp keeps the request and the newest turns of a run that outgrows the ceiling, and names those that left", async () => {
	await withRecording(longRun(40), async (recording) => {
		const { requests, report } = await plan(recording, "warp");
		assert.ok(report.maxTokens <= CEILING, `${report.maxTokens} tokens`);
		assert.ok(report.seals > 0);
		const last = requests.at(-1)!;
		assert.match(last.messages[0]!.text, /^\[WARP ENGINE CONTEXT\]/);
		assert.match(last.messages[0]!.text, /Earlier turns of this run .*\bm-[0-9a-f]{12}/);
		assert.equal(last.messages[1]!.text, "Count the parcels.");
		assert.match(last.messages.at(-1)!.text, /^output 39 /);
	});
});

test("lossless opens with its summaries once the history outgrows the ceiling, and keeps the newest turns", async () => {
	await withRecording(longRun(40), async (recording) => {
		const { requests, report } = await plan(recording, "lossless");
		assert.ok(report.maxTokens <= CEILING, `${report.maxTokens} tokens`);
		assert.ok(report.seals > 0);
		const last = requests.at(-1)!;
		assert.match(last.messages[0]!.text, /^## Conversation History \(Lossless Context Management\)/);
		assert.match(last.messages[0]!.text, /Count the parcels\./);
		assert.match(last.messages[0]!.text, /\bs-[0-9a-f]{10}\b/);
		assert.match(last.messages.at(-1)!.text, /^output 39 /);
	});
});

test("woven opens with a seed that holds the task and the handles of what left", async () => {
	await withRecording(longRun(40), async (recording) => {
		const { requests, report } = await plan(recording, "woven");
		assert.ok(report.maxTokens - recording.fixed <= CEILING, `${report.maxTokens} tokens`);
		assert.ok(report.seals > 0);
		assert.equal(report.prefixBreaks, report.seals);
		const last = requests.at(-1)!;
		assert.match(last.messages[0]!.text, /Count the parcels\./);
		assert.match(last.messages[0]!.text, /\bs-[0-9a-f]{10}\b/);
	});
});

test("after a jump back every mode goes on from what stands on that branch", async () => {
	const session = new PiLines();
	session.user("Count the parcels.");
	const fork = session.answer([text("Which ones?")]);
	session.user("Those on the left.");
	turns(session, 30);
	session.user("No, those on the right.", { parentId: fork });
	session.answer([text("As you wish.")]);
	await withRecording(session.lines, async (recording) => {
		for (const name of ["woven", "lossless", "host"] as const) {
			const { requests, report } = await plan(recording, name);
			assert.deepEqual(
				requests.at(-1)!.messages.map((message) => message.text),
				["Count the parcels.", "Which ones?", "No, those on the right."],
				name,
			);
			assert.equal(report.causes["another branch"], 1, name);
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

async function plan(
	recording: Recording,
	name: ModeName,
): Promise<{ readonly requests: readonly PlannedRequest[]; readonly report: ModeReport }> {
	const { calls, fixed, format } = recording;
	const { log, close } = recording.fork();
	const requests: PlannedRequest[] = [];
	const mode = makeMode(name, { ...recording, log, prices: UNKNOWN_PRICES, profile: "balanced", window: WINDOW });
	const onRequest = (_call: unknown, request: PlannedRequest) => {
		requests.push(request);
	};
	const report = await runMode(mode, calls, { prices: UNKNOWN_PRICES, fixed, format, onRequest });
	close();
	assert.deepEqual(report.invalidRequests, []);
	return { requests, report };
}
