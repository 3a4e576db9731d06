/** The pages in their order: the word of the address, the title, the key after `g`. */
export const PAGE_NAMES = [
	["now", "Now", "n"],
	["request", "Request", "r"],
	["timeline", "Timeline", "t"],
	["history", "History", "h"],
	["work", "Work", "w"],
	["memory", "Memory", "m"],
	["replay", "Replay", "p"],
	["sessions", "Sessions", "s"],
] as const;
