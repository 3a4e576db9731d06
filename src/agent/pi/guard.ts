/**
 * The guard in Pi: before a tool runs, after it ran, before a request leaves, and when the user pastes a whole file. Pi keeps
 * only what is returned from `tool_result`, so the original is stored before it is cut.
 */
import { basename } from "node:path";
import type {
	InputEvent,
	InputEventResult,
	ToolCallEvent,
	ToolCallEventResult,
	ToolResultEvent,
	ToolResultEventResult,
} from "@earendil-works/pi-coding-agent";
import { readBounded } from "../../base/file/regular-file.ts";
import { asName, asObject, asText } from "../../base/json/read.ts";
import { cutStart, cutToBytes } from "../../base/text/cut.ts";
import { bytesOfTokens } from "../../base/tokens/estimate.ts";
import { failureNotes } from "../../context/notes.ts";
import { bound } from "../../guard/bound.ts";
import type { GuardCall, GuardEvent } from "../../guard/types.ts";
import { withNotes } from "../../message/note.ts";
import type { ResultBlock } from "../../message/view.ts";
import { stubLarge } from "../../state/history/large.ts";
import { enterResult } from "../../state/session/entry-rules.ts";
import { toolClass } from "../../state/session/tool-class.ts";
import { failuresAfter } from "../live/failing-run.ts";
import { fleetNotes } from "../live/fleet-recall.ts";
import type { Live } from "./live.ts";
import { judgeBySkills } from "./skill-policy.ts";

/** Before a tool runs: blocked with a reason that the model can act on, its arguments changed, or let pass. */
export function judgeCall(event: ToolCallEvent, live: Live): ToolCallEventResult | undefined {
	if (live.mode() === "off") return undefined;
	const bySkills = judgeBySkills(event, live);
	if (bySkills) return bySkills;
	const outcome = live.engine.judge(guardCall(event, live));
	if (outcome.action === "block") return { block: true, reason: outcome.reason };
	if (outcome.input) Object.assign(event.input, outcome.input);
	return undefined;
}

const MAX_BLOBS = 256;

/** After a tool ran: what exceeds the bounds is cut, and the guard's remarks are added at its end. */
export async function judgeResult(event: ToolResultEvent, live: Live): Promise<ToolResultEventResult | undefined> {
	if (live.mode() === "off") return undefined;
	const said = event.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
	const fitting = fit(event, said, live);
	const { toolName: tool, toolCallId: callId, isError, details } = event;
	if (fitting.hash !== undefined) {
		live.blobs.set(callId, fitting.hash);
		if (live.blobs.size > MAX_BLOBS) live.blobs.delete(live.blobs.keys().next().value!);
	}
	const result = { kind: "result", callId, tool, text: fitting.text, isError, details } as const;
	const call = guardCall(event, live);
	// Before anything new is written: what is true is folded already.
	const earlier = failuresSince(call, live);
	const { notes, written } = live.engine.observe(call, result);
	const failures = [...earlier, ...failuresOf(call, result, live)];
	const elsewhere = live.mode() === "woven" ? await fleetNotes(live.engine, call, result) : [];
	const text = withNotes(fitting.text, [...notes, ...failures, ...elsewhere]);
	if (text === said && !written) return undefined;
	const rest = event.content.filter((block) => block.type !== "text");
	// Pi notes nothing beside a write: what it did stands there from now on, for whoever reads the session.
	return {
		content: text === said ? event.content : [{ type: "text", text }, ...rest],
		details: written ?? details,
		isError,
	};
}

/** What commands of the user opened, brought back or resolved since the last result; once each. */
function failuresSince(call: GuardCall, live: Live): string[] {
	if (isOurTool(call.tool)) return [];
	const { log } = live.engine;
	const newest = log.newestSeq();
	const since = live.failuresTold ?? newest;
	live.failuresTold = newest;
	if (since === newest || !tellsFailures(live)) return [];
	const byUser = (seq: number) => log.get(seq)?.payload["by"] === "user";
	return failureNotes(live.engine.state().state.failures.failures, since, byUser);
}

/** Those that this run opened, brought back or resolved. Pi hands the result over only after this hook, so the run is folded before it is recorded. */
function failuresOf(call: GuardCall, result: ResultBlock, live: Live): string[] {
	if (isOurTool(call.tool) || !tellsFailures(live)) return [];
	const change = failuresAfter(live.engine, call, result);
	return change ? failureNotes(change.after, change.newest) : [];
}

function tellsFailures(live: Live): boolean {
	return live.mode() === "woven" && live.engine.settings.policyMode !== "report";
}

interface Fitting {
	readonly text: string;
	/** Of the whole text, which is stored; undefined: nothing was left out. */
	readonly hash?: string;
}

