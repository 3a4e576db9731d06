import type { PiCommand } from "./catalogue.ts";

export interface Completion {
	readonly value: string;
	readonly label: string;
	readonly description: string;
}

/** What may stand where the cursor is; null: nothing is known. Flags complete word by word, choices as a whole. */
export function completionsOf({ choices = {}, flags = {} }: PiCommand, prefix: string): Completion[] | null {
	const start = prefix.lastIndexOf(" ") + 1;
	const [before, word] = [prefix.slice(0, start), prefix.slice(start)];
	const used = new Set(before.split(/\s+/));
	const found = [
		...Object.entries(choices)
			.filter(([value]) => value.startsWith(prefix))
			.map(([value, description]) => ({ value, label: value, description })),
		...Object.entries(flags)
			.filter(([flag]) => flag.startsWith(word) && !used.has(flag))
			.map(([flag, description]) => ({ value: before + flag, label: flag, description })),
	];
	return found.length > 0 ? found : null;
}
