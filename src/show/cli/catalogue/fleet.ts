/** A team's log. */
import { type CommandSpec, SINCE, UNTIL } from "./spec.ts";

export const FLEET: readonly CommandSpec[] = [
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
		load: () => import("../commands/sync.ts"),
	},
	{
		name: "fleet",
		summary: "the team's machines: who ships, how much, how fresh, how far behind",
		examples: ["weft fleet", "weft fleet --json"],
		load: () => import("../commands/fleet.ts"),
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
		load: () => import("../commands/fleet-grep.ts"),
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
		load: () => import("../commands/fleet-failures.ts"),
	},
	{
		name: "fleet show",
		args: [["<event>", "a handle such as m-1a2b3c4d5e6f or e-1a2b3c4d5e6f"]],
		summary: "one event of any machine, whole",
		options: [["--raw", "the host's own entry, as it was shipped"]],
		examples: ["weft fleet show m-1a2b3c4d5e6f", "weft fleet show e-1a2b3c4d5e6f --json"],
		load: () => import("../commands/fleet-show.ts"),
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
		load: () => import("../commands/fleet-log.ts"),
	},
	{
		name: "fleet fetch",
		args: [["<session>", "its id, or the beginning of it"]],
		summary: "bring a session of another machine into this project's log, with its blobs",
		description:
			"It keeps its own origin. 'weft context', 'weft replay', 'weft expand' and a host's resume then work on it. It does not count as work of this machine: its failures are not open here, its cost is not yours.",
		options: [
			["--own", "count it as this machine's own work"],
			["--machine <name>", "the one of this machine, where several have a session of that name"],
			["--person <name>", "the one of this person"],
			["--role <role>", "the one that this role of the server shipped"],
			["--log <id>", "the one of this log; the beginning of its id is enough"],
			["--all", "look at all projects of the team"],
		],
		examples: ["weft fleet fetch 0199f2c4", "weft fleet fetch 0199f2c4 --machine build-7"],
		load: () => import("../commands/fleet-fetch.ts"),
	},
	{
		name: "fleet forget",
		args: [["<session>", "its id, or the beginning of it"]],
		summary: "remove from the server what was shipped of a session; for an owner of the team",
		description:
			"Whoever in this project has a session of that name: each is named, with how much it is. What comes of it later from these logs is refused. The machines' own logs stay as they are.",
		options: [
			["--yes", "remove it; without it, it is only counted"],
			["--machine <name>", "only the one of this machine, where several have a session of that name"],
			["--person <name>", "only the one of this person"],
			["--role <role>", "only the one that this role of the server shipped"],
			["--log <id>", "only the one of this log; the beginning of its id is enough"],
			["--all", "in all projects of the team"],
		],
		examples: ["weft fleet forget 0199f2c4", "weft fleet forget 0199f2c4 --person ann --yes"],
		load: () => import("../commands/fleet-forget.ts"),
	},
	{
		name: "fleet prune",
		summary: "remove from the server whole sessions that ended long ago; for an owner of the team",
		description:
			"Of all projects of the team. What failed and what resolved it stays known. The machines' own logs stay as they are, and a session that goes on is shipped from there on.",
		options: [
			["--before <when>", "ended before this: 90d, 12w, or a date"],
			["--yes", "remove them; without it, they are only counted"],
		],
		examples: ["weft fleet prune --before 90d", "weft fleet prune --before 2025-01-01 --yes"],
		load: () => import("../commands/fleet-prune.ts"),
	},
	{
		name: "fleet answer",
		summary: "for hosts: answers, line by line, which failures were resolved on other machines",
		examples: ["weft fleet answer < questions.jsonl"],
		load: () => import("../commands/fleet-answer.ts"),
	},
	{
		name: "fleet migrate",
		summary: "make or update the fleet's tables; for the owner of the database",
		examples: ["weft fleet migrate", "WEFT_FLEET_URL=postgres://postgres@db/weft weft fleet migrate"],
		load: () => import("../commands/fleet-migrate.ts"),
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
		load: () => import("../commands/fleet-member.ts"),
	},
];
