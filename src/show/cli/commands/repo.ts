import type { Engine } from "../../../engine.ts";
import { mapRepository, renderRepo } from "../../../view/repo.ts";
import type { Context } from "../context.ts";

export async function run(context: Context): Promise<void> {
	const { out } = context;
	let engine: Engine | undefined;
	try {
		const map = await mapRepository(context.root, () => {
			engine = context.openForWriting();
			return engine;
		});
		if (out.json) return await out.document(map);
		await out.lines(renderRepo(map, out));
	} finally {
		engine?.close();
	}
}
