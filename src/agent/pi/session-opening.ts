/** Opens weft for a Pi session. Loads heavy modules and creates folders only if the settings enable weft. */
import { relative } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { TrustView } from "../../view/settings.ts";
import type { Door } from "../live/door.ts";
import type { Hooks } from "./hooks.ts";
import type { LivePi, LivePiOptions } from "./live.ts";

export interface OpenedSession {
	readonly live: LivePi;
	readonly hooks: Hooks;
}

/** Undefined: the settings turn weft off. */
export async function openLive(
	ctx: ExtensionContext,
	door: Door,
	options: LivePiOptions,
): Promise<OpenedSession | undefined> {
	const [{ readSettings }, { projectRoot }] = await Promise.all([
		import("../../settings/resolve.ts"),
		import("../../log/home.ts"),
	]);
	const { cwd } = ctx;
	const { env } = process;
	const trusted = ctx.isProjectTrusted();
	const places = { cwd, env, projectRoot: projectRoot(cwd) };
	const { settings, origins, problems, ignored } = readSettings({ ...places, trusted });
	if (!settings.enabled) return undefined;
	const warn = (message: string) => door.tell(message);
	for (const { message } of problems) warn(message);
	// Name the settings that are ignored, so that the user sees why they have no effect.
	const untrusted = ignored.length === 0 ? undefined : readSettings({ ...places, trusted: true });
	const { openEngine, filesOfProject, takePruneNotice, LivePi, HOOKS } = await import("./session-modules.ts");
	if (untrusted) for (const file of filesOfProject(ignored, untrusted)) warn(describeIgnored(file, places.projectRoot));
	const powers = { canChangeInput: true };
	const engine = openEngine({ cwd, env, trusted, host: "pi", powers, warn, looksOncePerTick: true });
	// The last session could not show it after its screen was gone.
	const notice = door.pass("prune", () => takePruneNotice(engine.log));
	if (notice !== undefined) warn(notice);
	const hasChosenModels = origins.compactionModels !== "default";
	return { live: new LivePi(engine, ctx, { ...options, hasChosenModels }), hooks: HOOKS };
}

function describeIgnored({ file, settings }: TrustView["files"][number], root: string): string {
	const what = settings.length === 0 ? "It sets nothing" : `It would set ${settings.join(", ")}`;
	return `${relative(root, file)} is ignored: Pi does not trust this project. ${what}. /trust in Pi, or 'pi --approve', lets it count.`;
}
