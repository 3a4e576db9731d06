/**
 * Every command of weft in Pi, as data. Only this file is loaded when Pi starts; what a command needs is loaded when
 * somebody types it.
 */
import { type Asked, LCM_CHOICES, PRUNE_EVENTS_FLAGS, WEFT_CHOICES } from "./asked.ts";

export interface PiCommand {
	readonly name: string;
	readonly description: string;
	/** Whole arguments, with what they do. */
	readonly choices?: Readonly<Record<string, string>>;
	/** Words that may follow each other in any order. */
	readonly flags?: Readonly<Record<string, string>>;
	/** Gives the text that the person is told. */
	readonly load: () => Promise<{ readonly run: (asked: Asked) => Promise<string> }>;
}

export const PI_COMMANDS: readonly PiCommand[] = [
	{
		name: "warp",
		description: "Working set, open failures, decisions, and where the log is",
		load: () => import("./warp.ts"),
	},
	{
		name: "warp-dump",
		description: "The whole state as JSON",
		load: () => import("./warp-dump.ts"),
	},
	{
		name: "warp-context",
		description: "The computed context for the last request",
		load: () => import("./warp-context.ts"),
	},
	{
		name: "warp-snapshot",
		description: "Write the state down now",
		load: () => import("./warp-snapshot.ts"),
	},
	{
		name: "warp-prune",
		description: "Remove old snapshots, all but the newest N (default 5)",
		choices: { "5": "keep the newest five", "1": "keep the newest one" },
		load: () => import("./warp-prune.ts"),
	},
	{
		name: "warp-prune-events",
		description: "Move old tool events to an archive; a dry run until --yes",
		flags: PRUNE_EVENTS_FLAGS,
		load: () => import("./warp-prune-events.ts"),
	},
	{
		name: "warp-repo",
		description: "Map the repository with git and write it down",
		load: () => import("./warp-repo.ts"),
	},
	{
		name: "lcm",
		description: "The whole history: stats, tree, search, export, compact",
		choices: LCM_CHOICES,
		load: () => import("./lcm.ts"),
	},
	{
		name: "context",
		description: "What the model sees now, and why",
		choices: { full: "all of it, as Markdown" },
		load: () => import("./context.ts"),
	},
	{
		name: "weft",
		description: "Status, mode and settings of weft",
		choices: WEFT_CHOICES,
		load: () => import("./weft.ts"),
	},
];
