/** The user's settings under `plugins.entries.weft.config`, and the workspaces of a host's agents. */
import { agentOf } from "./contract.ts";
import type { ContextEngineOptions } from "./open.ts";
import type { HostConfig, PlaceContext } from "./plugin-api.ts";

export interface PluginConfig {
	/** The folder of weft's data. */
	readonly home?: string | undefined;
	readonly mode?: string | undefined;
	/** True: the settings files in the agent's workspace count. Default false, because the agent can write them. */
	readonly trusted?: boolean | undefined;
	/** False: never ask the agent's model for summaries. */
	readonly summaries?: boolean | undefined;
	/** True: also replace results by their handles in the host's transcript. */
	readonly rewriteTranscript?: boolean | undefined;
}

/** The host has checked it against the manifest's schema; values of another type are ignored all the same. */
export function readPluginConfig(given: Readonly<Record<string, unknown>> | undefined): PluginConfig {
	const text = (name: string) => (typeof given?.[name] === "string" ? given[name] : undefined);
	const flag = (name: string) => (typeof given?.[name] === "boolean" ? given[name] : undefined);
	return {
		home: text("home"),
		mode: text("mode"),
		trusted: flag("trusted"),
		summaries: flag("summaries"),
		rewriteTranscript: flag("rewriteTranscript"),
	};
}

/** The options that engine, tools, commands and hooks share. */
export function optionsOf(config: PluginConfig, cwd: string): ContextEngineOptions {
	const { home, mode, trusted = false, summaries, rewriteTranscript } = config;
	const env = mode === undefined ? process.env : { ...process.env, WEFT_MODE: mode };
	return { cwd, home, env, trusted, hostSummaries: summaries, rewriteTranscript };
}

/** The agent's workspace: from the call, or else from the settings of the agent in the session's key. */
export function workspaceOf(context: PlaceContext, host: HostConfig | undefined): string {
	const { workspaceDir, sessionKey, agentId = agentOf(sessionKey), config } = context;
	const agents = (config ?? host)?.agents;
	const listed = agents?.list?.find(({ id }) => id === agentId);
	const own = (agentId === undefined ? undefined : agents?.entries?.[agentId]?.workspace) ?? listed?.workspace;
	return workspaceDir ?? own ?? agents?.defaults?.workspace ?? process.cwd();
}
