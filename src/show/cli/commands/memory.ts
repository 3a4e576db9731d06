import { findSession } from "../../../state/session/find-session.ts";
import { renderMemory, viewMemory } from "../../../view/memory.ts";
import type { Context } from "../context.ts";

/** `weft memory` and `weft memory show`. */
export async function run(
	context: Context,
	_args: readonly string[],
	options: { readonly session?: string },
): Promise<void> {
	const { out } = context;
	const engine = context.openExisting();
	try {
		const session = options.session === undefined ? undefined : findSession(engine.log, options.session);
		const view = viewMemory(engine, session);
		if (out.json) return await out.document(view);
		await out.lines(renderMemory(view, out));
	} finally {
		engine.close();
	}
}
