/**
 * The words that tests describe a session with. A word is data: nothing happens until a specification plays it. An event is
 * of our schema, or the word throws; a message and a tool call become the events that a live session records for them.
 */
import { wrongIn } from "../../src/log/event/check.ts";
import type { AnyPayload, EventRecord, GivenPayload, KnownType, NewEvent, Payload } from "../../src/log/event/types.ts";
import { type BareMessage, messageReader } from "../../src/state/work/translate-message.ts";
import { rightPayload } from "./wrong-shapes.ts";

/** An event, with as much of its envelope as the test cares about. */
export interface EventWord extends Partial<Omit<EventRecord, "payload">> {
	readonly type: string;
	readonly payload: AnyPayload;
}

/** A message in Pi's form. */
export interface MessageWord {
	readonly message: BareMessage;
}

/** A tool call with its result. Without `output`, a specification with a disk runs the tool. */
export interface CallWord {
	readonly tool: string;
	readonly input: Readonly<Record<string, unknown>>;
	readonly output?: CallOutput;
}

export interface CallOutput {
	readonly text: string;
	readonly isError?: boolean;
	readonly details?: object;
}

export type SessionWord = EventWord | MessageWord | CallWord;
/** `within` and other words that stand for several are lists. */
export type SessionWords = readonly (SessionWord | readonly SessionWord[])[];

export function user(text: string, more: object = {}): MessageWord {
	return { message: { role: "user", content: [{ type: "text", text }], ...more } };
}

export function assistant(text: string, more: object = {}): MessageWord {
	return { message: { role: "assistant", content: text === "" ? [] : [{ type: "text", text }], ...more } };
}

export function call(tool: string, input: object, output?: string | CallOutput): CallWord {
	const told = typeof output === "string" ? { text: output } : output;
	return { tool, input: { ...input }, ...(told && { output: told }) };
}

/** `shown`: the text that the tool gives back. */
export function read(path: string, of: { shown?: string; offset?: number; limit?: number } = {}): CallWord {
	const { shown, ...range } = of;
	return call("read", { path, ...range }, shown);
}

export function edit(path: string, oldText: string, newText: string, output?: string | CallOutput): CallWord {
	return call("edit", { path, edits: [{ oldText, newText }] }, output);
}

export function write(path: string, content: string, output?: string | CallOutput): CallWord {
	return call("write", { path, content }, output);
}

/** A shell command. Without `output` it runs in the project's folder. */
export function ran(command: string, output?: string | CallOutput): CallWord {
	return call("bash", { command }, output);
}

/** A shell command that ended with another status than 0, as Pi tells it. */
export function failed(command: string, output: string, exit = 1): CallWord {
	return ran(command, { text: `${output}\n\nCommand exited with code ${exit}`, isError: true });
}

/** An event of a known type. Required fields that the test leaves out have the smallest value that is right. */
export function event<T extends KnownType>(
	type: T,
	payload: Partial<GivenPayload<T>> & Partial<Pick<AnyPayload, "raw">> = {},
	fields: Partial<EventRecord> = {},
): EventWord {
	const whole = { ...rightPayload(type), ...(payload as AnyPayload) };
	const wrong = wrongIn(type, 1, whole);
	if (wrong !== undefined) throw new TypeError(`a ${type} of a test is malformed: ${wrong}`);
	return { ...fields, type, payload: whole };
}

/** An event that another version, an archive or a person wrote: nothing is checked or filled in. */
export function foreignEvent(type: string, payload: object, fields: Partial<EventRecord> = {}): EventWord {
	return { ...fields, type, payload: payload as AnyPayload };
}

export function sessionStarted(cwd: string, more: Partial<Payload<"SessionStarted">> = {}): EventWord {
	return event("SessionStarted", { cwd, ...more });
}

export function intent(text: string): EventWord {
	return event("UserIntent", { text });
}

export function fileRead(path: string, more: Partial<Payload<"FileRead">> = {}): EventWord {
	const { from = 1, to = 9 } = more;
	return event("FileRead", { path, from, to, sliceHash: `slice ${path} ${from}`, tool: "read", callId: "c", ...more });
}

