import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { mayBeCommit } from "../../../ask/commit-text.ts";
import { readPlace } from "../../../ask/question.ts";
import { type ProjectState, projectState } from "../../../context/project-state.ts";
import type { Engine } from "../../../engine.ts";
import type { StateAt, StateRunner } from "../../../log/fold/state-runner.ts";
import { readArchived } from "../../../log/retention/archived-events.ts";
import { isTrusted } from "../../../settings/trust.ts";
import { findNamedSession, freshestSession } from "../../../state/session/find-session.ts";
import { diskFiles } from "../../../state/work/file-source.ts";
import { wholeLog } from "../../../state/work/whole-log.ts";
import { readCommitStory, renderCommitStory } from "../../../view/commit-story.ts";
import { readFileStory, renderFileStory } from "../../../view/file-story.ts";
import { readLineStory, renderLineStory } from "../../../view/line-story.ts";
import { type PrunedSources, recalledFrom, renderRecalled } from "../../../view/pruning.ts";
import { mapRepository, renderRepo } from "../../../view/repo.ts";
import { renderSkills, viewSkills } from "../../../view/skills.ts";
import { besideState, renderState, stateOfSession, viewState } from "../../../view/state.ts";
import type { CommandModule } from "../frame.ts";

export const stateCommand: CommandModule<"state"> = {
	async run({ context, engine, options }) {
		const moment = await wholeMoment(engine, momentOf(engine, options));
		const { recalled, chosen, isPast } = moment;
		const view = {
			...viewState(moment, chosen, isPast ? undefined : diskFiles(engine.project.root)),
			...(recalled && { recalled }),
		};
		const now = isPast ? (engine.log.get(moment.seq)?.ts ?? context.now()) : context.now();
		return {
			// The same data as the inspector's page Work.
			data: { ...view, ...(isPast ? {} : besideState(engine, view, chosen)) },
			lines: (out) => renderState(view, out, { now, all: "weft state --json" }),
			remarks: [
				...(recalled ? renderRecalled(recalled) : []),
				...(view.complete ? [] : ["Some older events were pruned. What only they held is missing here."]),
			],
		};
	},
};

export const whyCommand: CommandModule<"why"> = {
	async run({ context, engine, args: [file = ""] }) {
		const { path, line } = readPlace(file);
		if (line !== undefined) {
			const story = readLineStory(engine, path, line, context.cwd);
			return { data: story, lines: (out) => renderLineStory(story, out) };
		}
		if (mayBeCommit(file) && !existsSync(resolve(context.cwd, file))) {
			const story = await readCommitStory(engine, file);
			return { data: story, lines: (out) => renderCommitStory(story, out) };
		}
		const story = await readFileStory(engine, file, context.cwd);
		return {
			data: story,
			lines: (out) => renderFileStory(story, out),
			remarks: story.recalled ? renderRecalled(story.recalled) : [],
		};
	},
};

/** Opens the log only when there is a map to record. */
export const repoCommand: CommandModule<"repo"> = {
	async run({ context }) {
		let engine: Engine | undefined;
		try {
			const map = await mapRepository(context.root, () => {
				engine = context.openForWriting();
				return engine;
			});
			return { data: map, lines: (out) => renderRepo(map, out) };
		} finally {
			engine?.close();
		}
	},
};

export const skillsCommand: CommandModule<"skills"> = {
	run({ context }) {
		const { env, root, folder } = context;
		const userHome = env["HOME"] ?? homedir();
		const places = { cwd: folder, root, userHome, agentDir: env["PI_CODING_AGENT_DIR"] };
		const view = viewSkills(places, isTrusted(context.ownHome(), root));
		return { data: view, lines: (out) => renderSkills(view, out) };
	},
};

interface MomentOptions {
	/** A seq; undefined: now. */
	readonly at?: number | undefined;
	readonly session?: string | undefined;
	/** True: all sessions together. */
	readonly all?: boolean | undefined;
}

interface WholeStateMoment extends StateMoment {
	/** Where pruned events were read from; missing where the state needs none. */
	readonly recalled?: PrunedSources | undefined;
}

interface StateMoment extends StateAt<ProjectState> {
	readonly runner: StateRunner<ProjectState>;
	/** The session that was asked for. */
	readonly chosen: string | undefined;
	/** True: `--at` names a moment in the past. */
	readonly isPast: boolean;
}

/** The project's state at the moment and of the session that a command asks for. */
export function momentOf({ log }: Engine, options: MomentOptions): StateMoment {
	const { at } = options;
	const chosen = options.all ? undefined : (findNamedSession(log, options.session) ?? freshestSession(log))?.session;
	const runner = projectState(log);
	const found = at === undefined ? runner.current() : runner.at(at);
	const state = stateOfSession(found, wholeLog(log), chosen);
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
	return { ...moment, ...found, state: stateOfSession(found, whole, moment.chosen), runner, recalled };
}
