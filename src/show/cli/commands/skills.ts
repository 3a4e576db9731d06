import { homedir } from "node:os";
import { isTrusted } from "../../../settings/trust.ts";
import { renderSkills, viewSkills } from "../../../view/skills.ts";
import type { Context } from "../context.ts";

export async function run(context: Context): Promise<void> {
	const { out, env, root, folder } = context;
	const userHome = env["HOME"] ?? homedir();
	const places = { cwd: folder, root, userHome, agentDir: env["PI_CODING_AGENT_DIR"] };
	const view = viewSkills(places, isTrusted(context.ownHome(), root));
	if (out.json) await out.document(view);
	else await out.lines(renderSkills(view, out));
}
