/**
 * Renders an event in one line, for timelines and lists. Reads payloads defensively, because another version may have written
 * them. Pure, and bounded for any event.
 */
import { describeDiff } from "../base/diff/diff-words.ts";
import { asList, asNumber, asObject, asText } from "../base/json/read.ts";
import { formatCount, plural } from "../base/text/bytes.ts";
import { cutStart } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import type { AnyPayload, EventRecord, KnownType } from "../log/event/types.ts";
import { type CallBlock, type MessageView, viewMessage } from "../message/view.ts";

/** More than any terminal shows in a line. Cutting early saves cleaning and measuring the rest. */
const MAX_UNITS = 400;
/** Arguments that say what a tool call is about, by the names that tools use. */
const TELLING_ARGUMENTS = ["path", "file_path", "command", "pattern", "query", "url", "description", "prompt"];

/** Fields that say what an agent's entry is about, by the names that agents use. */
const TELLING_FIELDS = ["customType", "provider", "modelId", "thinkingLevel", "label", "name", "title", "summary"];

const MAX_NAMES = 6;

/** The operations of a patch, in words. */
const OPERATIONS: ReadonlyMap<string, string> = new Map(
	Object.entries({
		system_part_set: "sets a system part",
		system_part_remove: "removes a system part",
		system_parts_replace: "replaces the system parts",
		tools_replace: "replaces the tools",
		tools_remove: "removes tools",
		options_set: "sets options",
		messages_cached_replace: "replaces messages",
		messages_uncached_append: "adds messages for one request",
		tail_set: "sets the messages for one request",
		items_drop: "drops messages",
		item_replace: "replaces a message",
		compaction_apply: "puts a summary in place of messages",
		epoch_seal: "seals the epoch",
	}),
);

export function gist({ type, payload, wrong }: EventRecord): string {
	if (wrong !== undefined) return short(`! ${wrong}`);
	const describe = Object.hasOwn(GISTS, type) ? GISTS[type as KnownType] : describeUnknown;
	return short(describe(new PayloadReader(payload)));
}

/** Reads a payload defensively. */
class PayloadReader {
	readonly payload: AnyPayload;

	constructor(payload: AnyPayload) {
		this.payload = payload;
	}

	text(key: string): string {
		return asText(this.payload[key]) ?? "";
	}

	count(key: string): number {
		return asNumber(this.payload[key]) ?? 0;
	}

	list(key: string): readonly unknown[] {
		return asList(this.payload[key]);
	}

	inner(key: string): PayloadReader {
		return new PayloadReader(asObject(this.payload[key]) ?? {});
	}
}

const KEPT_BEFORE: Readonly<Record<string, string>> = {
	command: "a command",
	run: "the run's first change",
	rewind: "a rewind",
};