/** By default the agent's edit of two new lines for one. */
export function fileChanged(path: string, more: Partial<Payload<"FileChanged">> = {}): EventWord {
	return event("FileChanged", { path, kind: "edit", added: 2, removed: 1, actor: "agent", ...more });
}

export function commandRun(command: string, more: Partial<Payload<"CommandRun">> = {}): EventWord {
	return event("CommandRun", { command, tool: "bash", callId: "c", ...more });
}

export function toolCalled(tool: string, callId = "c", input: unknown = {}): EventWord {
	return event("ToolCalled", { tool, callId, input });
}

export function toolResult(tool: string, callId = "c", more: Partial<Payload<"ToolResult">> = {}): EventWord {
	return event("ToolResult", { tool, callId, ...more });
}

export function decision(text: string, more: Partial<Payload<"Decision">> = {}): EventWord {
	return event("Decision", { text, ...more });
}

export function verdict(more: Partial<Payload<"Verdict">>): EventWord {
	return event("Verdict", more);
}

/** `from`: the words of the first message that stays. */
export function seal(from = "", more: Partial<Payload<"Seal">> = {}): EventWord {
	return event("Seal", { from, why: "asked", ...more });
}

export function custom(name: string, data?: unknown): EventWord {
	return event("Custom", { name, ...(data !== undefined && { data }) });
}

/** Events of one session, host, time, …: `within({ session: "other" }, intent("x"), decision("y"))`. */
export function within(fields: Partial<EventRecord>, ...events: readonly EventWord[]): readonly EventWord[] {
	return events.map((each) => ({ ...each, ...fields }));
}

export const OF = { session: "s", host: "pi" } as const;

/** In Pi's form: a call is a message of the assistant and a result. */
function messagesOf(word: MessageWord | CallWord, callId: string): BareMessage[] {
	if ("message" in word) return [word.message];
	const { tool, input, output = { text: "" } } = word;
	const { text, isError = false, ...rest } = output;
	const content = [{ type: "text", text }];
	return [
		{ role: "assistant", content: [{ type: "toolCall", id: callId, name: tool, arguments: input }] },
		{ role: "toolResult", toolCallId: callId, toolName: tool, content, isError, ...rest },
	];
}

/** The words as events on their way into a log; those without a time come one second after the other. */
export function eventsOf(words: SessionWords, cwd?: string): NewEvent[] {
	return translate(words, cwd).map((each) => {
		const { raw, ...payload } = each.payload as AnyPayload;
		return raw === undefined ? each : ({ ...each, payload, raw: JSON.stringify(raw) } as NewEvent);
	});
}

/** An event of the test's own has its `raw` in the payload; that of a message is text. */
function translate(words: SessionWords, cwd = "/home/dev/app"): NewEvent[] {
	const reader = messageReader({ ...OF, cwd, now: () => Number.NaN });
	let messages = 0;
	const events = words.flat().flatMap((word, at): NewEvent[] => {
		if ("payload" in word) return [{ ...OF, ts: Number.NaN, ...word } as NewEvent];
		return messagesOf(word, `c${at + 1}`).flatMap((message) => reader(message, `m${++messages}`));
	});
	return events.map((each, at) => ({ ...each, ts: Number.isNaN(each.ts) ? (at + 1) * 1_000 : each.ts }));
}

/** The words as the records that a log would hand to a fold. */
export function recordsOf(words: SessionWords): EventRecord[] {
	const seqs = new Map<string, number>();
	return translate(words).map((given, at): EventRecord => {
		const { raw, parsed: _, cause = null, entry = null, v = 1, payload, ...rest } = given;
		const seq = at + 1;
		if (given.type === "Message" && entry !== null) seqs.set(entry, seq);
		return {
			id: "",
			origin: "here",
			seq,
			...rest,
			v,
			entry,
			cause: cause !== null && typeof cause === "object" ? (seqs.get(cause.message) ?? null) : cause,
			payload: { ...payload, ...(raw !== undefined && { raw: JSON.parse(raw) as unknown }) } as AnyPayload,
		};
	});
}

/** One event as its record, the first of its log. */
export function recordOf(word: EventWord): EventRecord {
	const [record] = recordsOf([word]);
	return record!;
}
