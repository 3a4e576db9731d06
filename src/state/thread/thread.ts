/**
 * The thread of a session: what the user asked, which of their words still hold, what is done and proved, what is open and what
 * comes next. Everything in it is a quotation with the handle of its source.
 */
import { getRecent, type Recent } from "../../log/fold/keyed.ts";

/** A request of the user, with what the agent said and did until the next one. */
export interface ThreadOrder {
	readonly handle: string;
	readonly seq: number;
	/** The user's own words; pastes and very long texts are cut. */
	text: string;
	/** Who said it, in a conversation of several people. */
	readonly sender?: string | undefined;
	/** How the words came: as a message, with a refused call, as an answer to the agent, while it worked, or from the agent that started it. */
	readonly via: "message" | "refusal" | "answer" | "meanwhile" | "parent";
	/** Sentences of the agent, the oldest first. */
	statements: Statement[];
	/** The newest text of the agent: at the end of the run, its answer. */
	outcome: LastWords | null;
	proofs: Proof[];
	/** Files that changed, each once, the newest last. */
	changed: string[];
	/** The agent made a branch for it. */
	hasBranch: boolean;
}

export interface Statement {
	readonly seq: number;
	readonly handle: string;
	readonly text: string;
}

/** A text of the agent or of a model, cut where it is very long. */
export interface Passage {
	readonly handle: string;
	readonly text: string;
}

export interface LastWords extends Passage {
	/** Calls follow: what it announces is what they do, not what is left. */
	leadsToCalls: boolean;
}

/** A line of a command's output that shows that work is done. */
export interface Proof {
	readonly seq: number;
	readonly handle: string;
	readonly kind: "commit" | "push" | "pull-request" | "issue" | "tests" | "release";
	readonly text: string;
}

export interface Check {
	readonly seq: number;
	readonly handle: string;
	readonly command: string;
	readonly isGreen: boolean;
	/** Files that changed after it, the newest last. */
	readonly since: string[];
}

/** A sentence of the user that holds beyond its request. */
export interface ThreadRemark {
	readonly kind: "rule" | "correction" | "decision";
	readonly handle: string;
	readonly seq: number;
	readonly text: string;
	/** Handle of the words that took it back or replaced it; null: it holds. */
	replacedBy: string | null;
	/** The model that found it in the user's words; undefined: the words themselves say what they are. */
	readonly foundBy?: string | undefined;
	/** Of a choice among the agent's options: the request whose answer gave them. */
	readonly choiceOf?: string | undefined;
	/** Handle of a choice among options that the agent gave for it. */
	narrowedBy?: string | undefined;
}

/** An item that a model wrote from what was said. */
export interface WrittenItem {
	readonly kind: "decision" | "open" | "finding" | "dead-end";
	readonly text: string;
	/** Of the message that says so. */
	readonly handle: string;
	/** When it was written. */
	readonly seq: number;
	/** provider/id */
	readonly by: string;
}

/** A model says that an item of the agent or of a model is over. It counts while the item does not change again. */
export interface ClosedItem {
	readonly handle: string;
	readonly seq: number;
	readonly by: string;
}

/** Words of the user that change what they said before: older sentences about the same are no longer true. */
export interface Correction {
	readonly handle: string;
	readonly seq: number;
	/** The line of the user. */
	readonly text: string;
	/** The old and the new value; empty: the line does not name them. */
	readonly wrong: string;
	readonly right: string;
	/** Who said it, in a conversation of several people. */
	readonly sender?: string | undefined;
}

/** A call that failed, and the form of it that worked later. */
export interface FailedForm {
	readonly seq: number;
	readonly handle: string;
	readonly call: string;
	readonly error: string;
	works: string | null;
	/** The program with its first word, or the tool. */
	readonly program: string;
	/** Other calls of the program that worked since. */
	worked: number;
}

export interface PlanItem {
	/** The agent's own id of it; else its text. */
	readonly id: string;
	readonly text: string;
	/** More words on it, if the tool takes them. */
	readonly detail?: string | undefined;
	readonly handle: string;
	state: "open" | "doing" | "done" | "dropped";
	/** When its state changed last. */
	seq: number;
	/** The newest proof at the moment it was done; null: only the agent's word. */
	proof: Proof | null;
	/** Files changed while it was worked on, and were not taken back since. */
	hasChanges: boolean;
}

/** A numbered part of the work. */
export interface Phase {
	/** As it is named: `Phase 2`, `Schritt 3`. */
	readonly name: string;
	readonly text: string;
	readonly handle: string;
	state: "open" | "doing" | "done";
}

/** Lines that set rules, in a file that the agent read for them. */
export interface RuleFile {
	readonly path: string;
	readonly handle: string;
	readonly lines: readonly string[];
}

/** A call whose result is still to come. */
interface AwaitedCall {
	readonly tool: string;
	/** The command, or the tool with its path. */
	readonly call: string;
	readonly isCommand: boolean;
	/** Asks for more output of a command that runs on. */
	readonly isContinued: boolean;
	/** Set for a call that makes a task. */
	readonly created: { readonly subject: string; readonly detail?: string | undefined } | null;
	/** Set for a call that reads a file of rules. */
	readonly rules: string | null;
	/** The line that says why it failed, once the result is here. */
	readonly error?: string | undefined;
}

export interface SessionThread {
	orders: ThreadOrder[];
	/** Number of requests in all. */
	orderCount: number;
	remarks: ThreadRemark[];
	corrections: Correction[];
	/** The plan as the agent keeps it in its tools or announced it as a list. */
	plan: PlanItem[];
	failedForms: FailedForm[];
	/** The newest plan in words that the user approved. */
	approved: Passage | null;
	ruleFiles: RuleFile[];
	/** The newest summary by the agent's model. */
	summary: Statement | null;
	/** When a file of the project changed last. */
	changedAt: number;
	/** The newest run of tests or of another check that says how it ended. */
	check: Check | null;
	/** Files that changed after the last commit, the newest last. */
	uncommitted: string[];
	/** The branch that git named last; null: none was named. */
	branch: string | null;
	/** Work that has an order, as the user or the approved plan numbers it, the first one first. */
	phases: Phase[];
	/** Calls by id, the oldest first. */
	awaited: Record<string, AwaitedCall>;
	/** Commands that run on after their call, by the id by which the agent asks for more of their output. */
	running: Record<string, string>;
	/** Words that the user typed while the agent worked, and that the model has not got yet, the oldest first. */
	queued: string[];
	/** By models, the oldest first. */
	written: WrittenItem[];
	/** By the item's id, the oldest first. */
	closed: Record<string, ClosedItem>;
	/** What the session's own model wrote at the newest seal. */
	note: (Statement & { readonly by: string }) | null;
	/** The user's marks on items, by the item's id. */
	marks: Record<string, "pin" | "strike">;
}

export interface ThreadState {
	sessions: Recent<SessionThread>;
}

export function threadIn(state: ThreadState, session: string): SessionThread | undefined {
	return getRecent(state.sessions, session);
}
