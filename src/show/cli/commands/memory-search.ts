import { EngineError } from "../../../base/error/engine-error.ts";
import { renderFound, searchMemory } from "../../../view/memory.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";

export async function run(context: Context, words: readonly string[]): Promise<ExitCode> {
	const { out } = context;
	if (words.join("").trim() === "") throw new EngineError("usage", "Say what to look for: weft memory search WORD.");
	const engine = context.openExisting();
	try {
		const found = searchMemory(engine, words.join(" ").trim().split(/\s+/));
		if (out.json) await out.document(found);
		else await out.lines(renderFound(found, out));
		return found.bullets.length > 0 ? EXIT.ok : EXIT.failed;
	} finally {
		engine.close();
	}
}
