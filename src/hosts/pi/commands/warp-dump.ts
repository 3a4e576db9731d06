import { projectState } from "../../../context/project-state.ts";
import { viewState } from "../../../view/state-view.ts";
import type { Asked } from "./asked.ts";

export async function run({ live }: Asked): Promise<string> {
	const view = viewState(projectState(live.engine.log).current(), live.session.session);
	return JSON.stringify(view, null, 2);
}
