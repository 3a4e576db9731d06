import type { Vitals } from "../../../../view/vitals.ts";
import type { PageAddress } from "../address.ts";

/** The pages in the order of the menu. `key`: the letter that opens the page after `g`. */
export const PAGES = [
	{ name: "now", title: "Now", key: "n" },
	{ name: "conversation", title: "Conversation", key: "c" },
	{ name: "request", title: "Request", key: "r" },
	{ name: "timeline", title: "Timeline", key: "t" },
	{ name: "history", title: "History", key: "h" },
	{ name: "thread", title: "Thread", key: "d" },
	{ name: "work", title: "Work", key: "w" },
	{ name: "changes", title: "Changes", key: "f" },
	{ name: "memory", title: "Memory", key: "m" },
	{ name: "replay", title: "Replay", key: "p" },
	{ name: "sessions", title: "Sessions", key: "s" },
	{ name: "report", title: "Report", key: "o" },
] as const;

/** Pages that show something before the vitals are asked for: those of a new log take seconds. */
export const FIRST_PAGES: ReadonlySet<string> = new Set(["conversation"]);

export interface PageProps {
	readonly address: PageAddress;
	readonly vitals: Vitals | undefined;
	/** Called by a page in `FIRST_PAGES` once it shows something. */
	readonly onReady?: (() => void) | undefined;
}
