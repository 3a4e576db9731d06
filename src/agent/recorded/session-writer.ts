/**
 * Writes one session of a host whose messages are not in a form that weft sends: each record whole, as an Entry named by
 * its content, and the messages that are made of it, in Pi's form, each naming the Entry that it came from.
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

/** Tokens of one call, the cache apart; Pi's names. */
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
	/** `attribution: "agent"`: spoken by a program in the user's name. */
	| { readonly role: "user"; readonly content: readonly MadeBlock[]; readonly attribution?: "agent" | undefined }
	| { readonly role: "system"; readonly content: readonly MadeBlock[] }
	| {
			readonly role: "assistant";
			readonly content: readonly MadeBlock[];
			readonly api?: string | undefined;
			readonly provider?: string | undefined;
			readonly model?: string | undefined;
			/** null: the provider gave none. The request counts all the same. */
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

export interface Said {
	readonly entry: string;
	readonly message: MadeMessage;
	readonly ts: number;
	/** The name of the record that it was made of. */
	readonly from: string;
	readonly ownWords?: OwnWords | undefined;
	/** The model's answer that it is a part of, where that stands in several messages. */
	readonly answer?: string | undefined;
	/** SHA-256 of a result's whole text, of which the message holds a part. */
	readonly blob?: string | undefined;
	/** True: another session said it first; nothing is derived from it a second time. */
	readonly isCopy?: boolean | undefined;
}

export interface Compacted {
	readonly entry: string;
	readonly summary: string;
	/** The first message that stays; undefined: none does. */
	readonly kept?: string | undefined;
	readonly tokensBefore?: number | undefined;
	readonly ts: number;
	readonly from: string;
}

export interface Started {
	readonly ts: number;
	readonly cwd: string | undefined;
	readonly format?: string | undefined;
	readonly parentSession?: string | undefined;
}

export class SessionWriter {
	readonly session: string;
	readonly host: string;
	readonly #calls = new Calls();
	readonly #said = new Set<string>();
	#cwd: string | undefined;
	#isStarted = false;
	/** The newest message or compaction: what comes next follows it. */
	#tip: string | undefined;
	/** The next message is the first of a new tree. */
	#beginsAnew = false;

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

	start({ ts, cwd, format, parentSession }: Started): NewEvent[] {
		if (this.#isStarted) return [];
		this.#isStarted = true;
		this.#cwd = cwd;
		const payload = { cwd: cwd ?? "", format, parentSession };
		return [{ ...this.#base(ts), type: "SessionStarted", entry: "session", payload }];
	}

	/** A record as it was written, named by its content. */
	record(kind: string, raw: string, ts: number): NewEvent & { readonly entry: string } {
		const entry = recordName(raw);
		return { ...this.#base(ts), type: "Entry", entry, payload: { kind: ownKind(kind), parent: this.#tip }, raw };
	}

	has(entry: string): boolean {
		return this.#said.has(entry);
	}

	/** What comes next follows this message: the host went back to it. Undefined: it begins anew. */
	goBackTo(entry: string | undefined): void {
		this.#tip = entry;
		this.#beginsAnew = entry === undefined;
	}

	say({ entry, message, ts, from, ownWords, answer, blob, isCopy }: Said): NewEvent[] {
		if (this.#said.has(entry)) return [];
		this.#said.add(entry);
		const made = {
			...message,
			timestamp: ts,
			...(this.#beginsAnew ? { parentId: null } : {}),
			...(isCopy ? { isCopy } : {}),
		};
		this.#beginsAnew = false;
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

	/** The host replaced what came before by a summary. */
	compact({ entry, summary, kept, tokensBefore, ts, from }: Compacted): NewEvent[] {
		if (this.#said.has(entry)) return [];
		this.#said.add(entry);
		const parent = this.#tip;
		this.#tip = entry;
		const timestamp = new Date(ts).toISOString();
		const raw = writeJson({ type: "compaction", summary, firstKeptEntryId: kept, tokensBefore, timestamp });
		return [{ ...this.#base(ts), type: "Entry", entry, payload: { kind: "compaction", parent, from }, raw }];
	}

	/** For the parent: a sub-agent whose call nobody names. */
	subagent(child: string, task: string | undefined, ts: number): NewEvent[] {
		const payload = { child, task: task === undefined ? undefined : foldIntent(task) };
		return [{ ...this.#base(ts), type: "Subagent", entry: `agent:${child}`, payload }];
	}

	#base(ts: number) {
		return { session: this.session, host: this.host, ts };
	}
}

/** By its content: the same wherever it stands, and another one when it was rewritten. */
export function recordName(raw: string): string {
	return `sha256:${sha256(raw).slice(0, 16)}`;
}

/** Names that mean something in Pi's sessions would be read as Pi's. */
const PI_KINDS = new Set(["compaction", "branch_summary", "context_edit", "context_transform"]);

function ownKind(kind: string): string {
	return PI_KINDS.has(kind) ? `host ${kind}` : kind;
}

export function textBlock(text: string): MadeBlock[] {
	return text === "" ? [] : [{ type: "text", text }];
}

/** The picture of a `data:` address; undefined for any other. */
export function imageOfUrl(url: string): MadeBlock | undefined {
	const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
	return mimeType === undefined || data === undefined ? undefined : { type: "image", data, mimeType };
}

/** `input` with what was read from the cache and written to it among it; both are taken out. */
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
