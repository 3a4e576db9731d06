/** The agent that started weft's MCP server: what the server can learn from it beyond the protocol. */

import type { JsonObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";

export interface ConnectedAgent {
	/** Takes in the metadata that the agent sends with a tool call. */
	tell?(meta: JsonObject): void;
	/** Undefined: the agent does not name its session. */
	session(): SessionRef | undefined;
	/** Records what the agent has written since the last call. Never throws. */
	catchUp(): Promise<void>;
	/** Gives the text that answers one of the agent's hooks. Never throws. */
	hook?(event: JsonObject): Promise<string>;
	/** Records the rest of the session. Never throws. */
	end(): Promise<void>;
}

/** Called at each use. Undefined: the project has no log, and none can be created. */
export type OpenEngine = () => Engine | undefined;
