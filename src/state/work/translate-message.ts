/**
 * Translates a message of any agent, live or imported, into the events that are recorded: first the message itself, then
 * what follows from it: intent, calls, results, files, commands and test runs.
 */

import { asTime } from "../../base/json/read.ts";
import type { NewEvent, Payload } from "../../log/event/types.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { type MessageView, viewMessage } from "../../message/view.ts";
import { Calls } from "../session/calls.ts";
import { type DeriveContext, type DerivedEvent, deriveEvents } from "../session/derived-events.ts";
import type { ToolClasses } from "../session/tool-class.ts";
import { outputsOf, testStatus } from "./failure/run-reading.ts";

/** A message as an agent's translator hands it over. */
export interface HostMessage extends DeriveContext {
	readonly session: SessionRef;
	/** ms since the epoch. */
	readonly ts: number;
	readonly form: Payload<"Message">["form"];
	readonly view: MessageView;
	/** Entry of the message before it; by default the session's newest. */
	readonly parent?: string | undefined;
	/** The agent's entry as JSON text, byte for byte. With `from`: the message that was made from that entry. */
	readonly raw: string;
	/** The Entry event that holds the agent's own record. */
	readonly from?: string | undefined;
	/** Who wrote it, in a conversation of several people. */
	readonly sender?: string | undefined;
	/** The id of the model's answer, if the agent writes one answer as several messages. */
	readonly answer?: string | undefined;
}

export function translateMessage(message: HostMessage): NewEvent[] {
	const { session, ts, entry, form, view, parent, raw, from, answer, sender } = message;
	const base = { session: session.session, host: session.host, ts };
	const result = view.blocks.find((block) => block.kind === "result");
	const tool = result && (result.tool ?? message.calls.get(result.callId)?.tool);
	// The message names the whole output too: derived events may be pruned, the message stays.
	const blob = result && message.blobOf?.(result.callId);
	return [
		{
			...base,
			type: "Message",
			entry,
			payload: { role: view.role, form, parent, tool, blob, sender, from, answer },
			raw,
		},
		...addTestStatus(view, deriveEvents(view, message), message.cwd).map((event) => ({ ...base, ...event })),
	];
}

type TestStatusEvent = Pick<DerivedEvent, "entry" | "cause"> & {
	readonly type: "TestStatus";
	readonly payload: Payload<"TestStatus">;
};

/** Adds the status of a test run after its command. */
function addTestStatus(
	view: MessageView,
	events: readonly DerivedEvent[],
	cwd: string | undefined,
): (DerivedEvent | TestStatusEvent)[] {
	if (!events.some((event) => event.type === "CommandRun")) return [...events];
	const outputs = outputsOf(view);
	return events.flatMap((event): (DerivedEvent | TestStatusEvent)[] => {
		if (event.type !== "CommandRun") return [event];
		const { command, exit, by, callId } = event.payload;
		const output = outputs.get(by === "user" ? "" : callId) ?? "";
		const payload = testStatus({ command, exit, output, cwd });
		return payload === null ? [event] : [event, { ...event, type: "TestStatus", payload }];
	});
}

/** A message in Pi's form: user, assistant or toolResult. Other roles and fields are kept. */
export interface BareMessage {
	readonly role: string;
	readonly [field: string]: unknown;
}

export interface BareContext extends Omit<DeriveContext, "cwd"> {
	readonly session: SessionRef;
	readonly parent?: string | undefined;
	readonly cwd: string;
	readonly sender?: string | undefined;
	/** The time of a message that has none itself, ms since the epoch. */
	readonly now: number;
}

/** For agents, and plain code, that hand over messages in Pi's form without an entry around them. */
export function translateBareMessage(message: BareMessage, context: BareContext): NewEvent[] {
	return translateMessage({
		...context,
		ts: asTime(message["timestamp"]) ?? context.now,
		form: "pi",
		view: viewMessage({ role: message.role, form: "pi", raw: message }),
		raw: JSON.stringify(message),
	});
}

/**
 * Translates the messages of one session, in order.
 *
 * ```ts
 * const read = messageReader({ session: "chat-1", host: "my-agent", cwd: process.cwd() });
 * engine.record(read({ role: "user", content: "Fix the failing test." }, "1"));
 * ```
 */
export function messageReader(
	of: SessionRef & {
		readonly cwd: string;
		readonly now?: (() => number) | undefined;
		/** Classes of tools beyond the built-in ones. */
		readonly classes?: ToolClasses | undefined;
	},
): (message: BareMessage, entry: string) => NewEvent[] {
	const { cwd, classes, now = Date.now } = of;
	const calls = new Calls();
	return (message, entry) => translateBareMessage(message, { session: of, entry, cwd, classes, calls, now: now() });
}