const GISTS: Readonly<Record<KnownType, (of: PayloadReader) => string>> = {
	SessionStarted: (of) =>
		`in ${of.text("cwd")}${after(", forked from ", of.text("parentSession"))}${after(", with ", namesGist(of.list("tools")))}`,
	UserIntent: (of) => of.text("text"),
	ToolCalled: (of) => callGist({ tool: of.text("tool"), input: of.payload["input"] }),
	ToolResult: (of) => `${of.text("tool")}: ${of.text("status")}, ${plural(of.count("lines"), "line")}`,
	FileRead: (of) => `${of.text("path")}:${of.count("from")}-${asNumber(of.payload["to"]) ?? ""}`,
	FileChanged: (of) =>
		`${of.text("path")}: ${of.text("kind")} +${of.count("added")} -${asNumber(of.payload["removed"]) ?? "?"}${byWhom(of.text("actor"))}${after(", ", describeDiff(of.text("diff")))}`,
	CommandRun: (of) => `${of.text("command")} → ${exitGist(of.payload["exit"])}, ${plural(of.count("lines"), "line")}`,
	TestStatus: (of) => `${of.text("status")}: ${of.text("command")}${failedGist(of.list("failed").length)}`,
	ThreadMark: (of) => `${of.text("mark")} ${of.text("item")}`,
	ThreadOps: (of) => {
		const note = of.text("note") === "" ? "" : "a note at a seal, ";
		return `${note}${plural(of.list("ops").length, "operation")}, ${of.list("refused").length} refused, by ${of.text("by")}`;
	},
	Decision: (of) => of.text("text") + after(" (", of.text("rationale"), ")"),
	RepoMap: (of) => `${plural(of.count("files"), "file")} at ${of.text("head").slice(0, 10) || "no commit"}`,
	Custom: (of) => of.text("name") + after(": ", dataGist(of.payload["data"])),
	FilesKept: (of) =>
		`${plural(of.list("files").length, "file")} in ${of.text("path")}, before ${KEPT_BEFORE[of.text("why")] ?? of.text("why")}${after(": ", of.text("command"))}`,
	Message: (of) => messageGist(viewMessage(of.payload)),
	Entry: (of) => entryGist(of.text("kind"), of.payload["raw"]),
	ForeignLine: (of) => `line ${of.payload["line"]}, ${of.text("why")}: ${of.text("text") || of.text("of")}`,
	Summary: (of) => `${of.text("node")} (D${of.count("depth")}, by ${of.text("model")}): ${of.text("topic")}`,
	Transform: transformGist,
	Request: requestGist,
	Subagent: (of) => of.text("child") + after(": ", of.text("task")),
	Verdict: verdictGist,
	Fault: (of) => `${of.text("where")} failed (${of.text("code")}): ${of.text("message")}`,
	Pruned: (of) =>
		`${plural(of.count("count"), "event")}, ${formatCount(of.count("first"))} to ${formatCount(of.count("last"))}, to ${of.text("archive")}`,
	Seal: (of) =>
		`${of.text("why")}: ${plural(of.count("left"), "message")} left the context, ${formatCount(of.count("tokensBefore"))} → ${formatCount(of.count("tokensAfter"))} tokens`,
	MemoryWrite: memoryGist,
	ResolvedElsewhere: (of) =>
		`${of.text("failure")}: by ${of.text("person")} on ${of.text("machine")}, ${of.text("handle")}`,
	UsageRaised: (of) =>
		`the agent was told ${formatCount(of.count("tokens"))} tokens more than it used, so that it compacts (${of.text("why")})`,
	Consolidation: (of) =>
		of.text("state") === "owed"
			? `owed: ${of.text("why")}`
			: `done by ${of.text("by")}, up to seq ${formatCount(of.count("upTo"))}`,
	Given: (of) =>
		`${of.text("text").length > 0 ? `${formatCount(of.text("text").length)} characters beside the messages` : "with the message"}`,
	Job: (of) => `${of.text("job")}: ${of.text("outcome")}${after(", by ", of.text("model"))}`,
};

/** Another version wrote the event: its field names say where to look. */
function describeUnknown({ payload }: PayloadReader): string {
	const names = Object.keys(payload);
	return `unknown to this version of weft${after("; it holds ", someOf(names))}`;
}

function transformGist(of: PayloadReader): string {
	const operations = of.list("patch").map((each) => asText(asObject(each)?.["op"]) ?? "");
	const said = [...new Set(operations)].map((op) => OPERATIONS.get(op) ?? op);
	const { title, summary } = { title: of.inner("display").text("title"), summary: of.inner("display").text("summary") };
	const what = title + after(": ", summary) || someOf(said) || "changes nothing";
	return `${of.text("transformerName")} (${of.text("reason").replaceAll("_", " ")}): ${what}`;
}

function memoryGist(of: PayloadReader): string {
	const ops = of.list("ops").map((each) => new PayloadReader(asObject(each) ?? {}));
	const count = (op: string) => ops.filter((each) => each.text("op") === op).length;
	const counts = [
		[count("add"), "new"],
		[count("supersede"), "changed"],
		[count("invalidate"), "gone"],
		[count("confirm"), "confirmed"],
	] as const;
	const said = counts.flatMap(([number, what]) => (number > 0 ? [`${formatCount(number)} ${what}`] : [])).join(", ");
	const file = `${of.text("file").toUpperCase() || "memory"}.md`;
	return `${file}, revision ${of.count("revision")} (${of.text("why")}): ${said || "nothing new"}${after("; ", ops.at(-1)?.text("text") ?? "")}`;
}

