/** Look: what happened, and what is true now. */
import { DEFAULT_HANDOVER_TOKENS, HANDOVER_TARGETS, MIN_HANDOVER_TOKENS } from "../../../view/handover-sizes.ts";
import { SESSION_ORDERS } from "../../../view/session-orders.ts";
import { flag, oneOf, text, time, wholeNumber } from "../options.ts";
import {
	ALL,
	AT,
	type CommandGroup,
	FILE,
	PORT,
	RECENT,
	ROLE,
	SESSION,
	SINCE,
	SKIP,
	THINKING,
	TOOL,
	TYPE,
	UNTIL,
	WINDOW,
} from "./spec.ts";

const THREAD_ITEM = ["<id>", "as 'weft thread' lists it; its beginning is enough"] as const;

export const LOOK = {
	status: {
		opens: "nothing",
		summary: "show where the data is, which sessions it holds and how fresh it is (the default)",
		options: { line: flag("--line", "one line about the session, for the foot of an agent's screen") },
		examples: ["weft", "weft --json", "weft status --project ~/src/app"],
	},
	sessions: {
		opens: "nothing",
		summary: "list sessions: title, agent, model, requests, cost and savings, and the total",
		description:
			"Sorted by last activity; on a terminal the newest comes last. Sub-agents come after the session they work for.",
		options: {
			all: ALL,
			agent: text("--agent <names>", "only sessions of these agents, separated by commas"),
			since: SINCE,
			sort: oneOf("--sort <key>", "last (default), cost, requests or agent", SESSION_ORDERS, "last"),
			limit: wholeNumber("--limit <n>", "at most this many (default: all)"),
		},
		examples: [
			"weft sessions",
			"weft sessions --all --since 30d",
			"weft sessions --all --sort cost --limit 10",
			"weft sessions --json",
		],
	},
	log: {
		opens: "log",
		summary: "show the timeline of the last active session: what happened, in order",
		description:
			"The agent's own bookkeeping (progress, snapshots, raw lines) is left out; --type Entry shows it, and --json has everything.",
		options: {
			session: SESSION,
			all: flag("--all", "all sessions of the project, as with --file and --follow"),
			type: TYPE,
			since: SINCE,
			until: UNTIL,
			file: text("--file <path>", "only events about this file; a folder ends in /"),
			tool: text("--tool <name>", "only events of this tool"),
			limit: wholeNumber("--limit <n>", "at most this many, the newest (default 50; 0: all)", { fallback: 50 }),
			after: wholeNumber("--after <seq>", "only what came after this event, oldest first"),
			follow: flag("--follow", "keep printing events as they arrive, until Ctrl-C"),
		},
		examples: [
			"weft log --limit 20",
			"weft log --type UserIntent,FileChanged --since 2d",
			"weft log --file src/index.ts",
			"weft log --follow",
		],
	},
	state: {
		opens: "log",
		summary: "show what is true now: working set, failures, decisions, intent, progress",
		options: {
			at: AT,
			session: text("--session <id>", "what this session did (default: the last active one)"),
			all: flag("--all", "all sessions of the project together"),
		},
		examples: ["weft state", "weft state --at 1200", "weft state --json"],
	},
	thread: {
		opens: "nothing",
		args: [
			["[session]", "the session, also of another project; the beginning of its id is enough (default: the last)"],
		],
		summary: "show what was asked in a session, what holds, what is done with proof, what is open and next",
		description:
			"Each item is a quotation, with its id and the handle of its source. Marks are yours and beat what the log says: a pinned item stays in every context, one that is struck out is in none.",
		options: {
			session: SESSION,
			all: flag("--all", "with earlier requests, replaced and struck items, and all findings"),
		},
		examples: [
			"weft thread",
			"weft thread 0199 --all",
			"weft thread --json",
			"weft thread pin rule-3f2a91",
			"weft thread strike finding-77c0de",
		],
	},
	"thread pin": {
		opens: "session",
		args: [THREAD_ITEM],
		summary: "keep an item in every context",
		options: { session: SESSION },
		examples: ["weft thread pin rule-3f2a91", "weft thread pin rule-3f --session 0199"],
	},
	"thread strike": {
		opens: "session",
		args: [THREAD_ITEM],
		summary: "strike an item out: no context shows it again",
		options: { session: SESSION },
		examples: ["weft thread strike finding-77c0de"],
	},
	"thread clear": {
		opens: "session",
		args: [THREAD_ITEM],
		summary: "remove your mark from an item",
		options: { session: SESSION },
		examples: ["weft thread clear rule-3f2a91"],
	},
	handover: {
		opens: "nothing",
		args: [
			["[session]", "the session, also of another project; the beginning of its id is enough (default: the last)"],
		],
		summary: "print a session's thread and state for another agent or person",
		description:
			"Prints the thread, then the text that a seal would send now, bounded and with known credentials masked. The first line says what it is and how to start the other agent with it. Nothing is written.",
		options: {
			session: SESSION,
			to: oneOf("--to <reader>", "claude, codex, pi, opencode or md (default): who reads it", HANDOVER_TARGETS, "md"),
			tokens: wholeNumber("--tokens <n>", `at most this many tokens (default ${DEFAULT_HANDOVER_TOKENS})`, {
				min: MIN_HANDOVER_TOKENS,
				fallback: DEFAULT_HANDOVER_TOKENS,
			}),
		},
		examples: [
			"weft handover",
			"weft handover --to codex | codex exec -",
			"weft handover 0199 --to claude | claude -p",
			"weft handover --tokens 4000 > HANDOVER.md",
		],
	},
	context: {
		opens: "session",
		summary: "show what a model would get, in any mode and at any moment, and why each part is in it",
		description:
			"Shows the next request: its opening, then one line per message. Files are read from disk; with --at or --recorded they come from the log. A request that weft sent is shown as it was sent. A session that ran without weft is shown as if it had run with it.",
		options: {
			mode: oneOf("--mode <mode>", "woven, warp, lossless or off (default: as it was sent, or the mode setting)", [
				"woven",
				"warp",
				"lossless",
				"off",
			]),
			at: AT,
			session: SESSION,
			budget: wholeNumber(
				"--budget <tokens>",
				"for warp: at most this many tokens (default: computed from the window)",
			),
			window: WINDOW,
			recorded: flag("--recorded", "show files as the log knows them, not as the disk has them"),
			why: flag("--why", "list each item with its tokens, reason and handle, including what was left out"),
			diff: flag("--diff", "show what came, went and changed since the previous request"),
			format: oneOf("--format <format>", "text (default) or md: the whole request as Markdown", ["text", "md"], "text"),
			wire: oneOf("--wire <form>", "with --json: the messages as a provider gets them, anthropic or openai", [
				"anthropic",
				"openai",
			]),
		},
		examples: [
			"weft context",
			"weft context --json --wire anthropic",
			"weft context --why",
			"weft context --diff",
			"weft context --mode lossless --at 1200 --format md",
			"weft context --mode warp --budget 4000",
		],
	},
	request: {
		opens: "session",
		args: [["[n]", "its number in the session, from 1 (default: the newest)"]],
		summary: "show one request as it was sent, and how it differs from the one before",
		description:
			"Shows what came, what left and what covers it now, and where the cached prefix broke, why and at what price. For a session that ran without weft: what the agent sent.",
		options: {
			session: SESSION,
			format: oneOf(
				"--format <format>",
				"text, or md: the whole request for reading, with known credentials masked",
				["text", "md"],
				"text",
			),
		},
		examples: ["weft request", "weft request 17", "weft request 17 --json", "weft request 17 --format md"],
	},
	read: {
		opens: "nothing",
		args: [
			["[session]", "the session, also of another project; the beginning of its id is enough (default: the last)"],
		],
		summary: "read a session: prompts, answers, tool calls, and where each message was in the context",
		description:
			"Shows the last prompt and everything after it, or what you name. Under each message: the requests that had it, the summary that covers it since, and the request that brought it back. Thinking and the output of tools are folded: 'weft show HANDLE' prints them.",
		options: {
			session: SESSION,
			prompt: wholeNumber("--prompt <n>", "this prompt and what followed it, from 1", { min: 1 }),
			at: text("--at <handle>", "from this message on: m-… or e-…"),
			all: flag("--all", "the whole session"),
			limit: wholeNumber("--limit <n>", "at most this many messages (default 200; 0: all)", { fallback: 200 }),
			full: flag("--full", "texts, diffs and output as far as the page shows them"),
		},
		examples: ["weft read", "weft read 0199 --prompt 3", "weft read --at m-1a2b3c4d5e6f", "weft read --all --json"],
	},
	diff: {
		opens: "nothing",
		args: [
			["[session]", "the session, also of another project; the beginning of its id is enough (default: the last)"],
		],
		summary: "show what a session did to files, as a patch that 'git apply' takes",
		description:
			"One diff for each file, from before its first change to after its last one, with the changes of sub-agents. The texts are rebuilt from the log: the folder of the session is not needed.",
		options: {
			session: SESSION,
			run: wholeNumber("--run <n>", "only what followed this prompt, from 1", { min: 1 }),
			from: wholeNumber("--from <n>", "only what came after this request", { min: 1 }),
			to: wholeNumber("--to <n>", "only what came up to this request, with the tools of its answer", { min: 1 }),
			file: text("--file <path>", "only this file; a folder ends in /"),
			stat: flag("--stat", "only the names of the files and how many lines changed"),
		},
		examples: ["weft diff", "weft diff 0199 --stat", "weft diff --run 3 | git apply", "weft diff --from 12 --to 40"],
	},
	show: {
		opens: "log",
		args: [["<event>", "a handle such as m-1a2b3c4d5e6f or e-1a2b3c4d5e6f, a seq, or an id or its beginning"]],
		summary: "show one event, whole",
		options: {
			raw: flag("--raw", "the agent's own entry, byte for byte"),
			offset: wholeNumber("--offset <n>", "start at this character"),
			limit: wholeNumber("--limit <n>", "at most this many characters", { min: 2 }),
		},
		examples: ["weft show 42", "weft show m-1a2b3c4d5e6f --offset 20000 --limit 20000", "weft show 42 --raw | jq ."],
	},
	tree: {
		opens: "session",
		summary: "show a session's summaries and what each is made from",
		options: {
			session: SESSION,
			levels: wholeNumber("--levels <n>", "how far down to show (default: all)", {
				fallback: Number.POSITIVE_INFINITY,
			}),
		},
		examples: ["weft tree", "weft tree --levels 1", "weft tree --json"],
	},
	describe: {
		opens: "session",
		args: [["[part]", "overview (default), recent, earliest, or the id of a summary or message"]],
		summary: "describe a part of a session's history",
		options: { session: SESSION },
		examples: ["weft describe", "weft describe recent", "weft describe s-1a2b3c4d5e"],
	},
	skills: {
		opens: "nothing",
		summary: "list the skills that an agent has here: tools, files, hooks, and mistakes in their headers",
		examples: ["weft skills", "weft skills --json"],
	},
	inspect: {
		opens: "nothing",
		summary: "open the inspector: a read-only web page on this machine",
		description:
			"Starts a server on 127.0.0.1 and prints its URL. The URL contains the token of this launch: anyone who has it can read your logs. It runs until Ctrl-C. Known credentials are masked. docs/inspector.md describes each page.",
		options: {
			open: flag("--open", "open it in your browser"),
			port: PORT,
			session: text("--session <id>", "begin with this session; the beginning of its id is enough"),
			window: WINDOW,
			unmasked: flag("--unmasked", "show credentials as they are"),
			export: text("--export <file>", "write the session as one HTML file that needs no server, and end"),
		},
		examples: [
			"weft inspect",
			"weft inspect --open",
			"weft inspect --port 7070 --session 0199",
			"weft inspect --session 0199 --export session.html",
		],
	},
} satisfies CommandGroup;

