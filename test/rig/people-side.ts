/**
 * A Pi extension for tests: weft's commands, tools and status line over a session that is only recorded. The hooks have
 * tests of their own; here they are left out, so that what a command says depends on nothing else.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { type Engine, openEngine } from "../../src/engine.ts";
import { registerCommands } from "../../src/hosts/pi/commands/register.ts";
import type { Live } from "../../src/hosts/pi/live.ts";
import { Recorder } from "../../src/hosts/pi/recorder.ts";
import { registerStatus } from "../../src/hosts/pi/status.ts";
import { registerTools } from "../../src/hosts/pi/tools.ts";

export default function peopleSide(pi: ExtensionAPI): void {
	let live: Live | undefined;
	let recorder: Recorder | undefined;
	pi.on("session_start", (_event, ctx) => {
		if (live || process.env["WEFT_ENABLED"] === "false") return;
		const engine = openEngine({ cwd: ctx.cwd, host: "pi" });
		recorder = new Recorder(engine);
		recorder.catchUp(ctx.sessionManager);
		live = liveOf(engine, ctx.sessionManager.getSessionId(), ctx.cwd);
		registerTools(pi, () => live);
	});
	for (const event of ["message_start", "before_provider_request", "turn_end", "agent_settled"] as const) {
		pi.on(event as "turn_end", (_event, ctx) => recorder?.follow(ctx.sessionManager));
	}
	pi.on("session_shutdown", async (_event, ctx) => {
		await recorder?.end(ctx.sessionManager);
		live = undefined;
	});
	registerStatus(pi, () => live);
	registerCommands(pi, () => live);
}

function liveOf(engine: Engine, id: string, cwd: string): Live {
	const session = { session: id, host: "pi" };
	let mode: ReturnType<Live["mode"]> = "woven";
	return {
		engine,
		session,
		cwd,
		guard: engine.guard({ canChangeInput: true }),
		mode: () => mode,
		setMode: (chosen) => {
			mode = chosen;
		},
		leaf: () => engine.history.tree.tip(session),
		weave: () => undefined,
		lastRequest: () => ({ tokens: 1_234, ceiling: 100_000, messages: 5 }),
		compact: ({ instructions }) =>
			engine.compact({ session, ...(instructions ? { settings: { keepTokens: 0, minMessages: 2 } } : {}) }),
		contextMarkdown: async () => "# Context\n",
	};
}
