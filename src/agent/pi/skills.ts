/** Skills in Pi: which are active, what they allow, and their commands at the hook points. Looked for when first needed. */
import { homedir } from "node:os";
import { ActiveSkills } from "../../state/memory/skill/active-skills.ts";
import { runHooks } from "../../state/memory/skill/hook-run.ts";
import type { HookPoint, Skill } from "../../state/memory/skill/skill.ts";
import { skillFiles, skillFolders } from "../../state/memory/skill/skill-files.ts";
import type { Live } from "./live.ts";

export class LiveSkills {
	readonly all: readonly Skill[];
	readonly active: ActiveSkills;

	private constructor(skills: readonly Skill[]) {
		this.all = skills;
		this.active = new ActiveSkills(skills);
	}

	/** What reads them is large, and most projects have none. */
	static async find(live: Live): Promise<LiveSkills> {
		const agentDir = process.env["PI_CODING_AGENT_DIR"];
		const places = { cwd: live.cwd, root: live.engine.project.root, userHome: homedir(), agentDir };
		const files = skillFiles(skillFolders(places));
		if (files.length === 0) return new LiveSkills([]);
		const { readSkills } = await import("../../state/memory/skill/installed-skills.ts");
		const { skills, problems } = readSkills(files);
		for (const { file, line, message } of problems) live.warnOnce(`${file}:${line}: ${message}. This is ignored.`);
		return new LiveSkills(skills);
	}

	/** What the commands of the active skills say, where the project is trusted. */
	async run(point: HookPoint, live: Live): Promise<readonly string[]> {
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
