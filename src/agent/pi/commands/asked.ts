/** What a command is given, and the words that may follow its name. */
import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { MODE_MEANINGS } from "../../../view/live-status.ts";
import type { Live } from "../live.ts";

export interface Asked {
	readonly pi: ExtensionAPI;
	readonly ctx: ExtensionCommandContext;
	readonly live: Live;
	/** What follows the command's name. */
	readonly args: string;
}

export const PRUNE_EVENTS_FLAGS = {
	"--days": "what entered the log more than this many days ago",
	"--min-events": "keep at least this many of the newest events",
	"--dry-run": "only say what would leave (the default without --yes)",
	"--archive": "archive to this file",
	"--gzip": "compress the archive",
	"--vacuum": "give the freed space back to the disk",
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
	settings: "the settings that hold here; with a screen, change them",
	inspect: "look at this session in a browser, on this machine",
} as const;

export const MEMORY_CHOICES = {
	show: "what SESSION.md, MEMORY.md and HISTORY.md say",
	search: "find bullets: /memory search WORDS",
	recall: "what would stand before such a message: /memory recall WORDS",
	add: "write a fact of your own: /memory add TEXT",
	edit: "replace a bullet: /memory edit ID TEXT",
	forget: "take a bullet out for good: /memory forget ID",
	why: "where a bullet comes from: /memory why ID",
	history: "what was written when",
} as const;
