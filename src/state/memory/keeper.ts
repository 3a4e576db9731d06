/**
 * Decides when each memory file is written, for every agent. The agent reports what happens (a session begins, a turn ends,
 * something is about to leave the context, a session ends) and lends its models.
 *
 * Anything that someone waits for is written from state at once. Models write later, in the background. Each step fails
 * open: the file stays as it was, the failure is reported once, and the next occasion tries again.
 */

import { readJsonAnswer, type SideModel } from "../../base/sidecar/ask.ts";
import type { JobReport, Sidecar, SideJob } from "../../base/sidecar/sidecar.ts";
import type { GivenPayload, NewEvent } from "../../log/event/types.ts";
import type { History } from "../history/history.ts";
import { conversation } from "./conversation-text.ts";
import { consolidationPrompt, historyOps, memoryOps, readConsolidation } from "./durable/model-consolidation.ts";
import { historyFromState, memoryFromState } from "./durable/state-consolidation.ts";
import { cleanUpOps, cleanUpPrompt, expiredOps, foldOps, isCleanUpDue, readCleanUp } from "./durable/upkeep.ts";
import { dayOf } from "./file-text.ts";
import {
	historyFile,
	keyOf,
	type MemoryFile,
	MemoryFiles,
	type MemoryWriteResult,
	memoryFile,
	type SessionName,
	sessionFile,
	type WriteRequest,
} from "./memory-files.ts";
import { mendLink, pointTo } from "./newest-link.ts";
import type { CurrentBullet } from "./operation.ts";
import { draftOps, readDraft, sessionPrompt } from "./session/draft.ts";
import { draftFromState, type NotedState } from "./session/state-draft.ts";
import { type DueState, isTouched, isUpdateDue, isUpdateUrgent, sinceUpdate } from "./session/update-due-fold.ts";

export interface KeptState extends NotedState {
	readonly due: DueState;
}

export interface KeeperOptions {
	readonly history: History;
	/** The state that the session may know. */
	readonly state: (session: SessionName) => KeptState;
	/** True: the session has an owner, so its MEMORY.md and HISTORY.md are its own. */
	readonly hasOwnMemory: (session: SessionName) => boolean;
	readonly record: (events: readonly NewEvent[]) => void;
	readonly now: () => number;
	readonly sidecar: Sidecar;
	/** Asked in order. None: everything is written from state. */
	readonly models: () => readonly SideModel[];
	/** Limit for one call of a model. A whole job takes at most a second longer. */
	readonly callMs?: number | undefined;
	/** Called for each failure. */
	readonly onFailure: (where: string, error: unknown) => void;
}

/** A model rewrites SESSION.md at most this often. */
const MODEL_PAUSE_MS = 10 * 60_000;
const UPDATE_TOKENS = 2_000;
const CONSOLIDATION_TOKENS = 2_500;
const CLEAN_UP_TOKENS = 1_500;
const CALL_MS = 60_000;

export class MemoryKeeper {
	readonly files: MemoryFiles;
	readonly #options: KeeperOptions;
	readonly #begun = new Set<string>();
	/** Sessions whose file has been written from state since a model last wrote it. */
	readonly #changed = new Set<string>();
	/** When a model was last asked for a session's file. */
	readonly #byModel = new Map<string, number>();
	/** Sessions whose consolidation by a model failed. The next occasion tries again. */
	readonly #owed = new Set<string>();
	#isEnded = false;

	constructor(options: KeeperOptions) {
		this.#options = options;
		this.files = new MemoryFiles({ log: options.history.log });
	}

	/** A session begins: makes its three files and points `SESSION.md` to this session's. */
	begin(session: SessionName): void {
		if (this.#begun.has(keyOf(sessionFile(session)))) return;
		this.#begun.add(keyOf(sessionFile(session)));
		this.#safely("begin", () => {
			for (const file of this.#filesOf(session)) this.#write(file, "begin", session, () => []);
			pointTo(this.files.folder, sessionFile(session));
		});
	}

	/** A turn has ended: writes SESSION.md if enough has gathered. Within a run it takes much more. */
	turnEnded(session: SessionName, { isRunOver }: { readonly isRunOver: boolean }): void {
		this.#safely("turn", () => {
			const key = keyOf(sessionFile(session));
			const since = sinceUpdate(this.#options.state(session).due, session);
			if (isRunOver ? isUpdateDue(since) : isUpdateUrgent(since)) {
				this.#fromState(session, "turn");
				this.#changed.add(key);
			}
			if (!isRunOver || !this.#changed.has(key) || !this.#mayAskAgain(session)) return;
			this.#changed.delete(key);
			void this.#byModelLater(session, "turn");
		});
	}

	/** Something is about to leave the context: updates SESSION.md from state, at once. */
	beforeSeal(session: SessionName): void {
		this.#safely("seal", () => this.#refresh(session, "seal"));
	}

