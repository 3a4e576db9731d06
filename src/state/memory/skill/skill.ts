/**
 * The fields in the head of a SKILL.md, beyond what its agent reads. A skill is a folder with that file; weft never
 * changes one.
 */

export const HOOK_POINTS = ["before_prompt", "after_response", "before_compact", "after_subagent"] as const;
export type HookPoint = (typeof HOOK_POINTS)[number];

/** Which memory may be recalled while it is active. */
export const MEMORY_SCOPES = ["none", "relevant", "session", "channel"] as const;
export type MemoryScope = (typeof MEMORY_SCOPES)[number];

export interface Skill {
	readonly name: string;
	readonly description: string;
	/** Absolute path of its SKILL.md. */
	readonly file: string;
	readonly whenToUse?: string | undefined;
	/** Such as `bash` or `Bash(git log:*)`. Undefined: any tool. */
	readonly allowedTools?: readonly string[] | undefined;
	/** Globs relative to the project. Work on matching files suggests the skill. */
	readonly paths: readonly string[];
	readonly hooks: Readonly<Partial<Record<HookPoint, readonly string[]>>>;
	readonly memoryScope?: MemoryScope | undefined;
}

/** A field of a head that cannot be used, and is ignored. */
export interface SkillProblem {
	readonly file: string;
	readonly line: number;
	readonly message: string;
}
