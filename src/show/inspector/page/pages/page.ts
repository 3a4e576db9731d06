import type { Vitals } from "../../../../view/vitals.ts";
import type { PageAddress } from "../address.ts";

/** The pages in the order of the menu. `key`: the letter that opens the page after `g`. */
export const PAGES = [
	{ name: "now", title: "Now", key: "n" },
	{ name: "request", title: "Request", key: "r" },
	{ name: "timeline", title: "Timeline", key: "t" },
	{ name: "history", title: "History", key: "h" },
	{ name: "thread", title: "Thread", key: "d" },
	{ name: "work", title: "Work", key: "w" },
	{ name: "memory", title: "Memory", key: "m" },
	{ name: "replay", title: "Replay", key: "p" },
	{ name: "sessions", title: "Sessions", key: "s" },
	{ name: "report", title: "Report", key: "o" },
] as const;

export interface PageProps {
	readonly address: PageAddress;
	readonly vitals: Vitals | undefined;
}
