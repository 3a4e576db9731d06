/** How far a session has come. */
import type { Keyed, Recent } from "../../log/fold/keyed.ts";

export interface ToolUse {
	calls: number;
	errors: number;
}

export interface RanCommand {
	readonly handle: string;
	readonly ts: number;
	/** At most 300 characters of it. */
	readonly command: string;
	/** null: not known. */
	readonly exit: number | null;
	readonly by: string;
}

export interface SessionProgress {
	/** Answers of the model. An agent may write one answer as several messages. */
	turns: number;
	lastAnswer: string | null;
	tools: Keyed<ToolUse>;
	commands: number;
	failedCommands: number;
	/** The newest last. */
	recentCommands: RanCommand[];
	sinceIntent: {
		turns: number;
		calls: number;
		changes: number;
		added: number;
		removed: number;
		commands: number;
		failedCommands: number;
		/** Paths as the session names them, each once, the newest last. */
		files: string[];
	};
}

export interface ProgressState {
	sessions: Recent<SessionProgress>;
}
