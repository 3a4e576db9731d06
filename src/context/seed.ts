/** The text that opens an epoch: the state, or summaries, rendered once and then frozen. */
import type { ContextItem, Section } from "./section/section.ts";

export interface Seed {
	readonly text: string;
	readonly tokens: number;
	readonly sections: readonly SeedSection[];
	/** What is in it and why, part by part. */
	readonly items?: readonly ContextItem[] | undefined;
}

/** One that was made of sections. */
export interface ComposedSeed extends Seed {
	readonly items: readonly ContextItem[];
}

/** What the log keeps of a section. */
export type SeedSection = Pick<Section, "name" | "tokens" | "left"> & {
	/** By which it can be fetched, where it is one thing. */
	readonly handle?: string | undefined;
};
