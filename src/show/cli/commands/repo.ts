import type { Engine } from "../../../engine.ts";
import { mapRepository, renderRepo } from "../../../view/repo.ts";
import type { Call, CommandResult } from "../frame.ts";

/** Opens the log only when there is a map to record. */
export async function run({ context }: Call<"repo">): Promise<CommandResult> {
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
}