function requestGist(of: PayloadReader): string {
	const tokens = of
		.list("segments")
		.reduce<number>((sum, each) => sum + (asNumber(asObject(each)?.["tokens"]) ?? 0), 0);
	const fresh = of.list("items").length;
	const messages = `${plural(of.count("kept") + fresh, "message")} (${formatCount(fresh)} new)`;
	const where = after(", to ", of.text("model")) + after(", mode ", of.text("mode"));
	const difference = of.inner("difference");
	const again = difference.count("tokens");
	const reasons = someOf(of.list("reasons").map((reason) => asText(reason) ?? ""));
	const broke =
		again === 0
			? ""
			: `; ${plural(again, "token")} written again, from the ${difference.text("segment")} on${after(" (", reasons, ")")}`;
	return `${messages}, about ${plural(tokens, "token")}${where}${broke}`;
}

function verdictGist(of: PayloadReader): string {
	const [verdict, tool, path] = [of.text("verdict"), of.text("tool"), of.text("path")];
	const rule = `(${of.text("rule")}${of.text("mode") === "report" ? ", only reported" : ""})`;
	if (verdict === "refresh") return `${path || tool} counts as seen ${rule}`;
	const said = { block: "blocked", warn: "warned about" }[verdict] ?? verdict;
	return `${said} ${tool}${after(" ", path)} ${rule}${after(": ", of.text("reason"))}`;
}

/** A user's own data, in words: `to: staging, count: 3`. */
function dataGist(data: unknown): string {
	if (data === undefined) return "";
	const fields = asObject(data);
	if (fields)
		return Object.entries(fields)
			.map(([name, value]) => `${short(name)}: ${valueGist(value)}`)
			.join(", ");
	return Array.isArray(data) ? data.slice(0, MAX_NAMES).map(valueGist).join(", ") : valueGist(data);
}

function valueGist(value: unknown): string {
	if (Array.isArray(value)) return plural(value.length, "item");
	if (asObject(value)) return "…";
	return short(String(value));
}

function someOf(words: readonly string[]): string {
	return words.slice(0, MAX_NAMES).map(short).join(", ") + (words.length > MAX_NAMES ? ", …" : "");
}

/** The text after its lead, or nothing. */
function after(lead: string, text: string, end = ""): string {
	return text === "" ? "" : `${lead}${text}${end}`;
}

function messageGist(view: MessageView): string {
	const parts: string[] = [];
	for (const block of view.blocks) {
		if (block.kind === "text") parts.push(short(block.text));
		else if (block.kind === "image") parts.push("[image]");
		else if (block.kind === "call") parts.push(`→ ${callGist(block)}`);
		else if (block.kind === "result") parts.push(`${block.isError ? "error: " : ""}${short(block.text)}`);
		else if (block.kind === "thinking") parts.push("[thinking]");
		else parts.push(`[${block.name}]`);
	}
	if (view.command) parts.push(`! ${short(view.command.command)} → ${exitGist(view.command.exit)}`);
	const who = view.tool ? `${view.role} ${view.tool}` : view.role;
	return `${who}: ${parts.join(" ")}`;
}

function entryGist(kind: string, raw: unknown): string {
	const fields = asObject(raw) ?? {};
	const telling = TELLING_FIELDS.map((name) => asText(fields[name])).filter((value) => value !== undefined);
	return telling.length > 0 ? `${kind}: ${telling.map(short).join(" ")}` : kind;
}

export function callGist({ tool, input }: Pick<CallBlock, "tool" | "input">): string {
	const fields = asObject(input) ?? {};
	const telling = TELLING_ARGUMENTS.find((name) => typeof fields[name] === "string");
	const argument = telling ? fields[telling] : Object.values(fields).find((value) => typeof value === "string");
	return `${tool} ${short(asText(argument) ?? "")}`.trimEnd();
}

function namesGist(names: readonly unknown[]): string {
	return someOf(names.flatMap((name) => asText(name) ?? []));
}

function exitGist(exit: unknown): string {
	return typeof exit === "number" ? `exit ${exit}` : "exit unknown";
}

function failedGist(failed: number): string {
	return failed > 0 ? `, ${formatCount(failed)} failed` : "";
}

function byWhom(actor: string): string {
	return actor === "" || actor === "agent" ? "" : `, by ${actor === "other" ? "somebody else" : `the ${actor}`}`;
}

function short(text: string): string {
	return oneLine(cutStart(text, MAX_UNITS));
}
