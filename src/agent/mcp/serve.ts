/** Runs the server on standard input and output until the agent closes them or stops us. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createMcpServer, type McpOptions } from "./server.ts";

/** Resolves when the agent is gone and the rest of its session is recorded. */
export async function serveMcp(options: McpOptions): Promise<void> {
	const ended = new Promise<void>((resolve) => {
		process.stdin.once("end", resolve);
		process.stdin.once("close", resolve);
		// Claude Code stops its servers with SIGINT.
		for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
	});
	const handle = serveStdio(() => createMcpServer(options), { onerror: (error) => options.onFault("stdio", error) });
	await ended;
	await options.host?.end();
	await handle.close().catch(() => {});
}
