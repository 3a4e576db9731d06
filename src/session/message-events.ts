/** A message in Pi's form as events, for hosts that hand over bare messages and for plain code. */
import type { NewEvent } from "../event/types.ts";
import { viewMessage } from "../message/view.ts";
import { Calls } from "./calls.ts";
import { deriveEvents } from "./derive.ts";
import type { SessionRef } from "./tree.ts";

/** user, assistant or toolResult with its content, as Pi has them; other roles and fields are kept too. */
export interface BareMessage {
	readonly role: string;
	readonly [field: string]: unknown;
}

export interface MessageContext {
	readonly session: SessionRef;
	/** Names the message in its session: the same name again is the same message. */
	readonly entry: string;
	/** Entry of the message before it; without it, the session's newest. */
	readonly parent?: string | undefined;
	readonly cwd: string;
	/** The session's calls so far; this message's are added. */
	readonly calls: Calls;
	/** When it was said, where it does not say so itself; ms since the epoch. */
	readonly now: number;
}

/** The message whole, and what follows from it: the intent, calls, results, files, commands. */
export function messageEvents(message: BareMessage, context: MessageContext): NewEvent[] {
	const { session, entry, parent, cwd, calls, now } = context;
	const view = viewMessage({ role: message.role, form: "pi", raw: message });
	const base = { ...session, ts: timeOf(message) ?? now };
	const tool = message.role === "toolResult" && view.tool !== undefined ? { tool: view.tool } : {};
	const above = parent === undefined ? {} : { parent };
	return [
		{
			...base,
			type: "Message",
			entry,
			payload: { role: view.role, form: "pi", ...above, ...tool },
			raw: JSON.stringify(message),
		},
		...deriveEvents(view, { entry, cwd, calls }).map((event) => ({ ...base, ...event })),
	];
}

/**
 * Reads the messages of one session, one after the other.
 *
 * ```ts
 * const read = messageReader({ session: "chat-1", host: "my-agent", cwd: process.cwd() });
 * engine.record(read({ role: "user", content: "Fix the failing test." }, "1"));
 * ```
 */
export function messageReader(
	of: SessionRef & { readonly cwd: string; readonly now?: () => number },
): (message: BareMessage, entry: string) => NewEvent[] {
	const calls = new Calls();
	const session = { session: of.session, host: of.host };
	return (message, entry) =>
		messageEvents(message, { session, entry, cwd: of.cwd, calls, now: (of.now ?? Date.now)() });
}

/** ms since the epoch, where the message says it and a Date can hold it. */
export function timeOf({ timestamp }: BareMessage): number | undefined {
	const time = typeof timestamp === "string" ? Date.parse(timestamp) : timestamp;
	return typeof time === "number" && Math.abs(time) <= 8.64e15 ? Math.trunc(time) : undefined;
}
