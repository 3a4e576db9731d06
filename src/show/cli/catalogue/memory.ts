/** What stays true: skills and memory. */
import { type CommandSpec, SESSION } from "./spec.ts";

export const MEMORY: readonly CommandSpec[] = [
	{
		name: "skills",
		summary: "the skills that an agent has here: tools, files, hooks, and what is wrong in their heads",
		examples: ["weft skills", "weft skills --json"],
		load: () => import("../commands/skills.ts"),
	},
	{
		name: "memory",
		summary: "what stays true of the project: SESSION.md, MEMORY.md and HISTORY.md (show is the default)",
		options: [SESSION],
		examples: ["weft memory", "weft memory show --session 0199", "weft memory --json"],
		load: () => import("../commands/memory.ts"),
	},
	{
		name: "memory show",
		summary: "what the three files say, each bullet with its id",
		options: [SESSION],
		examples: ["weft memory show", "weft memory show --json"],
		load: () => import("../commands/memory.ts"),
	},
	{
		name: "memory search",
		args: [["[words...]", "what to look for; all words must occur"]],
		summary: "find bullets of the memory files, those of earlier sessions too",
		description: "Found nothing is exit 1, as with grep.",
		examples: ["weft memory search parser", "weft memory search release branch --json"],
		load: () => import("../commands/memory-search.ts"),
	},
	{
		name: "memory recall",
		args: [["[question...]", "what somebody might say to the agent"]],
		summary: "what would stand before such a message, from memory and earlier sessions",
		options: [["--explain", "every item that was looked at: its words, evidence, score, and why it stays out"]],
		examples: ['weft memory recall "which port does the relay use?"', "weft memory recall --explain relay port"],
		load: () => import("../commands/memory-recall.ts"),
	},
	{
		name: "memory add",
		args: [["[text...]", "what to remember"]],
		summary: "write a bullet of your own into MEMORY.md",
		options: [["--section <name>", "Facts (default), Preferences, Constraints, Decisions or Open Loops"]],
		examples: ["weft memory add 'the tests need a running database'", "weft memory add --section Preferences tabs"],
		load: () => import("../commands/memory-add.ts"),
	},
	{
		name: "memory edit",
		args: [
			["<id>", "f-… as 'weft memory' shows it; its beginning is enough"],
			["[text...]", "what it should say"],
		],
		summary: "replace a bullet; it is yours from then on",
		examples: ["weft memory edit f-1a2b3c4d 'the tests need a database and a queue'"],
		load: () => import("../commands/memory-edit.ts"),
	},
	{
		name: "memory forget",
		args: [["<id>", "f-… as 'weft memory' shows it"]],
		summary: "take a bullet out; the same words do not come back by themselves",
		examples: ["weft memory forget f-1a2b3c4d"],
		load: () => import("../commands/memory-forget.ts"),
	},
	{
		name: "memory why",
		args: [["<id>", "f-… as 'weft memory' shows it"]],
		summary: "where a bullet comes from: who wrote it, when, from which message, and what became of it",
		examples: ["weft memory why f-1a2b3c4d", "weft memory why f-1a2b3c4d --json"],
		load: () => import("../commands/memory-why.ts"),
	},
	{
		name: "memory history",
		summary: "every write of the memory files, the newest first",
		options: [["--limit <n>", "at most this many (default 50)"]],
		examples: ["weft memory history", "weft memory history --limit 10 --json"],
		load: () => import("../commands/memory-history.ts"),
	},
	{
		name: "memory import",
		args: [["[path...]", "files or folders of Markdown; by default those of Claude Code, Codex and OpenClaw here"]],
		summary: "take memory files of other agents, as candidates with their origin",
		description:
			"Without --yes the candidates are only listed. What is taken is on probation: it leaves after 30 days, unless it is recalled before.",
		options: [["--yes", "take them"]],
		examples: ["weft memory import", "weft memory import CLAUDE.md --yes", "weft memory import ~/.codex/memories"],
		load: () => import("../commands/memory-import.ts"),
	},
];
