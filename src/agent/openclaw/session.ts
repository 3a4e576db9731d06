/**
 * One session of OpenClaw in the log: records the messages that any call of the host hands over, each once. It keeps no
 * state outside the log, because a host makes an engine for each turn.
 */

import { asObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import type { NewEvent } from "../../log/event/types.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { userWords } from "../../message/user-words.ts";
import { Calls } from "../../state/session/calls.ts";
import { deriveEvents } from "../../state/session/derived-events.ts";
import { isOfSeveral, ownerOfKey } from "../../state/session/owner.ts";
import { isMessage, type TreeMessage } from "../../state/session/tree.ts";
import { type BareContext, translateBareMessage } from "../../state/work/translate-message.ts";
import type { AgentMessage } from "./contract.ts";
import { contentKey, nameMessages, overlap, stampOf } from "./message-names.ts";
import { inheritSeal } from "./subagents.ts";
import { markHeartbeats, OPENCLAW_HOST, senderOf, translateHeartbeat, viewOf } from "./translate.ts";

export interface SessionOptions {
	readonly engine: Engine;
	readonly ref: SessionRef;
	readonly cwd: string;
	readonly now: () => number;
	/** The host's own names of the session. */
	readonly host: { readonly sessionId: string; readonly sessionKey?: string | undefined };
	/** Asked once, when the session begins. */
	readonly origin: () => SessionOrigin;
}

/** Where a session comes from. */
export interface SessionOrigin {
	readonly owner: string;
	/** The session from which it was forked: it begins with that session's messages. */
	readonly forkedFrom?: string | undefined;
	/** The session whose sub-agent it is. */
	readonly worksFor?: string | undefined;
}

/** path: all messages of the conversation from its beginning; batch: the newest ones. */
export type Extent = "path" | "batch";

export interface RowMessage {
	readonly message: AgentMessage;
	readonly entry: string;
}

export interface RecordedMessages {
	/** The name of each message, in order. */
	readonly entries: readonly string[];
	/** How many were new. */
	readonly added: number;
}

/** How far back to look for the call of a result. */
const MAX_STEPS_BACK = 50;

export class OpenClawSession {
	readonly ref: SessionRef;
	readonly #options: SessionOptions;
	#isBegun = false;

	constructor(options: SessionOptions) {
		this.#options = options;
		this.ref = options.ref;
	}

	get #tree() {
		return this.#options.engine.history.tree;
	}

	isEmpty(): boolean {
		this.#tree.catchUp();
		return this.#tree.tip(this.ref) === undefined;
	}

	/** Records a session without messages: a sub-agent of its first turn looks it up by the host's key. */
	begin(): void {
		if (this.#isBegun || !this.isEmpty()) return;
		this.#options.engine.record(this.#started());
		this.#isBegun = true;
	}

	/** Undefined: the path shares nothing with the recorded messages, so it is another conversation. */
	record(messages: readonly AgentMessage[], extent: Extent): RecordedMessages | undefined {
		this.#tree.catchUp();
		const entries = this.#nameAll(messages, extent);
		const isNew = entries.map((entry) => this.#tree.find(this.ref, entry) === undefined);
		if (extent === "path" && entries.length > 0 && !isNew.includes(false) && !this.isEmpty()) return undefined;
		const firstNew = isNew.indexOf(true);
		if (firstNew < 0) return { entries, added: 0 };
		const calls = this.#callsBefore(messages, firstNew);
		const events = messages.flatMap((message, at) => {
			const entry = entries[at];
			if (entry === undefined || !isNew[at]) return [];
			const parent = entries[at - 1];
			return this.#translate(message, { entry, parent, calls });
		});
		this.#append(events);
		return { entries, added: isNew.filter(Boolean).length };
	}

	/** Records messages that the log does not have yet, in their order. Returns how many. */
	recordNamed(named: readonly RowMessage[]): number {
		this.#tree.catchUp();
		const messages = named.map(({ message }) => message);
		const calls = this.#callsBefore(messages, 0);
		const { now } = this.#options;
		const isHeartbeat = markHeartbeats(messages);
		const events = named.flatMap(({ message, entry }, at) =>
			isHeartbeat[at] ? [translateHeartbeat(message, this.ref, now())] : this.#translate(message, { entry, calls }),
		);
		this.#append(events);
		return named.length;
	}

	#translate(message: AgentMessage, named: Pick<BareContext, "entry" | "parent" | "calls">): NewEvent[] {
		const { cwd, now, host } = this.#options;
		const isShared = host.sessionKey !== undefined && isOfSeveral(ownerOfKey(host.sessionKey));
		return translateBareMessage(message, {
			...named,
			session: this.ref,
			cwd,
			now: now(),
			ownWords: (text) => userWords(text, OPENCLAW_HOST),
			sender: isShared ? senderOf(message) : undefined,
		});
	}

	#append(events: readonly NewEvent[]): void {
		const { engine, now, origin } = this.#options;
		const isFirst = this.isEmpty();
		engine.record([...this.#started(), ...events]);
		const parent = isFirst ? origin().forkedFrom : undefined;
		if (parent !== undefined) inheritSeal(engine, this.ref, parent, now());
	}

	/** True: the log has it, as a message or as part of a heartbeat. */
	has(entry: string, message: AgentMessage): boolean {
		this.#tree.catchUp();
		const names = [entry, translateHeartbeat(message, this.ref, 0).entry ?? entry];
		return names.some((name) => this.#tree.find(this.ref, name) !== undefined);
	}

	/** seq of the message with this name. */
	seqOf(entry: string): number | undefined {
		return this.#tree.find(this.ref, entry);
	}

	hasMessages(): boolean {
		this.#tree.catchUp();
		return this.#tree.countMessages(this.ref) > 0;
	}

	/** Time of its newest message, ms since the epoch. */
	newestTime(): number | undefined {
		this.#tree.catchUp();
		const [newest] = this.#tail(1);
		return newest && this.#options.engine.log.get(newest.seq)?.ts;
	}

	recordHeartbeat(messages: readonly AgentMessage[]): number {
		const { engine, now } = this.#options;
		const events = messages.map((message) => translateHeartbeat(message, this.ref, now()));
		return engine.record([...this.#started(), ...events]).added;
	}

	#nameAll(messages: readonly AgentMessage[], extent: Extent): string[] {
		const first = messages[0];
		if (!first) return [];
		const fromRoot = nameMessages(messages);
		if (stampOf(first) !== undefined) return fromRoot;
		if (this.isEmpty()) return fromRoot;
		const [root = ""] = fromRoot;
		if (extent === "path" && this.#tree.find(this.ref, root) !== undefined) return fromRoot;
		const tail = this.#tail(messages.length);
		const count = overlap(
			tail.map(({ seq }) => contentKey(this.message(seq))),
			messages.map(contentKey),
		);
		if (count === 0 && extent === "path") return fromRoot;
		const known = tail.slice(tail.length - count).map(({ entry }) => entry);
		return [...known, ...nameMessages(messages.slice(count), tail.at(-1)?.entry)];
	}

	/** The newest messages, oldest first. */
	#tail(max: number): TreeMessage[] {
		const tail: TreeMessage[] = [];
		for (const entry of this.#tree.upward(this.#tree.tip(this.ref) ?? null)) {
			if (isMessage(entry)) tail.push(entry);
			if (tail.length >= max) break;
		}
		return tail.reverse();
	}

	/** The message as the host gave it. */
	message(seq: number): AgentMessage {
		return (asObject(this.#options.engine.log.get(seq)?.payload["raw"]) ?? { role: "" }) as AgentMessage;
	}

	/** Calls that the first new message may answer: from the messages before it, or else from the log. */
	#callsBefore(messages: readonly AgentMessage[], firstNew: number): Calls {
		const calls = new Calls();
		const answer = messages.findLastIndex(({ role }, at) => at < firstNew && role === "assistant");
		const before = answer < 0 ? this.#newestAnswer() : messages.slice(answer, firstNew);
		for (const message of before) deriveEvents(viewOf(message), { entry: "", cwd: this.#options.cwd, calls });
		return calls;
	}

	#newestAnswer(): AgentMessage[] {
		const answer = this.#tail(MAX_STEPS_BACK).findLast(({ role }) => role === "assistant");
		return answer ? [this.message(answer.seq)] : [];
	}

	#started(): NewEvent[] {
		if (!this.isEmpty()) return [];
		const { cwd, host, origin, now } = this.#options;
		const { owner, forkedFrom, worksFor } = origin();
		return [
			{
				...this.ref,
				type: "SessionStarted",
				ts: now(),
				entry: "session",
				payload: { cwd, format: "openclaw", parentSession: forkedFrom, owner, worksFor },
				raw: JSON.stringify(host),
			},
		];
	}
}
