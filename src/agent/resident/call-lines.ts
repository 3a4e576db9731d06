/**
 * What a process of an agent and the resident say to each other over a connection that stays: JSON-RPC, one message per line.
 * The first call opens the connection and says whose process it is; the others are those that the process would answer itself.
 * While a call waits, the resident sends empty lines: a resident that is silent hangs.
 */
import type { JsonObject } from "../../base/json/read.ts";

export const OPEN_METHOD = "open";
export const FAULT_METHOD = "fault";
/** Records the rest of the session. The connection's end does too, if the process was killed. */
export const END_METHOD = "end";
/** The protocol after the upgrade of HTTP. */
export const UPGRADE_NAME = "weft-lines";

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
export interface Calls {
	/** May throw. */
	answer(method: string, params: JsonObject, signal: AbortSignal): Promise<unknown>;
	/** Records the rest of the session. */
	end(): Promise<void>;
}
