import { diskFiles } from "../../../state/work/file-source.ts";
import { tellRecalled } from "../../../view/recall.ts";
import { renderState, viewState } from "../../../view/state.ts";
import { besideState } from "../../../view/work.ts";
import { type AtOptions, momentOf, wholeMoment } from "../at-seq.ts";
import type { Context } from "../context.ts";

export async function run(context: Context, _args: readonly string[], options: AtOptions): Promise<void> {
	const { out } = context;
	const engine = context.openExisting();
	try {
		const moment = await wholeMoment(engine, momentOf(engine, options));
		const { recalled } = moment;
		const view = {
			...viewState(moment, moment.chosen, moment.past ? undefined : diskFiles(engine.project.root)),
			...(recalled && { recalled }),
		};
		if (out.json) {
			// As the inspector's page Work has it.
			const beside = moment.past ? {} : besideState(engine, view, moment.chosen);
			return await out.document({ ...view, ...beside });
		}
		const now = moment.past ? (engine.log.get(moment.seq)?.ts ?? context.now()) : context.now();
		await out.lines(renderState(view, out, { now, all: "weft state --json" }));
		for (const line of recalled ? tellRecalled(recalled) : []) out.talk(line);
		if (!view.complete) out.talk("Some older events were pruned. What only they told is missing here.");
	} finally {
		engine.close();
	}
}