/** Find: search, fetch what left the context, and ask where something comes from. */
export const FIND = {
	ask: {
		opens: "log",
		args: [["<question...>", "in plain words"]],
		summary: "answer a question about the work: decisions, rules, errors, runs, changed files, other agents",
		description:
			"Answers in at most 1,500 tokens from state, thread, memory, runs, changed files and everything that was said, without a model. Each line has the handle of its source. Where it does not know, it says what it searched. Exits with 1 then.",
		options: {
			since: SINCE,
			until: UNTIL,
			agent: text("--agent <name>", "only what this agent did: codex, claude-code, pi, …"),
			session: SESSION,
			path: text("--path <file>", "a file or folder; FILE:LINE asks why a line is as it is"),
			now: time("--now <when>", "answer as if it were this time; 'yesterday' is the day before"),
		},
		examples: [
			"weft ask what did we decide about the queue",
			"weft ask 'what was the error in the first run?'",
			"weft ask which files did we change yesterday",
			"weft ask what did codex do here --since 7d",
			"weft ask why --path src/queue.ts:42",
			"weft ask 'where were we?' --json",
		],
	},
	grep: {
		opens: "nothing",
		args: [["[text...]", "the words to find, literally"]],
		summary: "search messages, tool output, commands and paths",
		description:
			'Hits are under the title of their session, with the agent; "weft read --at HANDLE" opens one. All words must occur; a "phrase" in quotes stays together. Words match by stem; parts of identifiers and substrings of three characters match too. Like grep, it exits with 1 when nothing is found; other commands exit with 0.',
		options: {
			regex: text("--regex <pattern>", "a regular expression instead of words; runs in linear time"),
			ignoreCase: flag("--ignore-case", "with --regex: capital and small letters are the same"),
			role: ROLE,
			tool: TOOL,
			agent: text("--agent <name>", "only sessions of this agent: codex, claude-code, pi, …"),
			file: FILE,
			path: text("--path <path>", "the same as --file"),
			session: SESSION,
			since: SINCE,
			until: UNTIL,
			thinking: THINKING,
			recent: RECENT,
			limit: wholeNumber("--limit <n>", "at most this many, with --all of each project (default 20)", {
				min: 1,
				fallback: 20,
			}),
			offset: SKIP,
			before: wholeNumber("--before <seq>", "with --regex: only older events, to continue after the last page", {
				min: 1,
			}),
			all: ALL,
		},
		examples: [
			"weft grep getUser",
			"weft grep --all 'rate limit'",
			"weft grep '\"connection refused\"' --since 7d",
			"weft grep queue --agent codex --role user --path src/",
			"weft grep --regex 'TODO\\(\\w+\\)' --role assistant",
			"weft grep 検索 --json",
		],
	},
	expand: {
		opens: "log",
		args: [["<id>", "s- a summary, m- a message, b- a blob, e- an event"]],
		summary: "fetch exactly what an id refers to, in pages",
		options: {
			offset: wholeNumber("--offset <bytes>", "where to begin; each page says where the next one begins"),
			maxTokens: wholeNumber("--max-tokens <n>", "size of a page (default 4000, at most 8000)", { min: 1 }),
			depth: wholeNumber("--depth <n>", "how many levels of a summary to open (default 1)", { min: 1 }),
			all: flag("--all", "all pages, one after the other"),
		},
		examples: [
			"weft expand m-1a2b3c4d5e6f",
			"weft expand m-1a2b3c4d5e6f --offset 12544",
			"weft expand b-0a1b2c3d4e5f --all > output.txt",
		],
	},
	why: {
		opens: "log",
		args: [["<what>", "a file of the project, FILE:LINE, or a commit"]],
		summary: "say why a file, a line or a commit is as it is, and who made it",
		description:
			"For a file: every read, change and verdict. For a line: the recorded edit that wrote it, your request then, and the agent's words. For a commit: the session and turn that made it, by the lines of its diff in the recorded edits.",
		examples: [
			"weft why src/index.ts",
			"weft why src/index.ts:42",
			"weft why 4be1c0f",
			"weft why HEAD",
			"weft why src/index.ts --json",
		],
	},
} satisfies CommandGroup;
