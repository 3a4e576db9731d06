/** The live project behind one engine. A host makes an engine for each turn, so nothing here outlives a turn. */
import type { Engine } from "../../engine.ts";
import { keyedModels } from "../live/keyed-models.ts";
import type { LentModels } from "../live/memory-models.ts";
import { LiveProject } from "../live/project.ts";
import type { RuntimeContext } from "./contract.ts";
import { agentModel } from "./host-model.ts";
import { OPENCLAW_PORT } from "./port.ts";

/** The host tells the user when upkeep takes ten seconds. */
const MODEL_CALL_MS = 7_000;

export interface OpenClawProject {
	readonly live: LiveProject;
	/** The agent's own model while the host lends it: only in upkeep, and only if the settings allow it. */
	lent: RuntimeContext["llm"];
}

export function openClawProject(
	engine: Engine,
	options: {
		readonly env?: NodeJS.ProcessEnv | undefined;
		readonly now: () => number;
		readonly onFault: (where: string, error: unknown) => void;
	},
): OpenClawProject {
	const lentModels = (): LentModels => {
		const [own] = agentModel(project.lent, "weft: notes of the session");
		return {
			named: keyedModels(engine.settings.compactionModels, options.env ?? process.env, engine.project.root),
			isChosen: false,
			own,
		};
	};
	const live = new LiveProject({
		...options,
		port: OPENCLAW_PORT,
		engine,
		lentModels,
		modelCallMs: MODEL_CALL_MS,
	});
	const project: OpenClawProject = { live, lent: undefined };
	return project;
}
