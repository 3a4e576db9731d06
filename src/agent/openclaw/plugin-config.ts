/** What a user may set under `plugins.entries.weft.config`, and where the agents of a host work. */
import type { ContextEngineOptions } from "./open.ts";
import type { HostConfig, PlaceContext } from "./plugin-api.ts";
import { agentOf } from "./session-key.ts";

export interface PluginConfig {
	/** Where all data lies. */
	readonly home?: string | undefined;
	readonly mode?: string | undefined;
	/** Whether the settings files in the agent's workspace count. An agent can write them: not by default. */
	readonly trusted?: boolean | undefined;
	/** False: the agent's model is never asked for summaries. */
	readonly summaries?: boolean | undefined;
	/** True: results that a handle stands for are replaced in the host's transcript, too. */
	readonly rewriteTranscript?: boolean | undefined;
}

/** The host has checked it against the manifest's schema; what is of another type is left out all the same. */
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

/** The options that every way into the log shares: engine, tools, commands, hooks. */
export function optionsOf(config: PluginConfig, cwd: string): ContextEngineOptions {
	const { home, mode, trusted = false, summaries, rewriteTranscript } = config;
	const env = mode === undefined ? process.env : { ...process.env, WEFT_MODE: mode };
	return { cwd, home, env, trusted, hostSummaries: summaries, rewriteTranscript };
}

/** An agent's workspace, where the call does not name it. The key of a session begins with the agent's id. */
export function workspaceOf(context: PlaceContext, host: HostConfig | undefined): string {
	const { workspaceDir, sessionKey, agentId = agentOf(sessionKey), config } = context;
	const agents = (config ?? host)?.agents;
	const listed = agents?.list?.find(({ id }) => id === agentId);
	const own = (agentId === undefined ? undefined : agents?.entries?.[agentId]?.workspace) ?? listed?.workspace;
	return workspaceDir ?? own ?? agents?.defaults?.workspace ?? process.cwd();
}
