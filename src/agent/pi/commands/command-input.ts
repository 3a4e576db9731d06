/** The input of a command, the words that may follow its name, and how they are read. */
import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { EngineError } from "../../../base/error/engine-error.ts";
import { MODE_MEANINGS } from "../../../view/live-status.ts";
import type { LivePi } from "../live.ts";

export interface CommandInput {
	readonly pi: ExtensionAPI;
	readonly ctx: ExtensionCommandContext;
	readonly live: LivePi;
	/** The text after the command's name. */
	readonly args: string;
}

export const PRUNE_EVENTS_FLAGS = {
	"--days": "archive events older than this many days",
	"--min-events": "keep at least this many of the newest events",
	"--dry-run": "only show what would be archived (the default without --yes)",
	"--archive": "archive to this file",
	"--gzip": "compress the archive",
	"--vacuum": "give the freed space back to the disk",
	"--yes": "do it",
} as const;

export const REWIND_FLAGS = {
	"--to": "the number of a moment or event, a time, or a span back from now (2h)",
	"--before": "before the newest command that holds this text",
	"--diff": "show what would change in each text",
	"--yes": "do it",
} as const;

export const LCM_CHOICES = {
	stats: "messages, summaries, depth and size",
	tree: "the summaries and what each is made from",
	search: "find something in the whole history: /lcm search [WORDS]",
	export: "write this session as Markdown: /lcm export [FILE]",
	compact: "summarise now: /lcm compact [what matters]",
} as const;

export const WEFT_CHOICES = {
	status: "mode, context, seals, savings, log",
	mode: "which mode this session is in",
	"mode woven": MODE_MEANINGS.woven,
	"mode warp": MODE_MEANINGS.warp,
	"mode lossless": MODE_MEANINGS.lossless,
	"mode off": MODE_MEANINGS.off,
	settings: "show effective settings; with a screen, change them",
	inspect: "open this session in a browser on this machine",
} as const;

export const MEMORY_CHOICES = {
	show: "what SESSION.md, MEMORY.md and HISTORY.md say",
	search: "find bullets: /memory search WORDS",
	recall: "preview recall for a message: /memory recall WORDS",
	add: "write a fact of your own: /memory add TEXT",
	edit: "replace a bullet: /memory edit ID TEXT",
	forget: "delete a bullet for good: /memory forget ID",
	why: "where a bullet comes from: /memory why ID",
	history: "every write, newest first",
} as const;

export const THREAD_CHOICES = {
	show: "what was asked, what holds, what is done, open and next",
	all: "the same with earlier requests, replaced and struck items",
	pin: "keep an item in every context: /thread pin ID",
	strike: "strike an item out: /thread strike ID",
	clear: "remove your mark from an item: /thread clear ID",
} as const;

/** Splits into words. Quotes keep a path with spaces together. */
export function splitWords(args: string): string[] {
	return [...args.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
		([, double, single, bare]) => double ?? single ?? bare ?? "",
	);
}

/** Splits off the first word; the rest stays as typed. */
export function firstWord(args: string): readonly [word: string, rest: string] {
	const end = args.search(/\s/);
	return end === -1 ? [args, ""] : [args.slice(0, end), args.slice(end).trim()];
}

export function wholeNumber(name: string, given: string | undefined): number | undefined {
	if (given === undefined || given === "") return undefined;
	if (!/^\d{1,9}$/.test(given)) throw new EngineError("usage", `${name} takes a whole number, not '${given}'.`);
	return Number(given);
}
