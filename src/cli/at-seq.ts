/** `--at SEQ`, `--session ID`: which moment and whose view a command shows. */
import { type ProjectState, projectState } from "../context/project-state.ts";
import type { Engine } from "../engine.ts";
import type { StateAt, StateRunner } from "../fold/state.ts";
import { findSession } from "../view/session.ts";
import { wholeNumber } from "./arguments.ts";

export interface AtOptions {
	readonly at?: string;
	readonly session?: string;
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
	const state = at === undefined ? runner.current() : runner.at(at);
	return { ...state, runner, chosen, past: at !== undefined };
}
