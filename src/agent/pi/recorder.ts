/**
 * Copies a Pi session into the log while it grows. At every hook it asks Pi's session manager for new entries, because Pi
 * appends a message as an entry only after its `message_end` hooks: the entry and its id are there at the next hook. When a
 * write fails, the recorder starts over from what the log holds, so a passing failure loses nothing.
 */
import type { ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";
import type { Engine } from "../../engine.ts";
import type { NewEvent } from "../../log/event/types.ts";
import { type Fault, faultOf } from "../live/door.ts";
import { EntryFollower } from "./entry-follower.ts";
import { matchMigrated } from "./migrated-entries.ts";
import { PI_HOST, PiTranslator, type PiTranslatorOptions } from "./translate.ts";

type PiSessionManager = ExtensionContext["sessionManager"];

/** Each attempt at a locked log can take until the lock's deadline, so not every hook tries. */
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

	/** Records the entries since the last call. Costs only what is new. */
	follow(session: PiSessionManager): void {
		if (this.#followed?.id !== session.getSessionId()) this.catchUp(session);
		else this.#record(this.#followed, (follower) => follower.onBranch(session));
	}

	/** Records new entries on any branch: at the start, after the leaf has moved, at the end. */
	catchUp(session: PiSessionManager): void {
		if (performance.now() < this.#pausedUntil) return;
		try {
			// A fork without a session file changes the id of the running session.
			if (this.#followed?.id !== session.getSessionId()) this.#followed = this.#begin(session);
		} catch (error) {
			throw this.#failed(error);
		}
		if (this.#followed) this.#record(this.#followed, (follower) => follower.anywhere(session));
	}

	/** Keeps the fault until the next write succeeds: the log itself may have failed. */
	fault(fault: Fault): void {
		if (this.#faults.length < MAX_WAITING_FAULTS) this.#faults.push(fault);
	}

	/** Tries once more even after a failure. `onPruned`: called after pruning, while the log is still open. */
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
	 * Entries that the log holds are known; only the part after the last answer is translated again, for its open calls. A
	 * session without messages is not recorded, as Pi does not save it either.
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

	/** Entries are recorded in Pi's order, so the log has all entries up to its newest. */
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

/** Keeps an entry that cannot be translated whole, with a fault: one bad entry must not block the rest. */
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
