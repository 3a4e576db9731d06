import { EngineError } from "../../../base/error/engine-error.ts";
import { addMemory } from "../../../view/memory-by-hand.ts";
import { type Context, HOST } from "../context.ts";

const SECTION = "Facts";

export async function run(
	context: Context,
	words: readonly string[],
	options: { readonly section?: string },
): Promise<void> {
	const { out } = context;
	const text = words.join(" ").trim();
	if (text === "") throw new EngineError("usage", "Say what to remember: weft memory add TEXT.");
	const engine = context.openForWriting();
	try {
		const hand = { now: context.now(), why: "command", by: { session: HOST, host: HOST } } as const;
		const { path, ops } = addMemory(engine, { text, section: options.section ?? SECTION }, hand);
		const id = ops.at(-1)?.id;
		if (out.json) return await out.document({ id, path });
		await out.line(`${id}: written to ${path}`);
	} finally {
		engine.close();
	}
}
