/** What weft really sent, request by request, from what the log has of it: the messages, the stored patches, what was said last. */

import { asName } from "../base/json/read.ts";
import type { EventRecord } from "../log/event/types.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { sessionKey } from "../log/session-ref.ts";
import type { History } from "../state/history/history.ts";
import { isMessage } from "../state/session/tree.ts";
import type { RecordedCall } from "./calls.ts";
import type { ModeName } from "./moment.ts";
import type { ReplayItem } from "./patch/replay.ts";
import { readTransform } from "./patch/transform.ts";
import { StoredPatches } from "./patches.ts";
import { type Path, PathReader } from "./path.ts";
import { planAsIs } from "./plan.ts";
import type { PlannedRequest } from "./walk.ts";

export interface SentRequest {
	readonly planned: PlannedRequest;
	/** Its id; undefined: weft did not make it, the host sent its own. */
	readonly request: string | undefined;
	/** Said for this request alone. */
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

	/** The Request event of a request that was made at this place of the session: nothing was said since. */
	madeAt({ session, leaf, upTo }: RecordedCall): EventRecord | undefined {
		const made = this.#newest(session, upTo);
		const spoken = this.#newestMessage(leaf);
		return made && spoken !== undefined && this.#newestMessage(made.cause ?? undefined) === spoken ? made : undefined;
	}

	/** When the newest request before this moment left. */
	lastAskedAt({ session, upTo }: RecordedCall): number | undefined {
		return this.#newest(session, upTo)?.ts;
	}

	/** What left. Without a Request event weft was not there, and the host sent its own history. */
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
		// What the host sent without us is not ours.
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

/** What the log has of one session's requests. Reads what is new at each question. */
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
