/**
 * What a skill says of itself in the head of its SKILL.md, beyond what its host reads. A skill is a folder with that file;
 * weft never changes one.
 */

export const HOOK_POINTS = ["before_prompt", "after_response", "before_compact", "after_subagent"] as const;
export type HookPoint = (typeof HOOK_POINTS)[number];

/** Which memory may be recalled while it is active. */
export const MEMORY_SCOPES = ["none", "relevant", "session", "channel"] as const;
export type MemoryScope = (typeof MEMORY_SCOPES)[number];

export interface Skill {
	readonly name: string;
	readonly description: string;
	/** Of its SKILL.md, absolute. */
	readonly file: string;
	readonly whenToUse?: string | undefined;
	/** Undefined: any. `bash` or `Bash(git log:*)`. */
	readonly allowedTools?: readonly string[] | undefined;
	/** Globs relative to the project: work on such files suggests it. */
	readonly paths: readonly string[];
	readonly hooks: Readonly<Partial<Record<HookPoint, readonly string[]>>>;
	readonly memoryScope?: MemoryScope | undefined;
}

/** Something in a head that cannot be used. It is ignored. */
export interface SkillProblem {
	readonly file: string;
	readonly line: number;
	readonly message: string;
}
