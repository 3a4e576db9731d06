/**
 * Every command as data: its arguments, options and examples. Help, suggestions and the docs come from here, and
 * nothing of a command's own code is loaded before it runs.
 */
import type { Context } from "./context.ts";
import type { ExitCode } from "./exit.ts";

export interface CommandModule {
	run(
		context: Context,
		args: readonly string[],
		options: Readonly<Record<string, unknown>>,
	): Promise<ExitCode> | Promise<void>;
}

export interface CommandSpec {
	/** `log`, or `log add` for one inside another. */
	readonly name: string;
	/** As commander writes them: `<file...>`, `[text]`. */
	readonly args?: readonly (readonly [syntax: string, description: string])[];
	readonly summary: string;
	/** More than the summary, for the command's own help. */
	readonly description?: string;
	readonly options?: readonly (readonly [flags: string, description: string])[];
	readonly examples: readonly string[];
	readonly load: () => Promise<CommandModule>;
}

const SINCE = ["--since <when>", "from this time on: a date, a time, or a span back from now (7d, 12h)"] as const;
const UNTIL = ["--until <when>", "before this time"] as const;
const AT = ["--at <seq>", "as it was when this was the newest event"] as const;
const ALL = ["--all", "in all projects, of all agents"] as const;
const SESSION = ["--session <id>", "only this session; the beginning of its id is enough"] as const;

