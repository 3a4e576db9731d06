/** `weft mcp`: agents wait for its lists while they start, so it answers them before the rest of weft is loaded. */
import { serveMcp } from "../../agent/mcp/server.ts";
import { ownVersion } from "../../base/file/package-file.ts";
import type { GlobalOptions } from "./options.ts";

export function serveStandardStreams(options: GlobalOptions): Promise<void> {
	return serveMcp({
		version: ownVersion(),
		recordsEnd: Boolean(process.env["CLAUDE_CODE_SESSION_ID"]),
		connect: async () => {
			const [{ Context }, { connectMcp }] = await Promise.all([import("./context.ts"), import("./commands/mcp.ts")]);
			return connectMcp(new Context(options));
		},
	});
}
