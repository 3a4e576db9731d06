/**
 * weft as a plugin of OpenClaw. The host calls `register` several times in a process, often only to list the plugin: it opens
 * nothing, starts nothing and returns at once. Heavy modules load with the first engine, tool call or command.
 */

import { TOOLS } from "../../tool/catalogue.ts";
import type { Tool } from "../../tool/types.ts";
import type { HostTool, PlaceContext, PluginApi, PluginHookEvent } from "./plugin-api.ts";
import type { HistoryCommand } from "./plugin-commands.ts";
import { optionsOf, type PluginConfig, readPluginConfig, workspaceOf } from "./plugin-config.ts";
import { type Presence, presence } from "./presence.ts";
import { turnAnswers } from "./turn-answers.ts";

const ENGINE_ID = "weft";
/** Plugins with tools and a command of the same names. */
const RIVALS = ["lossless-claw"] as const;
/** Reasons for the end of a session after which another conversation begins under its id. */
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
		// A chat is no place for notices of ours: they go to the gateway's log.
		const notify = (notice: string) => api.logger?.info?.(`weft: ${notice}`);
		const given = { seen, hasOwnTools: !rival, workspaceFor, notify };
		return openPluginEngine(config, workspaceOf(context, api.config), given);
	});
	for (const tool of rival ? [] : TOOLS) {
		api.registerTool((context) => toolOf(tool, config, api, context), { name: tool.name });
	}
	if (rival) {
		const names = [...TOOLS.map(({ name }) => name), "/lcm"].join(", ");
		api.logger?.warn?.(`weft: the plugin ${rival} has the names ${names} already, so weft does not register them.`);
	}
	const commands: readonly [HistoryCommand, string][] = [
		["weft", "show the status of weft in this session, and whether OpenClaw uses it"],
		...(rival ? [] : [["lcm", "search and read the whole history of this session"] as [HistoryCommand, string]]),
		["warp", "show the state of the work: files, failures, decisions"],
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
	api.on("before_message_write", ({ message }, { sessionKey }) => turnAnswers().written(message, sessionKey));
	guardTools(api, config);
}

/** Whatever fails, the call runs and its result stays as it is. None of it needs the permission to read conversations. */
function guardTools(api: PluginApi, config: PluginConfig): void {
	const quietly = async <T>(work: () => Promise<T | undefined>): Promise<T | undefined> => {
		try {
			return await work();
		} catch (error) {
			api.logger?.warn?.(`weft: a tool call was not checked: ${String(error)}`);
			return undefined;
		}
	};
	const optionsFor = (context: PlaceContext) => optionsOf(config, workspaceOf(context, api.config));
	api.on("before_tool_call", (event, context) =>
		quietly(async () => (await import("./plugin-guard.ts")).judgeCall(optionsFor(context), event, context)),
	);
	try {
		api.registerAgentToolResultMiddleware?.(
			(event, context) =>
				quietly(async () => (await import("./plugin-guard.ts")).lookAtResult(optionsFor(context), event, context)),
			{ runtimes: ["openclaw"] },
		);
	} catch (error) {
		api.logger?.warn?.(`weft: OpenClaw hands over no tool results, so they get no notes: ${String(error)}`);
	}
	api.on("gateway_stop", () => void import("./plugin-guard.ts").then(({ closeGuards }) => closeGuards()));
}

/** None of these hooks needs the permission to read conversations. */
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
	// The time of the hook counts, not of the record: the host does not wait for it.
	const follow = (event: PluginHookEvent, context: PlaceContext) =>
		quietly("a reset", reset({ ...context, ...idsOf(event) }, Date.now()));
	api.on("before_reset", follow);
	api.on("session_end", (event, context) => {
		if (RESETS.includes(event.reason)) follow(event, context);
	});
}

function idsOf({ sessionId, sessionKey }: PlaceContext): PlaceContext {
	return { ...(sessionId !== undefined && { sessionId }), ...(sessionKey !== undefined && { sessionKey }) };
}

function toolOf(tool: Tool, config: PluginConfig, api: PluginApi, context: PlaceContext): HostTool {
	const { name, label, description, parameters } = tool;
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

/** A loaded plugin with the same names. A removed plugin may still have settings. */
function rivalOf({ config }: PluginApi): string | undefined {
	const { entries, allow = [], deny = [] } = config?.plugins ?? {};
	return RIVALS.find((id) => {
		const entry = entries?.[id];
		const isLoaded = (allow.length === 0 || allow.includes(id)) && !deny.includes(id);
		return entry !== undefined && entry.enabled !== false && isLoaded;
	});
}
