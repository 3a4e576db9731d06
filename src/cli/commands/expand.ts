import { EngineError } from "../../error/engine-error.ts";
import { lcmExpand } from "../../tool/expand.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import type { Output } from "../output.ts";

export interface ExpandOptions {
	readonly offset?: string;
	readonly maxTokens?: string;
	readonly depth?: string;
	readonly all?: boolean;
}

const MOST_TOKENS = 8_000;

/** What the tool of the same name gives a model: the bytes on stdout, the lines around them on stderr. */
export async function run(context: Context, [handle = ""]: readonly string[], options: ExpandOptions): Promise<void> {
	const { out } = context;
	const negative = /^-\d+$/.test(options.offset ?? "");
	let offset = negative ? 0 : (wholeNumber("--offset", options.offset) ?? 0);
	const maxTokens = wholeNumber("--max-tokens", options.maxTokens, 1) ?? (options.all ? MOST_TOKENS : undefined);
	const depth = wholeNumber("--depth", options.depth, 1);
	const engine = context.openExisting();
	try {
		const { history } = engine;
		// A handle names its content by itself; the session only matters for what is said about it.
		const tool = { history, session: { session: "", host: "" }, now: context.now() };
		for (;;) {
			const args = { summary_id: handle, offset, depth, max_tokens: maxTokens };
			const { text, details, isError } = await lcmExpand.run(tool, args);
			if (isError) throw new EngineError("not-found", text);
			const next = details["next"];
			await show(out, text, details, { whole: options.all === true && typeof next === "number" });
			if (!options.all || typeof next !== "number") return;
			offset = next;
		}
	} finally {
		engine.close();
	}
}

async function show(
	out: Output,
	text: string,
	details: Readonly<Record<string, unknown>>,
	{ whole }: { readonly whole: boolean },
): Promise<void> {
	const [start, end] = [text.indexOf("\n") + 1, text.lastIndexOf("\n")];
	const content = text.slice(start, end);
	if (out.json) return await out.document({ ...details, next: details["next"] ?? null, text: content });
	// Through a pipe not a byte is added: pages can be joined.
	await out.text(out.isTerminal ? `${content}\n` : content);
	if (whole) return;
	out.talk(out.paintTalk("dim", text.slice(0, start).trim()));
	out.talk(out.paintTalk("dim", text.slice(end + 1)));
}