export const COMMANDS: readonly CommandSpec[] = [
	{
		name: "status",
		summary: "where the data is, which sessions it holds, how fresh it is (the default)",
		options: [["--line", "one line about the session, for the foot of an agent's screen"]],
		examples: ["weft", "weft --json", "weft status --project ~/src/app"],
		load: () => import("./commands/status.ts"),
	},
	{
		name: "sessions",
		summary: "all sessions, the last active first: agent, model, requests, cost, and what weft saved",
		options: [ALL],
		examples: ["weft sessions", "weft sessions --all", "weft sessions --json"],
		load: () => import("./commands/sessions.ts"),
	},
	{
		name: "cost",
		summary: "tokens and money by day, session, model or agent, with the provider's cache apart",
		description:
			"What the hosts recorded of each request. Where a host gave no price, the input is counted at list prices and marked with ~.",
		options: [
			["--by <what>", "day (default), session, model, agent, or with --all project"],
			SESSION,
			SINCE,
			UNTIL,
			ALL,
		],
		examples: [
			"weft cost",
			"weft cost --by model",
			"weft cost --by session --since 7d",
			"weft cost --all --by agent",
			"weft cost --json",
		],
		load: () => import("./commands/cost.ts"),
	},
	{
		name: "import",
		args: [["[path...]", "session files or databases, weft archives, or folders of them"]],
		summary: "read recorded sessions of any agent into the log",
		description:
			"Without a path, the sessions of all agents under your home are looked for and shown, and you are asked; without a terminal they are listed, with the command to run, and the exit status is 2. A session goes to the project of its own folder; a file that you name goes to the current project if that folder is gone; --project decides for all. Importing again adds only what is new. Exit 1 if lines or files could not be read that an import before did not tell of.",
		options: [
			["--agent <names>", "without a path: only these agents, separated by commas"],
			["--since <when>", "without a path: only files written since"],
			["--yes", "without a path: read them in without asking"],
			["--follow", "go on and read in what is new, until Ctrl-C"],
		],
		examples: [
			"weft import",
			"weft import --yes --since 30d",
			"weft import --agent codex,opencode",
			"weft import session.jsonl",
			"weft import ~/.claude/projects --json",
			"weft import old.jsonl --project .",
			"weft import --yes --follow",
		],
		load: () => import("./commands/import.ts"),
	},
	{
		name: "log",
		summary: "the timeline: what happened, in order",
		options: [
			SESSION,
			["--type <types>", "only these event types, separated by commas"],
			SINCE,
			UNTIL,
			["--file <path>", "only events about this file; a folder ends in /"],
			["--tool <name>", "only events of this tool"],
			["--limit <n>", "at most this many, the newest (default 50; 0: all)"],
			["--after <seq>", "only what came after this event, oldest first"],
			["--follow", "go on and print events as they come, until Ctrl-C"],
		],
		examples: [
			"weft log --limit 20",
			"weft log --type UserIntent,FileChanged --since 2d",
			"weft log --file src/index.ts",
			"weft log --follow",
		],
		load: () => import("./commands/log.ts"),
	},
	{
		name: "log add",
		args: [["<name>", "what to call it"]],
		summary: "write an event of your own",
		options: [
			["--data <json>", "anything worth keeping with it, as JSON; - reads it from standard input"],
			["--session <id>", "the session that it belongs to (default: cli)"],
		],
		examples: [
			'weft log add deployed --data \'{"version":"1.4.2"}\'',
			"weft log add note --data '\"tried the other parser\"'",
		],
		load: () => import("./commands/log-add.ts"),
	},
	{
		name: "show",
		args: [["<event>", "a handle such as m-1a2b3c4d5e6f or e-1a2b3c4d5e6f, its seq, its id or the beginning of it"]],
		summary: "one event, whole",
		options: [
			["--raw", "the host's own entry, byte for byte"],
			["--offset <n>", "start at this character"],
			["--limit <n>", "at most this many characters"],
		],
		examples: ["weft show 42", "weft show m-1a2b3c4d5e6f --offset 20000 --limit 20000", "weft show 42 --raw | jq ."],
		load: () => import("./commands/show.ts"),
	},
	{
		name: "grep",
		args: [["[text...]", "the words to find, literally"]],
		summary: "search messages, tool output, commands and paths",
		description:
			'Several words must all occur; "a phrase" in quotes stays together. Words match by stem, parts of identifiers and substrings of three characters match too. Found nothing is exit 1, as with grep; other commands end with 0 then.',
		options: [
			["--regex <pattern>", "a regular expression instead of words; runs in linear time"],
			["--ignore-case", "with --regex: capital and small letters are the same"],
			["--role <role>", "only one role: user, assistant, toolResult, …"],
			["--tool <name>", "only messages and results of this tool"],
			["--file <path>", "only where this file was worked on; a folder ends in /"],
			SESSION,
			SINCE,
			UNTIL,
			["--thinking", "search the model's thinking too"],
			["--recent", "newest first, instead of best first"],
			["--limit <n>", "at most this many, with --all of each project (default 20)"],
			["--offset <n>", "skip the first ones"],
			["--before <seq>", "with --regex: only older events, to go on where the last page ended"],
			ALL,
		],
		examples: [
			"weft grep getUser",
			"weft grep --all 'rate limit'",
			"weft grep '\"connection refused\"' --since 7d",
			"weft grep --regex 'TODO\\(\\w+\\)' --role assistant",
			"weft grep 検索 --json",
		],
		load: () => import("./commands/grep.ts"),
	},
	{
		name: "state",
		summary: "what is true now: working set, failures, decisions, intent, progress",
		options: [AT, ["--session <id>", "what this session did; without it, all sessions of the project together"]],
		examples: ["weft state", "weft state --at 1200", "weft state --json"],
		load: () => import("./commands/state.ts"),
	},
	{
		name: "context",
		summary: "what a model would be given, in any mode and at any moment, and why each part is in it",
		description:
			"The next request: what opens it, then a line for each message. Files are read from the disk. With --at or --recorded they come from the log. A request that left with weft is shown as it was sent. A session that ran without weft is shown as if it had run with it.",
		options: [
			["--mode <mode>", "woven, warp, lossless or off (default: as it was sent, or what the settings say)"],
			AT,
			SESSION,
			["--budget <tokens>", "for warp: at most this many tokens (default: computed from the window)"],
			["--window <tokens>", "the model's window (default 200000)"],
			["--recorded", "show files as the log knows them, not as the disk has them"],
			["--why", "list each item with its tokens, its reason and its handle, what was left out too"],
			["--diff", "what came, what went and what changed since the request before"],
			["--format <format>", "text (default) or md: the whole request as Markdown"],
			["--wire <form>", "with --json: the messages as a provider gets them, anthropic or openai"],
		],
		examples: [
			"weft context",
			"weft context --json --wire anthropic",
			"weft context --why",
			"weft context --diff",
			"weft context --mode lossless --at 1200 --format md",
			"weft context --mode warp --budget 4000",
		],
		load: () => import("./commands/context.ts"),
	},
	{
		name: "request",
		args: [["[n]", "its number in the session, from 1 (default: the newest)"]],
		summary: "one request as it was sent, and its difference to the one before",
		description:
			"What came, what left and who tells of it now, where the cached prefix broke, why and at what price. Of a session that ran without weft: what the host sent.",
		options: [
			SESSION,
			["--format <format>", "text, or md: the whole request for reading, with known credentials masked"],
		],
		examples: ["weft request", "weft request 17", "weft request 17 --json", "weft request 17 --format md"],
		load: () => import("./commands/request.ts"),
	},
	{
		name: "inspect",
		summary: "look at all of it in a browser: a page on this machine that changes nothing",
		description:
			"Starts a server on 127.0.0.1 and prints its address, which holds the token of this launch: who has it can read your logs. It runs until Ctrl-C. Known credentials are masked. docs/inspector.md says what each page shows.",
		options: [
			["--open", "open it in your browser"],
			["--port <n>", "listen on this port (default: one that is free)"],
			["--session <id>", "begin with this session; the beginning of its id is enough"],
			["--window <tokens>", "the model's window (default 200000)"],
			["--unmasked", "show credentials as they are"],
			["--export <file>", "write the session as one HTML file that needs no server, and end"],
		],
		examples: [
			"weft inspect",
			"weft inspect --open",
			"weft inspect --port 7070 --session 0199",
			"weft inspect --session 0199 --export session.html",
		],
		load: () => import("./commands/inspect.ts"),
	},
	{
		name: "why",
		args: [["<file>", "a file of the project"]],
		summary: "every read, change and verdict of a file",
		examples: ["weft why src/index.ts", "weft why src/index.ts --json"],
		load: () => import("./commands/why.ts"),
	},
	{
		name: "skills",
		summary: "the skills that an agent has here: tools, files, hooks, and what is wrong in their heads",
		examples: ["weft skills", "weft skills --json"],
		load: () => import("./commands/skills.ts"),
	},
	{
		name: "memory",
		summary: "what stays true of the project: SESSION.md, MEMORY.md and HISTORY.md (show is the default)",
		options: [SESSION],
		examples: ["weft memory", "weft memory show --session 0199", "weft memory --json"],
		load: () => import("./commands/memory.ts"),
	},
	{
		name: "memory show",
		summary: "what the three files say, each bullet with its id",
		options: [SESSION],
		examples: ["weft memory show", "weft memory show --json"],
		load: () => import("./commands/memory.ts"),
	},
	{
		name: "memory search",
		args: [["[words...]", "what to look for; all words must occur"]],
		summary: "find bullets of the memory files, those of earlier sessions too",
		description: "Found nothing is exit 1, as with grep.",
		examples: ["weft memory search parser", "weft memory search release branch --json"],
		load: () => import("./commands/memory-search.ts"),
	},
	{
		name: "memory recall",
		args: [["[question...]", "what somebody might say to the agent"]],
		summary: "what would stand before such a message, from memory and earlier sessions",
		options: [["--explain", "every item that was looked at: its words, evidence, score, and why it stays out"]],
		examples: ['weft memory recall "which port does the relay use?"', "weft memory recall --explain relay port"],
		load: () => import("./commands/memory-recall.ts"),
	},
	{
		name: "memory add",
		args: [["[text...]", "what to remember"]],
		summary: "write a bullet of your own into MEMORY.md",
		options: [["--section <name>", "Facts (default), Preferences, Constraints, Decisions or Open Loops"]],
		examples: ["weft memory add 'the tests need a running database'", "weft memory add --section Preferences tabs"],
		load: () => import("./commands/memory-add.ts"),
	},
	{
		name: "memory edit",
		args: [
			["<id>", "f-… as 'weft memory' shows it; its beginning is enough"],
			["[text...]", "what it should say"],
		],
		summary: "replace a bullet; it is yours from then on",
		examples: ["weft memory edit f-1a2b3c4d 'the tests need a database and a queue'"],
		load: () => import("./commands/memory-edit.ts"),
	},
	{
		name: "memory forget",
		args: [["<id>", "f-… as 'weft memory' shows it"]],
		summary: "take a bullet out; the same words do not come back by themselves",
		examples: ["weft memory forget f-1a2b3c4d"],
		load: () => import("./commands/memory-forget.ts"),
	},
	{
		name: "memory why",
		args: [["<id>", "f-… as 'weft memory' shows it"]],
		summary: "where a bullet comes from: who wrote it, when, from which message, and what became of it",
		examples: ["weft memory why f-1a2b3c4d", "weft memory why f-1a2b3c4d --json"],
		load: () => import("./commands/memory-why.ts"),
	},
	{
		name: "memory history",
		summary: "every write of the memory files, the newest first",
		options: [["--limit <n>", "at most this many (default 50)"]],
		examples: ["weft memory history", "weft memory history --limit 10 --json"],
		load: () => import("./commands/memory-history.ts"),
	},
	{
		name: "memory import",
		args: [["[path...]", "files or folders of Markdown; by default those of Claude Code, Codex and OpenClaw here"]],
		summary: "take memory files of other agents, as candidates with their origin",
		description:
			"Without --yes the candidates are only listed. What is taken is on probation: it leaves after 30 days, unless it is recalled before.",
		options: [["--yes", "take them"]],
		examples: ["weft memory import", "weft memory import CLAUDE.md --yes", "weft memory import ~/.codex/memories"],
		load: () => import("./commands/memory-import.ts"),
	},
	{
		name: "sync",
		summary: "ship this project's log to the fleet's server: once, or until stopped",
		description:
			"Copies what is new to the PostgreSQL that fleet.url names. It goes on where the server stands, so it may be stopped at any time. Hosts do it by themselves after a turn. docs/fleet.md says what leaves and who can see it.",
		options: [
			["--dry-run", "show what would leave, and what the mask did to it; speaks to nobody"],
			["--follow", "go on and ship events as they come, until Ctrl-C"],
			["--apart", "after the data folder was copied: ship what is new here as a log of its own"],
			["--background", "for hosts: say nothing, and write down what went wrong"],
		],
		examples: ["weft sync", "weft sync --dry-run", "weft sync --follow", "weft sync --json"],
		load: () => import("./commands/sync.ts"),
	},
	{
		name: "fleet",
		summary: "the team's machines: who ships, how much, how fresh, how far behind",
		examples: ["weft fleet", "weft fleet --json"],
		load: () => import("./commands/fleet.ts"),
	},
	{
		name: "fleet grep",
		args: [["[text...]", "the words to find, literally"]],
		summary: "search what every machine of the team shipped",
		description:
			"The words, filters and order of 'weft grep', over the fleet: whole words, their forms, parts of identifiers, phrases in quotes. Other than there, substrings of words and regular expressions are not looked for. Without --all it looks at this project alone; with it, at every part of the server's events. Found nothing is exit 1.",
		options: [
			["--machine <name>", "only what this machine shipped"],
			["--person <name>", "only what this person's machines shipped"],
			["--role <role>", "only one role: user, assistant, toolResult, …"],
			["--tool <name>", "only messages and results of this tool"],
			["--file <path>", "only where this file was worked on; a folder ends in /"],
			["--session <id>", "only this session"],
			SINCE,
			UNTIL,
			["--thinking", "search the model's thinking too"],
			["--recent", "newest first, instead of best first"],
			["--limit <n>", "at most this many (default 20)"],
			["--offset <n>", "skip the first ones"],
			["--all", "in all projects of the team"],
		],
		examples: [
			"weft fleet grep getUser",
			"weft fleet grep --all 'rate limit' --since 7d",
			"weft fleet grep timeout --person ann",
		],
		load: () => import("./commands/fleet-grep.ts"),
	},
	{
		name: "fleet failures",
		args: [["[fingerprint]", "of a failure: the eight digits at the end of its name"]],
		summary: "what failed elsewhere, who saw it, and the change that resolved it",
		options: [
			["--open", "only those that are open here"],
			["--all", "in all projects of the team"],
			["--limit <n>", "at most this many (default 50)"],
		],
		examples: ["weft fleet failures", "weft fleet failures --open", "weft fleet failures 1a2b3c4d --json"],
		load: () => import("./commands/fleet-failures.ts"),
	},
	{
		name: "fleet show",
		args: [["<event>", "a handle such as m-1a2b3c4d5e6f or e-1a2b3c4d5e6f"]],
		summary: "one event of any machine, whole",
		options: [["--raw", "the host's own entry, as it was shipped"]],
		examples: ["weft fleet show m-1a2b3c4d5e6f", "weft fleet show e-1a2b3c4d5e6f --json"],
		load: () => import("./commands/fleet-show.ts"),
	},
	{
		name: "fleet log",
		summary: "what the machines of the team did, by time",
		options: [
			["--machine <name>", "only this machine"],
			["--person <name>", "only this person's machines"],
			["--session <id>", "only this session"],
			["--type <types>", "only these event types, separated by commas"],
			SINCE,
			UNTIL,
			["--limit <n>", "at most this many, the newest (default 50)"],
			["--follow", "go on and print events as they arrive, until Ctrl-C"],
			["--all", "of all projects of the team"],
		],
		examples: ["weft fleet log --limit 20", "weft fleet log --follow", "weft fleet log --type UserIntent --all"],
		load: () => import("./commands/fleet-log.ts"),
	},
	{
		name: "fleet fetch",
		args: [["<session>", "its id, or the beginning of it"]],
		summary: "bring a session of another machine into this project's log, with its blobs",
		description:
			"It keeps its own origin. 'weft context', 'weft replay', 'weft expand' and a host's resume then work on it. It does not count as work of this machine: its failures are not open here, its cost is not yours.",
		options: [["--own", "count it as this machine's own work"]],
		examples: ["weft fleet fetch 0199f2c4", "weft fleet fetch 0199f2c4 --json"],
		load: () => import("./commands/fleet-fetch.ts"),
	},
	{
		name: "fleet forget",
		args: [["<session>", "its id, or the beginning of it"]],
		summary: "remove from the server what was shipped of a session; for an owner of the team",
		options: [["--yes", "remove it; without it, it is only counted"]],
		examples: ["weft fleet forget 0199f2c4", "weft fleet forget 0199f2c4 --yes"],
		load: () => import("./commands/fleet-forget.ts"),
	},
	{
		name: "fleet migrate",
		summary: "make or update the fleet's tables; for the owner of the database",
		examples: ["WEFT_FLEET_URL=postgres://postgres@db/weft weft fleet migrate"],
		load: () => import("./commands/fleet-migrate.ts"),
	},
	{
		name: "fleet member",
		args: [["<role>", "a login role of the server"]],
		summary: "let a role of the server into a team; for the owner of the database",
		options: [
			["--team <name>", "its team: it sees what its team ships, and nothing else"],
			["--owner", "it may also remove what was shipped"],
		],
		examples: ["weft fleet member ann --team red", "weft fleet member lead --team red --owner"],
		load: () => import("./commands/fleet-member.ts"),
	},
	{
		name: "repo",
		summary: "map the repository with git and write it down",
		examples: ["weft repo", "weft repo --json"],
		load: () => import("./commands/repo.ts"),
	},
	{
		name: "snapshot",
		summary: "write the state down, for a faster start",
		examples: ["weft snapshot"],
		load: () => import("./commands/snapshot.ts"),
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
		load: () => import("./commands/compact.ts"),
	},
	{
		name: "tree",
		summary: "the summaries of a session and what each is made from",
		options: [SESSION, ["--levels <n>", "how far down to show (default: all)"]],
		examples: ["weft tree", "weft tree --levels 1", "weft tree --json"],
		load: () => import("./commands/tree.ts"),
	},
	{
		name: "describe",
		args: [["[what]", "overview (default), recent, earliest, or the id of a summary or message"]],
		summary: "what a part of a session's history holds",
		options: [SESSION],
		examples: ["weft describe", "weft describe recent", "weft describe s-1a2b3c4d5e"],
		load: () => import("./commands/describe.ts"),
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
		load: () => import("./commands/expand.ts"),
	},
	{
		name: "recover",
		args: [["<file>", "a recorded session, or a database of them"]],
		summary: "prove that every byte of a session comes back by its handle",
		description:
			"Imports the session into a temporary folder, fetches each message and blob in pages, and compares SHA-256 with the file. Exit 1 if anything is missing.",
		options: [["--max-tokens <n>", "size of the pages (default 8000)"]],
		examples: ["weft recover session.jsonl", "weft recover session.jsonl --max-tokens 500 --json"],
		load: () => import("./commands/recover.ts"),
	},
	{
		name: "replay",
		args: [["[file...]", "recorded sessions of any agent; several are summed up, by host"]],
		summary: "what a recorded session would have cost, and held, under each mode",
		description:
			"Runs the session request by request through the planner that runs live, and compares it with what the host itself would have sent and what was billed. Nothing is kept, and no model is asked. docs/replay.md says what each number means.",
		options: [
			["--session <id>", "a session of this project's log in place of a file; the beginning of its id is enough"],
			[
				"--mode <modes>",
				"only these, separated by commas: woven, plain (woven without the entry rules), warp, lossless, host, sent (what weft really sent)",
			],
			["--model <id>", "at the prices of this model (default: the one that answered most often)"],
			["--window <tokens>", "the model's window (default 200000, or the largest recorded prompt)"],
			["--profile <profile>", "thrifty, balanced, roomy or full (default: the profile setting)"],
			["--sweep", "compare the seal rule with all fixed thresholds"],
			["--dump <file>", "write every request as it would go out, one JSON line each"],
			["--html <file>", "write a page with a chart and the tables"],
		],
		examples: [
			"weft replay session.jsonl",
			"weft replay --session 0199",
			"weft replay --mode woven,host sessions/*.jsonl",
			"weft replay session.jsonl --mode woven,host --json",
			"weft replay session.jsonl --html replay.html",
			"weft replay session.jsonl --mode woven --sweep",
		],
		load: () => import("./commands/replay.ts"),
	},
	{
		name: "stats",
		summary: "events by type, sessions, tokens, what the disk holds, and how far sessions are summarised",
		examples: ["weft stats", "weft stats --json"],
		load: () => import("./commands/stats.ts"),
	},
	{
		name: "cache",
		summary: "did the provider's cache hold: hit share, breaks with their causes and price",
		options: [SESSION, ["--limit <n>", "show at most this many breaks, the newest (default 20; 0: all)"]],
		examples: ["weft cache", "weft cache --session 0199", "weft cache --json"],
		load: () => import("./commands/cache.ts"),
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
		load: () => import("./commands/export.ts"),
	},
	{
		name: "verify",
		summary: "walk the hash chain and compare the derived tables with the log",
		examples: ["weft verify", "weft verify --json"],
		load: () => import("./commands/verify.ts"),
	},
	{
		name: "prune",
		summary: "move old tool events to an archive; messages are always kept",
		description:
			"Says what it would do. With --yes it does it: archives first, then removes. Old is what entered this log long ago, not what happened long ago. weft why, log --file and state --at still answer from the archive; weft import reads it back in, and refuses what did not stand in this log. By itself it happens when a session ends (autoPrune).",
		options: [
			["--days <n>", "what entered this log more than this many days ago (default: the pruneDays setting)"],
			["--min-events <n>", "keep at least this many of the newest events (default: the minEventsToKeep setting)"],
			["--archive <file>", "archive to this file (default: a new one in the project's data folder)"],
			["--gzip", "compress the archive"],
			["--vacuum", "give the freed space back to the disk"],
			["--snapshots <n>", "remove snapshots instead of events: all but the newest n, and the base of what was pruned"],
			["--yes", "do it"],
		],
		examples: [
			"weft prune",
			"weft prune --days 30 --yes",
			"weft prune --archive ~/weft-2026.jsonl.gz --gzip --vacuum --yes",
		],
		load: () => import("./commands/prune.ts"),
	},
	{
		name: "forget",
		args: [["[session]", "the session; the beginning of its id is enough. Its side chains go with it"]],
		summary: "remove a session, or with --all the whole project, from weft's data",
		description:
			"Says what it would do. With --yes it does it: archives first, then removes events, messages, summaries, search entries and snapshots. weft import reads the archive back in. The agents' own session files are not touched: an import of them brings the session back.",
		options: [
			["--all", "everything that weft holds of this project"],
			["--archive <file>", "archive to this file (default: a new one in the data folder)"],
			["--no-archive", "keep no copy"],
			["--yes", "do it"],
		],
		examples: ["weft forget 0199", "weft forget 0199 --yes", "weft forget --all --archive ~/app.jsonl.gz --yes"],
		load: () => import("./commands/forget.ts"),
	},
	{
		name: "rebuild",
		summary: "make the derived tables and the search index again from the log",
		examples: ["weft rebuild"],
		load: () => import("./commands/rebuild.ts"),
	},
	{
		name: "repair",
		args: [["[paths...]", "copies: session files, archives, exports, or folders of them"]],
		summary: "bring damaged events and blobs back from copies, by their hashes",
		description:
			"Looks for what is lost in the files given, in the archives of this log, and in the session files of all agents. Only bytes with the right hash are taken. What nobody has is put aside: its place stays, the damaged bytes go to the folder 'damaged' beside the log, and a later repair may still bring it back. Exit 1 if something is still lost.",
		examples: ["weft repair", "weft repair ~/backup/export.jsonl", "weft repair ~/.pi/agent/sessions --json"],
		load: () => import("./commands/repair.ts"),
	},
	{
		name: "doctor",
		summary: "check versions, paths, permissions, integrity, locks and disk",
		examples: ["weft doctor", "weft doctor --json"],
		load: () => import("./commands/doctor.ts"),
	},
	{
		name: "config",
		summary: "the settings that hold here",
		options: [["--origin", "show where each value comes from"]],
		examples: ["weft config", "weft config --origin", "weft config --json"],
		load: () => import("./commands/config.ts"),
	},
	{
		name: "config set",
		args: [
			["<key>", "the setting; 'weft config' lists them"],
			["[value]", "its value; lists as JSON"],
		],
		summary: "write a setting into your own configuration file",
		options: [["--default", "take the setting out of the file"]],
		examples: ["weft config set mode lossless", "weft config set pruneDays 30", "weft config set mode --default"],
		load: () => import("./commands/config-set.ts"),
	},
	{
		name: "trust",
		summary: "let the project's own settings, and the code that they name, count",
		description:
			"A project can bring .weft/config.json and .pi/warp-engine/config.json. They can name code to run and move the data, so they are ignored, and that is said, until you trust the project. Trust holds for its path, until you undo it. --trust or WEFT_TRUST=1 trusts a project for one run. Agents decide by themselves: Pi asks you.",
		options: [
			["--undo", "trust it no longer"],
			["--list", "the projects that you trust"],
		],
		examples: ["weft trust", "weft trust --undo", "weft trust --list --json", "WEFT_TRUST=1 weft verify"],
		load: () => import("./commands/trust.ts"),
	},
	{
		name: "pi",
		args: [["[args...]", "for Pi; write -- before those that begin with a dash"]],
		summary: "start your Pi with weft loaded",
		examples: ["weft pi", "weft pi -- --model anthropic/claude-sonnet-5", "weft pi -- --continue"],
		load: () => import("./commands/pi.ts"),
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
		load: () => import("./commands/init.ts"),
	},
	{
		name: "run",
		args: [
			["<agent>", "claude, codex or opencode"],
			["[args...]", "for the agent; write -- before those that begin with a dash"],
		],
		summary: "start an agent with weft for this one session, without installing anything",
		description:
			"A proxy on this machine stands between the agent and its provider while the session lasts, and answers the agent's own compaction (docs/proxy.md). It is started again on the same port when it dies.",
		options: [["--no-proxy", "go to the provider directly"]],
		examples: ["weft run claude", "weft run claude -- --continue", "weft run codex --no-proxy"],
		load: () => import("./commands/run.ts"),
	},
	{
		name: "mcp",
		summary: "serve the project's history to an agent that speaks MCP, on standard input and output",
		description:
			"Agents start it by themselves once 'weft init' has told them. Tools: lcm_grep, lcm_describe, lcm_expand, decide, and recall where there is memory; resources and prompts besides.",
		examples: ["weft mcp", "weft mcp --project ~/src/app"],
		load: () => import("./commands/mcp.ts"),
	},
	{
		name: "hook",
		args: [["<agent>", "codex (one event) or opencode (one question in each line)"]],
		summary: "answer hooks of an agent, from standard input; agents call it, not people",
		options: [["--window <tokens>", "for opencode: the model's window (default: as opencode says)"]],
		examples: ["weft hook codex < event.json"],
		load: () => import("./commands/hook.ts"),
	},
	{
		name: "proxy",
		summary: "stand between an agent and its provider: records true usage, and answers the agent's own compaction",
		description:
			"Listens on 127.0.0.1 and passes everything on untouched. When a seal is due, the agent is led to compact, and its request for a summary is answered with weft's seed. It runs until Ctrl-C. 'weft run' starts one for a session by itself. docs/proxy.md says what it changes and what it cannot do.",
		options: [
			["--for <agent>", "claude (default), codex, or other: then it only passes on"],
			["--upstream <url>", "where requests go (default: the agent's own provider)"],
			["--port <n>", "listen on this port (default: one that is free)"],
			["--threshold <tokens>", "above so many tokens the agent compacts by itself (default: as the agent comes)"],
			["--window <tokens>", "the window that seals go by (default 200000)"],
			["--record-only", "never answer, never lead: only record"],
		],
		examples: [
			"weft proxy",
			"weft proxy --for codex --port 18333",
			"weft proxy --upstream https://gateway.example/anthropic",
		],
		load: () => import("./commands/proxy.ts"),
	},
	{
		name: "completion",
		args: [["<shell>", "bash, zsh or fish"]],
		summary: "a script that lets your shell complete weft's commands and options",
		examples: ["weft completion bash >> ~/.bashrc", "weft completion fish > ~/.config/fish/completions/weft.fish"],
		load: () => import("./commands/completion.ts"),
	},
	{
		name: "bench",
		args: [
			["<what>", "fleet, grep, history, import, log, pi, proxy, recall, replay, session or state"],
			["[transcript]", "for log and session: a recorded session to weigh or to bring in; without it, a made-up one"],
		],
		summary: "measure weft on this machine, as ratios; runs from a checkout only",
		description:
			"fleet: shipping, compared with a bare COPY of the same rows, search, compared with the bare ranked query, and an append while the server is away; it needs PostgreSQL installed. grep: a search over 1,000 sessions in 20 projects, compared with the bare queries. history: planning and assembling a long history, compared with a short one. import: a made-up session of each agent, compared with JSON.parse of its lines or a bare SELECT of its rows, and the memory that it takes. log: append, read, search and open, compared with bare SQLite. pi: what weft adds to a request in Pi, compared with one JSON.stringify of its messages, and the processor time of the real Pi with and without weft. proxy: time to the first byte of an answer, compared with a bare proxy, and memory over many requests. recall: the ranking among 10,000 items, compared with a bare FTS5 query; with --data how often it finds the turns that answer a question; with --session how often it finds where a term of a session was seen before, with and without each ingredient. replay: the replay of the shipped session, and whether long sessions stay as cheap to plan. session: one session among fifty, and imports. state: one more event, opening from a snapshot, and a full fold. The installed package does not ship the benchmarks.",
		options: [
			[
				"--events <n>",
				"for pi and state: size of the long log (default 100000); for fleet: events to search (default 1000000)",
			],
			["--mb <n>", "for import: megabytes of each session (default 8)"],
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
		load: () => import("./commands/bench.ts"),
	},
];
