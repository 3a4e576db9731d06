import assert from "node:assert/strict";
import test from "node:test";
import { madeUpSession } from "../../bench/session.ts";
import { DEFAULT_WINDOW_TOKENS } from "../../src/base/tokens/prices.ts";
import { ceilingTokens } from "../../src/context/seal/rule.ts";
import { replayAll, withRecording } from "./rig.ts";

for (const requests of [50, 600]) {
	test(`the largest of ${requests} requests is within the ceiling in every mode but the host's, and none is invalid`, async () => {
		const ceiling = ceilingTokens(DEFAULT_WINDOW_TOKENS);
		await withRecording(madeUpSession({ requests, lines: 25 }), async (recording) => {
			for (const name of ["woven", "warp", "lossless"] as const) {
				const { report } = await replayAll(recording, name, DEFAULT_WINDOW_TOKENS);
				assert.equal(report.requests, requests);
				const most = report.maxTokens - recording.fixedTokens;
				assert.ok(most <= ceiling, `${name}: ${most} tokens`);
				assert.equal(report.unexplainedBreaks, 0, name);
			}
		});
	});
}
