/** Set up: weft in your agents, the settings, and whether all is well. */
import { MIN_WINDOW_TOKENS } from "../../../base/tokens/prices.ts";
import { flag, oneOf, text, wholeNumber } from "../options.ts";
import { type CommandGroup, PORT } from "./spec.ts";

export const SET_UP = {
	init: {
		opens: "nothing",
		args: [["[agents...]", "claude, codex, opencode; all that are found without a name"]],
		summary: "set weft up in your agents: shows what it would change, and does it on yes",
		description:
			"Without a terminal nothing changes unless --yes is given, and it exits with 2. weft keeps what each file held before; --undo restores it byte for byte, or removes only what weft wrote if the file has changed since.",
		options: {
			yes: flag("--yes", "do it without asking"),
			undo: flag("--undo", "take everything back"),
			proxy: flag(
				"--proxy",
				"add a launcher that starts the agent behind weft's proxy; without weft it starts the agent itself",
			),
			noCompaction: flag("--no-compaction", "let the agent decide when it compacts"),
			statusLine: flag("--status-line", "show weft's line at the foot of the agent's screen, if it is free"),
		},
		examples: ["weft init", "weft init claude --yes", "weft init --undo"],
	},
	run: {
		opens: "no-log",
		args: [
			["<agent>", "claude, codex, opencode or pi"],
			["[args...]", "for the agent; weft's own options come before them"],
		],
		passesOn: true,
		summary: "start an agent with weft for one session, without installing anything",
		description:
			"Claude Code and Codex reach their provider through a local proxy for this session, which answers the agent's own compaction (docs/proxy.md). If the proxy dies, weft restarts it; the port stays weft's own meanwhile. With Codex's built-in provider it only records, so the session can continue without weft. opencode and Pi load weft as an extension. Everything after the agent's name is for the agent, except weft's own options right after it. Put -- before an option that both have.",
		options: {
			noProxy: flag("--no-proxy", "go to the provider directly"),
			opaqueSeals: flag(
				"--opaque-seals",
				"codex, built-in provider: seal too; a sealed session then continues only with weft",
			),
		},
		examples: [
			"weft run claude",
			"weft run claude -p 'what is this?'",
			"weft run codex --no-proxy resume --last",
			"weft run pi --continue",
			"weft run codex -- --project other",
		],
	},
	config: {
		opens: "nothing",
		summary: "show effective settings",
		options: { origin: flag("--origin", "show where each value comes from") },
		examples: ["weft config", "weft config --origin", "weft config --json"],
	},
	"config set": {
		opens: "nothing",
		args: [
			["<key>", "the setting; 'weft config' lists them"],
			["[value]", "its value; lists as JSON"],
		],
		summary: "write a setting to your own configuration file",
		options: { default: flag("--default", "remove the setting from the file") },
		examples: ["weft config set mode lossless", "weft config set pruneDays 30", "weft config set mode --default"],
	},
	trust: {
		opens: "nothing",
		summary: "trust the project's own settings, and the code that they name",
		description:
			"A project can bring .weft/config.json and .pi/warp-engine/config.json. They can name code to run and move the data, so weft ignores them, and says so, until you trust the project. Trust belongs to its path, until you undo it. --trust or WEFT_TRUST=1 trusts a project for one run. Agents decide by themselves: Pi asks you.",
		options: {
			undo: flag("--undo", "stop trusting it"),
			list: flag("--list", "list the projects that you trust"),
		},
		examples: ["weft trust", "weft trust --undo", "weft trust --list --json", "WEFT_TRUST=1 weft verify"],
	},
	doctor: {
		opens: "nothing",
		summary: "check versions, paths, permissions, integrity, locks and disk",
		examples: ["weft doctor", "weft doctor --json"],
	},
	verify: {
		opens: "log",
		summary: "check the hash chain and compare the derived tables with the log",
		examples: ["weft verify", "weft verify --json"],
	},
	recover: {
		opens: "nothing",
		args: [["<file>", "a recorded session, or a database of them"]],
		summary: "prove that every byte of a session comes back by its handle",
		description:
			"Imports the session into a temporary folder, fetches each message and blob in pages, and compares SHA-256 with the file. Exits with 1 if anything is missing.",
		options: { maxTokens: wholeNumber("--max-tokens <n>", "size of the pages (default 8000)", { min: 100 }) },
		examples: ["weft recover session.jsonl", "weft recover session.jsonl --max-tokens 500 --json"],
	},
	mcp: {
		opens: "nothing",
		summary: "serve the project's history to an agent over MCP, on standard input and output",
		description:
			"Agents start it by themselves after 'weft init'. Tools: lcm_grep, lcm_describe, lcm_expand, decide, recall, thread, ask and rewind; it has resources and prompts too.",
		examples: ["weft mcp", "weft mcp --project ~/src/app"],
	},
	hook: {
		opens: "nothing",
		args: [["<agent>", "codex (one event) or opencode (one question per line)"]],
		summary: "answer an agent's hooks from standard input; for agents, not for people",
		options: {
			window: text("--window <tokens>", "for opencode: the model's window (default: as opencode says)"),
		},
		examples: ["weft hook codex < event.json"],
	},
	resident: {
		opens: "nothing",
		summary: "answer the hooks of a project's agents from one process; hooks start it by themselves",
		description:
			"Listens on a socket in the data folder that only you can open, and ends a while after the last hook. It also passes the requests of the agents that 'weft run' has started. WEFT_RESIDENT_SECONDS sets how long it stays (default 300); 0 means that each hook answers by itself, and each proxy is a process of its own.",
		examples: ["weft resident --project ~/src/app"],
	},
	proxy: {
		opens: "nothing",
		summary: "run the proxy: records true usage and answers the agent's own compaction",
		description:
			"Listens on 127.0.0.1, prints an address that holds the secret of this launch, and passes everything that comes to it through unchanged. WEFT_PROXY_SECRET in the environment sets the secret. When a seal is due, it makes the agent compact and answers the request for a summary with weft's seed. It runs until Ctrl-C. 'weft run' starts one for a session by itself. docs/proxy.md says what it changes and what it cannot do.",
		options: {
			for: oneOf(
				"--for <agent>",
				"claude (default), codex, or other: any client of an OpenAI- or Anthropic-compatible API",
				["claude", "codex", "other"],
				"claude",
			),
			upstream: text("--upstream <url>", "where requests go (default: the agent's own provider)"),
			port: PORT,
			threshold: wholeNumber(
				"--threshold <tokens>",
				"the size at which the agent compacts by itself (default: the agent's own)",
				{ min: 1 },
			),
			window: wholeNumber("--window <tokens>", "the window that seals go by (default: the model's own, or 200000)", {
				min: MIN_WINDOW_TOKENS,
			}),
			recordOnly: flag("--record-only", "only record: never answer a compaction, never ask for one"),
			rewrite: flag("--rewrite", "with --for other: replace what weft has sealed in the requests with its seed"),
			untilEof: flag("--until-eof", "also end when standard input ends: for the program that started it"),
			handed: flag("--handed", "take connections from the program that started it, which listens on --port"),
		},
		examples: [
			"weft proxy",
			"weft proxy --for codex --port 18333",
			"weft proxy --upstream https://gateway.example/anthropic",
			"weft proxy --for other --upstream https://api.example.com/v1",
		],
	},
	conformance: {
		opens: "nothing",
		args: [["<module>", "a plugin of OpenClaw, or a module that exports createContextEngine"]],
		summary: "check a context engine of OpenClaw, yours or another's, without OpenClaw and without a model",
		description:
			"Loads the module and calls its engine as OpenClaw does: an engine for every turn, turns delivered twice, windows that overflow, resets, heartbeats. It runs the module's code as you. Exits with 1 where a case failed.",
		options: { only: text("--only <words>", "only the cases with these words in their title") },
		examples: [
			"weft conformance ./dist/plugin.js",
			"weft conformance my-engine --only C2",
			"weft conformance ./engine.js --json",
		],
	},
	completion: {
		opens: "nothing",
		args: [["<shell>", "bash, zsh or fish"]],
		summary: "print a script that completes weft's commands and options in your shell",
		examples: ["weft completion bash >> ~/.bashrc", "weft completion fish > ~/.config/fish/completions/weft.fish"],
	},
} satisfies CommandGroup;
