/**
 * What was this event, in one line? For timelines and lists. Reads payloads with care: another version may have written
 * them. Pure, and bounded whatever the event holds.
 */
import type { AnyPayload, EventRecord } from "../event/types.ts";
import { asList, asNumber, asObject, asText } from "../json/read.ts";
import { type CallBlock, type MessageView, viewMessage } from "../message/view.ts";
import { formatCount, plural } from "../text/bytes.ts";
import { oneLine } from "../text/printable.ts";
import { sliceUnits } from "../text/truncate.ts";

/** More than any terminal shows in a line; what is cut here need not be cleaned and measured. */
const MOST_UNITS = 400;
/** What a tool's call is about, by the names that tools give it. */
const TELLING_ARGUMENTS = ["path", "file_path", "command", "pattern", "query", "url", "description", "prompt"];

/** What an entry of a host is about, by the names that hosts give it. */
const TELLING_FIELDS = ["customType", "provider", "modelId", "thinkingLevel", "label", "name", "title", "summary"];

export function gist(record: EventRecord): string {
	return short(describe(record.type, record.payload));
}

function describe(type: string, payload: AnyPayload): string {
	const text = (key: string): string => asText(payload[key]) ?? "";
	const count = (key: string): number => asNumber(payload[key]) ?? 0;
	switch (type) {
		case "SessionStarted":
			return `in ${text("cwd")}${payload["parentSession"] ? `, forked from ${text("parentSession")}` : ""}`;
		case "UserIntent":
		case "Decision":
			return text("text");
		case "ToolCalled":
			return callGist({ tool: text("tool"), input: payload["input"] });
		case "ToolResult":
			return `${text("tool")}: ${text("status")}, ${plural(count("lines"), "line")}`;
		case "FileRead":
			return `${text("path")}:${count("from")}-${payload["to"] ?? ""}`;
		case "FileChanged":
			return `${text("path")}: ${text("kind")} +${count("added")} -${payload["removed"] ?? "?"}${byWhom(text("actor"))}`;
		case "CommandRun":
			return `${text("command")} → ${exitGist(payload["exit"])}, ${plural(count("lines"), "line")}`;
		case "TestStatus":
			return `${text("status")}: ${text("command")}${failedGist(asList(payload["failed"]).length)}`;
		case "RepoMap":
			return `${plural(count("files"), "file")} at ${text("head").slice(0, 10) || "no commit"}`;
		case "Custom":
			return payload["data"] === undefined ? text("name") : `${text("name")} ${JSON.stringify(payload["data"])}`;
		case "Message":
			return messageGist(viewMessage(payload));
		case "Entry":
			return entryGist(text("kind"), payload["raw"]);
		case "Summary":
			return `${text("node")} (D${count("depth")}, by ${text("model")}): ${text("topic")}`;
		case "Subagent":
			return `${text("child")} ${text("task")}`;
		case "Fault":
			return `${text("where")}: ${text("message")}`;
		case "Pruned":
			return `${plural(count("count"), "event")}, ${formatCount(count("first"))} to ${formatCount(count("last"))}, to ${text("archive")}`;
		default:
			return JSON.stringify(payload);
	}
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

function callGist({ tool, input }: Pick<CallBlock, "tool" | "input">): string {
	const fields = asObject(input) ?? {};
	const telling = TELLING_ARGUMENTS.find((name) => typeof fields[name] === "string");
	const argument = telling ? fields[telling] : Object.values(fields).find((value) => typeof value === "string");
	return `${tool} ${short(asText(argument) ?? "")}`.trimEnd();
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
	return oneLine(sliceUnits(text, MOST_UNITS));
}
