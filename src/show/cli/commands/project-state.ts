import { homedir } from "node:os";
import type { Engine } from "../../../engine.ts";
import { isTrusted } from "../../../settings/trust.ts";
import { diskFiles } from "../../../state/work/file-source.ts";
import { readFileStory, renderFileStory } from "../../../view/file-story.ts";
import { renderRecalled } from "../../../view/pruned-events.ts";
import { mapRepository, renderRepo } from "../../../view/repo.ts";
import { renderSkills, viewSkills } from "../../../view/skills.ts";
import { renderState, viewState } from "../../../view/state.ts";
import { besideState } from "../../../view/work-page.ts";
import type { CommandModule } from "../frame.ts";
import { momentOf, wholeMoment } from "../state-moment.ts";

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
