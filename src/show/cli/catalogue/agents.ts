/** weft in your agents. */
import type { CommandSpec } from "./spec.ts";

export const AGENTS: readonly CommandSpec[] = [
	{
		name: "pi",
		args: [["[args...]", "for Pi"]],
		passesOn: true,
		summary: "start your Pi with weft loaded",
		examples: ["weft pi", "weft pi --model anthropic/claude-sonnet-5", "weft pi --continue"],
		load: () => import("../commands/pi.ts"),
	},
	{
		name: "init",
		args: [["[agents...]", "claude, codex, opencode; all that are found without a name"]],
		summary: "set weft up in your agents: says what it would change, does it on yes",
		description:
			"Without a terminal nothing is changed unless --yes is given, and the exit status is 2. What a file held before is kept; --undo gives it back byte for byte, or takes out only what weft wrote where somebody changed the file since.",
		options: [
			["--yes", "do it without asking"],
			["--undo", "take everything back"],
			["--proxy", "also a launcher that starts the agent behind weft's proxy; without weft it starts the agent itself"],
			["--no-compaction", "leave it to the agent when it compacts"],
			["--status-line", "show weft's line at the foot of the agent's screen, if nothing stands there"],
		],
		examples: ["weft init", "weft init claude --yes", "weft init --undo"],
		load: () => import("../commands/init.ts"),
	},
	{
		name: "run",
		args: [
			["<agent>", "claude, codex or opencode"],
			["[args...]", "for the agent; options of weft's own come before them"],
		],
		passesOn: true,
		summary: "start an agent with weft for this one session, without installing anything",
		description:
			"A proxy on this machine stands between the agent and its provider while the session lasts, and answers the agent's own compaction (docs/proxy.md). It is started again on the same port when it dies. With Codex's built-in provider it only records, so that the session goes on without weft.",
		options: [
			["--no-proxy", "go to the provider directly"],
			["--opaque-seals", "codex, built-in provider: seal too; a sealed session then goes on only with weft"],
		],
		examples: ["weft run claude", "weft run claude -p 'what is this?'", "weft run codex --no-proxy resume --last"],
		load: () => import("../commands/run.ts"),
	},
	{
		name: "mcp",
		summary: "serve the project's history to an agent that speaks MCP, on standard input and output",
		description:
			"Agents start it by themselves once 'weft init' has told them. Tools: lcm_grep, lcm_describe, lcm_expand, decide, and recall where there is memory; resources and prompts besides.",
		examples: ["weft mcp", "weft mcp --project ~/src/app"],
		load: () => import("../commands/mcp.ts"),
	},
	{
		name: "hook",
		args: [["<agent>", "codex (one event) or opencode (one question in each line)"]],
		summary: "answer hooks of an agent, from standard input; agents call it, not people",
		options: [["--window <tokens>", "for opencode: the model's window (default: as opencode says)"]],
		examples: ["weft hook codex < event.json"],
		load: () => import("../commands/hook.ts"),
	},
	{
		name: "proxy",
		summary: "stand between an agent and its provider: records true usage, and answers the agent's own compaction",
		description:
			"Listens on 127.0.0.1 and passes everything on untouched. When a seal is due, the agent is led to compact, and its request for a summary is answered with weft's seed. It runs until Ctrl-C. 'weft run' starts one for a session by itself. docs/proxy.md says what it changes and what it cannot do.",
		options: [
			["--for <agent>", "claude (default), codex, or other: whatever asks an OpenAI- or Anthropic-compatible address"],
			["--upstream <url>", "where requests go (default: the agent's own provider)"],
			["--port <n>", "listen on this port (default: one that is free)"],
			["--threshold <tokens>", "above so many tokens the agent compacts by itself (default: as the agent comes)"],
			["--window <tokens>", "the window that seals go by (default 200000)"],
			["--record-only", "never answer, never lead: only record"],
			["--rewrite", "with --for other: take out of the requests what weft has sealed, and put its seed there"],
			["--until-eof", "end when standard input ends, too: for the program that started it"],
		],
		examples: [
			"weft proxy",
			"weft proxy --for codex --port 18333",
			"weft proxy --upstream https://gateway.example/anthropic",
			"weft proxy --for other --upstream https://api.example.com/v1",
		],
		load: () => import("../commands/proxy.ts"),
	},
];
