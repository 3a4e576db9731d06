/**
 * Copies a Pi session into the log while it grows. It asks Pi's session manager for what is new at every hook, because
 * Pi appends a message as an entry only after the `message_end` hooks have run: the entry, with its id, is there at the
 * next hook. When the log fails, everything is forgotten and read again from what the log has: nothing is lost by a
 * failure that passes.
 */
import type { ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";
import type { Engine } from "../../engine.ts";
import type { NewEvent } from "../../log/event/types.ts";
import { type Fault, faultOf } from "../live/door.ts";
import { EntryFollower } from "./entry-follower.ts";
import { matchMigrated } from "./migrated-entries.ts";
import { PI_HOST, PiTranslator, type PiTranslatorOptions } from "./translate.ts";

type PiSessionManager = ExtensionContext["sessionManager"];

/** A log that cannot be written may hold us up for as long as its lock's deadline: not at every hook. */
const PAUSE_AFTER_FAILURE_MS = 30_000;
const MAX_WAITING_FAULTS = 20;

interface FollowedSession {
	readonly id: string;
	readonly translator: PiTranslator;
	readonly follower: EntryFollower;
}

export class PiRecorder {
	readonly #engine: Engine;
	readonly #options: Pick<PiTranslatorOptions, "blobOf" | "tools">;
	readonly #faults: Fault[] = [];
	#followed: FollowedSession | undefined;
	#pausedUntil = 0;

	constructor(engine: Engine, options: Pick<PiTranslatorOptions, "blobOf" | "tools"> = {}) {
		this.#engine = engine;
		this.#options = options;
	}

	/** Records what came since the last call. Costs what is new. */
	follow(session: PiSessionManager): void {
		if (this.#followed?.id !== session.getSessionId()) this.catchUp(session);
		else this.#record(this.#followed, (follower) => follower.onBranch(session));
	}

	/** Records what is new on any branch: at the start, where the leaf was moved, at the end. */
	catchUp(session: PiSessionManager): void {
		if (performance.now() < this.#pausedUntil) return;
		try {
			// A fork without a session file changes the session under us: it is then another one.
			if (this.#followed?.id !== session.getSessionId()) this.#followed = this.#begin(session);
		} catch (error) {
			throw this.#failed(error);
		}
		if (this.#followed) this.#record(this.#followed, (follower) => follower.anywhere(session));
	}

	/** Kept until the log takes events again: it may be the log that failed. */
	fault(fault: Fault): void {
		if (this.#faults.length < MAX_WAITING_FAULTS) this.#faults.push(fault);
	}

	/** Whatever failed before, the end is worth one more try. `onPruned`: when events left, while the log is still open. */
	async end(session: PiSessionManager, onPruned?: () => void): Promise<void> {
		this.#pausedUntil = 0;
		try {
			this.catchUp(session);
		} finally {
			await this.#engine.endSession({ onPruned });
		}
	}

	#record(followed: FollowedSession, find: (follower: EntryFollower) => SessionEntry[]): void {
		try {
			const entries = find(followed.follower);
			if (entries.length === 0 && this.#faults.length === 0) return;
			const events = entries.flatMap((entry) => translate(followed, entry));
			this.#engine.record([...events, ...this.#faults.map((fault) => faultEvent(followed.id, fault))]);
			followed.follower.know(entries);
			this.#faults.length = 0;
		} catch (error) {
			throw this.#failed(error);
		}
	}

	/**
	 * What the log has of the session already is known; only what an unanswered call needs, or the other ids of a migrated
	 * session, is translated again. A session in which nothing was said yet is not begun, as Pi does not save it either.
	 */
	#begin(session: PiSessionManager): FollowedSession | undefined {
		const entries = session.getEntries();
		if (!entries.some(({ type }) => type === "message" || type === "custom_message")) return undefined;
		const id = session.getSessionId();
		const header = session.getHeader();
		const known = matchMigrated(this.#engine.log, { ...header }, id);
		const translator = new PiTranslator(header ?? { id }, { ...this.#options, known });
		const followed = { id, translator, follower: new EntryFollower() };
		if (header) this.#engine.record(translator.translate(header, JSON.stringify(header), "session"));

		const recorded = entries.slice(0, 1 + this.#newestRecorded(id, entries));
		followed.follower.know(recorded);
		const lastAnswer = recorded.findLastIndex(
			(entry) => entry.type === "message" && entry.message.role === "assistant",
		);
		for (const entry of recorded.slice(Math.max(0, lastAnswer))) translate(followed, entry);
		return followed;
	}

	/** Entries are recorded in Pi's order, so the log has every one up to its newest. */
	#newestRecorded(session: string, entries: readonly SessionEntry[]): number {
		const query = { session, host: PI_HOST, types: ["Message", "Entry"], order: "newest", limit: 1 } as const;
		for (const { entry } of this.#engine.log.read(query)) return entries.findLastIndex(({ id }) => id === entry);
		return -1;
	}

	#failed(error: unknown): unknown {
		this.#followed = undefined;
		this.#pausedUntil = performance.now() + PAUSE_AFTER_FAILURE_MS;
		return error;
	}
}

/** An entry that we cannot read is kept whole all the same, beside the fault: one bad entry must not hold up the rest. */
function translate({ id, translator }: FollowedSession, entry: SessionEntry): NewEvent[] {
	let raw: string | undefined;
	try {
		raw = JSON.stringify(entry);
		return translator.translate(entry, raw, entry.id);
	} catch (error) {
		const fault = faultEvent(id, faultOf("translate", error));
		if (raw === undefined) return [fault];
		const payload = { kind: String(entry.type) };
		return [{ type: "Entry", session: id, host: PI_HOST, ts: Date.now(), entry: entry.id, payload, raw }, fault];
	}
}

function faultEvent(session: string, payload: Fault): NewEvent {
	return { type: "Fault", session, host: PI_HOST, ts: Date.now(), payload };
}
