/**
 * Derives events from a message: calls, results, files read and changed, commands, the user's request. Live and recorded
 * sessions share it. A derived event names its message as its cause and holds none of its text.
 */
import { writeDiff } from "../../base/diff/unified.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { asInteger, asName, asObject, asText } from "../../base/json/read.ts";
import { cutStart } from "../../base/text/cut.ts";
import { countLines } from "../../base/text/lines.ts";
import type { GivenPayload, KnownType, MessageRef } from "../../log/event/types.ts";
import type { CallBlock, MessageView, ResultBlock } from "../../message/view.ts";
import type { Calls, SessionCall } from "./calls.ts";
import { changesBy, type FileChange } from "./file-change.ts";
import { foldIntent, intentOf, type OwnWords } from "./intent.ts";
import { type ParsedNotes, readReaderNotes } from "./reader-notes.ts";
import { sessionPath } from "./session-path.ts";
import { commandsOf, isScript, pathIn } from "./shell-command.ts";
import { findShownSlice, printedSlices } from "./shown-slice.ts";
import { changesFiles, type ToolClasses, toolClass } from "./tool-class.ts";

type DerivedType = Extract<
	KnownType,
	"UserIntent" | "ToolCalled" | "ToolResult" | "FileRead" | "FileChanged" | "CommandRun" | "Subagent"
>;

export type DerivedEvent = {
	[T in DerivedType]: {
		readonly type: T;
		readonly payload: GivenPayload<T>;
		readonly entry: string;
		readonly cause: MessageRef;
	};
}[DerivedType];

export interface DeriveContext {
	/** The agent's id of the message. */
	readonly entry: string;
	/** The session's folder. */
	readonly cwd: string | undefined;
	/** The session's calls so far. Deriving adds this message's. */
	readonly calls: Calls;
	/** Classes of tools beyond the built-in ones. */
	readonly classes?: ToolClasses | undefined;
	/** SHA-256 of a result's text before it was bounded, by call id. */
	readonly blobOf?: ((callId: string) => string | undefined) | undefined;
	/** Removes what the agent puts around the user's words. */
	readonly ownWords?: OwnWords | undefined;
}

const MAX_COMMAND_CHARS = 2_000;

export function deriveEvents(view: MessageView, context: DeriveContext): DerivedEvent[] {
	const derived = new Derivation(context.entry);
	const intent = intentOf(view, context.ownWords);
	if (intent !== undefined) derived.add("UserIntent", { text: intent });
	if (view.command) derived.add("CommandRun", userCommand(view.command, context.entry));
	for (const block of view.blocks) {
		if (block.kind === "call") deriveCall(block, context, derived);
		else if (block.kind === "result") deriveResult(block, context, derived);
	}
	return derived.events;
}

/** Names each event: the message's entry, then the call's id, then a number for the second and later ones of a kind. */
class Derivation {
	readonly events: DerivedEvent[] = [];
	readonly #entry: string;
	readonly #given = new Map<string, number>();

	constructor(entry: string) {
		this.#entry = entry;
	}

