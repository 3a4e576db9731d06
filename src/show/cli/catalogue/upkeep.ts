/** The log, the settings, and whether all is well. */
import type { CommandSpec } from "./spec.ts";

export const UPKEEP: readonly CommandSpec[] = [
	{
		name: "verify",
		summary: "walk the hash chain and compare the derived tables with the log",
		examples: ["weft verify", "weft verify --json"],
		load: () => import("../commands/verify.ts"),
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
		load: () => import("../commands/prune.ts"),
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
		load: () => import("../commands/forget.ts"),
	},
	{
		name: "rebuild",
		summary: "make the derived tables and the search index again from the log",
		examples: ["weft rebuild"],
		load: () => import("../commands/rebuild.ts"),
	},
	{
		name: "repair",
		args: [["[paths...]", "copies: session files, archives, exports, or folders of them"]],
		summary: "bring damaged events and blobs back from copies, by their hashes",
		description:
			"Looks for what is lost in the files given, in the archives of this log, and in the session files of all agents. Only bytes with the right hash are taken. What nobody has is put aside: its place stays, the damaged bytes go to the folder 'damaged' beside the log, and a later repair may still bring it back. Exit 1 if something is still lost.",
		examples: ["weft repair", "weft repair ~/backup/export.jsonl", "weft repair ~/.pi/agent/sessions --json"],
		load: () => import("../commands/repair.ts"),
	},
	{
		name: "doctor",
		summary: "check versions, paths, permissions, integrity, locks and disk",
		examples: ["weft doctor", "weft doctor --json"],
		load: () => import("../commands/doctor.ts"),
	},
	{
		name: "config",
		summary: "the settings that hold here",
		options: [["--origin", "show where each value comes from"]],
		examples: ["weft config", "weft config --origin", "weft config --json"],
		load: () => import("../commands/config.ts"),
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
		load: () => import("../commands/config-set.ts"),
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
		load: () => import("../commands/trust.ts"),
	},
];
