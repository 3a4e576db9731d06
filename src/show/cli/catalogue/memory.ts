/** Memory: what stays true of a project. */
import { flag, text, wholeNumber } from "../options.ts";
import { type CommandGroup, SESSION } from "./spec.ts";

export const MEMORY = {
	memory: {
		opens: "log",
		summary: "show the project's memory: SESSION.md, MEMORY.md and HISTORY.md (show is the default)",
		options: { session: SESSION },
		examples: ["weft memory", "weft memory show --session 0199", "weft memory --json"],
	},
	"memory show": {
		opens: "log",
		summary: "show the three files, each bullet with its id",
		options: { session: SESSION },
		examples: ["weft memory show", "weft memory show --json"],
	},
	"memory search": {
		opens: "log",
		args: [["[words...]", "what to look for; all words must occur"]],
		summary: "search the bullets of the memory files, including those of earlier sessions",
		description: "Like grep, it exits with 1 when nothing is found.",
		examples: ["weft memory search parser", "weft memory search release branch --json"],
	},
	"memory recall": {
		opens: "log",
		args: [["[question...]", "a message to the agent"]],
		summary: "show what recall would add before such a message, from memory and earlier sessions",
		options: {
			explain: flag("--explain", "show every item considered: its words, evidence, score, and why it stays out"),
		},
		examples: ['weft memory recall "which port does the relay use?"', "weft memory recall --explain relay port"],
	},
	"memory add": {
		opens: "writable-log",
		args: [["[text...]", "what to remember"]],
		summary: "add a bullet of your own to MEMORY.md",
		options: {
			section: text("--section <name>", "Facts (default), Preferences, Constraints, Decisions or Open Loops"),
		},
		examples: ["weft memory add 'the tests need a running database'", "weft memory add --section Preferences tabs"],
	},
	"memory edit": {
		opens: "log",
		args: [
			["<id>", "f-… as 'weft memory' shows it; its beginning is enough"],
			["[text...]", "what it should say"],
		],
		summary: "replace a bullet; it is yours from then on",
		examples: ["weft memory edit f-1a2b3c4d 'the tests need a database and a queue'"],
	},
	"memory forget": {
		opens: "log",
		args: [["<id>", "f-… as 'weft memory' shows it"]],
		summary: "delete a bullet; the same words stay deleted",
		examples: ["weft memory forget f-1a2b3c4d"],
	},
	"memory why": {
		opens: "log",
		args: [["<id>", "f-… as 'weft memory' shows it"]],
		summary: "show where a bullet comes from: who wrote it, when, from which message, and what became of it",
		examples: ["weft memory why f-1a2b3c4d", "weft memory why f-1a2b3c4d --json"],
	},
	"memory history": {
		opens: "log",
		summary: "list every write of the memory files, the newest first",
		options: { limit: wholeNumber("--limit <n>", "at most this many (default 50)", { fallback: 50 }) },
		examples: ["weft memory history", "weft memory history --limit 10 --json"],
	},
	"memory import": {
		opens: "nothing",
		args: [["[path...]", "files or folders of Markdown; by default those of Claude Code, Codex and OpenClaw here"]],
		summary: "import memory files of other agents, as candidates with their origin",
		description:
			"Without --yes it only lists the candidates. An imported bullet is on probation: it expires after 30 days unless it is recalled before.",
		options: { yes: flag("--yes", "take them") },
		examples: ["weft memory import", "weft memory import CLAUDE.md --yes", "weft memory import ~/.codex/memories"],
	},
} satisfies CommandGroup;