	add<T extends DerivedType>(type: T, payload: GivenPayload<T>, callId?: string): void {
		const name = callId === undefined ? this.#entry : `${this.#entry}/${callId}`;
		const key = `${type} ${name}`;
		const count = (this.#given.get(key) ?? 0) + 1;
		this.#given.set(key, count);
		const entry = count === 1 ? name : `${name}/${count}`;
		this.events.push({ type, payload, entry, cause: { message: this.#entry } } as DerivedEvent);
	}
}

function deriveCall(block: CallBlock, context: DeriveContext, derived: Derivation): void {
	const outline = outlineInput(block.input);
	const call: SessionCall = {
		tool: block.tool,
		class: toolClass(block.tool, context.classes),
		input: asObject(block.input) ?? {},
	};
	context.calls.open(block.id, call, outline);
	derived.add("ToolCalled", { tool: block.tool, callId: block.id, input: outline }, block.id);
}

function deriveResult(block: ResultBlock, context: DeriveContext, derived: Derivation): void {
	const known = context.calls.get(block.callId);
	const tool = block.tool ?? known?.tool ?? "";
	const call = known ?? { tool, class: toolClass(tool, context.classes), input: {} };
	const of = { tool, callId: block.callId };
	const size = { chars: block.text.length, lines: countLines(block.text) };
	const blob = context.blobOf?.(block.callId);
	const status = block.isError ? "error" : "ok";
	derived.add("ToolResult", { ...of, status, ...size, blob }, block.callId);
	const noted = readReaderNotes(block.details);
	if (noted) {
		deriveNoted(noted, { of, size, context, derived });
		derivePrinted(call, block, context, derived, of);
		context.calls.dropLongInput(block.callId);
		return;
	}

	for (const { command, folder } of call.class === "shell" ? commandsOf(call.input) : []) {
		const run = { command: cutStart(command, MAX_COMMAND_CHARS), exit: exitOf(call, block), ...size };
		derived.add("CommandRun", { ...run, by: "agent", ...of }, block.callId);
		context.calls.texts.run(command, (path) => sessionPath(pathIn(folder, path), context.cwd));
	}
	if (!block.isError && call.class === "read") deriveRead(call, block, context, derived, of);
	derivePrinted(call, block, context, derived, of);
	if (!block.isError && (changesFiles(call.class) || call.class === "shell")) {
		const { texts } = context.calls;
		for (const change of changesBy(call, block, (path) => texts.get(sessionPath(path, context.cwd)))) {
			const path = sessionPath(change.path, context.cwd);
			derived.add("FileChanged", changePayload(change, context, of), block.callId);
			if (change.kind === "edit" && change.movedFrom === undefined) texts.edit(path, call.input);
			else texts.rememberText(path, change.kind === "write" ? asText(call.input["content"]) : undefined);
		}
	}
	if (!block.isError && call.class === "agent") deriveSubagent(call, block, derived);
	context.calls.dropLongInput(block.callId);
}

type CallOf = { readonly tool: string; readonly callId: string };

/** The reader of the agent's sessions has already worked out what the result means. */
function deriveNoted(
	{ runs, reads, changes, child }: ParsedNotes,
	{
		of,
		size,
		context,
		derived,
	}: {
		readonly of: CallOf;
		readonly size: { readonly chars: number; readonly lines: number };
		readonly context: DeriveContext;
		readonly derived: Derivation;
	},
): void {
	for (const { command, exit } of runs) {
		const run = { command: cutStart(command, MAX_COMMAND_CHARS), exit, ...size };
		derived.add("CommandRun", { ...run, by: "agent", ...of }, of.callId);
	}
	for (const { path, from, to, hash } of reads) {
		const payload = { path: sessionPath(path, context.cwd), from, to, sliceHash: hash, ...of };
		derived.add("FileRead", payload, of.callId);
	}
	for (const { byShell, ...change } of changes) {
		const payload = changePayload(change, context, of);
		derived.add("FileChanged", byShell ? { ...payload, actor: "shell" } : payload, of.callId);
	}
	if (child) {
		const task = child.task === undefined ? undefined : foldIntent(child.task);
		derived.add("Subagent", { child: child.session, task, callId: of.callId }, of.callId);
	}
}

function deriveRead(
	call: SessionCall,
	block: ResultBlock,
	context: DeriveContext,
	derived: Derivation,
	of: CallOf,
): void {
	const shown = findShownSlice(call, block);
	if (!shown) return;
	const sliceHash = sha256(shown.text);
	const path = sessionPath(shown.path, context.cwd);
	if (shown.whole) context.calls.texts.rememberText(path, shown.text);
	const payload = {
		path,
		from: shown.from,
		to: shown.to,
		sliceHash,
		fileHash: shown.whole ? sliceHash : undefined,
		...of,
	};
	derived.add("FileRead", payload, block.callId);
}

/** Files that a command printed. A search shows single lines, which are no reason to keep the file at hand. */
function derivePrinted(
	call: SessionCall,
	block: ResultBlock,
	context: DeriveContext,
	derived: Derivation,
	of: CallOf,
): void {
	if (block.isError) return;
	for (const { path, from, to, text, isMatch } of printedSlices(call, block)) {
		if (isMatch) continue;
		const payload = { path: sessionPath(path, context.cwd), from, to, sliceHash: sha256(text), ...of };
		derived.add("FileRead", payload, block.callId);
	}
}

function changePayload(change: FileChange, context: DeriveContext, of: CallOf): GivenPayload<"FileChanged"> {
	const path = sessionPath(change.path, context.cwd);
	const known = change.hunks && writeDiff(path, change.hunks, change.created ? "create" : "change");
	return {
		path,
		kind: change.kind,
		added: known?.added ?? change.added ?? 0,
		removed: known?.removed ?? null,
		diff: known?.diff,
		hash: change.hash,
		actor: "agent",
		...of,
	};
}

/** OpenClaw answers a spawn with the key of the child's session. Other agents record the child themselves. */
function deriveSubagent(call: SessionCall, block: ResultBlock, derived: Derivation): void {
	const child = asName(asObject(block.details)?.["childSessionKey"]);
	if (child === undefined) return;
	const task = asName(call.input["task"]) ?? asName(call.input["prompt"]);
	const payload = { child, task: task === undefined ? undefined : foldIntent(task), callId: block.callId };
	derived.add("Subagent", payload, block.callId);
}

function userCommand(ran: NonNullable<MessageView["command"]>, entry: string): GivenPayload<"CommandRun"> {
	return {
		command: cutStart(ran.command, MAX_COMMAND_CHARS),
		exit: ran.exit,
		chars: ran.output.length,
		lines: countLines(ran.output),
		by: "user",
		tool: "bash",
		callId: entry,
	};
}

/** The exit status of a shell call, as far as its result says. */
export function exitOf(call: SessionCall, result: ResultBlock): number | null {
	const details = asObject(result.details) ?? {};
	const given = asInteger(details["exitCode"]) ?? asInteger(details["exit_code"]);
	if (given !== undefined) return given;
	if (isUnfinished(call, details) || details["exitCode"] === null) return null;
	if (isScript(call.input)) return scriptExit(result.text);
	if (!result.isError) return 0;
	// Pi ends the text with the status, Claude Code begins with it. An abort or a timeout has none.
	const status = /(?:^|\n)Command exited with code (-?\d{1,9})\s*$/.exec(result.text.slice(-200));
	const code = status ?? /^(?:Error: )?Exit code (-?\d{1,9})\b/.exec(result.text);
	return code ? Number(code[1]) : null;
}

/** A script that ran to its end says nothing of its commands, unless it hands over the result of the only one. */
function scriptExit(text: string): number | null {
	const [only, ...others] = [...text.matchAll(/"exit_code"\s*:\s*(-?\d{1,9})/g)];
	return only && others.length === 0 ? Number(only[1]) : null;
}

/** True: the command still runs in the background, or was stopped. Its exit status is unknown. */
function isUnfinished(call: SessionCall, details: Readonly<Record<string, unknown>>): boolean {
	return (
		details["interrupted"] === true ||
		details["status"] === "running" ||
		typeof details["backgroundTaskId"] === "string" ||
		call.input["run_in_background"] === true ||
		call.input["background"] === true
	);
}

const MAX_TEXT_CHARS = 200;
const MAX_LEVEL = 16;
const MAX_ITEMS = 200;

/** A call's arguments without their long texts: the message holds those, and a log holds no text twice. */
export function outlineInput(value: unknown, level = 0): unknown {
	if (typeof value === "string") return value.length > MAX_TEXT_CHARS ? outlineText(value) : value;
	if (value === null || typeof value !== "object") return value;
	if (level >= MAX_LEVEL) return { omitted: "deeper levels" };
	if (Array.isArray(value)) {
		const items = value.slice(0, MAX_ITEMS).map((item) => outlineInput(item, level + 1));
		return value.length > MAX_ITEMS ? [...items, { omitted: `${value.length - MAX_ITEMS} more items` }] : items;
	}
	const fields = Object.entries(value);
	// fromEntries defines fields and does not assign them: a key named __proto__ stays a key.
	return Object.fromEntries(
		fields.slice(0, MAX_ITEMS).map(([key, field]) => [key, outlineInput(field, level + 1)] as const),
	);
}

function outlineText(text: string): { chars: number; sha256: string } {
	return { chars: text.length, sha256: sha256(text) };
}