	/**
	 * The agent is about to compact: updates SESSION.md, then consolidates what lasts, both from state and at once. Models
	 * and upkeep follow in the background, and do not write SESSION.md again.
	 */
	beforeCompaction(session: SessionName): void {
		this.#safely("compaction", () => this.#refresh(session, "compaction"));
		this.#safely("consolidation", () => this.#consolidate(session));
	}

	afterCompaction(session: SessionName): void {
		void this.#consolidateLater(session).then(() => this.#tend(session));
	}

	/** Another session is about to begin: it waits only for the update from state. */
	beforeNewSession(session: SessionName): void {
		this.#safely("new-session", () => this.#refresh(session, "new-session"));
		this.#safely("consolidation", () => this.#consolidate(session));
	}

	/** The session ends. Jobs that still run write nothing more. */
	end(session: SessionName | undefined): void {
		if (session && !this.#isEnded) {
			this.#safely("end", () => this.#refresh(session, "end"));
			this.#safely("consolidation", () => this.#consolidate(session));
		}
		this.#isEnded = true;
	}

	/** Takes in the user's edits before anything is recalled, and makes lost files again. */
	takeInEdits(session: SessionName): void {
		this.#safely("edits", () => {
			for (const file of this.#filesOf(session)) {
				if (this.files.store.revision(keyOf(file)) > 0) this.#write(file, "edit", session, () => []);
			}
		});
	}

	/** Confirms bullets on probation that were recalled. */
	recalled(session: SessionName, ids: readonly string[]): void {
		this.#safely("recall", () => {
			const known = this.files.store.bullets(keyOf(this.#memory(session)));
			if (!known.some(({ id, until }) => until !== null && ids.includes(id))) return;
			this.#write(this.#memory(session), "recall", session, (current) =>
				current
					.filter(({ id, until }) => until !== null && ids.includes(id))
					.map(({ id }) => ({ op: "confirm", id, by: "state" }) as const),
			);
		});
	}

	/** Resolves when nothing runs in the background. */
	async idle(): Promise<void> {
		await this.#options.sidecar.idle();
	}

	/** Writes SESSION.md from state if anything has happened since. */
	#refresh(session: SessionName, why: string): void {
		if (isTouched(sinceUpdate(this.#options.state(session).due, session))) this.#fromState(session, why);
	}

	#fromState(session: SessionName, why: string): void {
		const draft = draftFromState(this.#options.state(session), session.session);
		this.#write(sessionFile(session), why, session, (current) => {
			// A model's section is better than the same from state. It stays until a model writes again.
			const written = new Set(current.filter(({ by }) => isModel(by)).map(({ section }) => section));
			return draftOps(
				current.filter(({ by }) => !isModel(by)),
				draft,
				"state",
			).filter((op) => op.op !== "add" || !written.has(op.section) || STATE_SECTIONS.has(op.section));
		});
	}

	#consolidate(session: SessionName): void {
		const state = this.#options.state(session);
		const now = this.#options.now();
		this.#write(this.#memory(session), "consolidation", session, memoryFromState(state, session, now));
		this.#write(this.#history(session), "consolidation", session, historyFromState(state, session, dayOf(now)));
	}

	#mayAskAgain(session: SessionName): boolean {
		const last = this.#byModel.get(keyOf(sessionFile(session)));
		return last === undefined || this.#options.now() - last >= MODEL_PAUSE_MS;
	}

	async #byModelLater(session: SessionName, why: string): Promise<void> {
		const models = this.#options.models();
		if (models.length === 0) return;
		const file = sessionFile(session);
		this.#byModel.set(keyOf(file), this.#options.now());
		await this.#job("session-update", session, async () => {
			const said = await conversation(this.#options.history, session);
			const current = this.#current(file);
			return {
				maxTokens: UPDATE_TOKENS,
				models,
				prompt: (refused) => sessionPrompt({ current, said }, refused),
				read: (answer) => {
					const json = readJsonAnswer(answer);
					return json.ok ? readDraft(json.value) : json;
				},
				take: (draft, model, job) => this.#write(file, why, session, (now) => draftOps(now, draft, model), job),
			};
		});
	}

	async #consolidateLater(session: SessionName): Promise<void> {
		const models = this.#options.models();
		if (models.length === 0) return;
		const key = keyOf(sessionFile(session));
		this.#owed.add(key);
		await this.#job("consolidate", session, async () => {
			const said = await conversation(this.#options.history, session);
			const input = {
				said,
				session: this.#current(sessionFile(session)),
				memory: this.#current(this.#memory(session)),
			};
			return {
				maxTokens: CONSOLIDATION_TOKENS,
				models,
				prompt: (refused) => consolidationPrompt(input, refused),
				read: (answer) => {
					const json = readJsonAnswer(answer);
					return json.ok ? readConsolidation(json.value) : json;
				},
				take: (value, model, job) => {
					this.#owed.delete(key);
					const now = this.#options.now();
					this.#write(this.#memory(session), "consolidation", session, () => memoryOps(value, model, now), job);
					this.#write(
						this.#history(session),
						"consolidation",
						session,
						historyOps(value, session.session, dayOf(now), model),
						job,
					);
				},
			};
		});
	}

	/** True: a consolidation by a model is still due. */
	isOwed(session: SessionName): boolean {
		return this.#owed.has(keyOf(sessionFile(session)));
	}

	/** The agent rests: tries again what failed before. */
	async retryLater(session: SessionName): Promise<void> {
		if (this.isOwed(session)) await this.#consolidateLater(session);
	}

	/** For agents whose process lives no longer than a turn: does what is due by the log. */
	async upkeep(session: SessionName): Promise<void> {
		const file = sessionFile(session);
		const written = this.#current(file);
		const byModel = written.filter(({ by }) => isModel(by)).map(({ ts }) => ts ?? 0);
		const isDue = this.#options.now() - Math.max(0, ...byModel) >= MODEL_PAUSE_MS;
		const asksModel = written.length > 0 && isDue;
		if (asksModel) await this.#byModelLater(session, "turn");
		await this.#tend(session, { asksModel: !asksModel });
	}

	async #tend(session: SessionName, { asksModel } = { asksModel: true }): Promise<void> {
		if (this.#isEnded) return;
		const { now } = this.#options;
		this.#safely("clean-up", () => this.#write(this.#memory(session), "clean-up", session, expiredOps(now())));
		this.#safely("folding", () => this.#write(this.#history(session), "folding", session, foldOps));
		const models = asksModel ? this.#options.models() : [];
		const current = this.#current(this.#memory(session));
		if (models.length === 0 || !isCleanUpDue(current)) return;
		await this.#job("clean-up", session, async () => ({
			maxTokens: CLEAN_UP_TOKENS,
			models,
			prompt: (refused) => cleanUpPrompt(current, refused),
			read: (answer) => {
				const json = readJsonAnswer(answer);
				return json.ok ? readCleanUp(json.value) : json;
			},
			take: (value, model, job) =>
				this.#write(this.#memory(session), "clean-up", session, cleanUpOps(value, model), job),
		}));
	}

	/** Never rejects. Writes nothing after the session has ended. */
	async #job<Value>(name: string, session: SessionName, prepare: () => Promise<KeeperJob<Value>>): Promise<void> {
		try {
			const job = await prepare();
			const key = `${name} ${keyOf(sessionFile(session))}`;
			const { value, report } = await this.#options.sidecar.run({
				name,
				key,
				callMs: this.#options.callMs ?? CALL_MS,
				deadlineMs: jobMs(this.#options.callMs),
				...job,
			});
			if (this.#isEnded) return;
			const entry = `job ${name} ${this.#options.now()}`;
			if (report.calls > 0) this.#options.record([jobEvent(report, session, entry, this.#options.now())]);
			if (value !== undefined) this.#safely(name, () => job.take(value, report.model ?? "model", entry));
		} catch (error) {
			if (!this.#isEnded) this.#options.onFailure(name, error);
		}
	}

	#filesOf(session: SessionName): readonly MemoryFile[] {
		return [this.#memory(session), this.#history(session), sessionFile(session)];
	}

	#memory(session: SessionName): MemoryFile {
		return memoryFile(this.#homeOf(session));
	}

	#history(session: SessionName): MemoryFile {
		return historyFile(this.#homeOf(session));
	}

	#homeOf({ session, host }: SessionName): SessionName | undefined {
		return this.#options.hasOwnMemory({ session, host }) ? { session, host } : undefined;
	}

	#current(file: MemoryFile): CurrentBullet[] {
		return this.files.store.bullets(keyOf(file));
	}

	#write(
		file: MemoryFile,
		why: string,
		session: SessionName,
		build: WriteRequest["build"],
		job?: string,
	): MemoryWriteResult {
		const { tree } = this.#options.history;
		tree.catchUp();
		if (file.kind === "session" && why !== "begin") mendLink(this.files.folder, file);
		const cause = tree.tip(session);
		return this.files.write({ file, why, session, ts: this.#options.now(), cause, build, job });
	}

	#safely(where: string, work: () => unknown): void {
		try {
			work();
		} catch (error) {
			this.#options.onFailure(`memory ${where}`, error);
		}
	}
}

interface KeeperJob<Value> extends Pick<SideJob<Value>, "maxTokens" | "models" | "prompt" | "read"> {
	readonly take: (value: Value, model: string, job: string) => void;
}

/** Sections that state knows better than a model. */
const STATE_SECTIONS: ReadonlySet<string> = new Set(["Active Files", "Errors & Corrections", "Decisions", "Worklog"]);

/** One call and a second more. Undefined: the default. */
function jobMs(callMs: number | undefined): number | undefined {
	return callMs === undefined ? undefined : callMs + 1_000;
}

function isModel(by: string): boolean {
	return by !== "user" && by !== "state" && by !== "import";
}

function jobEvent(report: JobReport, { session, host }: SessionName, entry: string, ts: number): NewEvent {
	const { tried, ...fields } = report;
	const payload: GivenPayload<"Job"> = { ...fields, tried: tried.length > 0 ? [...tried] : undefined };
	return { type: "Job", session, host, ts, entry, payload };
}
