/** `weft mcp`: agents wait for its lists while they start, so it answers them before the rest of weft is loaded. */
import { closeSync, fstatSync, readFileSync } from "node:fs";
import { recordsEndOf, serveMcp } from "../../agent/mcp/server.ts";
import { ownVersion } from "../../base/file/package-file.ts";
import type { GlobalOptions } from "./options.ts";
import { passedCalls } from "./pass-to-resident.ts";

export function serveStandardStreams(options: GlobalOptions): Promise<void> {
	const { env, pid } = process;
	return serveMcp({
		version: ownVersion(),
		recordsEnd: recordsEndOf(env),
		input: inputAfter(takeFirstInput(env)),
		calls: passedCalls({
			words: ["mcp"],
			home: options.home,
			// Claude Code may start its servers in another folder.
			folder: options.project ?? ((env["CLAUDE_CODE_SESSION_ID"] && env["CLAUDE_PROJECT_DIR"]) || process.cwd()),
			load: async (cwd) => {
				const [{ Context }, { connectMcp }] = await Promise.all([import("./context.ts"), import("./commands/mcp.ts")]);
				const { home, out } = new Context(options);
				return connectMcp({ env, home, cwd, pid, warn: (text) => out.talk(text) });
			},
		}),
	});
}

/** What plugin/weft-mcp.pl has read from the agent, and nobody has answered. */
function takeFirstInput(env: NodeJS.ProcessEnv): Buffer | undefined {
	const descriptor = Number(env["WEFT_FIRST_INPUT"]);
	delete env["WEFT_FIRST_INPUT"];
	try {
		if (!(descriptor > 2) || !fstatSync(descriptor).isFIFO()) return undefined;
		const first = readFileSync(descriptor);
		closeSync(descriptor);
		return first;
	} catch {
		// Somebody else has set the variable.
		return undefined;
	}
}

function inputAfter(first: Buffer | undefined): NodeJS.ReadableStream {
	if (first) process.stdin.unshift(first);
	return process.stdin;
}
