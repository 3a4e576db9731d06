/** The thread of a session: what was asked, what the agent said and did for it, and how each request ended. */
import { getRecent, type Recent } from "../../log/fold/keyed.ts";

/** A request of the user, with what the agent said and proved until the next one. */
export interface ThreadOrder {
	readonly handle: string;
	readonly seq: number;
	/** The user's own words; a long text is cut in its middle. */
	readonly text: string;
	/** How the words came: as a message, with a refused call, or as the answer to a question of the agent. */
	readonly via: "message" | "refusal" | "answer";
	/** Sentences of the agent, the oldest first. */
	statements: Statement[];
	/** The newest text of the agent: at the end of the run, its answer. */
	outcome: { readonly handle: string; readonly text: string } | null;
	proofs: Proof[];
	/** Files that changed, each once, the newest last. */
	changed: string[];
}

export interface Statement {
	readonly seq: number;
	readonly text: string;
}

/** A line of a tool's output that shows that work is done. */
export interface Proof {
	readonly seq: number;
	readonly kind: "commit" | "push" | "pull-request" | "issue" | "tests" | "release";
	readonly text: string;
}

/** A command that failed, and the form of it that worked later. */
export interface FailedForm {
	readonly seq: number;
	readonly handle: string;
	readonly command: string;
	readonly error: string;
	works: string | null;
}

export interface PlanItem {
	/** The agent's own id of it; else its text. */
	readonly id: string;
	readonly text: string;
	state: "open" | "doing" | "done" | "dropped";
	/** When its state changed last. */
	seq: number;
}

export interface SessionThread {
	orders: ThreadOrder[];
	/** The plan as the agent keeps it in its tools. */
	plan: PlanItem[];
	failedForms: FailedForm[];
	/** The newest plan in words that the user approved. */
	approved: { readonly handle: string; readonly text: string } | null;
	/** Lines that set rules, in files that the agent read for them. */
	ruleFiles: { readonly path: string; readonly handle: string; readonly lines: readonly string[] }[];
	/** The newest summary by the agent's model. */
	summary: { readonly handle: string; readonly text: string } | null;
	/** A tool's result came since the agent spoke. */
	afterResult: boolean;
	/** Calls whose results matter, by id. */
	waiting: Record<string, { readonly tool: string; readonly subject: string | null; readonly path?: string | undefined }>;
}

export interface ThreadState {
	sessions: Recent<SessionThread>;
}

export function threadIn(state: ThreadState, session: string): SessionThread | undefined {
	return getRecent(state.sessions, session);
}
