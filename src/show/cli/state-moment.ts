/** The project's state at the moment and of the session that a command asks for. */
import { type ProjectState, projectState } from "../../context/project-state.ts";
import type { Engine } from "../../engine.ts";
import type { StateAt, StateLog, StateRunner } from "../../log/fold/state-runner.ts";
import { readArchived } from "../../log/retention/archived-events.ts";
import { findNamedSession } from "../../state/session/find-session.ts";
import { type WholeLog, wholeLog } from "../../state/work/whole-log.ts";
import { type PrunedSources, recalledFrom } from "../../view/pruned-events.ts";

export interface MomentOptions {
	/** A seq; undefined: now. */
	readonly at?: number | undefined;
	readonly session?: string | undefined;
}

export interface WholeStateMoment extends StateMoment {
	/** Where pruned events were read from; missing where the state needs none. */
	readonly recalled?: PrunedSources | undefined;
}

export interface StateMoment extends StateAt<ProjectState> {
	readonly runner: StateRunner<ProjectState>;
	/** The session that was asked for. */
	readonly chosen: string | undefined;
	/** True: `--at` names a moment in the past. */
	readonly isPast: boolean;
}

export function momentOf({ log }: Engine, options: MomentOptions): StateMoment {
	const { at } = options;
	const chosen = findNamedSession(log, options.session)?.session;
	const runner = projectState(log);
	const found = at === undefined ? runner.current() : runner.at(at);
	const state = ofSession(found, wholeLog(log), chosen);
	return { ...found, state, runner, chosen, isPast: at !== undefined };
}

/** The same moment with the events that were pruned before it, from the archives or derived again from the messages. */
export async function wholeMoment({ log }: Engine, moment: StateMoment): Promise<WholeStateMoment> {
	if (moment.complete) return moment;
	const archived = await readArchived(log, { upTo: moment.seq });
	const whole = wholeLog(log, archived.events);
	const runner = projectState(whole, { snapshots: false });
	const found = runner.at(moment.seq);
	const recalled = recalledFrom(archived, { ...whole.recalled });
	return { ...moment, ...found, state: ofSession(found, whole, moment.chosen), runner, recalled };
}

/** Folds the events of one session alone. Decisions, the repository and the list of sessions stay the project's. */
function ofSession({ seq, state }: StateAt<ProjectState>, log: WholeLog, session: string | undefined): ProjectState {
	if (session === undefined) return state;
	const own: WholeLog & StateLog = { ...log, recalled: log.recalled, read: (query) => log.read({ ...query, session }) };
	const { decisions, repo, sessions } = state;
	return { ...projectState(own, { snapshots: false }).at(seq).state, decisions, repo, sessions };
}
