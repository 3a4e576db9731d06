/** The sections of the three files, in order, with their limits. */

export type MemoryFileKind = "session" | "memory" | "history";

export interface SectionSpec {
	readonly name: string;
	/** Limit for bullets. Above it the oldest are removed. */
	readonly most: number;
	/** Limit for one bullet. */
	readonly chars: number;
	/** Bullets stay until they are reported resolved. Other sections describe the present. */
	readonly isSticky?: true | undefined;
}

const MAX_ITEMS = 12;
const ITEM_CHARS = 300;

/** In the order of the file. */
export const SESSION_SECTIONS = [
	{ name: "Session Title", most: 1, chars: 120 },
	{ name: "Current State", most: MAX_ITEMS, chars: ITEM_CHARS },
	{ name: "User Intent", most: 4, chars: 500 },
	{ name: "Active Files", most: MAX_ITEMS, chars: ITEM_CHARS },
	{ name: "Decisions", most: MAX_ITEMS, chars: ITEM_CHARS, isSticky: true },
	{ name: "Constraints", most: MAX_ITEMS, chars: ITEM_CHARS, isSticky: true },
	{ name: "Errors & Corrections", most: MAX_ITEMS, chars: ITEM_CHARS, isSticky: true },
	{ name: "Next Steps", most: 8, chars: ITEM_CHARS },
	{ name: "Worklog", most: 8, chars: 200 },
] as const satisfies readonly SectionSpec[];

export type SessionSection = (typeof SESSION_SECTIONS)[number]["name"];

export const MEMORY_SECTIONS = [
	{ name: "Facts", most: 60, chars: 500 },
	{ name: "Preferences", most: 40, chars: 500 },
	{ name: "Constraints", most: 40, chars: 500 },
	{ name: "Decisions", most: 60, chars: 500 },
	{ name: "Open Loops", most: 20, chars: 500 },
] as const satisfies readonly SectionSpec[];

export type MemorySection = (typeof MEMORY_SECTIONS)[number]["name"];

/** HISTORY.md has a section for each day, the newest first, and folded days at its end. */
const HISTORY_DAY = { most: 20, chars: 1_200 } as const;
export const FOLDED = "Folded";

export function specOf(kind: MemoryFileKind, section: string): SectionSpec | undefined {
	if (kind === "history") return { name: section, ...HISTORY_DAY, ...(section === FOLDED ? { most: 60 } : {}) };
	const specs: readonly SectionSpec[] = kind === "session" ? SESSION_SECTIONS : MEMORY_SECTIONS;
	return specs.find(({ name }) => name === section);
}

/** The smaller rank comes first. Undefined: the user's own section, which stays where it is. */
export function rankOf(kind: MemoryFileKind, section: string): number | undefined {
	if (kind === "history") {
		if (section === FOLDED) return Number.MAX_SAFE_INTEGER;
		const day = /^(\d{4})-(\d{2})-(\d{2})$/.exec(section);
		return day ? -Number(day.slice(1).join("")) : undefined;
	}
	const specs: readonly SectionSpec[] = kind === "session" ? SESSION_SECTIONS : MEMORY_SECTIONS;
	const at = specs.findIndex(({ name }) => name === section);
	return at === -1 ? undefined : at;
}
