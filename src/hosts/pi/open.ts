/** Opens weft for a Pi session, if the settings want it: only then is anything heavy loaded, or a folder made. */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { ToolDefinition } from "../../context/envelope/envelope.ts";
import type { Engine } from "../../engine.ts";
import type { Door } from "./door.ts";
import type { Hooks } from "./hooks.ts";
import type { LiveOptions, LiveSession } from "./live-session.ts";
import type { Pipeline } from "./pipeline.ts";

export interface Opened {
	readonly live: LiveSession;
	readonly hooks: Hooks;
	/** Writes down a request that has left, and a seal that Pi has taken. */
	readonly settle: (live: LiveSession) => void;
	/** When the user has come back after a while. */
	readonly wake: (live: LiveSession) => Promise<void>;
	/** Begins what runs beside the session, until the signal ends it. */
	readonly beside: (live: LiveSession, signal: AbortSignal) => Promise<void>;
}

export interface OpenOptions extends LiveOptions {
	/** In place of weft's own answers. */
	readonly hooks?: Partial<Hooks>;
	/** The tools that the model has now. */
	readonly tools: () => readonly ToolDefinition[];
}

/** Undefined where the settings turn weft off. */
export async function openLive(ctx: ExtensionContext, door: Door, options: OpenOptions): Promise<Opened | undefined> {
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

	const [{ openEngine }, { LiveSession }, { HOOKS }, { recordRequest }, { settleSeal }, cold, repository] =
		await Promise.all([
			import("../../engine.ts"),
			import("./live-session.ts"),
			import("./hooks.ts"),
			import("./send.ts"),
			import("./seal.ts"),
			import("./cold-start.ts"),
			import("./map-repository.ts"),
		]);
	const engine = openEngine({ cwd, env, trusted, host: "pi", warn: (message) => door.tell(ctx, message) });
	const live = new LiveSession(engine, ctx, options);
	if (settings.handlers.length > 0) live.pipeline = await openPipeline(engine, ctx, door, options);
	return {
		live,
		hooks: { ...HOOKS, ...options.hooks },
		settle: (of) => {
			recordRequest(of);
			settleSeal(of);
		},
		wake: cold.sealWhenCold,
		beside: repository.mapRepository,
	};
}

/** Undefined where no handler file can be loaded. */
async function openPipeline(
	{ settings, project }: Engine,
	ctx: ExtensionContext,
	door: Door,
	{ tools }: OpenOptions,
): Promise<Pipeline | undefined> {
	const [{ loadHandlers }, { Handlers }, { Pipeline }] = await Promise.all([
		import("../../context/handler/load-handlers.ts"),
		import("../../context/handler/handler.ts"),
		import("./pipeline.ts"),
	]);
	const handlers = new Handlers();
	const { loaded, problems } = await loadHandlers(settings.handlers, project.root, handlers);
	for (const { message } of problems) door.tell(ctx, message);
	return loaded.length > 0 ? new Pipeline(handlers, tools) : undefined;
}
