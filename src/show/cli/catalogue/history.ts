/** What left the context, and what it would have cost. */
import { type CommandSpec, SESSION } from "./spec.ts";

export const HISTORY: readonly CommandSpec[] = [
	{
		name: "repo",
		summary: "map the repository with git and write it down",
		examples: ["weft repo", "weft repo --json"],
		load: () => import("../commands/repo.ts"),
	},
	{
		name: "snapshot",
		summary: "write the state down, for a faster start",
		examples: ["weft snapshot"],
		load: () => import("../commands/snapshot.ts"),
	},
	{
		name: "compact",
		summary: "summarise what came before a session's newest turns",
		description:
			"The command line has no model: the deterministic summariser writes. Nothing is removed; 'weft expand' fetches what a summary stands for.",
		options: [
			SESSION,
			["--model <name>", "a model of the host; the command line has none"],
			["--keep <tokens>", "how much of the newest turns stays verbatim (default 20000)"],
		],
		examples: ["weft compact", "weft compact --session 0199 --keep 8000", "weft compact --json"],
		load: () => import("../commands/compact.ts"),
	},
	{
		name: "tree",
		summary: "the summaries of a session and what each is made from",
		options: [SESSION, ["--levels <n>", "how far down to show (default: all)"]],
		examples: ["weft tree", "weft tree --levels 1", "weft tree --json"],
		load: () => import("../commands/tree.ts"),
	},
	{
		name: "describe",
		args: [["[what]", "overview (default), recent, earliest, or the id of a summary or message"]],
		summary: "what a part of a session's history holds",
		options: [SESSION],
		examples: ["weft describe", "weft describe recent", "weft describe s-1a2b3c4d5e"],
		load: () => import("../commands/describe.ts"),
	},
	{
		name: "expand",
		args: [["<id>", "s- a summary, m- a message, b- a blob, e- an event"]],
		summary: "what an id stands for, exactly, in pages",
		options: [
			["--offset <bytes>", "where to begin; each page says where the next one begins"],
			["--max-tokens <n>", "size of a page (default 4000, at most 8000)"],
			["--depth <n>", "how many levels of a summary to open (default 1)"],
			["--all", "all pages, one after the other"],
		],
		examples: [
			"weft expand m-1a2b3c4d5e6f",
			"weft expand m-1a2b3c4d5e6f --offset 12544",
			"weft expand b-0a1b2c3d4e5f --all > output.txt",
		],
		load: () => import("../commands/expand.ts"),
	},
	{
		name: "recover",
		args: [["<file>", "a recorded session, or a database of them"]],
		summary: "prove that every byte of a session comes back by its handle",
		description:
			"Imports the session into a temporary folder, fetches each message and blob in pages, and compares SHA-256 with the file. Exit 1 if anything is missing.",
		options: [["--max-tokens <n>", "size of the pages (default 8000)"]],
		examples: ["weft recover session.jsonl", "weft recover session.jsonl --max-tokens 500 --json"],
		load: () => import("../commands/recover.ts"),
	},
	{
		name: "replay",
		args: [["[file...]", "recorded sessions of any agent; several are summed up, by host"]],
		summary: "what a recorded session would have cost, and held, under each mode",
		description:
			"Runs the session request by request through the planner that runs live, and compares it with what the host itself would have sent and what was billed. Nothing is kept, and no model is asked. docs/replay.md says what each number means.",
		options: [
			[
				"--session <id>",
				"a session of this project's log in place of a file, or one of several in a file; the beginning of its id is enough",
			],
			[
				"--mode <modes>",
				"only these, separated by commas: woven, plain (woven without the entry rules), warp, lossless, host, sent (what weft really sent)",
			],
			["--model <id>", "at the prices of this model (default: the one that answered most often)"],
			["--window <tokens>", "the model's window (default 200000, or the largest recorded prompt)"],
			["--profile <profile>", "thrifty, balanced, roomy or full (default: the profile setting)"],
			["--sweep", "compare the seal rule with all fixed thresholds"],
			["--dump <file>", "write every request as it would go out, one JSON line each"],
		],
		examples: [
			"weft replay session.jsonl",
			"weft replay --session 0199",
			"weft replay --mode woven,host sessions/*.jsonl",
			"weft replay session.jsonl --mode woven,host --json",
			"weft replay session.jsonl --mode woven --sweep",
		],
		load: () => import("../commands/replay.ts"),
	},
	{
		name: "stats",
		summary: "events by type, sessions, tokens, what the disk holds, and how far sessions are summarised",
		examples: ["weft stats", "weft stats --json"],
		load: () => import("../commands/stats.ts"),
	},
	{
		name: "cache",
		summary: "did the provider's cache hold: hit share, breaks with their causes and price",
		options: [SESSION, ["--limit <n>", "show at most this many breaks, the newest (default 20; 0: all)"]],
		examples: ["weft cache", "weft cache --session 0199", "weft cache --json"],
		load: () => import("../commands/cache.ts"),
	},
	{
		name: "export",
		summary: "write events or a session out again",
		description:
			"jsonl: all events, exact; weft import reads it back. pi: a session's entries as they came in. md: for reading, with known credentials masked.",
		options: [
			["--format <format>", "jsonl, pi or md (default jsonl)"],
			SESSION,
			["--out <file>", "write to this file, which must not exist yet, instead of stdout"],
		],
		examples: [
			"weft export --out backup.jsonl",
			"weft export --format pi --session 0199 --out session.jsonl",
			"weft export --format md --session 0199 | less",
		],
		load: () => import("../commands/export.ts"),
	},
];
