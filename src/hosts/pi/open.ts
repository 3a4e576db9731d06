/** Opens weft for a Pi session, if the settings want it: only then is anything heavy loaded, or a folder made. */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Door } from "./door.ts";
import type { Hooks } from "./hooks.ts";
import type { LiveOptions, LiveSession } from "./live-session.ts";

export interface Opened {
	readonly live: LiveSession;
	readonly hooks: Hooks;
	/** Writes down a seal that Pi has taken. */
	readonly settle: (live: LiveSession) => void;
	/** When the user has come back after a while. */
	readonly wake: (live: LiveSession) => Promise<void>;
	/** Begins what runs beside the session, until the signal ends it. */
	readonly beside: (live: LiveSession, signal: AbortSignal) => Promise<void>;
}

/** Undefined where the settings turn weft off. */
export async function openLive(
	ctx: ExtensionContext,
	door: Door,
	options: LiveOptions & { readonly hooks?: Partial<Hooks> },
): Promise<Opened | undefined> {
	const [{ readSettings }, { projectRoot }] = await Promise.all([
		import("../../settings/read.ts"),
		import("../../log/home.ts"),
	]);
	const { cwd } = ctx;
	const { env } = process;
	const trusted = ctx.isProjectTrusted();
	const { settings, problems } = readSettings({ cwd, env, projectRoot: projectRoot(cwd), trusted });
	if (!settings.enabled) return undefined;
	for (const { message } of problems) door.tell(ctx, message);

	const [{ openEngine }, { LiveSession }, { HOOKS }, { settleSeal }, cold, repository] = await Promise.all([
		import("../../engine.ts"),
		import("./live-session.ts"),
		import("./hooks.ts"),
		import("./seal.ts"),
		import("./cold-start.ts"),
		import("./map-repository.ts"),
	]);
	const engine = openEngine({ cwd, env, trusted, host: "pi", warn: (message) => door.tell(ctx, message) });
	const live = new LiveSession(engine, ctx, options);
	return {
		live,
		hooks: { ...HOOKS, ...options.hooks },
		settle: settleSeal,
		wake: cold.sealWhenCold,
		beside: repository.mapRepository,
	};
}
