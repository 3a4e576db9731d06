import { EngineError } from "../../../base/error/engine-error.ts";
import { formatCount } from "../../../base/text/bytes.ts";
import { parseHandle } from "../../../state/history/handle.ts";
import { lcmExpand } from "../../../tool/expand.ts";
import type { Call } from "../frame.ts";
import type { Output } from "../output.ts";

const MAX_PAGE_TOKENS = 8_000;

/** Prints what the tool lcm_expand gives a model: the bytes on stdout, the lines around them on stderr. */
export async function run({ context, out, engine, args: [given = ""], options }: Call<"expand">): Promise<void> {
	const { depth, all } = options;
	const maxTokens = options.maxTokens ?? (all ? MAX_PAGE_TOKENS : undefined);
	const { history } = engine;
	// A handle names its content by itself; the session only matters for what is said about it.
	const tool = { history, session: { session: "", host: "" }, now: context.now() };
	for (let offset = options.offset ?? 0; ; ) {
		const args = { summary_id: given, offset, depth, max_tokens: maxTokens };
		const { text, details, isError } = await lcmExpand.run(tool, args);
		if (isError) throw unknownId(given);
		const next = details["next"];
		await show(out, text, details, { isLast: !all || typeof next !== "number" });
		if (!all || typeof next !== "number") return;
		offset = next;
	}
}

async function show(
	out: Output,
	text: string,
	details: Readonly<Record<string, unknown>>,
	{ isLast }: { readonly isLast: boolean },
): Promise<void> {
	const [start, end] = [text.indexOf("\n") + 1, text.lastIndexOf("\n")];
	const content = text.slice(start, end);
	if (out.json) return await out.document({ ...details, next: details["next"] ?? null, text: content });
	// Adds no byte through a pipe, so pages can be joined.
	await out.text(out.isTerminal ? `${content}\n` : content);
	if (!isLast) return;
	for (const line of aroundPage(details)) out.talk(out.paintTalk("dim", line));
}

/** Which bytes a page holds, and how to fetch the next. */
function* aroundPage(details: Readonly<Record<string, unknown>>): Generator<string> {
	const number = (key: string): number => (typeof details[key] === "number" ? details[key] : 0);
	const [handle, offset, bytes] = [details["handle"], number("offset"), number("bytes")];
	const encoded = details["encoding"] === "base64" ? ", in base64" : "";
	// Of a summary only what the page needs was read, so its total length is unknown.
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
