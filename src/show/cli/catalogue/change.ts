/** Change: add to weft's data, or remove from it. */
import { flag, oneOf, text, wholeNumber } from "../options.ts";
import { type CommandGroup, SESSION } from "./spec.ts";

export const CHANGE = {
	import: {
		opens: "nothing",
		args: [["[path...]", "session files or databases, weft archives, or folders of them"]],
		summary: "import recorded sessions of any agent",
		description:
			"Without a path, weft looks for the sessions of all agents under your home, lists them and asks. Without a terminal it only lists them, with the command to run, and exits with 2. A session goes to the project of its own folder, also if that folder is gone; only a file that names no folder goes to the current project. --project decides for all. Importing again adds only what is new. Exits with 1 if lines or files could not be read that an earlier import did not report.",
		options: {
			agent: text("--agent <names>", "without a path: only these agents, separated by commas"),
			since: text("--since <when>", "without a path: only files written since"),
			yes: flag("--yes", "without a path: import without asking"),
			follow: flag("--follow", "keep importing what is new, until Ctrl-C"),
		},
		examples: [
			"weft import",
			"weft import --yes --since 30d",
			"weft import --agent codex,opencode",
			"weft import session.jsonl",
			"weft import ~/.claude/projects --json",
			"weft import old.jsonl --project .",
			"weft import --yes --follow",
		],
	},
	export: {
		opens: "log",
		summary: "export events or a session",
		description:
			"jsonl: all events, exact; weft import reads it back. pi: a session's entries as they came in. md: for reading, with known credentials masked.",
		options: {
			format: oneOf("--format <format>", "jsonl, pi or md (default jsonl)", ["jsonl", "pi", "md"], "jsonl"),
			session: SESSION,
			out: text("--out <file>", "write to this file, which must not exist yet, instead of stdout"),
		},
		examples: [
			"weft export --out backup.jsonl",
			"weft export --format pi --session 0199 --out session.jsonl",
			"weft export --format md --session 0199 | less",
		],
	},
	"log add": {
		opens: "writable-log",
		args: [["<name>", "what to call it"]],
		summary: "record an event of your own",
		options: {
			data: text("--data <json>", "anything worth keeping with it, as JSON; - reads it from standard input"),
			session: text("--session <id>", "the session that it belongs to (default: cli)"),
		},
		examples: [
			'weft log add deployed --data \'{"version":"1.4.2"}\'',
			"weft log add note --data '\"tried the other parser\"'",
		],
	},
	compact: {
		opens: "session",
		summary: "summarise everything before a session's newest turns",
		description:
			"The command line has no model, so the deterministic summariser writes. Nothing is removed; 'weft expand' fetches what a summary covers.",
		options: {
			session: SESSION,
			model: text("--model <name>", "a model of the agent; the command line has none"),
			keep: wholeNumber("--keep <tokens>", "how much of the newest turns stays verbatim (default 20000)"),
		},
		examples: ["weft compact", "weft compact --session 0199 --keep 8000", "weft compact --json"],
	},
	repo: {
		opens: "nothing",
		summary: "map the repository with git and record the map",
		examples: ["weft repo", "weft repo --json"],
	},
	snapshot: {
		opens: "log",
		summary: "save the current state, for a faster start",
		examples: ["weft snapshot"],
	},
	sync: {
		opens: "nothing",
		summary: "ship this project's log to the fleet's server: once, or until stopped",
		description:
			"Copies what is new to the PostgreSQL server at fleet.url. It continues from what the server has, so you can stop it at any time. Agents do it by themselves after a turn. docs/fleet.md says what leaves and who can see it.",
		options: {
			dryRun: flag("--dry-run", "show what would leave, and what the mask did to it; connects to nothing"),
			follow: flag("--follow", "keep shipping events as they arrive, until Ctrl-C"),
			apart: flag("--apart", "after the data folder was copied: ship what is new here as a separate log"),
			background: flag("--background", "for agents: print nothing, and record what went wrong"),
		},
		examples: ["weft sync", "weft sync --dry-run", "weft sync --follow", "weft sync --json"],
	},
	prune: {
		opens: "log",
		summary: "move old tool events to an archive; messages are always kept",
		description:
			"Prints a plan; with --yes it archives the events and then removes them. Age counts from when an event entered this log, not from when it happened. weft why, log --file and state --at still answer from the archive. weft import reads it back, and refuses events that were never in this log. It runs by itself when a session ends (autoPrune).",
		options: {
			days: wholeNumber(
				"--days <n>",
				"events that entered this log more than this many days ago (default: the pruneDays setting)",
			),
			minEvents: wholeNumber(
				"--min-events <n>",
				"keep at least this many of the newest events (default: the minEventsToKeep setting)",
			),
			archive: text("--archive <file>", "archive to this file (default: a new one in the project's data folder)"),
			gzip: flag("--gzip", "compress the archive"),
			vacuum: flag("--vacuum", "return the freed space to the disk"),
			snapshots: wholeNumber(
				"--snapshots <n>",
				"remove snapshots instead of events: all but the newest n, and the base of what was pruned",
			),
			yes: flag("--yes", "do it"),
		},
		examples: [
			"weft prune",
			"weft prune --days 30 --yes",
			"weft prune --archive ~/weft-2026.jsonl.gz --gzip --vacuum --yes",
		],
	},
	forget: {
		opens: "log",
		args: [["[session]", "the session, with its side chains; the beginning of its id is enough"]],
		summary: "remove a session, or with --all the whole project, from weft's data",
		description:
			"Prints a plan; with --yes it archives and then removes events, messages, summaries, search entries and snapshots. weft import reads the archive back. The agents' own session files stay: importing them brings the session back.",
		options: {
			all: flag("--all", "everything that weft holds of this project"),
			archive: text("--archive <file>", "archive to this file (default: a new one in the data folder)"),
			noArchive: flag("--no-archive", "keep no copy"),
			yes: flag("--yes", "do it"),
		},
		examples: ["weft forget 0199", "weft forget 0199 --yes", "weft forget --all --archive ~/app.jsonl.gz --yes"],
	},
	rewind: {
		opens: "log",
		args: [["[file...]", "files or folders of the project; left out: all of it"]],
		summary: "bring back files, or the whole project, as they were at any moment",
		description:
			"Without --to and --before it lists the moments, newest first. With one of them it prints what would change, and with --yes it does it. What is there now is kept first, so a rewind can be undone. Files that nothing is known of stay as they are, and so does .git. docs/rewind.md says what weft keeps.",
		options: {
			to: text("--to <moment>", "the number of a moment or event, a time, or a span back from now (2h)"),
			before: text("--before <command>", "before the newest command that holds this text"),
			diff: flag("--diff", "show what would change in each text"),
			into: text("--into <folder>", "write the files that differ, as they were, into this new folder instead"),
			limit: wholeNumber("--limit <n>", "list at most this many moments (default 30)", { fallback: 30, min: 1 }),
			yes: flag("--yes", "do it"),
		},
		examples: [
			"weft rewind",
			"weft rewind src/a.ts",
			"weft rewind src/a.ts --to 412 --diff",
			"weft rewind --before 'make clean' --yes",
			"weft rewind --to 2h --into ~/then",
		],
	},
	rebuild: {
		opens: "log",
		summary: "rebuild the derived tables and the search index from the log",
		examples: ["weft rebuild"],
	},
	repair: {
		opens: "log",
		args: [["[paths...]", "copies: session files, archives, exports, or folders of them"]],
		summary: "restore damaged events and blobs from copies, by their hashes",
		description:
			"Searches the given files, this log's archives and the session files of all agents for what is lost, and takes only bytes with the right hash. If no copy exists, the event's place stays, its damaged bytes move to the folder 'damaged' beside the log, and a later repair may still restore it. Exits with 1 if something is still lost.",
		examples: ["weft repair", "weft repair ~/backup/export.jsonl", "weft repair ~/.pi/agent/sessions --json"],
	},
} satisfies CommandGroup;
