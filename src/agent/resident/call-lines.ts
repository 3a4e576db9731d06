/**
 * What a process of an agent and the resident say to each other over a connection that stays: JSON-RPC, one message per line.
 * The first call opens the connection and says whose process it is; the others are those that the process would answer itself.
 * While a call waits, the resident sends empty lines: a resident that is silent hangs.
 */
import { EngineError } from "../../base/error/engine-error.ts";
import { errorText } from "../../base/error/error-text.ts";
import { asName, asText, type JsonObject } from "../../base/json/read.ts";

export const OPEN_METHOD = "open";
export const FAULT_METHOD = "fault";

export function faultParams(where: string, error: unknown): JsonObject {
	return { where, name: error instanceof EngineError ? error.code : null, message: errorText(error) };
}

/** The error as the other process met it. Its code takes the place of a name. */
export function faultError({ name, message }: JsonObject): Error {
	const error = new Error(asText(message));
	error.name = asName(name) ?? error.name;
	return error;
}
/** Records the rest of the session. The connection's end does too, if the process was killed. */
export const END_METHOD = "end";
/** The protocol after the upgrade of HTTP. */
export const UPGRADE_NAME = "weft-lines";
/** The same for a process that passes on the lines of an agent as they are. */
export const RELAY_NAME = "weft-relay";
/** The same for `weft run`, which keeps a port for the proxy in the resident. */
export const PROXY_NAME = "weft-proxy";
/** The same for each connection of the agent to that port: its bytes follow. */
export const PIPE_NAME = "weft-pipe";
/** Names the proxy of a connection. */
export const PIPE_HEADER = "weft-proxy";

/** How often the resident says that it still works. */
export const BEAT_MS = 500;
/** A resident that has said nothing for this long hangs. */
export const MAX_SILENCE_MS = 2_000;

/** The process that calls. */
export interface CallingProcess {
	/** From the program on. */
	readonly args: readonly string[];
	readonly env: NodeJS.ProcessEnv;
	readonly folder: string;
	readonly pid: number;
}

/** Answers calls, here or in another process. */
export interface AgentCalls {
	/** May throw. */
	answer(method: string, params: JsonObject, signal: AbortSignal): Promise<unknown>;
	/** Records the rest of the session. */
	end(): Promise<void>;
}
