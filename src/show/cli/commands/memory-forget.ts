import { oneLine } from "../../../base/text/printable.ts";
import { forgetMemory } from "../../../view/memory-by-hand.ts";
import { type Context, HOST } from "../context.ts";

export async function run(context: Context, [id = ""]: readonly string[]): Promise<void> {
	const { out } = context;
	const engine = context.openExisting();
	try {
		const hand = { now: context.now(), why: "command", by: { session: HOST, host: HOST } } as const;
		const { path, text } = forgetMemory(engine, id, hand);
		if (out.json) return await out.document({ id, text, path });
		await out.line(`Forgotten: ${oneLine(text)}`);
	} finally {
		engine.close();
	}
}
