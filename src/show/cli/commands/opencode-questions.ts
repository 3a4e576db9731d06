/** The questions of opencode's plugin, one per line, answered in the process that it started or in the resident. */
import { LiveSessionFiles } from "../../../agent/live/live-session-files.ts";
import { OpencodeLive } from "../../../agent/opencode/live.ts";
import { OPENCODE_PORT } from "../../../agent/opencode/port.ts";
import { opencodeReader } from "../../../agent/opencode/reader.ts";
import { type AgentCalls, FAULT_METHOD, faultError } from "../../../agent/resident/call-lines.ts";
import { readWholeNumber } from "../../../base/text/whole-number.ts";
import { MIN_WINDOW_TOKENS } from "../../../base/tokens/prices.ts";
import type { AgentProcess } from "./mcp.ts";

/** `window`: tokens of the model's window; by default the plugin's number. */
export function connectOpencode(
	{ env, home, cwd }: Omit<AgentProcess, "pid" | "warn">,
	window: string | undefined = env["WEFT_WINDOW"],
): AgentCalls {
	const warn = (notice: string) => live.notify(notice);
	const files = new LiveSessionFiles({ readers: [opencodeReader], port: OPENCODE_PORT, env, home, cwd, warn });
	const tokens = readWholeNumber("--window", window, MIN_WINDOW_TOKENS);
	const live: OpencodeLive = new OpencodeLive({ files, cwd, window: tokens });
	return {
		answer: async (method, params) => {
			if (method !== FAULT_METHOD) return live.answer(params);
			files.projectFor(cwd);
			files.doorFor(cwd).fail("message", faultError(params));
			return undefined;
		},
		end: async () => {
			await live.end();
			await files.close();
		},
	};
}