function fit(event: ToolResultEvent, said: string, live: Live): Fitting {
	const { log, settings } = live.engine;
	// In report mode nothing is cut; our own tools answer in pages.
	if (settings.policyMode === "report" || isOurTool(event.toolName)) return { text: said };
	const isShell = toolClass(event.toolName) === "shell";
	const whole = isShell ? wholeOutput(said) : undefined;
	const source = whole?.text ?? said;
	// A command says what went wrong at the end of its output: it is cut in the middle, never outlined.
	if (!isShell && !event.isError) {
		const path = asName((event.input as { path?: unknown }).path);
		const large = stubLarge(source, {
			store: (bytes) => log.putBlob(bytes),
			thresholdTokens: settings.largFileThresholdTokens,
			path,
		});
		if (large.stubbed) return { text: large.text, hash: large.hash };
	}
	if (!source.isWellFormed()) return { text: said };
	const call = { class: toolClass(event.toolName), command: asText(asObject(event.input)?.["command"]) };
	const shorter = enterResult(source, call)?.text;
	const bounded = bound(shorter ?? source);
	if (shorter === undefined && !bounded.cut) return { text: said };
	const hash = log.putBlob(Buffer.from(source, "utf8"));
	return { text: `${bounded.text}${whole?.status ?? ""}`, hash };
}

/** What our own tools give back is exact, to the last byte. */
function isOurTool(tool: string): boolean {
	return /^lcm_/.test(tool);
}

export interface WholeOutput {
	readonly text: string;
	/** What Pi says after the output: how the command ended. */
	readonly status: string;
}

const CUT = /\n\n\[Showing [^\n\]]{1,200}\. Full output: ([^\n\]]{1,4096})\](\n\n[^\n]{1,200})?$/;
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Pi's shell tools cut long output themselves and leave the whole of it in a file of theirs, which they name after the text.
 * The file is gone with the machine's temporary folder, so it is read while it is there. Undefined: Pi has not cut the
 * output, or the file cannot be read.
 */
export function wholeOutput(text: string): WholeOutput | undefined {
	const cut = CUT.exec(text.slice(-5_000));
	const path = cut?.[1];
	// A command can print such a line too: only Pi's own files are read.
	if (path === undefined || !/^pi-(?:bash|powershell)/.test(basename(path))) return undefined;
	const reading = readBounded(path, MAX_BYTES);
	return reading.kind === "bytes" ? { text: reading.bytes.toString("utf8"), status: cut?.[2] ?? "" } : undefined;
}

const MAX_LAST_TOKENS = 300;
const MAX_NAMED = 8;

/**
 * Before a request: files that the model has seen and that somebody else has changed since. Said once, at the end, outside of
 * what is cached; short, or not at all.
 */
export function changesNow(live: Live): string | undefined {
	if (live.engine.settings.policyMode === "report") return undefined;
	const leaf = live.ctx.sessionManager.getLeafId();
	if (live.lastWords && live.lastWords.leaf === leaf) return live.lastWords.text;
	const { events } = live.engine.observe({ ...live.session, cwd: live.cwd, tool: "", callId: "", input: {} });
	const text = sayChanges(events);
	live.lastWords = { leaf, text };
	return text;
}

function sayChanges(events: readonly GuardEvent[]): string | undefined {
	const changes = events.flatMap((event) => (event.type === "FileChanged" ? [event.payload] : []));
	if (changes.length === 0) return undefined;
	const named = changes.slice(0, MAX_NAMED).map(({ path, kind, added, removed }) => {
		if (kind === "delete") return `${path} (deleted)`;
		return removed === null ? path : `${path} (+${added}/−${removed})`;
	});
	const more = changes.length - named.length;
	const list = [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
	const text = `[weft] Changed on disk since you last saw it, not by you: ${list}. Read what you need of it again before you edit it.`;
	return cutToBytes(text, bytesOfTokens(MAX_LAST_TOKENS));
}

/** Where people write what they want of a pasted file. */
const KEPT_CHARS = 2_000;

/** A prompt with a whole file pasted into it: its beginning and its end stay as they were typed, an outline stands between. */
export function stubPasted({ text, images }: InputEvent, live: Live): InputEventResult | undefined {
	const { log, settings } = live.engine;
	if (live.mode() === "off" || settings.policyMode === "report") return undefined;
	const large = stubLarge(text, {
		store: (bytes) => log.putBlob(bytes),
		thresholdTokens: settings.largFileThresholdTokens,
	});
	if (!large.stubbed) return undefined;
	// The event that keeps the bytes for good: Pi's own entry will hold only what is returned here.
	live.engine.record([
		{ type: "Custom", ...live.session, payload: { name: "pasted", data: { chars: text.length }, blob: large.hash } },
	]);
	const head = cutStart(text, KEPT_CHARS);
	const tail = text.slice(-KEPT_CHARS).toWellFormed();
	return { action: "transform", text: [head, large.text, tail].join("\n\n"), ...(images ? { images } : {}) };
}

function guardCall(
	{ toolName, toolCallId, input }: { toolName: string; toolCallId: string; input: unknown },
	live: Live,
): GuardCall {
	return { ...live.session, cwd: live.cwd, tool: toolName, callId: toolCallId, input: asObject(input) ?? {} };
}
