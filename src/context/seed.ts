/** The text that opens an epoch: the state, or summaries, rendered once and then frozen. */
import type { ContextItem } from "./section/section.ts";

export interface Seed {
	readonly text: string;
	readonly tokens: number;
	readonly sections: readonly SeedSection[];
	/** What is in it and why, part by part, where its sections do not say it. */
	readonly items?: readonly ContextItem[] | undefined;
}

export interface SeedSection {
	readonly name: string;
	readonly tokens: number;
	/** How many items did not fit. */
	readonly left: number;
	/** By which it can be fetched, where it is one thing. */
	readonly handle?: string | undefined;
}
