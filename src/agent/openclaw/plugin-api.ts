/** What weft uses of OpenClaw's plugin interface, in our own words: the package that declares it is not a dependency. */
import type { ContextEngine } from "./contract.ts";

export interface PluginApi {
	/** `full`, or a look at what the plugin has: nothing may happen then. */
	readonly registrationMode?: string | undefined;
	readonly config?: HostConfig | undefined;
	/** `plugins.entries.weft.config`. */
	readonly pluginConfig?: Readonly<Record<string, unknown>> | undefined;
	readonly logger?: { readonly warn?: ((message: string) => void) | undefined } | undefined;
	registerContextEngine(id: string, factory: (context: FactoryContext) => Promise<ContextEngine>): void;
	registerTool(factory: (context: PlaceContext) => HostTool, options: { readonly name: string }): void;
	registerCommand(command: HostCommand): void;
	on(hook: string, handler: (event: HookEvent, context: PlaceContext) => void): void;
}

/** The host's own settings, as far as they concern us. */
export interface HostConfig {
	readonly logging?: { readonly file?: string | undefined } | undefined;
	readonly plugins?: {
		readonly slots?: { readonly contextEngine?: string | undefined } | undefined;
		readonly entries?: Readonly<Record<string, { readonly enabled?: boolean | undefined } | undefined>> | undefined;
		/** Ids of the plugins that may be loaded; empty or undefined: all. */
		readonly allow?: readonly string[] | undefined;
		readonly deny?: readonly string[] | undefined;
	};
	readonly agents?: {
		readonly defaults?: { readonly workspace?: string | undefined } | undefined;
		/** By id; older hosts have a list. */
		readonly entries?: Readonly<Record<string, { readonly workspace?: string | undefined } | undefined>> | undefined;
		readonly list?: readonly { readonly id?: string; readonly workspace?: string | undefined }[] | undefined;
	};
}

export interface FactoryContext {
	readonly workspaceDir?: string | undefined;
	readonly config?: HostConfig | undefined;
}

/** Where a tool, a command or a hook runs. */
export interface PlaceContext {
	readonly workspaceDir?: string | undefined;
	readonly agentId?: string | undefined;
	readonly sessionKey?: string | undefined;
	readonly sessionId?: string | undefined;
	readonly config?: HostConfig | undefined;
}

export interface HookEvent {
	readonly sessionId?: string | undefined;
	readonly sessionKey?: string | undefined;
	readonly runId?: string | undefined;
	readonly reason?: string | undefined;
}

export interface HostTool {
	readonly name: string;
	readonly label: string;
	readonly description: string;
	readonly parameters: unknown;
	/** Never behind the host's search for tools: a model that looks for what it forgot would not find it. */
	readonly catalogMode: "direct-only";
	execute(callId: string, params: unknown, signal?: AbortSignal): Promise<HostToolResult>;
}

export interface HostToolResult {
	readonly content: readonly { readonly type: "text"; readonly text: string }[];
	readonly details: unknown;
	readonly isError?: boolean | undefined;
}

export interface HostCommand {
	readonly name: string;
	readonly description: string;
	readonly acceptsArgs: true;
	readonly handler: (
		context: PlaceContext & { readonly args?: string | undefined },
	) => Promise<{ readonly text: string }>;
}
