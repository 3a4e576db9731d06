/** Opens weft for a Pi session, if the settings want it: only then is anything heavy loaded, or a folder made. */
import { relative } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { TrustView } from "../../view/settings.ts";
import type { Door } from "../live/door.ts";
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
	// What they would have set is named, so that nobody wonders why it does not hold.
	const unheard = ignored.length === 0 ? undefined : readSettings({ ...places, trusted: true });
	const { openEngine, filesOfProject, takePruneNotice, Live, HOOKS } = await import("./parts.ts");
	if (unheard) for (const file of filesOfProject(ignored, unheard)) warn(describeIgnored(file, places.projectRoot));
	const powers = { canChangeInput: true };
	const engine = openEngine({ cwd, env, trusted, host: "pi", powers, warn, looksOncePerTick: true });
	// At the end of the last session there was nobody left to read it.
	const notice = door.pass("prune", () => takePruneNotice(engine.log));
	if (notice !== undefined) warn(notice);
	const hasChosenModels = origins.compactionModels !== "default";
	return { live: new Live(engine, ctx, { ...options, hasChosenModels }), hooks: { ...HOOKS, ...options.hooks } };
}

function describeIgnored({ file, settings }: TrustView["files"][number], root: string): string {
	const what = settings.length === 0 ? "It sets nothing" : `It would set ${settings.join(", ")}`;
	return `${relative(root, file)} is ignored: Pi does not trust this project. ${what}. /trust in Pi, or 'pi --approve', lets it count.`;
}
