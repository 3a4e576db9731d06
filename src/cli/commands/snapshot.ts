import { projectState } from "../../context/project-state.ts";
import { EngineError } from "../../error/engine-error.ts";
import { formatBytes, formatCount } from "../../text/bytes.ts";
import type { Context } from "../context.ts";

export async function run(context: Context): Promise<void> {
	const engine = context.openExisting();
	try {
		const { log } = engine;
		if (log.readOnly)
			throw new EngineError("read-only", `${log.folder} cannot be written to, so no snapshot was taken.`);
		const written = projectState(log).writeSnapshot();
		if (!written) throw new EngineError("not-found", "The log is empty: there is no state to write down.");
		if (context.out.json) return await context.out.document(written);
		await context.out.line(
			`State at event ${formatCount(written.seq)} written to ${written.path} (${formatBytes(written.bytes)}).`,
		);
	} finally {
		engine.close();
	}
}
