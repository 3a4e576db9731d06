/** Every command of weft in Pi, as data. A command's own module loads when the user first runs it. */
import {
	type CommandInput,
	LCM_CHOICES,
	MEMORY_CHOICES,
	PRUNE_EVENTS_FLAGS,
	REWIND_FLAGS,
	THREAD_CHOICES,
	WEFT_CHOICES,
} from "./command-input.ts";

export interface PiCommand {
	readonly name: string;
	readonly description: string;
	/** Complete arguments, each with its meaning. */
	readonly choices?: Readonly<Record<string, string>>;
	/** Flags, in any order. */
	readonly flags?: Readonly<Record<string, string>>;
	/** Gives the answer that the person reads. */
	readonly run: (input: CommandInput) => Promise<string>;
}

export const PI_COMMANDS: readonly PiCommand[] = [
	{
		name: "warp",
		description: "Working set, open failures, decisions, and where the log is",
		run: async (input) => (await import("./warp.ts")).showState(input),
	},
	{
		name: "warp-dump",
		description: "The whole state as JSON",
		run: async (input) => (await import("./warp.ts")).dumpState(input),
	},
	{
		name: "warp-context",
		description: "The computed context for the last request",
		run: async (input) => (await import("./warp.ts")).showContext(input),
	},
	{
		name: "warp-snapshot",
		description: "Take a snapshot of the state now",
		run: async (input) => (await import("./warp.ts")).takeSnapshot(input),
	},
	{
		name: "warp-prune",
		description: "Remove old snapshots, all but the newest N (default 5)",
		choices: { "5": "keep the newest five", "1": "keep the newest one" },
		run: async (input) => (await import("./warp.ts")).dropSnapshots(input),
	},
	{
		name: "warp-prune-events",
		description: "Move old tool events to an archive; a dry run until --yes",
		flags: PRUNE_EVENTS_FLAGS,
		run: async (input) => (await import("./warp.ts")).dropEvents(input),
	},
	{
		name: "warp-repo",
		description: "Map the repository with git and record the map",
		run: async (input) => (await import("./warp.ts")).mapRepo(input),
	},
	{
		name: "memory",
		description: "Lasting memory: show, search, recall, add, edit, forget, why, history",
		choices: MEMORY_CHOICES,
		run: async (input) => (await import("./memory.ts")).run(input),
	},
	{
		name: "thread",
		description: "What was asked, what holds, what is done, open and next; pin or strike an item",
		choices: THREAD_CHOICES,
		run: async (input) => (await import("./thread.ts")).run(input),
	},
	{
		name: "lcm",
		description: "The whole history: stats, tree, search, export, compact",
		choices: LCM_CHOICES,
		run: async (input) => (await import("./lcm.ts")).run(input),
	},
	{
		name: "context",
		description: "What the model sees now, and why",
		choices: { full: "all of it, as Markdown" },
		run: async (input) => (await import("./context.ts")).run(input),
	},
	{
		name: "rewind",
		description: "Bring back a file, or the whole project, as it was; a plan until --yes",
		flags: REWIND_FLAGS,
		run: async (input) => (await import("./rewind.ts")).run(input),
	},
	{
		name: "weft",
		description: "Status, mode and settings of weft",
		choices: WEFT_CHOICES,
		run: async (input) => (await import("./weft.ts")).run(input),
	},
];
