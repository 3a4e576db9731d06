import assert from "node:assert/strict";
import test from "node:test";
import { madeUpSession } from "../../bench/session.ts";
import { ceilingTokens } from "../../src/context/seal/rule.ts";
import { DEFAULT_WINDOW_TOKENS } from "../../src/context/section/budget.ts";
import { makeMode } from "../../src/replay/modes.ts";
import type { Recording } from "../../src/replay/open-recording.ts";
import { runMode } from "../../src/replay/run.ts";
import { UNKNOWN_PRICES } from "../../src/tokens/prices.ts";
import { withRecording } from "./rig.ts";

for (const requests of [50, 5_000]) {
	test(`the largest of ${requests} requests is within the ceiling in every mode but the host's, and none is invalid`, async () => {
		const check = async (recording: Recording) => {
			const { calls, fixed, format } = recording;
			const ceiling = ceilingTokens(DEFAULT_WINDOW_TOKENS);
			const options = {
				...recording,
				prices: UNKNOWN_PRICES,
				profile: "balanced",
				window: DEFAULT_WINDOW_TOKENS,
			} as const;
			for (const name of ["woven", "warp", "lossless"] as const) {
				const { log, close } = recording.fork();
				const report = await runMode(makeMode(name, { ...options, log }), calls, {
					prices: UNKNOWN_PRICES,
					fixed,
					format,
				});
				close();
				assert.equal(report.requests, requests);
				assert.ok(report.maxTokens <= ceiling, `${name}: ${report.maxTokens} tokens`);
				assert.deepEqual(report.invalidRequests, [], name);
				assert.equal(report.unexplainedBreaks, 0, name);
			}
		};
		await withRecording(madeUpSession({ requests, lines: 25 }), check, { demands: false });
	});
}
