import { oneOf } from "../arguments.ts";
import { completionScript, SHELLS } from "../completion.ts";
import type { Context } from "../context.ts";

export async function run({ out, commands }: Context, [shell]: readonly string[]): Promise<void> {
	const script = completionScript(oneOf("weft completion", shell, SHELLS)!, commands);
	if (out.json) return out.document({ shell, script });
	await out.text(script);
}
