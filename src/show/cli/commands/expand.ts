import { EngineError } from "../../../base/error/engine-error.ts";
import { formatCount } from "../../../base/text/bytes.ts";
import { parseHandle } from "../../../state/history/handle.ts";
import { lcmExpand } from "../../../tool/expand.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import type { Output } from "../output.ts";

export interface ExpandOptions {
	readonly offset?: string;
	readonly maxTokens?: string;
	readonly depth?: string;
	readonly all?: boolean;
}

const MAX_TOKENS = 8_000;

/** What the tool of the same name gives a model: the bytes on stdout, the lines around them on stderr. */
export async function run(context: Context, [given = ""]: readonly string[], options: ExpandOptions): Promise<void> {
	const { out } = context;
	const negative = /^-\d+$/.test(options.offset ?? "");
	let offset = negative ? 0 : (wholeNumber("--offset", options.offset) ?? 0);
	const maxTokens = wholeNumber("--max-tokens", options.maxTokens, 1) ?? (options.all ? MAX_TOKENS : undefined);
	const depth = wholeNumber("--depth", options.depth, 1);
	const engine = context.openExisting();
	try {
		const { history } = engine;
		// A handle names its content by itself; the session only matters for what is said about it.
		const tool = { history, session: { session: "", host: "" }, now: context.now() };
		for (;;) {
			const args = { summary_id: given, offset, depth, max_tokens: maxTokens };
			const { text, details, isError } = await lcmExpand.run(tool, args);
			if (isError) throw unknownId(given);
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
	for (const line of aroundPage(details)) out.talk(out.paintTalk("dim", line));
}

/** What a person needs to know of a page, beside its bytes. */
function* aroundPage(details: Readonly<Record<string, unknown>>): Generator<string> {
	const number = (key: string): number => (typeof details[key] === "number" ? details[key] : 0);
	const [handle, offset, bytes] = [details["handle"], number("offset"), number("bytes")];
	const encoded = details["encoding"] === "base64" ? ", in base64" : "";
	// Of a summary only what a page needs was read: how long the rest is, is not known.
	const total = typeof details["total"] === "number" ? details["total"] : undefined;
	const isAll = offset === 0 && details["next"] === undefined;
	const part = `bytes ${offset} to ${offset + bytes}${total === undefined ? "" : ` of ${formatCount(total)}`}`;
	yield `${handle}: ${isAll ? `${formatCount(bytes)} bytes` : part}${encoded}`;
	if (typeof details["next"] === "number") yield `Continue with: weft expand ${handle} --offset ${details["next"]}`;
}

function unknownId(given: string): EngineError {
	const name = given.slice(0, 80);
	return parseHandle(given) === undefined
		? new EngineError(
				"not-found",
				`'${name}' is not an id. Ids begin with s- (summary), m- (message), b- (blob) or e- (event).`,
			)
		: new EngineError("not-found", `Nothing has the id '${name}' here. 'weft tree' and 'weft grep' show ids.`);
}
