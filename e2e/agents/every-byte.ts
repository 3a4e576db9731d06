/** What weft's MCP tools give back of a session, asked by the protocol's own client. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openEngine } from "../../src/engine.ts";

export type CallTool = (name: string, args: Record<string, unknown>) => Promise<string>;

export interface ServerStart {
	readonly command: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
}

/** Runs `body` with the tools of a server that is started for it. */
export async function withTools<Answer>(
	start: ServerStart,
	body: (call: CallTool) => Promise<Answer>,
): Promise<Answer> {
	const client = new Client({ name: "test", version: "1" });
	await client.connect(new StdioClientTransport({ ...start, args: [...start.args] }));
	try {
		return await body(async (name, given) => {
			const { content } = await client.callTool({ name, arguments: given });
			return (content as { text: string }[])[0]!.text;
		});
	} finally {
		await client.close();
	}
}

/** Everything behind a handle, page by page. */
export async function expandAll(call: CallTool, handle: string): Promise<string> {
	const parts: string[] = [];
	for (let offset: number | undefined = 0; offset !== undefined; ) {
		const text: string = await call("lcm_expand", { summary_id: handle, max_tokens: 8_000, offset });
		parts.push(text.slice(text.indexOf("\n") + 1, text.lastIndexOf("\n")));
		const next: string | undefined = /"offset": (\d+)\}\)\]$/.exec(text)?.[1];
		offset = next === undefined ? undefined : Number(next);
	}
	return parts.join("");
}

/** Of everything that was recorded of an agent's own sessions. */
export function handlesIn(project: string, home: string): string[] {
	const engine = openEngine({ cwd: project, host: "cli", home, env: {}, readOnly: true });
	try {
		const events = [...engine.log.read({ types: ["Message", "Entry", "ForeignLine"] })];
		return events.flatMap(({ seq }) => engine.log.handleAt(seq) ?? []);
	} finally {
		engine.close();
	}
}
