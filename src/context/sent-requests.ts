/** The requests that weft really sent, from the log: the messages, the stored patches, the uncached messages. */

import { asName } from "../base/json/read.ts";
import type { EventRecord } from "../log/event/types.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { sessionKey } from "../log/session-ref.ts";
import type { History } from "../state/history/history.ts";
import { isMessage } from "../state/session/tree.ts";
import type { RecordedCall } from "./model-calls.ts";
import type { ModeName } from "./moment.ts";
import type { ReplayItem } from "./patch/replay.ts";
import { readTransform } from "./patch/transform.ts";
import { type Path, PathReader } from "./path.ts";
import { planAsIs } from "./plan.ts";
import { StoredPatches } from "./session-patches.ts";
import type { PlannedRequest } from "./walk.ts";

export interface SentRequest {
	readonly planned: PlannedRequest;
	/** Its id; undefined: the agent sent its own history, not made by weft. */
	readonly request: string | undefined;
	/** For this request alone. */
	readonly ephemeral: readonly ReplayItem[];
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
		return { planned: { path, plan: planAsIs(path, mode) }, request, ephemeral };
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
	readonly #history: History;
	readonly #session: SessionRef;
	readonly #ephemeral = new Map<string, ReplayItem[]>();
	#seq = 0;

	constructor(history: History, session: SessionRef) {
		this.#history = history;
		this.#session = session;
		this.patches = new StoredPatches(history, session);
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
