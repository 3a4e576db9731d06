/** An MCP server whose only tool does nothing: shows what an agent takes to start a server and to call it for each hook. */
let rest = "";
process.stdin.on("data", (chunk) => {
	const lines = (rest + chunk).split("\n");
	rest = lines.pop() ?? "";
	for (const line of lines) answer(JSON.parse(line));
});

function answer({ id, method, params }) {
	if (id === undefined) return;
	const results = {
		initialize: {
			protocolVersion: params?.protocolVersion,
			capabilities: { tools: {} },
			serverInfo: { name: "empty", version: "1.0.0" },
		},
		"tools/list": { tools: [{ name: "hook", inputSchema: { type: "object" } }] },
		"tools/call": { content: [{ type: "text", text: "{}" }] },
	};
	process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} })}\n`);
}
