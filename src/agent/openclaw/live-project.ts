/** The loop's part of a project in OpenClaw. The host makes an engine for every turn, so nothing here outlives one. */
import type { Engine } from "../../engine.ts";
import { LiveProject } from "../live/project.ts";
import type { RuntimeContext } from "./contract.ts";
import { OPENCLAW_PORT } from "./port.ts";
import { agentModel } from "./summariser.ts";

/** The host tells the user when upkeep takes ten seconds. */
const MODEL_CALL_MS = 7_000;

export interface OpenClawProject {
	readonly live: LiveProject;
	/** The agent's own model, while the host lends it: in upkeep only, and only if the settings say so. */
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
	const wantsModel = engine.settings.memoryModels === "session";
	const memoryModels = () => (wantsModel ? agentModel(project.lent, "weft: notes of the session") : []);
	const live = new LiveProject({
		...options,
		port: OPENCLAW_PORT,
		engine,
		memoryModels,
		modelCallMs: MODEL_CALL_MS,
	});
	const project: OpenClawProject = { live, lent: undefined };
	return project;
}
