/**
 * Makes the events of a session whose messages are not in a form that weft sends: an Entry for each whole record, named by
 * its content, and the messages translated from it into Pi's form, each with the name of that Entry.
 */

import { sha256 } from "../../base/hash/sha256.ts";
import { writeJson } from "../../base/json/write.ts";
import type { NewEvent } from "../../log/event/types.ts";
import { viewMessage } from "../../message/view.ts";
import { Calls } from "../../state/session/calls.ts";
import { foldIntent, type OwnWords } from "../../state/session/intent.ts";
import type { Notes } from "../../state/session/noted.ts";
import { translateMessage } from "../../state/work/translate-message.ts";

export type MadeBlock =
	| { readonly type: "text"; readonly text: string }
	| { readonly type: "thinking"; readonly thinking: string; readonly thinkingSignature?: string | undefined }
	| { readonly type: "image"; readonly data: string; readonly mimeType: string }
	| { readonly type: "toolCall"; readonly id: string; readonly name: string; readonly arguments: unknown };

/** Tokens of one call, with Pi's names; `input` excludes the cache. */
export interface MadeUsage {
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	/** Part of `output`. */
	readonly reasoning?: number | undefined;
	readonly cost?: { readonly total: number } | undefined;
}

export type MadeMessage =
	/** `attribution: "agent"`: a program's words in the user's role. */
	| { readonly role: "user"; readonly content: readonly MadeBlock[]; readonly attribution?: "agent" | undefined }
	| { readonly role: "system"; readonly content: readonly MadeBlock[] }
	| {
			readonly role: "assistant";
			readonly content: readonly MadeBlock[];
			readonly api?: string | undefined;
			readonly provider?: string | undefined;
			readonly model?: string | undefined;
			/** null: the provider reported none; the request still counts. */
			readonly usage?: MadeUsage | null | undefined;
			readonly stopReason?: string | undefined;
	  }
	| {
			readonly role: "toolResult";
			readonly toolCallId: string;
			readonly toolName: string;
			readonly content: readonly MadeBlock[];
			readonly isError: boolean;
			readonly details?: { readonly noted: Notes } | undefined;
	  };

export interface WrittenMessage {
	readonly entry: string;
	readonly message: MadeMessage;
	readonly ts: number;
	/** The name of its record. */
	readonly from: string;
	readonly ownWords?: OwnWords | undefined;
	/** The model's answer that it belongs to, if that takes several messages. */
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

export interface SessionOpening {
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
	/** The newest message or compaction: the parent of the next. */
	#tip: string | undefined;
	/** The next message is the first of a new tree. */
	#startsTree = false;

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

	start({ ts, cwd, format, parentSession }: SessionOpening): NewEvent[] {
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

	/** The agent went back: the next message follows this one. Undefined: it starts a new tree. */
	goBackTo(entry: string | undefined): void {
		this.#tip = entry;
		this.#startsTree = entry === undefined;
	}

	say({ entry, message, ts, from, ownWords, answer, blob, isCopy }: WrittenMessage): NewEvent[] {
		if (this.#written.has(entry)) return [];
		this.#written.add(entry);
		const made = {
			...message,
			timestamp: ts,
			...(this.#startsTree ? { parentId: null } : {}),
			...(isCopy ? { isCopy } : {}),
		};
		this.#startsTree = false;
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

	/** The agent replaced the messages before by a summary. */
	compact({ entry, summary, kept, tokensBefore, ts, from }: WrittenCompaction): NewEvent[] {
		if (this.#written.has(entry)) return [];
		this.#written.add(entry);
		const parent = this.#tip;
		this.#tip = entry;
		const timestamp = new Date(ts).toISOString();
		const raw = writeJson({ type: "compaction", summary, firstKeptEntryId: kept, tokensBefore, timestamp });
		return [{ ...this.#base(ts), type: "Entry", entry, payload: { kind: "compaction", parent, from }, raw }];
	}

	/** An event for the parent, about a sub-agent whose call is unknown. */
	subagent(child: string, task: string | undefined, ts: number): NewEvent[] {
		const payload = { child, task: task === undefined ? undefined : foldIntent(task) };
		return [{ ...this.#base(ts), type: "Subagent", entry: `agent:${child}`, payload }];
	}

	#base(ts: number) {
		return { session: this.session, host: this.host, ts };
	}
}

/** The hash of its content: the same in every copy, and another one once it is rewritten. */
export function recordName(raw: string): string {
	return `sha256:${sha256(raw).slice(0, 16)}`;
}

/** Kinds with a meaning in Pi's sessions, which another agent's records must not get. */
const PI_KINDS = new Set(["compaction", "branch_summary", "context_edit", "context_transform"]);

function ownKind(kind: string): string {
	return PI_KINDS.has(kind) ? `host ${kind}` : kind;
}

export function textBlock(text: string): MadeBlock[] {
	return text === "" ? [] : [{ type: "text", text }];
}

/** The picture of a `data:` URL; undefined for any other URL. */
export function imageOfUrl(url: string): MadeBlock | undefined {
	const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
	return mimeType === undefined || data === undefined ? undefined : { type: "image", data, mimeType };
}

/** From counts whose `input` includes cache reads and writes. */
export function usageWithCacheInside(of: {
	readonly input: number;
	readonly cacheRead?: number | undefined;
	readonly cacheWrite?: number | undefined;
	readonly output: number;
	readonly reasoning?: number | undefined;
}): MadeUsage {
	const { cacheRead = 0, cacheWrite = 0, output, reasoning } = of;
	return { input: Math.max(0, of.input - cacheRead - cacheWrite), output, cacheRead, cacheWrite, reasoning };
}
