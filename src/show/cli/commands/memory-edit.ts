import { EngineError } from "../../../base/error/engine-error.ts";
import { editMemory } from "../../../view/memory-by-hand.ts";
import { type Context, HOST } from "../context.ts";

export async function run(context: Context, [id = "", ...words]: readonly string[]): Promise<void> {
	const { out } = context;
	const text = words.join(" ").trim();
	if (text === "") throw new EngineError("usage", "Say what it should be: weft memory edit ID TEXT.");
	const engine = context.openExisting();
	try {
		const hand = { now: context.now(), why: "command", by: { session: HOST, host: HOST } } as const;
		const { path, ops } = editMemory(engine, id, text, hand);
		const next = ops.at(-1)?.id;
		if (out.json) return await out.document({ id: next, replaces: id, path });
		await out.line(`${next}: written to ${path}, in place of ${id}`);
	} finally {
		engine.close();
	}
}
