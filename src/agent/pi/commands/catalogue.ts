/**
 * Every command of weft in Pi, as data. Only this file is loaded when Pi starts; what a command needs is loaded when
 * somebody types it.
 */
import { type Asked, LCM_CHOICES, MEMORY_CHOICES, PRUNE_EVENTS_FLAGS, WEFT_CHOICES } from "./asked.ts";

export interface PiCommand {
	readonly name: string;
	readonly description: string;
	/** Whole arguments, with what they do. */
	readonly choices?: Readonly<Record<string, string>>;
	/** Words that may follow each other in any order. */
	readonly flags?: Readonly<Record<string, string>>;
	/** Loads what it needs and gives the text that the person is told. */
	readonly run: (asked: Asked) => Promise<string>;
}

export const PI_COMMANDS: readonly PiCommand[] = [
	{
		name: "warp",
		description: "Working set, open failures, decisions, and where the log is",
		run: async (asked) => (await import("./warp.ts")).showState(asked),
	},
	{
		name: "warp-dump",
		description: "The whole state as JSON",
		run: async (asked) => (await import("./warp.ts")).dumpState(asked),
	},
	{
		name: "warp-context",
		description: "The computed context for the last request",
		run: async (asked) => (await import("./warp-context.ts")).run(asked),
	},
	{
		name: "warp-snapshot",
		description: "Write the state down now",
		run: async (asked) => (await import("./warp.ts")).takeSnapshot(asked),
	},
	{
		name: "warp-prune",
		description: "Remove old snapshots, all but the newest N (default 5)",
		choices: { "5": "keep the newest five", "1": "keep the newest one" },
		run: async (asked) => (await import("./warp.ts")).dropSnapshots(asked),
	},
	{
		name: "warp-prune-events",
		description: "Move old tool events to an archive; a dry run until --yes",
		flags: PRUNE_EVENTS_FLAGS,
		run: async (asked) => (await import("./warp.ts")).dropEvents(asked),
	},
	{
		name: "warp-repo",
		description: "Map the repository with git and write it down",
		run: async (asked) => (await import("./warp.ts")).mapRepo(asked),
	},
	{
		name: "memory",
		description: "What stays true: show, search, add, edit, forget, why, history",
		choices: MEMORY_CHOICES,
		run: async (asked) => (await import("./memory.ts")).run(asked),
	},
	{
		name: "lcm",
		description: "The whole history: stats, tree, search, export, compact",
		choices: LCM_CHOICES,
		run: async (asked) => (await import("./lcm.ts")).run(asked),
	},
	{
		name: "context",
		description: "What the model sees now, and why",
		choices: { full: "all of it, as Markdown" },
		run: async (asked) => (await import("./context.ts")).run(asked),
	},
	{
		name: "weft",
		description: "Status, mode and settings of weft",
		choices: WEFT_CHOICES,
		run: async (asked) => (await import("./weft.ts")).run(asked),
	},
];
