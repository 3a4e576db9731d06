import { EngineError } from "../../../base/error/engine-error.ts";
import { distrustProject, isTrusted, trustedProjects, trustProject } from "../../../settings/trust.ts";
import { filesOfProject, renderTrust, renderTrusted, type TrustView } from "../../../view/trust.ts";
import type { Context } from "../context.ts";

export interface TrustOptions {
	readonly undo?: boolean;
	readonly list?: boolean;
}

export async function run(context: Context, _args: readonly string[], { undo, list }: TrustOptions): Promise<void> {
	const { out, root } = context;
	const home = context.ownHome();
	if (undo && list) throw new EngineError("usage", "Take --undo or --list, not both.");
	if (list) {
		const projects = trustedProjects(home);
		if (out.json) await out.document({ projects });
		else await out.lines(renderTrusted(projects, out, context.now()));
		return;
	}
	const before = isTrusted(home, root);
	if (undo) distrustProject(home, root);
	else if (!before) trustProject(home, root, context.now());
	const [without, withFiles] = [context.settingsFor({ trusted: false }), context.settingsFor({ trusted: true })];
	const files = filesOfProject(without.ignored, withFiles);
	const view: TrustView = { project: root, trusted: !undo, changed: before === Boolean(undo), files };
	if (out.json) await out.document(view);
	else await out.lines(renderTrust(view));
	if (!undo) for (const { message } of withFiles.problems) out.talk(`weft: ${message}`);
}
