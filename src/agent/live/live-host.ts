/** What an agent that starts weft's MCP server lets it know and do, beyond the protocol. */

import type { JsonObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";

export interface LiveHost {
	/** What the agent says beside a call of a tool. */
	tell?(meta: JsonObject): void;
	/** undefined: the agent does not tell it. */
	session(): SessionRef | undefined;
	/** Reads in what the agent has written since the last look. Never throws. */
	catchUp(): Promise<void>;
	/** Answers a hook of the agent with the text that it reads. Never throws. */
	hook?(event: JsonObject): Promise<string>;
	/** Reads in the last of it. Never throws. */
	end(): Promise<void>;
}

/** The log of the project; undefined where there is none and none can be made. Asked at each use. */
export type OpenEngine = () => Engine | undefined;
