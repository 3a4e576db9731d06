/**
 * Runs the commands of active skills at a hook point, one after the other, in the project's folder, with limits for time and
 * output. Call it only for a trusted project. A command that fails is reported and changes nothing.
 */
import { spawn } from "node:child_process";
import { cutStart } from "../../../base/text/cut.ts";
import { oneLine } from "../../../base/text/printable.ts";
import type { HookPoint, Skill } from "./skill.ts";

const TIME_LIMIT_MS = 10_000;
const MAX_CHARS = 2_000;
const MAX_COMMANDS = 8;

export interface HookRun {
	readonly skill: string;
	readonly point: HookPoint;
	readonly command: string;
	/** Bounded. */
	readonly output: string;
	/** Undefined: it passed. */
	readonly failed?: string | undefined;
}

export interface HookOptions {
	readonly cwd: string;
	readonly env?: NodeJS.ProcessEnv | undefined;
	readonly timeLimitMs?: number | undefined;
	readonly signal?: AbortSignal | undefined;
}

export async function runHooks(
	skills: readonly Skill[],
	point: HookPoint,
	options: HookOptions,
): Promise<readonly HookRun[]> {
	const runs: HookRun[] = [];
	const commands = skills.flatMap((skill) =>
		(skill.hooks[point] ?? []).map((command) => ({ skill: skill.name, command })),
	);
	for (const { skill, command } of commands.slice(0, MAX_COMMANDS)) {
		runs.push({ skill, point, command, ...(await run(command, point, skill, options)) });
	}
	return runs;
}

function run(
	command: string,
	point: HookPoint,
	skill: string,
	{ cwd, env = process.env, timeLimitMs = TIME_LIMIT_MS, signal }: HookOptions,
): Promise<Pick<HookRun, "output" | "failed">> {
	return new Promise((resolve) => {
		const limit = AbortSignal.timeout(timeLimitMs);
		const end = signal ? AbortSignal.any([signal, limit]) : limit;
		let output = "";
		// A process group of its own, so that everything the command started ends with it.
		const child = spawn("sh", ["-c", command], {
			cwd,
			env: { ...env, WEFT_HOOK: point, WEFT_SKILL: skill },
			stdio: ["ignore", "pipe", "pipe"],
			detached: true,
		});
		const done = (failed?: string) => {
			end.removeEventListener("abort", kill);
			endGroup(child.pid);
			child.stdout.destroy();
			child.stderr.destroy();
			resolve({ output: cutStart(output.trim(), MAX_CHARS), failed });
		};
		const kill = () => done(limit.aborted ? `it took longer than ${timeLimitMs / 1000} s` : "it was cancelled");
		const take = (chunk: Buffer) => {
			if (output.length < MAX_CHARS * 2) output += chunk.toString("utf8");
		};
		end.addEventListener("abort", kill, { once: true });
		child.stdout.on("data", take);
		child.stderr.on("data", take);
		child.on("error", (error) => done(oneLine(error.message)));
		child.on("close", (code, sign) => done(code === 0 ? undefined : `exit ${code ?? sign}`));
	});
}

function endGroup(pid: number | undefined): void {
	try {
		if (pid !== undefined) process.kill(-pid, "SIGKILL");
	} catch {
		// The group has already ended.
	}
}
