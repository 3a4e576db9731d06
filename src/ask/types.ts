/** What a question is asked of, and what comes back. */
import type { ProjectState } from "../context/project-state.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../log/session-ref.ts";
import type { RecallItem } from "../state/memory/recall/item-index.ts";
import type { Scope } from "../state/session/scope.ts";

/** Everything that an answer may use. The same sources, question and `now` give the same answer. */
export interface AskSources {
	readonly log: Log;
	/** The session that asks. Undefined: a person at the command line. */
	readonly session: SessionRef | undefined;
	/** The sessions that the asker may read. */
	readonly scope: Scope;
	/** The state that the asker may know. */
	readonly state: () => ProjectState;
	/** Items of memory files that may bear on the words. */
	readonly memory: (words: string) => readonly RecallItem[];
	/** The project's folder. */
	readonly root: string;
	/** ms since the epoch. */
	readonly now: number;
}

export interface AskInput {
	readonly question: string;
	/** ms since the epoch; they win over a time that the question names. */
	readonly since?: number | undefined;
	readonly until?: number | undefined;
	/** Only what this agent did. */
	readonly agent?: string | undefined;
	/** Only this session: its id, or the beginning of it. */
	readonly session?: string | undefined;
	/** A file or folder of the project, with `:LINE` for a line. */
	readonly path?: string | undefined;
}

/** The JSON of `weft ask`. */
export interface AskAnswer {
	readonly question: string;
	readonly sections: readonly AnswerSection[];
	/** The sessions that the answer quotes, in the order of the answer. */
	readonly sessions: readonly QuotedSession[];
	/** One sentence: where the answer was looked for. */
	readonly searched: string;
	/** False: nothing was found that bears on the question. */
	readonly found: boolean;
}

export interface AnswerSection {
	readonly title: string;
	readonly lines: readonly AnswerLine[];
	/** Number of lines that were found and did not fit. */
	readonly left: number;
}

export interface AnswerLine {
	readonly text: string;
	/** Its source, for `lcm_expand` and `weft show`. */
	readonly handle?: string | undefined;
	readonly session?: string | undefined;
	/** When it was said or done, ms since the epoch. */
	readonly ts?: number | undefined;
}

export interface QuotedSession {
	readonly session: string;
	readonly agent: string;
	/** The user's first request. */
	readonly title: string | null;
	readonly first: number;
	readonly last: number;
}

/** Lines of one source, before the answer is fitted into its room. The best first. */
export interface FoundSection {
	readonly title: string;
	readonly lines: readonly AnswerLine[];
	/** The part of the answer's room that it may take before others had theirs. */
	readonly share: number;
	/** False: the lines say only that there is nothing, and do not count as an answer. */
	readonly isAnswer?: boolean | undefined;
	/** True: nothing in it has a word of the subject. What does comes first. */
	readonly isBeside?: boolean | undefined;
}
