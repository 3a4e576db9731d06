/** Find: search, fetch what left the context, and ask where something comes from. */
import { flag, offset, text, wholeNumber } from "../options.ts";
import { ALL, type CommandGroup, FILE, RECENT, ROLE, SESSION, SINCE, SKIP, THINKING, TOOL, UNTIL } from "./spec.ts";

export const FIND = {
	grep: {
		needs: "nothing",
		args: [["[text...]", "the words to find, literally"]],
		summary: "search messages, tool output, commands and paths",
		description:
			'All words must occur; a "phrase" in quotes stays together. Words match by stem; parts of identifiers and substrings of three characters match too. Like grep, it exits with 1 when nothing is found; other commands exit with 0.',
		options: {
			regex: text("--regex <pattern>", "a regular expression instead of words; runs in linear time"),
			ignoreCase: flag("--ignore-case", "with --regex: capital and small letters are the same"),
			role: ROLE,
			tool: TOOL,
			file: FILE,
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
			"weft grep --regex 'TODO\\(\\w+\\)' --role assistant",
			"weft grep 検索 --json",
		],
	},
	expand: {
		needs: "log",
		args: [["<id>", "s- a summary, m- a message, b- a blob, e- an event"]],
		summary: "fetch exactly what an id refers to, in pages",
		options: {
			offset: offset("--offset <bytes>", "where to begin; each page says where the next one begins"),
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
		needs: "log",
		args: [["<file>", "a file of the project"]],
		summary: "list every read, change and verdict of a file",
		examples: ["weft why src/index.ts", "weft why src/index.ts --json"],
	},
} satisfies CommandGroup;
