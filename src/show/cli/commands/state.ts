import { diskFiles } from "../../../state/work/file-source.ts";
import { renderRecalled } from "../../../view/pruned-events.ts";
import { renderState, viewState } from "../../../view/state.ts";
import { besideState } from "../../../view/work-page.ts";
import type { Call, CommandResult } from "../frame.ts";
import { momentOf, wholeMoment } from "../state-moment.ts";

export async function run({ context, engine, options }: Call<"state">): Promise<CommandResult> {
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
}
