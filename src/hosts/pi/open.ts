/** Opens weft for a Pi session, if the settings want it: only then is anything heavy loaded, or a folder made. */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Door } from "../door.ts";
import type { Hooks } from "./hooks.ts";
import type { Live, LiveOptions } from "./live.ts";

export interface Opened {
	readonly live: Live;
	readonly hooks: Hooks;
}

/** Undefined where the settings turn weft off. `hooks`: in place of weft's own answers, which is how tests break them. */
export async function openLive(
	ctx: ExtensionContext,
	door: Door,
	options: LiveOptions & { readonly hooks?: Partial<Hooks> | undefined },
): Promise<Opened | undefined> {
	const [{ readSettings }, { projectRoot }] = await Promise.all([
		import("../../settings/read.ts"),
		import("../../log/home.ts"),
	]);
	const { cwd } = ctx;
	const { env } = process;
	const trusted = ctx.isProjectTrusted();
	const { settings, origins, problems } = readSettings({ cwd, env, projectRoot: projectRoot(cwd), trusted });
	if (!settings.enabled) return undefined;
	const warn = (message: string) => door.tell(message);
	for (const { message } of problems) warn(message);
	const [{ openEngine }, { takePruneNotice }, { Live }, { HOOKS }] = await Promise.all([
		import("../../engine.ts"),
		import("../../view/upkeep.ts"),
		import("./live.ts"),
		import("./hooks.ts"),
	]);
	const engine = openEngine({ cwd, env, trusted, host: "pi", powers: { canChangeInput: true }, warn });
	// At the end of the last session there was nobody left to read it.
	const notice = door.pass("prune", () => takePruneNotice(engine.log));
	if (notice !== undefined) warn(notice);
	const hasChosenModels = origins.compactionModels !== "default";
	return { live: new Live(engine, ctx, { ...options, hasChosenModels }), hooks: { ...HOOKS, ...options.hooks } };
}
