/** Opens weft for a Pi session. Loads heavy modules and creates folders only if the settings enable weft. */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Door } from "../live/door.ts";
import type { Hooks } from "./hooks.ts";
import type { LivePi, LivePiOptions } from "./live.ts";
import { PI_PORT } from "./port.ts";

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
	const resolved = readSettings({ ...places, trusted });
	if (!resolved.settings.enabled) return undefined;
	const warn = (message: string) => door.tell(message);
	const { openEngine, settingNotices, takePruneNotice, LivePi, HOOKS } = await import("./session-modules.ts");
	for (const notice of settingNotices(PI_PORT, places, resolved)) warn(notice);
	const powers = { canChangeInput: PI_PORT.canChangeInput, unifiesLineEnds: PI_PORT.unifiesLineEnds };
	const engine = openEngine({ cwd, env, trusted, host: "pi", powers, warn, looksOncePerTick: true });
	// The last session could not show it after its screen was gone.
	const notice = door.pass("prune", () => takePruneNotice(engine.log));
	if (notice !== undefined) warn(notice);
	const hasChosenModels = resolved.origins.compactionModels !== "default";
	return { live: new LivePi(engine, ctx, { ...options, hasChosenModels }), hooks: HOOKS };
}
