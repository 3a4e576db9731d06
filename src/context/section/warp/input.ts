import type { FileSource } from "../../../work/file-source.ts";
import type { ProjectState } from "../../project-state.ts";

export interface WarpInput {
	readonly state: ProjectState;
	/** The texts of the files, read while rendering. */
	readonly files: FileSource;
	/** The texts as the log knew them, to say what changed in a stale file. */
	readonly known?: FileSource;
	/** Tokens that the text may take. */
	readonly budget: number;
	/** For ages; ms since the epoch. */
	readonly now: number;
	/** Whose intent and progress; by default the session at work. */
	readonly session?: string;
	/** The repository's name, where the session's folder does not give it. */
	readonly repository?: string;
	/** How many files the working set has at most. */
	readonly workingSetFiles?: number;
}
