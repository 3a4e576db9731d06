/**
 * An agent's program, seen from weft: which of our answers can reach its model, and how. Each agent's folder has one, in
 * `port.ts`. The core asks the port, never for the agent's name. `test/agents` drives one script through every agent and
 * compares the answers with the port.
 */
export interface AgentPort {
	/** The agent in the log: the `host` of its events. */
	readonly name: string;
	/** The program's name, for people. */
	readonly title: string;
	/**
	 * The part of a request that weft makes.
	 * `messages`: the list of messages, before every request.
	 * `seed`: one text, when the program compacts by itself.
	 * `none`: nothing.
	 */
	readonly request: "messages" | "seed" | "none";
	/** Where a note on a tool's result can be put: at the end of the result, beside it, or nowhere. */
	readonly notes: "inside" | "beside" | "none";
	/** The most characters that fit beside a result or a prompt. The program moves longer texts out of the model's sight. */
	readonly maxBesideChars?: number | undefined;
	/** True: a result that is too long can be replaced by a shorter one. */
	readonly canReplaceResults: boolean;
	/**
	 * Where the whole text of a shortened result is kept. `result`: the agent's entry comes later and takes the blob along.
	 * `beside`: an event of its own, because the agent's own file holds only the shorter text.
	 */
	readonly originals: "result" | "beside";
	/** True: a tool call can be refused before it runs. */
	readonly canRefuseCalls: boolean;
	/** True: a tool call's arguments can be changed before it runs. */
	readonly canChangeInput: boolean;
	/** True: the edit tool gives all lines of a file the same line end. */
	readonly unifiesLineEnds: boolean;
	/** Where recalled memory can be put: into the messages, beside the prompt, or nowhere. */
	readonly recall: "messages" | "beside" | "none";
	/** True: one answer of the model is written as several entries of the session. */
	readonly splitsAnswers: boolean;
	/**
	 * How a seal shows in the agent's own session.
	 * `compaction`: the program stores the seed as its own compaction.
	 * `beside`: the program compacts in its own words, and the seed follows.
	 * `log`: only in our log; the program keeps its whole history.
	 */
	readonly seals: "compaction" | "beside" | "log";
	/** True: the program lends its models, for summaries and memory. */
	readonly lendsModels: boolean;
	/** False: weft runs only for the length of one hook, so nothing can be prepared in the background. */
	readonly stays: boolean;
	/** Who decides whether the project's own settings count, for a notice to the user. */
	readonly trust: ProjectTrust;
}

export interface ProjectTrust {
	/** Why the settings do not count. */
	readonly lacking: string;
	/** The user's way to make them count. */
	readonly remedy: string;
}

/** For agents that do not decide it themselves. */
export const TRUST_BY_WEFT: ProjectTrust = { lacking: "you have not trusted this project", remedy: "'weft trust'" };

/** A process that only records and answers questions, beside agents of any kind: the MCP server, the proxy. */
export function watchingPort(name: string, title: string): AgentPort {
	return {
		name,
		title,
		request: "none",
		notes: "none",
		canReplaceResults: false,
		originals: "beside",
		canRefuseCalls: false,
		canChangeInput: false,
		unifiesLineEnds: false,
		recall: "none",
		splitsAnswers: false,
		seals: "log",
		lendsModels: false,
		stays: true,
		trust: TRUST_BY_WEFT,
	};
}
