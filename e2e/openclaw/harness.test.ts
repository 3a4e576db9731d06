/** The suite for any engine once more, through the functions by which OpenClaw itself calls one. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { HostModel } from "../../src/agent/openclaw/conformance/host-model.ts";
import type { ContextEngine } from "../../src/agent/openclaw/contract.ts";
import { createContextEngine } from "../../src/agent/openclaw/live.ts";
import { contractSuite } from "../../test/contract/suite.ts";

type HostFunction = (...params: unknown[]) => Promise<unknown>;

const MODULE = "openclaw/plugin-sdk/agent-harness-runtime";
const host = (await import(MODULE)) as Record<string, HostFunction>;
const COMPACTION_MS = 60_000;

contractSuite({
	name: "weft, by the host's own calls",
	tools: ["lcm_grep", "lcm_describe", "lcm_expand"],
	open: (t) => {
		const { cwd, home } = place(t);
		return ({ readTranscript, now }: HostModel) =>
			throughHost(createContextEngine({ cwd, home, env: {}, now: () => now, readTranscript, warn: () => {} }));
	},
});

function place(t: TestContext) {
	const root = mkdtempSync(join(tmpdir(), "weft-harness-"));
	const [cwd, home] = [join(root, "work"), join(root, "home")];
	mkdirSync(cwd);
	t.after(() => rmSync(root, { recursive: true, force: true }));
	return { cwd, home };
}

/** The same engine; what the host exports a caller for goes through that. */
function throughHost(contextEngine: ContextEngine): ContextEngine {
	const beside = { contextEngine, modelId: "fake-1", contextEngineHost: { id: "openclaw-embedded" } };
	return {
		...contextEngine,
		info: contextEngine.info,
		dispose: () => contextEngine.dispose(),
		assemble: async (params) => {
			const answer = await host["assembleHarnessContextEngine"]!({
				...beside,
				...params,
				messages: [...params.messages],
			});
			return answer as Awaited<ReturnType<ContextEngine["assemble"]>>;
		},
		bootstrap: async (params) => {
			const given = { ...beside, hadSessionFile: true, sessionFile: params.sessionKey ?? "", warn: () => {} };
			await host["bootstrapHarnessContextEngine"]!({ ...given, ...params, runMaintenance: async () => undefined });
			return { bootstrapped: true };
		},
		compact: async (params) => {
			const given = [contextEngine, params, COMPACTION_MS, params.abortSignal];
			const answer = host["compactContextEngineWithSafetyTimeout"]!(...given);
			// The host takes an abort for a failure of the call.
			const none = { ok: false, compacted: false, reason: "aborted" };
			return (await answer.catch(() => none)) as Awaited<ReturnType<ContextEngine["compact"]>>;
		},
	};
}
