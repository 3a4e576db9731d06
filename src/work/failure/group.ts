/** Failures as people read them: one error that broke thirty tests is one line with thirty names. */
import type { Failure } from "./fold.ts";

export interface FailureGroup {
	/** Of its first failure. */
	readonly id: string;
	readonly command: string;
	readonly cwd: string;
	readonly class: string | null;
	readonly message: string;
	readonly units: readonly string[];
	/** The most that any of them was tried. */
	readonly attempts: number;
	readonly repeats: number;
	readonly regressions: number;
	readonly flaky: boolean;
	/** Every one of them has another error in front of it. */
	readonly behind: boolean;
	readonly lastSeq: number;
}

/** Newest first; those behind another error last. */
export function groupFailures(failures: readonly Failure[]): readonly FailureGroup[] {
	const groups = Map.groupBy(failures, (one) => JSON.stringify([one.command, one.cwd, one.class, one.message]));
	return [...groups.values()]
		.map(toGroup)
		.sort((a, b) => Number(a.behind) - Number(b.behind) || b.lastSeq - a.lastSeq || (a.id < b.id ? -1 : 1));
}

function toGroup(failures: readonly Failure[]): FailureGroup {
	const first = failures[0]!;
	return {
		id: first.id,
		command: first.command,
		cwd: first.cwd,
		class: first.class,
		message: first.message,
		units: [...new Set(failures.flatMap((one) => one.unit ?? []))].sort(),
		attempts: Math.max(...failures.map((one) => one.attempts)),
		repeats: Math.max(...failures.map((one) => one.repeats)),
		regressions: Math.max(...failures.map((one) => one.regressions)),
		flaky: failures.some((one) => one.flaky),
		behind: failures.every((one) => one.behind !== null),
		lastSeq: Math.max(...failures.map((one) => one.lastSeq)),
	};
}
