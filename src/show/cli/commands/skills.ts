import { homedir } from "node:os";
import { isTrusted } from "../../../settings/trust.ts";
import { renderSkills, viewSkills } from "../../../view/skills.ts";
import type { Call, CommandResult } from "../frame.ts";

export function run({ context }: Call<"skills">): CommandResult {
	const { env, root, folder } = context;
	const userHome = env["HOME"] ?? homedir();
	const places = { cwd: folder, root, userHome, agentDir: env["PI_CODING_AGENT_DIR"] };
	const view = viewSkills(places, isTrusted(context.ownHome(), root));
	return { data: view, lines: (out) => renderSkills(view, out) };
}
