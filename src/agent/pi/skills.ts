/** Skills in Pi: loads them on first use, tracks the active ones and runs their commands at the hook points. */
import { homedir } from "node:os";
import { ActiveSkills } from "../../state/memory/skill/active-skills.ts";
import { runHooks } from "../../state/memory/skill/hook-run.ts";
import type { HookPoint, Skill } from "../../state/memory/skill/skill.ts";
import { skillFiles, skillFolders } from "../../state/memory/skill/skill-files.ts";
import type { LivePi } from "./live.ts";

export class PiSkills {
	readonly all: readonly Skill[];
	readonly active: ActiveSkills;

	private constructor(skills: readonly Skill[]) {
		this.all = skills;
		this.active = new ActiveSkills(skills);
	}

	/** Loads the parser only if there are skills: it is large, and most projects have none. */
	static async find(live: LivePi): Promise<PiSkills> {
		const agentDir = process.env["PI_CODING_AGENT_DIR"];
		const places = { cwd: live.cwd, root: live.engine.project.root, userHome: homedir(), agentDir };
		const files = skillFiles(skillFolders(places));
		if (files.length === 0) return new PiSkills([]);
		const { readSkills } = await import("../../state/memory/skill/installed-skills.ts");
		const { skills, problems } = readSkills(files);
		for (const { file, line, message } of problems) live.warnOnce(`${file}:${line}: ${message}. This is ignored.`);
		return new PiSkills(skills);
	}

	/** Runs the active skills' commands and gives their output. Runs nothing in `off` or where Pi does not trust the project. */
	async run(point: HookPoint, live: LivePi): Promise<readonly string[]> {
		if (live.project.isOff) return [];
		const skills = this.active.list.filter(({ hooks }) => (hooks[point] ?? []).length > 0);
		if (skills.length === 0) return [];
		if (!live.ctx.isProjectTrusted()) {
			for (const { name } of skills)
				live.warnOnce(`the hooks of the skill ${name} do not run: this project is not trusted. /trust changes that.`);
			return [];
		}
		const runs = await runHooks(skills, point, { cwd: live.cwd, signal: live.ctx.signal });
		for (const { skill, failed, command } of runs) {
			if (failed !== undefined) live.warnOnce(`the hook ${point} of the skill ${skill} failed: ${command}: ${failed}.`);
		}
		live.engine.record(
			runs.map((run) => ({ type: "Custom", ...live.session, payload: { name: "skill-hook", data: { ...run } } })),
		);
		return runs.flatMap(({ output, failed }) => (failed === undefined && output !== "" ? [output] : []));
	}
}
