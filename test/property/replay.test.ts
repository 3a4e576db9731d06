/** Random sessions, with everything in them that real ones have: what goes out holds in every mode but the host's. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import fc from "fast-check";
import { madeUpSession } from "../../bench/session.ts";
import { openingRoleOf } from "../../src/agent/opening-role.ts";
import { UNKNOWN_PRICES } from "../../src/base/tokens/prices.ts";
import { hostMessages } from "../../src/context/envelope/envelope.ts";
import type { ModeName } from "../../src/context/moment.ts";
import { projectState } from "../../src/context/project-state.ts";
import { requestOf } from "../../src/context/request.ts";
import { lookAt } from "../../src/context/request-at.ts";
import { ceilingTokens } from "../../src/context/seal/rule.ts";
import { Walk } from "../../src/context/walk.ts";
import { hostLimit } from "../../src/replay/host-facts.ts";
import type { Recording } from "../../src/replay/recording.ts";
import { recoverMessages } from "../../src/replay/report.ts";
import type { ReplayedRequest } from "../../src/replay/requests.ts";
import { asClaudeCode } from "../replay/claude-code-session.ts";
import { replayAll, withRecording } from "../replay/rig.ts";

/** Small, so that short sessions are sealed and compacted many times. */
const WINDOW = 64_000;
/** What stands in for a result that was lost comes on top of what was planned. */
const STAND_IN_TOKENS = 20;
const MODES = ["woven", "warp", "lossless"] as const;

const FORMS: Readonly<Record<string, (session: string) => string>> = {
	Pi: (session) => session,
	"Claude Code": asClaudeCode,
};

for (const [host, write] of Object.entries(FORMS)) {
	test(`${host}: inside an epoch each request is a byte extension of the last; all are valid, within the ceiling, the same again`, async () => {
		let seals = 0;
		const check = async (recording: Recording) => {
			for (const name of MODES) {
				const { report, requests } = await replayAll(recording, name, WINDOW);
				assert.equal(report.requests, recording.calls.length);
				assert.equal(report.unexplainedBreaks, 0, `${name} changes bytes without a reason`);
				for (const { tokens, repairs, call } of requests) {
					const most = ceilingTokens(WINDOW) + repairs.length * STAND_IN_TOKENS;
					assert.ok(tokens <= most, `${name} sends ${tokens} tokens in request ${call.index}`);
				}
				checkExtensions(name, requests);
				const again = await replayAll(recording, name, WINDOW);
				assert.equal(digest(again.requests), digest(requests), `${name} is not the same again`);
				seals += report.seals;
			}
			const { messages, recovered, share } = await recoverMessages(recording.log, recording.sessions);
			assert.deepEqual([recovered, share], [messages, 1]);
		};
		const sessions = fc.record({ seed: fc.integer({ min: 1, max: 1e6 }), requests: fc.integer({ min: 20, max: 160 }) });
		await fc.assert(
			fc.asyncProperty(sessions, async ({ seed, requests }) => {
				await withRecording(write(madeUpSession({ seed, requests, odd: true, lines: 40 })), check);
			}),
			{ numRuns: 4 },
		);
		assert.ok(seals > 0, "no session was long enough to be sealed");
	});

	test(`${host}: for every request, replay, a look at the log before its answer and a plan of its own are the same bytes`, async () => {
		let seals = 0;
		const check = async (recording: Recording) => {
			for (const name of [...MODES, "host"] as const) {
				const { requests, report } = await replayAll(recording, name, WINDOW);
				for (const request of requests) {
					const bytes = bytesOf(request);
					const at = `${name}, request ${request.call.index}`;
					assert.equal(await look(recording, name, request.call.upTo), bytes, `a look differs in ${at}`);
				}
				const last = requests.at(-1)!;
				assert.equal(await planAlone(recording, name), bytesOf(last), `a plan of its own differs in ${name}`);
				seals += report.seals;
			}
		};
		const sessions = fc.record({ seed: fc.integer({ min: 1, max: 1e6 }), requests: fc.integer({ min: 14, max: 28 }) });
		await fc.assert(
			fc.asyncProperty(sessions, async ({ seed, requests }) => {
				await withRecording(write(madeUpSession({ seed, requests, odd: true, lines: 160 })), check);
			}),
			{ numRuns: 3 },
		);
		assert.ok(seals > 0, "no session was long enough to be sealed");
	});
}

/** Compares the JSON of the messages themselves, not the hashes that the meter goes by. */
function checkExtensions(name: string, requests: readonly ReplayedRequest[]): void {
	let last = "";
	for (const request of requests) {
		const bytes = bytesOf(request);
		const isExplained = request.call.isJump || request.reason !== undefined;
		const { index } = request.call;
		assert.ok(isExplained || bytes.startsWith(last), `${name}: request ${index} is not an extension of the last`);
		last = bytes;
	}
}

function bytesOf({ envelope }: Pick<ReplayedRequest, "envelope">): string {
	return hostMessages(envelope)
		.map((message) => `${JSON.stringify(message)}\n`)
		.join("");
}

function digest(requests: readonly ReplayedRequest[]): string {
	const hash = createHash("sha256");
	for (const request of requests) hash.update(bytesOf(request));
	return hash.digest("hex");
}

function settingsOf(recording: Recording, mode: ModeName) {
	const limit = hostLimit(recording, recording.calls, WINDOW);
	return { mode, window: WINDOW, profile: "balanced", hostLimit: limit } as const;
}

async function look(recording: Recording, mode: ModeName, seq: number): Promise<string> {
	const { log, history, sessions } = recording;
	const runner = projectState(log, { snapshots: false });
	return bytesOf(
		await lookAt(seq, {
			log,
			history,
			session: sessions[0]!,
			settings: settingsOf(recording, mode),
			prices: UNKNOWN_PRICES,
			openingRole: openingRoleOf(sessions[0]!.host),
			stateAt: (at) => runner.at(at).state,
		}),
	);
}

/** The last request, by a walk that shares nothing with replay's. */
async function planAlone(recording: Recording, mode: ModeName): Promise<string> {
	const { log, calls, sessions } = recording;
	const openingRole = openingRoleOf(sessions[0]!.host);
	const walk = new Walk({ log, settings: settingsOf(recording, mode), prices: UNKNOWN_PRICES, openingRole });
	let bytes = "";
	for (const call of calls) bytes = bytesOf(requestOf(await walk.request(call), { isAsked: true }));
	return bytes;
}
