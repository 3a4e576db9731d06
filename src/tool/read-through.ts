/** Reads content to its end through `lcm_expand` alone, as a model would: proves that everything is reachable. */
import { EngineError } from "../base/error/engine-error.ts";
import { lcmExpand } from "./expand.ts";
import type { ToolContext } from "./types.ts";

export interface ReadThrough {
	readonly bytes: Buffer;
	readonly pages: number;
}

/** Joins the pages of a message, an event or a blob. */
export async function readThrough(context: ToolContext, handle: string, maxTokens = 8_000): Promise<ReadThrough> {
	const parts: Buffer[] = [];
	let offset = 0;
	for (;;) {
		const args = { summary_id: handle, max_tokens: maxTokens, offset };
		const { text, details, isError } = await lcmExpand.run(context, args);
		if (isError) throw new EngineError("not-found", text);
		parts.push(Buffer.from(between(text), details["encoding"] === "base64" ? "base64" : "utf8"));
		const next = details["next"];
		if (typeof next !== "number") return { bytes: Buffer.concat(parts), pages: parts.length };
		if (next <= offset) throw new EngineError("damaged", `The pages of ${handle} do not advance at byte ${offset}.`);
		offset = next;
	}
}

/** A page's text without its first and its last line. */
function between(text: string): string {
	return text.slice(text.indexOf("\n") + 1, text.lastIndexOf("\n"));
}
