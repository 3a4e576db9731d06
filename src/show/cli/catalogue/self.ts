/** weft itself. */
import type { CommandSpec } from "./spec.ts";

export const SELF: readonly CommandSpec[] = [
	{
		name: "completion",
		args: [["<shell>", "bash, zsh or fish"]],
		summary: "a script that lets your shell complete weft's commands and options",
		examples: ["weft completion bash >> ~/.bashrc", "weft completion fish > ~/.config/fish/completions/weft.fish"],
		load: () => import("../commands/completion.ts"),
	},
	{
		name: "bench",
		args: [
			["<what>", "fleet, grep, history, import, log, pi, proxy, recall, replay, session or state"],
			["[transcript]", "for log and session: a recorded session to weigh or to bring in; without it, a made-up one"],
		],
		summary: "measure weft on this machine, as ratios; runs from a checkout only",
		description:
			"fleet: shipping, compared with a bare COPY of the same rows, search, compared with the bare ranked query, and an append while the server is away; it needs PostgreSQL installed. grep: a search over 1,000 sessions in 20 projects, compared with the bare queries. history: planning and assembling a long history, compared with a short one. import: made-up sessions of each agent, one file of lines or many of at most 16 MB, compared with JSON.parse of its texts, for a database with a bare SELECT before it, and the memory that it takes. log: append, read, search and open, compared with bare SQLite. pi: what weft adds to a request in Pi, compared with one JSON.stringify of its messages, and the processor time of the real Pi with and without weft. proxy: time to the first byte of an answer, compared with a bare proxy, and memory over many requests. recall: the ranking among 10,000 items, compared with a bare FTS5 query; with --data how often it finds the turns that answer a question; with --session how often it finds where a term of a session was seen before, with and without each ingredient. replay: the replay of the shipped session, and whether long sessions stay as cheap to plan. session: one session among fifty, and imports. state: one more event, opening from a snapshot, and a full fold. The installed package does not ship the benchmarks.",
		options: [
			[
				"--events <n>",
				"for pi and state: size of the long log (default 100000); for fleet: events to search (default 1000000)",
			],
			["--mb <n>", "for import: megabytes of each format (default 8)"],
			["--agent <name>", "for import: only this agent's format"],
			[
				"--requests <n>",
				"for replay: length of the long session (default 5000); for proxy: requests for its memory (1000)",
			],
			[
				"--load",
				"for log: eight processes append, one searches, one prunes; the worst append, and the size of the WAL",
			],
			["--data <file>", "for recall: conversations with questions, in LoCoMo's format"],
			["--session <file>", "for recall: a recorded session to mine questions from"],
		],
		examples: ["weft bench log", "weft bench log session.jsonl", "weft bench log --load", "weft bench replay --json"],
		load: () => import("../commands/bench.ts"),
	},
];
