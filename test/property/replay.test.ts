/** Random sessions, with everything in them that real ones have: what goes out holds in every mode but the host's. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import fc from "fast-check";
import { madeUpSession } from "../../bench/session.ts";
import { ceilingTokens } from "../../src/context/seal/rule.ts";
import { type ModeName, makeMode } from "../../src/replay/modes.ts";
import type { Recording } from "../../src/replay/open-recording.ts";
import { Walk } from "../../src/replay/path.ts";
import { recoverMessages } from "../../src/replay/recovery.ts";
import { type ModeReport, runMode } from "../../src/replay/run.ts";
import { UNKNOWN_PRICES } from "../../src/tokens/prices.ts";
import { asClaudeCode } from "../replay/as-claude-code.ts";
import { withRecording } from "../replay/rig.ts";

/** Small, so that short sessions are sealed and compacted many times. */
const WINDOW = 64_000;
const MODES = ["woven", "warp", "lossless"] as const;

const sessions = fc.record({ seed: fc.integer({ min: 1, max: 1e6 }), requests: fc.integer({ min: 20, max: 160 }) });

const FORMS: Readonly<Record<string, (session: string) => string>> = {
	Pi: (session) => session,
	"Claude Code": asClaudeCode,
};

for (const [host, write] of Object.entries(FORMS))
	test(`${host}: inside an epoch each request is a byte extension of the last; all are valid, within the ceiling, the same again`, async () => {
		let seals = 0;
		await fc.assert(
			fc.asyncProperty(sessions, async ({ seed, requests }) => {
				const check = async (recording: Recording) => {
					for (const name of MODES) {
						const { report, digest } = await run(recording, name);
						assert.equal(report.requests, requests);
						assert.deepEqual(report.invalidRequests, [], `${name} sends what no provider takes`);
						assert.equal(report.unexplainedBreaks, 0, `${name} changes bytes without a reason`);
						const most = report.maxTokens - recording.fixed;
						assert.ok(most <= ceilingTokens(WINDOW), `${name} sends ${most} tokens`);
						assert.equal((await run(recording, name)).digest, digest, `${name} is not the same again`);
						seals += report.seals;
					}
					const { messages, recovered, share } = await recoverMessages(recording.log, recording.sessions);
					assert.deepEqual([recovered, share], [messages, 1]);
				};
				const session = write(madeUpSession({ seed, requests, odd: true, lines: 40 }));
				await withRecording(session, check, { demands: false });
			}),
			{ numRuns: 6 },
		);
		assert.ok(seals > 0, "no session was long enough to be sealed");
	});

/** Compares the JSON of the messages themselves, not the keys that the meter goes by. */
async function run(recording: Recording, name: ModeName): Promise<{ report: ModeReport; digest: string }> {
	const { calls, fixed, format } = recording;
	const { log, close } = recording.fork();
	const mode = makeMode(name, { ...recording, log, prices: UNKNOWN_PRICES, profile: "balanced", window: WINDOW });
	const walk = new Walk();
	const digest = createHash("sha256");
	let last = "";
	const report = await runMode(mode, calls, {
		prices: UNKNOWN_PRICES,
		fixed,
		format,
		onRequest: (call, request) => {
			const { jumped } = walk.moveTo(call);
			const bytes = request.messages.map(({ wire }) => `${JSON.stringify(wire)}\n`).join("");
			const explained = jumped || request.reason !== undefined;
			assert.ok(explained || bytes.startsWith(last), `${name}: request ${call.index} is no extension of the last`);
			digest.update(bytes);
			last = bytes;
		},
	});
	close();
	return { report, digest: digest.digest("hex") };
}
