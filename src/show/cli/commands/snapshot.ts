import { renderSnapshot, writeSnapshot } from "../../../view/upkeep.ts";
import type { Context } from "../context.ts";

export async function run(context: Context): Promise<void> {
	const { out } = context;
	const engine = context.openExisting();
	try {
		const written = writeSnapshot(engine.log);
		if (out.json) return await out.document(written);
		await out.line(renderSnapshot(written));
	} finally {
		engine.close();
	}
}
