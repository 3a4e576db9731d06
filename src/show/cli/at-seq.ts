/** `--at SEQ`, `--session ID`: which moment and whose view a command shows. */
import { type ProjectState, projectState } from "../../context/project-state.ts";
import type { Engine } from "../../engine.ts";
import type { StateAt, StateLog, StateRunner } from "../../log/fold/state-runner.ts";
import { readArchived } from "../../log/retention/archived-events.ts";
import { findSession } from "../../state/session/find-session.ts";
import { type WholeLog, wholeLog } from "../../state/work/whole-log.ts";
import { type Recalled, recalledFrom } from "../../view/recall.ts";
import { wholeNumber } from "./arguments.ts";

export interface AtOptions {
	readonly at?: string;
	readonly session?: string;
}

/** As `Moment`, with what was pruned before it. */
export interface WholeMoment extends Moment {
	/** Where events are from that left the log; missing where the state needs none. */
	readonly recalled?: Recalled | undefined;
}

export interface Moment extends StateAt<ProjectState> {
	readonly runner: StateRunner<ProjectState>;
	/** The session that was asked for. */
	readonly chosen: string | undefined;
	/** True: a moment that has passed. */
	readonly past: boolean;
}

export function momentOf({ log }: Engine, options: AtOptions): Moment {
	const at = wholeNumber("--at", options.at, 1);
	const chosen = options.session === undefined ? undefined : findSession(log, options.session).session;
	const runner = projectState(log);
	const found = at === undefined ? runner.current() : runner.at(at);
	const state = ofSession(found, wholeLog(log), chosen);
	return { ...found, state, runner, chosen, past: at !== undefined };
}

/** The same moment, with the events that left the log before it, from the archives or derived again from the messages. */
export async function wholeMoment({ log }: Engine, moment: Moment): Promise<WholeMoment> {
	if (moment.complete) return moment;
	const archived = await readArchived(log, { upTo: moment.seq });
	const whole = wholeLog(log, archived.events);
	const runner = projectState(whole, { snapshots: false });
	const found = runner.at(moment.seq);
	const recalled = recalledFrom(archived, { ...whole.recalled });
	return { ...moment, ...found, state: ofSession(found, whole, moment.chosen), runner, recalled };
}

/** What one session has done: its events alone are folded. Decisions, the repository and the list of sessions are the project's. */
function ofSession({ seq, state }: StateAt<ProjectState>, log: WholeLog, session: string | undefined): ProjectState {
	if (session === undefined) return state;
	const own: WholeLog & StateLog = { ...log, recalled: log.recalled, read: (query) => log.read({ ...query, session }) };
	const { decisions, repo, sessions } = state;
	return { ...projectState(own, { snapshots: false }).at(seq).state, decisions, repo, sessions };
}
