/** The requests that weft really sent, from the log: the messages, the stored patches, the uncached messages. */

import { asName } from "../base/json/read.ts";
import { type EventRecord, isA } from "../log/event/types.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { sessionKey } from "../log/session-ref.ts";
import { THINKING_RULES } from "../message/thinking-rules.ts";
import type { History } from "../state/history/history.ts";
import { isMessage } from "../state/session/tree.ts";
import type { RecordedCall } from "./model-calls.ts";
import type { ModeName } from "./moment.ts";
import type { ReplayItem } from "./patch/replay.ts";
import { readTransform } from "./patch/transform.ts";
import { type Path, PathReader } from "./path.ts";
import { planAsIs } from "./plan.ts";
import type { SentThinking } from "./request.ts";
import { headOf, type SeenAnswers, SeenPrefixes } from "./seen-prefixes.ts";
import { StoredPatches } from "./session-patches.ts";
import type { PlannedRequest } from "./walk.ts";

export interface SentRequest {
	readonly planned: PlannedRequest;
	/** Its id; undefined: the agent sent its own history, not made by weft. */
	readonly request: string | undefined;
	/** For this request alone. */
	readonly ephemeral: readonly ReplayItem[];
	readonly thinking: SentThinking;
	readonly seen: SeenAnswers;
}

export class SentRequests {
	readonly #history: History;
	readonly #reader: PathReader;
	readonly #stored = new Map<string, Stored>();

	constructor(history: History, reader: PathReader = new PathReader(history)) {
		this.#history = history;
		this.#reader = reader;
	}

	/** The Request event made at this place of the session, with no message since. */
	madeAt({ session, leaf, upTo }: RecordedCall): EventRecord | undefined {
		const made = this.#newest(session, upTo);
		const spoken = this.#newestMessage(leaf);
		return made && spoken !== undefined && this.#newestMessage(made.cause ?? undefined) === spoken ? made : undefined;
	}

	/** When the newest request before this moment left. */
	lastAskedAt({ session, upTo }: RecordedCall): number | undefined {
		return this.#newest(session, upTo)?.ts;
	}

	/** The request that was sent. Without a Request event, the agent sent its own history. */
	read(call: RecordedCall, made: EventRecord | undefined = this.madeAt(call)): SentRequest {
		const mode = (asName(made?.payload["mode"]) as ModeName | undefined) ?? "off";
		const path = this.path(call, mode);
		const request = asName(made?.payload["request"]);
		const ephemeral = request === undefined ? [] : this.#of(call.session).ephemeral(request, call.upTo);
		const thinking = {
			rule: THINKING_RULES.find((rule) => rule === made?.payload["thinking"]),
			head: made && isA(made, "Request") ? headOf(made.payload.segments) : undefined,
		};
		return { planned: { path, plan: planAsIs(path, mode) }, request, ephemeral, thinking, seen: this.seen(call, path) };
	}

	/** The prefix that each answer on a path was made from. */
	seen({ session, upTo }: RecordedCall, { messages }: Path): SeenAnswers {
		return this.#of(session).seen.of(messages, upTo);
	}

	/** The path with the stored patches that count in a mode. */
	path({ session, leaf, upTo }: RecordedCall, mode: ModeName): Path {
		const patches = this.#of(session).patches.forMode(mode, upTo);
		return this.#reader.read({ session, leaf, patches, compactions: "recorded" });
	}

	#newest({ session, host }: SessionRef, upTo: number): EventRecord | undefined {
		const query = { session, host, types: ["Request"], upTo, order: "newest", limit: 1 } as const;
		// Requests that the agent made without us do not count.
		for (const record of this.#history.log.read(query)) return record.payload["mode"] === "host" ? undefined : record;
		return undefined;
	}

	#of(session: SessionRef): Stored {
		const key = sessionKey(session);
		const known = this.#stored.get(key);
		if (known) return known;
		const made = new Stored(this.#history, session);
		this.#stored.set(key, made);
		return made;
	}

	#newestMessage(leaf: number | undefined): number | undefined {
		for (const entry of this.#history.tree.upward(leaf ?? null)) if (isMessage(entry)) return entry.seq;
		return undefined;
	}
}

/** One session's requests in the log. Reads new events at each question. */
class Stored {
	readonly patches: StoredPatches;
	readonly seen: SeenPrefixes;
	readonly #history: History;
	readonly #session: SessionRef;
	readonly #ephemeral = new Map<string, ReplayItem[]>();
	#seq = 0;

	constructor(history: History, session: SessionRef) {
		this.#history = history;
		this.#session = session;
		this.patches = new StoredPatches(history, session);
		this.seen = new SeenPrefixes(history.log, session);
	}

	ephemeral(request: string, upTo: number): readonly ReplayItem[] {
		const { session, host } = this.#session;
		for (const record of this.#history.log.read({ session, host, types: ["Transform"], after: this.#seq, upTo })) {
			this.#seq = record.seq;
			const transform = readTransform(record.payload);
			if (transform.reason !== "ephemeral" || transform.request === undefined) continue;
			const known = this.#ephemeral.get(transform.request) ?? [];
			this.#ephemeral.set(transform.request, [...known, { kind: "transform", transform }]);
		}
		return this.#ephemeral.get(request) ?? [];
	}
}
