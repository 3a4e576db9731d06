import { EngineError } from "../../../base/error/engine-error.ts";
import { formatCount, plural } from "../../../base/text/bytes.ts";
import type { Compaction } from "../../../state/history/compact.ts";
import { DETERMINISTIC } from "../../../state/history/deterministic/summarise.ts";
import { parseHandle } from "../../../state/history/handle.ts";
import { HISTORY_DEFAULTS } from "../../../state/history/types.ts";
import { EVERYONE } from "../../../state/session/scope.ts";
import { lcmDescribe } from "../../../tool/describe.ts";
import { lcmExpand } from "../../../tool/expand.ts";
import { coverageLine, describeHistory, historyReport, renderTree, viewTree } from "../../../view/history.ts";
import { compactionsOf } from "../../../view/now-page.ts";
import { SessionRequests } from "../../../view/requests.ts";
import { shortSession } from "../../../view/short-session.ts";
import type { CommandModule } from "../frame.ts";
import { untilInterrupted } from "../interrupt.ts";
import type { Output } from "../output.ts";
import { Progress } from "../progress.ts";

export const treeCommand: CommandModule<"tree"> = {
	run({ engine, session, options: { levels } }) {
		const tree = viewTree(engine.history, session, { levels });
		const { session: id, host } = session;
		const requests = new SessionRequests(engine.history, { session: id, host });
		return {
			data: { ...tree, compactions: compactionsOf(requests.rows()) },
			lines: (out) => renderTree(tree, out),
		};
	},
};

const SECTIONS = ["overview", "recent", "earliest"];

/** With --json it prints what the tool lcm_describe gives a model. */
export const describeCommand: CommandModule<"describe"> = {
	async run({ context, out, engine, session, args }) {
		const [part = "overview"] = args;
		const { history } = engine;
		if (!out.json) return { data: null, lines: () => describeHistory(history, session, part, out) };
		const asked = SECTIONS.includes(part) ? { section: part } : { section: "by_id", summary_id: part };
		const { text, details, isError } = await lcmDescribe.run(
			{ history, session, scope: EVERYONE, now: context.now() },
			asked,
		);
		if (isError) throw new EngineError("not-found", text);
		return { data: { ...details, text } };
	},
};

const MAX_PAGE_TOKENS = 8_000;

/** Prints what the tool lcm_expand gives a model: the bytes on stdout, the lines around them on stderr. */
export const expandCommand: CommandModule<"expand"> = {
	async run({ context, out, engine, args: [given = ""], options }) {
		const { depth, all } = options;
		const maxTokens = options.maxTokens ?? (all ? MAX_PAGE_TOKENS : undefined);
		const { history } = engine;
		// A handle names its content by itself; the session only matters for what is said about it.
		const tool = { history, session: { session: "", host: "" }, scope: EVERYONE, now: context.now() };
		for (let offset = options.offset ?? 0; ; ) {
			const args = { summary_id: given, offset, depth, max_tokens: maxTokens };
			const { text, details, isError } = await lcmExpand.run(tool, args);
			if (isError) throw unknownId(given);
			const next = details["next"];
			await show(out, text, details, { isLast: !all || typeof next !== "number" });
			if (!all || typeof next !== "number") return;
			offset = next;
		}
	},
};

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

export const compactCommand: CommandModule<"compact"> = {
	check({ options: { model } }) {
		if (model === undefined || model === DETERMINISTIC) return;
		throw new EngineError(
			"refused",
			`The command line cannot ask the model '${model}': only an agent can. Omit --model to write summaries without a model.`,
		);
	},
	async run({ out, engine, session, options }) {
		const progress = new Progress(out.progressStream);
		try {
			const { compacted, leaves, condensed, ended } = await untilInterrupted<Compaction>((signal) =>
				engine.compact({
					session,
					settings: { ...engine.settings, keepTokens: options.keep ?? HISTORY_DEFAULTS.keepTokens },
					signal,
					onProgress: (done, total) => progress.show(() => `summarising: ${done} of ${total}`),
				}),
			);
			const history = historyReport(engine.history, session);
			const name = shortSession(session.session);
			const written = `${plural(leaves.length, "summary", "summaries")} of messages and ${condensed.length} of summaries`;
			return {
				data: { compacted, ended, leaves, condensed, model: DETERMINISTIC, history },
				lines: () => [
					compacted
						? `${name}: wrote ${written}.`
						: `${name}: nothing to do. Everything before the tail is summarised.`,
					coverageLine(history),
				],
				remarks: [
					...(ended === "done" ? [] : [`It ended early (${ended}). Its summaries are kept; run it again to continue.`]),
					"Written without a model: the command line has none. 'weft tree' shows the result.",
				],
			};
		} finally {
			progress.clear();
		}
	},
};
