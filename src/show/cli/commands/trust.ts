import { EngineError } from "../../../base/error/engine-error.ts";
import { distrustProject, isTrusted, trustedProjects, trustProject } from "../../../settings/trust.ts";
import { filesOfProject, renderTrust, renderTrusted, type TrustView } from "../../../view/trust.ts";
import type { Call, CommandResult } from "../frame.ts";

export function run({ context, out, options: { undo, list } }: Call<"trust">): CommandResult {
	const { root } = context;
	const home = context.ownHome();
	if (undo && list) throw new EngineError("usage", "Use --undo or --list, not both.");
	if (list) {
		const projects = trustedProjects(home);
		return { data: { projects }, lines: () => renderTrusted(projects, out, context.now()) };
	}
	const before = isTrusted(home, root);
	if (undo) distrustProject(home, root);
	else if (!before) trustProject(home, root, context.now());
	const [without, withFiles] = [context.settingsFor({ trusted: false }), context.settingsFor({ trusted: true })];
	const files = filesOfProject(without.ignored, withFiles);
	const view: TrustView = { project: root, trusted: !undo, changed: before === undo, files };
	if (!undo) for (const { message } of withFiles.problems) out.talk(`weft: ${message}`);
	return { data: view, lines: () => renderTrust(view) };
}
