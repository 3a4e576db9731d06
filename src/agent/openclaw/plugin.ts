/**
 * weft as a plugin of OpenClaw. `register` is called several times in a process, often only to look: it opens nothing,
 * starts nothing and answers at once. Everything heavy is loaded when an engine, a tool or a command is asked for.
 */

import type { HookEvent, HostTool, PlaceContext, PluginApi } from "./plugin-api.ts";
import type { HistoryCommand } from "./plugin-commands.ts";
import { optionsOf, type PluginConfig, readPluginConfig, workspaceOf } from "./plugin-config.ts";
import { type Presence, presence } from "./presence.ts";
import { TOOL_CARDS } from "./tool-cards.ts";

const ENGINE_ID = "weft";
/** Plugins that bring tools and a command of the same names. */
const RIVALS = ["lossless-claw"] as const;
/** Ends of a session after which the same id begins another conversation. */
const RESETS: readonly (string | undefined)[] = ["new", "reset", "daily", "idle"];

const plugin = {
	id: ENGINE_ID,
	name: "weft",
	description: "Keeps everything that was said, and sends the model a bounded context that caches well.",
	register,
};
export default plugin;

function register(api: PluginApi): void {
	const config = readPluginConfig(api.pluginConfig);
	const seen = presence();
	const rival = rivalOf(api);
	api.registerContextEngine(ENGINE_ID, async (context) => {
		const { openPluginEngine } = await import("./plugin-engine.ts");
		const workspaceFor = (sessionKey: string) => workspaceOf({ sessionKey, config: context.config }, api.config);
		return openPluginEngine(config, workspaceOf(context, api.config), { seen, hasOwnTools: !rival, workspaceFor });
	});
	for (const name of rival ? [] : Object.keys(TOOL_CARDS)) {
		api.registerTool((context) => toolOf(name, config, api, context), { name });
	}
	if (rival) {
		const names = [...Object.keys(TOOL_CARDS), "/lcm"].join(", ");
		api.logger?.warn?.(`weft: the plugin ${rival} has the names ${names} already, so weft does not register them.`);
	}
	const commands: readonly [HistoryCommand, string][] = [
		["weft", "how weft stands in this session, and whether OpenClaw uses it"],
		...(rival ? [] : [["lcm", "search and read the whole history of this session"] as [HistoryCommand, string]]),
		["warp", "what is true of the work: files, failures, decisions"],
	];
	for (const [name, description] of commands) {
		api.registerCommand({
			name,
			description,
			acceptsArgs: true,
			handler: async (context) => {
				const { runCommand } = await import("./plugin-commands.ts");
				const options = optionsOf(config, workspaceOf(context, api.config));
				return { text: await runCommand(name, options, context, { seen, config: context.config ?? api.config }) };
			},
		});
	}
	followHooks(api, config, seen);
}

/** Not one of them needs the permission to read conversations. */
function followHooks(api: PluginApi, config: PluginConfig, seen: Presence): void {
	const quietly = (what: string, work: Promise<void>) =>
		void work.catch((error: unknown) => api.logger?.warn?.(`weft: ${what} was not recorded: ${String(error)}`));
	api.on("model_call_started", ({ runId, sessionKey }, context) => {
		const passed = seen.modelCalled(runId, sessionKey, api.config);
		if (!passed) return;
		const why = passed.reason === undefined ? "" : ` It says: ${passed.reason}.`;
		api.logger?.warn?.(`weft: OpenClaw has answered ${passed.turns} turns without weft.${why} ${passed.todo}`);
		const options = optionsOf(config, workspaceOf(context, api.config));
		const engine = import("./plugin-engine.ts");
		quietly(
			"that",
			engine.then(({ recordPassedBy }) => recordPassedBy(options, passed)),
		);
	});
	const reset = async (host: PlaceContext, at: number) => {
		if (host.sessionId === undefined) return;
		const { recordReset } = await import("./plugin-engine.ts");
		await recordReset(optionsOf(config, workspaceOf(host, api.config)), host, at);
	};
	// The time is that of the hook: nobody waits until it is written down.
	const follow = (event: HookEvent, context: PlaceContext) =>
		quietly("a reset", reset({ ...context, ...idsOf(event) }, Date.now()));
	api.on("before_reset", follow);
	api.on("session_end", (event, context) => {
		if (RESETS.includes(event.reason)) follow(event, context);
	});
}

function idsOf({ sessionId, sessionKey }: PlaceContext): PlaceContext {
	return { ...(sessionId !== undefined && { sessionId }), ...(sessionKey !== undefined && { sessionKey }) };
}

function toolOf(name: string, config: PluginConfig, api: PluginApi, context: PlaceContext): HostTool {
	const { label, description, parameters } = TOOL_CARDS[name]!;
	return {
		name,
		label,
		description,
		parameters,
		catalogMode: "direct-only",
		execute: async (_callId, params, signal) => {
			const { runTool } = await import("./plugin-tools.ts");
			return runTool(name, optionsOf(config, workspaceOf(context, api.config)), context, params, signal);
		},
	};
}

/** Another plugin that has our names, where the host runs it. Settings of one that was removed may still be there. */
function rivalOf({ config }: PluginApi): string | undefined {
	const { entries, allow = [], deny = [] } = config?.plugins ?? {};
	return RIVALS.find((id) => {
		const entry = entries?.[id];
		const isLoaded = (allow.length === 0 || allow.includes(id)) && !deny.includes(id);
		return entry !== undefined && entry.enabled !== false && isLoaded;
	});
}
