/** Fleet: a team's log. */
import { flag, text, time, wholeNumber } from "../options.ts";
import { type CommandGroup, FILE, RECENT, ROLE, SINCE, SKIP, THINKING, TOOL, TYPE, UNTIL } from "./spec.ts";

const ALL_PROJECTS = flag("--all", "in all projects of the team");
const ONE_SESSION = text("--session <id>", "only this session");

export const FLEET = {
	fleet: {
		opens: "fleet",
		summary: "show the team's machines: who ships, how much, how fresh, how far behind",
		examples: ["weft fleet", "weft fleet --json"],
	},
	"fleet grep": {
		opens: "fleet",
		args: [["[text...]", "the words to find, literally"]],
		summary: "search what every machine of the team shipped",
		description:
			"Takes the words, filters and order of 'weft grep', over the fleet: whole words, their forms, parts of identifiers, phrases in quotes. It does not search substrings of words or regular expressions. It searches this project, or with --all every project of the team. Exits with 1 when nothing is found.",
		options: {
			machine: text("--machine <name>", "only what this machine shipped"),
			person: text("--person <name>", "only what this role of the server shipped"),
			role: ROLE,
			tool: TOOL,
			file: FILE,
			session: ONE_SESSION,
			since: SINCE,
			until: UNTIL,
			thinking: THINKING,
			recent: RECENT,
			limit: wholeNumber("--limit <n>", "at most this many (default 20)", { min: 1 }),
			offset: SKIP,
			all: ALL_PROJECTS,
		},
		examples: [
			"weft fleet grep getUser",
			"weft fleet grep --all 'rate limit' --since 7d",
			"weft fleet grep timeout --person ann",
		],
	},
	"fleet failures": {
		opens: "fleet",
		args: [["[fingerprint]", "of a failure: the eight digits at the end of its name"]],
		summary: "list what failed elsewhere, who saw it, and the change that resolved it",
		options: {
			open: flag("--open", "only those that are open here"),
			all: ALL_PROJECTS,
			limit: wholeNumber("--limit <n>", "at most this many (default 50)", { min: 1 }),
		},
		examples: ["weft fleet failures", "weft fleet failures --open", "weft fleet failures 1a2b3c4d --json"],
	},
	"fleet show": {
		opens: "fleet",
		args: [["<event>", "a handle such as m-1a2b3c4d5e6f or e-1a2b3c4d5e6f"]],
		summary: "show one event of any machine, whole",
		options: { raw: flag("--raw", "the agent's own entry, as it was shipped") },
		examples: ["weft fleet show m-1a2b3c4d5e6f", "weft fleet show e-1a2b3c4d5e6f --json"],
	},
	"fleet log": {
		opens: "fleet",
		summary: "show what the machines of the team did, by time",
		options: {
			machine: text("--machine <name>", "only this machine"),
			person: text("--person <name>", "only this role of the server"),
			session: ONE_SESSION,
			type: TYPE,
			since: SINCE,
			until: UNTIL,
			limit: wholeNumber("--limit <n>", "at most this many, the newest (default 50)", { min: 1, fallback: 50 }),
			follow: flag("--follow", "keep printing events as they arrive, until Ctrl-C"),
			all: flag("--all", "of all projects of the team"),
		},
		examples: ["weft fleet log --limit 20", "weft fleet log --follow", "weft fleet log --type UserIntent --all"],
	},
	"fleet fetch": {
		opens: "fleet",
		args: [["<session>", "its id, or the beginning of it"]],
		summary: "copy a session of another machine into this project's log, with its blobs",
		description:
			"The session keeps its own origin, and 'weft context', 'weft replay', 'weft expand' and an agent's resume work on it. It is not this machine's work: its failures are not open here, and its cost is not yours.",
		options: {
			own: flag("--own", "count it as this machine's own work"),
			machine: text("--machine <name>", "the one of this machine, where several have a session of that name"),
			person: text("--person <name>", "the one of this person: a role of the server"),
			role: text("--role <role>", "the same as --person"),
			log: text("--log <id>", "the one of this log; the beginning of its id is enough"),
			all: flag("--all", "look in all projects of the team"),
		},
		examples: ["weft fleet fetch 0199f2c4", "weft fleet fetch 0199f2c4 --machine build-7"],
	},
	"fleet forget": {
		opens: "fleet",
		args: [["<session>", "its id, or the beginning of it"]],
		summary: "remove what was shipped of a session from the server; for an owner of the team",
		description:
			"Covers every machine with a session of that name in this project, and names each with its size. The server refuses later events of the session from these logs. The machines' own logs stay as they are.",
		options: {
			yes: flag("--yes", "remove it; without it, it is only counted"),
			machine: text("--machine <name>", "only the one of this machine, where several have a session of that name"),
			person: text("--person <name>", "only the one of this person: a role of the server"),
			role: text("--role <role>", "the same as --person"),
			log: text("--log <id>", "only the one of this log; the beginning of its id is enough"),
			all: ALL_PROJECTS,
		},
		examples: ["weft fleet forget 0199f2c4", "weft fleet forget 0199f2c4 --person ann --yes"],
	},
	"fleet prune": {
		opens: "fleet",
		summary: "remove whole sessions that ended long ago from the server; for an owner of the team",
		description:
			"Covers all projects of the team. Failures and what resolved them stay known. The machines' own logs stay as they are, and a session that continues is shipped from there.",
		options: {
			before: time("--before <when>", "ended before this: 90d, 12w, or a date"),
			yes: flag("--yes", "remove them; without it, they are only counted"),
		},
		examples: ["weft fleet prune --before 90d", "weft fleet prune --before 2025-01-01 --yes"],
	},
	"fleet answer": {
		opens: "nothing",
		summary: "for agents: answer, line by line, which failures were resolved on other machines",
		examples: ["weft fleet answer < questions.jsonl"],
	},
	"fleet migrate": {
		opens: "nothing",
		summary: "create or update the fleet's tables; for the owner of the database",
		examples: ["weft fleet migrate", "WEFT_FLEET_URL=postgres://postgres@db/weft weft fleet migrate"],
	},
	"fleet member": {
		opens: "nothing",
		args: [["<role>", "a login role of the server"]],
		summary: "add a role of the server to a team, or remove it; for the owner of the database",
		options: {
			team: text("--team <name>", "its team: it sees what its team ships, and nothing else"),
			owner: flag("--owner", "it may also remove what was shipped"),
			remove: flag("--remove", "take it out of its team; what it shipped stays"),
		},
		examples: [
			"weft fleet member ann --team red",
			"weft fleet member lead --team red --owner",
			"weft fleet member ann --remove",
		],
	},
} satisfies CommandGroup;
