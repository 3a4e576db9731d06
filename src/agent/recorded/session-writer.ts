/**
 * Writes one session of an agent whose messages are in no form that weft sends: each record whole, as an Entry named by its content, and its
 * messages in Pi's form, each naming the Entry that it came from.
 */

import { sha256 } from "../../base/hash/sha256.ts";
import { writeJson } from "../../base/json/write.ts";
import type { NewEvent } from "../../log/event/types.ts";
import { type PiMessage, writePiUsage } from "../../message/dialect/pi/message.ts";
import { viewMessage } from "../../message/view.ts";
import { Calls } from "../../state/session/calls.ts";
import { foldIntent, type OwnWords } from "../../state/session/intent.ts";
import { translateMessage } from "../../state/work/translate-message.ts";

export interface SaidMessage {
	readonly entry: string;
	readonly message: PiMessage;
	readonly ts: number;
	/** The name of its record. */
	readonly from: string;
	readonly ownWords?: OwnWords | undefined;
	/** The model's answer that it is a part of, if that is several messages. */
	readonly answer?: string | undefined;
	/** SHA-256 of a result's whole text, if the message holds only a part. */
	readonly blob?: string | undefined;
	/** True: a copy from another session; nothing is derived from it again. */
	readonly isCopy?: boolean | undefined;
}

export interface WrittenCompaction {
	readonly entry: string;
	readonly summary: string;
	/** The first message that stays; undefined: none. */
	readonly kept?: string | undefined;
	readonly tokensBefore?: number | undefined;
	readonly ts: number;
	readonly from: string;
}

export interface SessionStart {
	readonly ts: number;
	readonly cwd: string | undefined;
	readonly format?: string | undefined;
	readonly parentSession?: string | undefined;
}

export class SessionWriter {
	readonly session: string;
	readonly host: string;
	readonly #calls = new Calls();
	readonly #written = new Set<string>();
	#cwd: string | undefined;
	#isStarted = false;
	/** The newest message or compaction: the next one follows it. */
	#tip: string | undefined;
	/** The next message is the first of a new tree. */
	#isNewTree = false;

	constructor(host: string, session: string) {
		this.host = host;
		this.session = session;
	}

	get isStarted(): boolean {
		return this.#isStarted;
	}

	get tip(): string | undefined {
		return this.#tip;
	}

	start({ ts, cwd, format, parentSession }: SessionStart): NewEvent[] {
		if (this.#isStarted) return [];
		this.#isStarted = true;
		this.#cwd = cwd;
		const payload = { cwd: cwd ?? "", format, parentSession };
		return [{ ...this.#base(ts), type: "SessionStarted", entry: "session", payload }];
	}

	/** The whole record, named by its content. */
	record(kind: string, raw: string, ts: number): NewEvent & { readonly entry: string } {
		const entry = recordName(raw);
		return { ...this.#base(ts), type: "Entry", entry, payload: { kind: ownKind(kind), parent: this.#tip }, raw };
	}

	has(entry: string): boolean {
		return this.#written.has(entry);
	}

	/** The agent went back to this message: the next one follows it. Undefined: the next one begins a new tree. */
	goBackTo(entry: string | undefined): void {
		this.#tip = entry;
		this.#isNewTree = entry === undefined;
	}

	say({ entry, message, ts, from, ownWords, answer, blob, isCopy }: SaidMessage): NewEvent[] {
		if (this.#written.has(entry)) return [];
		this.#written.add(entry);
		const made = {
			...message,
			...(message.role === "assistant" && message.usage ? { usage: writePiUsage(message.usage) } : {}),
			timestamp: ts,
			...(this.#isNewTree ? { parentId: null } : {}),
			...(isCopy ? { isCopy } : {}),
		};
		this.#isNewTree = false;
		const parent = this.#tip;
		this.#tip = entry;
		const events = translateMessage({
			session: { session: this.session, host: this.host },
			ts,
			entry,
			parent,
			form: "pi",
			view: viewMessage({ form: "pi", raw: made }),
			cwd: this.#cwd,
			calls: this.#calls,
			ownWords,
			raw: writeJson(made),
			from,
			answer,
			blobOf: () => blob,
		});
		return isCopy ? events.filter(({ type }) => type === "Message") : events;
	}

	/** The agent replaced the earlier messages by a summary. */
	compact({ entry, summary, kept, tokensBefore, ts, from }: WrittenCompaction): NewEvent[] {
		if (this.#written.has(entry)) return [];
		this.#written.add(entry);
		const parent = this.#tip;
		this.#tip = entry;
		const timestamp = new Date(ts).toISOString();
		const raw = writeJson({ type: "compaction", summary, firstKeptEntryId: kept, tokensBefore, timestamp });
		return [{ ...this.#base(ts), type: "Entry", entry, payload: { kind: "compaction", parent, from }, raw }];
	}

	/** For the parent: a sub-agent whose call is not known. */
	subagent(child: string, task: string | undefined, ts: number): NewEvent[] {
		const payload = { child, task: task === undefined ? undefined : foldIntent(task) };
		return [{ ...this.#base(ts), type: "Subagent", entry: `agent:${child}`, payload }];
	}

	#base(ts: number) {
		return { session: this.session, host: this.host, ts };
	}
}

/** A record's name by its content: it changes when the record is rewritten, not when it moves. */
export function recordName(raw: string): string {
	return `sha256:${sha256(raw).slice(0, 16)}`;
}

/** Kinds with a meaning in Pi's sessions: records of other agents must not have them. */
const PI_KINDS = new Set(["compaction", "branch_summary", "context_edit", "context_transform"]);

function ownKind(kind: string): string {
	return PI_KINDS.has(kind) ? `host ${kind}` : kind;
}
