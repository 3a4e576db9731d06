/** The part of OpenClaw's plugin interface that weft uses, copied because the package that declares it is not a dependency. */
import type { JsonObject } from "../../base/json/read.ts";
import type { AgentMessage, ContextEngine } from "./contract.ts";

export interface PluginApi {
	/** `full`, or a mode that only lists what the plugin has and must have no effect. */
	readonly registrationMode?: string | undefined;
	readonly config?: HostConfig | undefined;
	/** `plugins.entries.weft.config`. */
	readonly pluginConfig?: Readonly<Record<string, unknown>> | undefined;
	readonly logger?: HostLogger | undefined;
	registerContextEngine(id: string, factory: (context: FactoryContext) => Promise<ContextEngine>): void;
	registerTool(factory: (context: PlaceContext) => HostTool, options: { readonly name: string }): void;
	registerCommand(command: HostCommand): void;
	on(hook: string, handler: (event: PluginHookEvent, context: PlaceContext) => void): void;
	/** Synchronous. The handler must return nothing, or the host stores something else. */
	on(hook: "before_message_write", handler: (event: MessageWriteEvent, context: PlaceContext) => void): void;
	on(
		hook: "before_tool_call",
		handler: (event: ToolCallEvent, context: PlaceContext) => Promise<CallDecision | undefined>,
	): void;
	/** Older hosts do not have it. */
	registerAgentToolResultMiddleware?(
		handler: (event: ToolResultEvent, context: PlaceContext) => Promise<ToolResultChange | undefined>,
		options: { readonly runtimes: readonly "openclaw"[] },
	): void;
}

export interface MessageWriteEvent {
	readonly message: AgentMessage;
}

export interface ToolCallEvent {
	readonly toolName: string;
	readonly params: JsonObject;
	readonly toolCallId?: string | undefined;
}

export type CallDecision = { readonly block: true; readonly blockReason: string } | { readonly params: JsonObject };

export interface ToolResultEvent {
	readonly toolName: string;
	readonly toolCallId: string;
	readonly args: JsonObject;
	readonly isError?: boolean | undefined;
	/** `content` has the blocks for the model. */
	readonly result: JsonObject;
}

export interface ToolResultChange {
	readonly result: JsonObject;
}

export interface HostLogger {
	readonly info?: ((message: string) => void) | undefined;
	readonly warn?: ((message: string) => void) | undefined;
}

/** The host's settings that weft reads. */
export interface HostConfig {
	readonly logging?: { readonly file?: string | undefined } | undefined;
	readonly plugins?: {
		readonly slots?: { readonly contextEngine?: string | undefined } | undefined;
		readonly entries?: Readonly<Record<string, { readonly enabled?: boolean | undefined } | undefined>> | undefined;
		/** Ids of the plugins that the host may load; empty or undefined: all. */
		readonly allow?: readonly string[] | undefined;
		readonly deny?: readonly string[] | undefined;
	};
	readonly agents?: {
		readonly defaults?: { readonly workspace?: string | undefined } | undefined;
		/** By id; older hosts have `list`. */
		readonly entries?: Readonly<Record<string, { readonly workspace?: string | undefined } | undefined>> | undefined;
		readonly list?: readonly { readonly id?: string; readonly workspace?: string | undefined }[] | undefined;
	};
}

export interface FactoryContext {
	readonly workspaceDir?: string | undefined;
	readonly config?: HostConfig | undefined;
}

/** The session and workspace of a tool, a command or a hook. */
export interface PlaceContext {
	readonly workspaceDir?: string | undefined;
	readonly agentId?: string | undefined;
	readonly sessionKey?: string | undefined;
	readonly sessionId?: string | undefined;
	/** Of a hook around a tool. */
	readonly toolCallId?: string | undefined;
	readonly config?: HostConfig | undefined;
}

export interface PluginHookEvent {
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
	/** Always in the tool list: a model that forgot something would not think of searching for a tool. */
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
