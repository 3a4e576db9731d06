/**
 * Decides when each memory file is written, for every agent. The agent reports what happens (a session begins, a turn ends,
 * something is about to leave the context, a session ends) and lends its models.
 *
 * Anything that someone waits for is written from state at once. Models write later, in the background. Each step fails
 * open: the file stays as it was, the failure is reported once, and the next occasion tries again.
 */

import type { SideModel } from "../../base/sidecar/ask.ts";
import type { Sidecar } from "../../base/sidecar/sidecar.ts";
import type { GivenPayload, NewEvent } from "../../log/event/types.ts";
import { getRecent, newestFirst } from "../../log/fold/keyed.ts";
import type { Log } from "../../log/log.ts";
import type { History } from "../history/history.ts";
import type { Scope } from "../session/scope.ts";
import { type ThreadRemark, type ThreadState, threadIn } from "../thread/thread.ts";
import type { Failure } from "../work/failure/types.ts";
import { isSameRule, lastingWords, settledBefore } from "./durable/lasting-items.ts";
import { markPromoted, promotedUpTo } from "./durable/promoted-requests.ts";
import { promotionOps } from "./durable/promotion.ts";
import { decisionsFromState, historyFromState } from "./durable/state-consolidation.ts";
import { expiredOps, foldOps } from "./durable/upkeep.ts";
import { dayOf } from "./file-text.ts";
import {
	historyFile,
	keyOf,
	type MemoryFile,
	MemoryFiles,
	type MemoryWriteResult,
	memoryFile,
	memoryHomes,
	type SessionName,
	sessionFile,
	type WriteRequest,
} from "./memory-files.ts";
import { consolidationEvent, ModelJobs } from "./model-jobs.ts";
import { mendLink, pointTo } from "./newest-link.ts";
import type { CurrentBullet, MemoryOp } from "./operation.ts";
import { type OwedState, owedBy, owedToModel, owedToState } from "./owed-fold.ts";
import { draftOps } from "./session/draft.ts";
import { draftFromState, type NotedState } from "./session/state-draft.ts";
import { type DueState, isTouched, isUpdateDue, isUpdateUrgent, sinceUpdate } from "./session/update-due-fold.ts";
import { isAssertion, supersededInScope } from "./superseded-in-scope.ts";
import { isModel } from "./writer-rank.ts";

export interface KeptState extends NotedState {
	readonly due: DueState;
	readonly owed: OwedState;
}

export interface KeeperOptions {
	readonly history: History;
	/** The state that the session may know. */
	readonly state: (session: SessionName) => KeptState;
	/** The sessions that the session may read. One with an owner has a MEMORY.md and a HISTORY.md of its own. */
	readonly scope: (session: SessionName) => Pick<Scope, "owner" | "homes">;
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
/** Looking for what other sessions owe takes a few milliseconds. */
const LOOK_PAUSE_MS = 10 * 60_000;
const REST_MS = 60 * 60_000;
/** People who talk pause for hours many times a day; the line of the day is written in the night, and before anything leaves. */
const TALK_REST_MS = 6 * REST_MS;
/** An agent waits this long for a model before it compacts. */
const WAIT_MS = 6_000;
const [MAX_WORKED_OFF, MAX_MODEL_JOBS] = [5, 2];

export class MemoryKeeper {
	readonly files: MemoryFiles;
	readonly #options: KeeperOptions;
	readonly #jobs: ModelJobs;
	readonly #begun = new Set<string>();
	/** Sessions whose file has been written from state since a model last wrote it. */
	readonly #changed = new Set<string>();
	/** When a model was last asked for a session's file. */
	readonly #byModel = new Map<string, number>();
	/** When owed consolidations of other sessions were last looked for, by owner. */
	readonly #lookedAt = new Map<string | undefined, number>();
	/** Of sessions at rest. */
	readonly #rests = new Map<string, NodeJS.Timeout>();
	#isEnded = false;

	constructor(options: KeeperOptions) {
		this.#options = options;
		this.files = new MemoryFiles({ log: options.history.log });
		this.#jobs = new ModelJobs(options, {
			memory: (session) => this.#memory(session),
			history: (session) => this.#history(session),
			current: (file) => this.#current(file),
			write: (...given) => this.#write(...given),
			isEnded: () => this.#isEnded,
		});
	}

	/** A session begins: makes its three files and points `SESSION.md` to this session's. */
	begin(session: SessionName): void {
		if (this.#begun.has(keyOf(sessionFile(session)))) return;
		this.#begun.add(keyOf(sessionFile(session)));
		this.#safely("begin", () => {
			for (const file of this.#filesOf(session)) this.#write(file, "begin", session, () => []);
			pointTo(this.files.folder, sessionFile(session));
		});
		this.#workOff(session);
	}

	/** A turn has ended: writes SESSION.md if enough has gathered. Within a run it takes much more. */
	turnEnded(session: SessionName, { isRunOver }: { readonly isRunOver: boolean }): void {
		this.#safely("turn", () => {
			const key = keyOf(sessionFile(session));
			const since = sinceUpdate(this.#options.state(session).due, session);
			// The file begins empty: the first words come soon, also in talk.
			const isTalk = this.files.store.revision(key) > 1 && this.#isTalk(session);
			if (isRunOver ? isUpdateDue(since, { isTalk }) : isUpdateUrgent(since)) {
				this.#fromState(session, "turn");
				this.#changed.add(key);
			}
			if (isRunOver) {
				this.#promote(session, "turn");
				this.#workOff(session);
				this.#waitForRest(session);
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
	 * The agent is about to compact: updates SESSION.md, then consolidates what lasts, both from state and at once. Then one of
	 * `models` writes SESSION.md again if it answers in time; the agent waits for it. What lasts and upkeep follow in the background.
	 */
	async beforeCompaction(session: SessionName, models: readonly SideModel[] = []): Promise<void> {
		let isNews = false;
		this.#safely("compaction", () => {
			isNews = this.#refresh(session, "compaction");
		});
		this.#safely("consolidation", () => this.#consolidate(session, "compaction"));
		if (!isNews || models.length === 0) return;
		this.#changed.delete(keyOf(sessionFile(session)));
		this.#byModel.set(keyOf(sessionFile(session)), this.#options.now());
		const { callMs = WAIT_MS } = this.#options;
		await this.#jobs.updateSession(session, "compaction", {
			models,
			deadlineMs: Math.min(WAIT_MS, callMs),
			isUrgent: true,
		});
	}

	/** A seal is due: the session's own model leaves itself a note, which the seed then holds. Resolves when it is written, refused or late. */
	async noteAtSeal(session: SessionName, model: SideModel): Promise<void> {
		if (!this.#isEnded) await this.#jobs.sealNote(session, model);
	}

	afterCompaction(session: SessionName): void {
		void this.#jobs.consolidate(session).then(() => this.#tend(session));
	}

	/** Another session is about to begin: it waits only for the update from state. */
	beforeNewSession(session: SessionName): void {
		this.#safely("new-session", () => this.#refresh(session, "new-session"));
		this.#safely("consolidation", () => this.#consolidate(session, "new-session"));
		void this.#jobs.consolidate(session);
	}

	/** The agent ends, and this session with it. Jobs that still run write nothing more. */
	end(session: SessionName | undefined): void {
		if (session && !this.#isEnded) this.sessionEnded(session);
		this.#isEnded = true;
		for (const timer of this.#rests.values()) clearTimeout(timer);
	}

	/** One of several sessions ends. */
	sessionEnded(session: SessionName): void {
		this.#safely("end", () => this.#refresh(session, "end"));
		this.#safely("consolidation", () => this.#consolidate(session, "end"));
	}

	/** Takes in the user's edits before anything is recalled, and makes lost files again. */
	takeInEdits(session: SessionName): void {
		this.#consolidateRested(session);
		this.#safely("edits", () => {
			for (const file of this.#filesOf(session)) {
				if (this.files.store.revision(keyOf(file)) > 0) this.#write(file, "edit", session, () => []);
			}
		});
	}

	/** Confirms bullets on probation that were recalled for words that certainly speak of them. */
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

	/** Writes SESSION.md from state if anything has happened since, also the sections that a model wrote before that. False: nothing has. */
	#refresh(session: SessionName, why: string): boolean {
		if (!isTouched(sinceUpdate(this.#options.state(session).due, session))) return false;
		this.#fromState(session, why, { replacesModel: true });
		return true;
	}

	#fromState(session: SessionName, why: string, { replacesModel = false } = {}): void {
		const { log } = this.#options.history;
		const isOwn = ({ lastSeq, resolvedSeq }: Failure) =>
			[lastSeq, resolvedSeq].some((seq) => seq !== null && log.getStored(seq)?.session === session.session);
		const draft = draftFromState(this.#options.state(session), session.session, { isOwn });
		const isPresent = (section: string) => replacesModel && PRESENT_SECTIONS.has(section);
		this.#write(sessionFile(session), why, session, (current) => {
			// A model's section is better than the same from state, until something has happened that it does not know.
			const kept = current.filter(({ by, section }) => isModel(by) && !isPresent(section));
			const written = new Set(kept.map(({ section }) => section));
			return draftOps(
				current.filter((each) => !kept.includes(each)),
				draft,
				"state",
			).filter((op) => op.op !== "add" || !written.has(op.section) || STATE_SECTIONS.has(op.section));
		});
	}

	/** Consolidates from state. It is owed before and done after, so a killed process leaves it owed. */
	#consolidate(session: SessionName, why: string): void {
		const owed = owedBy(this.#options.state(session).owed, session);
		if (!owed || owed.newest <= Math.min(owed.byState, owed.owed)) return;
		if (owed.newest > owed.owed) this.#record(session, { state: "owed", why, upTo: owed.newest });
		this.#fromThread(session);
		this.#record(session, { state: "done", why, upTo: owed.newest, by: "state" });
	}

	/** The user may leave an agent open for days: what was done must not wait for its end. */
	#waitForRest(session: SessionName): void {
		const key = keyOf(sessionFile(session));
		clearTimeout(this.#rests.get(key));
		const timer = setTimeout(() => this.#consolidateRested(session), REST_MS);
		timer.unref();
		this.#rests.set(key, timer);
	}

	#consolidateRested(session: SessionName): void {
		if (this.#isEnded || !this.#options.history.log.isOpen) return;
		this.#safely("rest", () => {
			const owed = owedBy(this.#options.state(session).owed, session);
			if (!owed || owed.newest <= owed.byState) return;
			const rest = this.#options.now() - owed.ts;
			if (rest < REST_MS || (rest < TALK_REST_MS && this.#isTalk(session))) return;
			this.#refresh(session, "rest");
			this.#consolidate(session, "rest");
			void this.#jobs.consolidate(session);
		});
	}

	#record(session: SessionName, payload: GivenPayload<"Consolidation">): void {
		this.#options.record([consolidationEvent(session, payload, this.#options.now())]);
	}

	/**
	 * Consolidates other sessions that ended without it, killed or long at rest: from state at once, and by a model in the
	 * background. Only sessions that this one may read, each from its own state into its own files. Another process may do the
	 * same at the same moment: the second finds nothing left to write.
	 */
	#workOff(session: SessionName): void {
		const now = this.#options.now();
		const scope = this.#options.scope(session);
		const lookedAt = this.#lookedAt.get(scope.owner) ?? Number.NEGATIVE_INFINITY;
		if (now - lookedAt < LOOK_PAUSE_MS || this.#isEnded) return;
		this.#lookedAt.set(scope.owner, now);
		const isOther = (each: SessionName) => each.session !== session.session || each.host !== session.host;
		// The state of a session with an owner has only its own events.
		const owedIn = (read: typeof owedToState) =>
			memoryHomes(scope).flatMap((of) => read(this.#options.state(of ?? session).owed).filter(isOther));
		for (const each of owedIn(owedToState).slice(0, MAX_WORKED_OFF)) {
			const why = now - each.ts >= REST_MS ? "rest" : "killed";
			this.#safely("consolidation", () => this.#consolidate({ session: each.session, host: each.host }, why));
		}
		for (const each of owedIn(owedToModel).slice(0, MAX_MODEL_JOBS)) {
			void this.#jobs.consolidate({ session: each.session, host: each.host });
		}
	}

	/** Promotes what lasts, and writes the line of the day. */
	#fromThread(session: SessionName): void {
		const state = this.#options.state(session);
		this.#promote(session, "consolidation");
		const { log } = this.#options.history;
		const day = dayOf(owedBy(state.owed, session)?.ts ?? this.#options.now());
		const [first] = log.read({ ...session, since: Date.parse(`${day}T00:00:00Z`), limit: 1 });
		const superseded = supersededInScope(log, state.thread, this.#options.scope(session));
		const file = this.#history(session);
		const build = historyFromState(state, session, {
			day,
			since: first?.seq ?? 0,
			open: state.failures.failures.open.filter(({ lastSeq }) => log.get(lastSeq)?.session === session.session),
			writtenAt: ({ id }) => this.files.store.newestIn(keyOf(file), id)?.seq ?? log.newestSeq(),
			isDisproved: (text, seq) => superseded.disproofOf(text, seq) !== undefined,
		});
		this.#write(file, "consolidation", session, build);
	}

	/** Takes what lasts of the requests since the last time to MEMORY.md: the user's words, and decisions of the agent. */
	#promote(session: SessionName, why: string): void {
		const state = this.#options.state(session);
		const thread = threadIn(state.thread, session.session);
		const decisions = decisionsFromState(state, session);
		if (!thread) return;
		const { log } = this.#options.history;
		const { store } = this.files;
		const file = this.#memory(session);
		const after = promotedUpTo(log, session) ?? settledBefore(thread, owedBy(state.owed, session)?.byState ?? -1);
		const superseded = supersededInScope(log, state.thread, this.#options.scope(session));
		const words = lastingWords(thread, {
			after,
			isWorkedOn: (order, next) => isWorkedOn(log, session, order.seq, next?.seq),
			isTalk: this.#isTalk(session),
			isRepeated: (text) => isRuleElsewhere(state.thread, session.session, text),
		});
		const corrections = thread.corrections.filter((each) => each.seq > after && isAssertion(each));
		const promoteTo = (file: MemoryFile) =>
			promotionOps({
				...words,
				corrections,
				saidAt: ({ id, ts }) => {
					const bullet = ts === null ? undefined : store.newestIn(keyOf(file), id);
					return bullet ? store.saidAt(bullet) : log.newestSeq();
				},
				removedAt: (text) => store.removedAt(keyOf(file), text),
				isReplaced: (text, seq) => superseded.replacerOf({ text, seq }) !== undefined,
			});
		const promote = promoteTo(file);
		this.#write(file, why, session, (current) => [...promote(current), ...decisions(current)]);
		if ([words.items, words.takenBack, corrections].some(({ length }) => length > 0)) {
			for (const home of this.#otherHomes(session)) this.#takeBack(home, why, promoteTo(memoryFile(home)));
		}
		markPromoted(log, session, settledBefore(thread));
	}

	/** A conversation of somebody's, in which nobody has run a command or changed a file. */
	#isTalk(session: SessionName): boolean {
		const own = getRecent(this.#options.state(session).progress.sessions, session.session);
		const isWork = own === undefined || own.commands > 0 || own.sinceIntent.files.length > 0;
		return !isWork && this.#options.scope(session).owner !== undefined;
	}

	/** The owner's other conversations with a MEMORY.md that this one reads. */
	#otherHomes(session: SessionName): readonly SessionName[] {
		const own = keyOf(this.#memory(session));
		const homes = memoryHomes(this.#options.scope(session)).filter((of) => of !== undefined);
		const files = homes.map((of) => ({ of, file: keyOf(memoryFile(of)) }));
		return files.flatMap(({ of, file }) => (file !== own && this.files.store.revision(file) > 0 ? [of] : []));
	}

	/** Removes what words of another conversation corrected. They stay there: a reset of that conversation forgets them. */
	#takeBack(of: SessionName, why: string, promote: WriteRequest["build"]): void {
		this.#write(memoryFile(of), why, of, (current) =>
			promote(current).flatMap((op): MemoryOp[] => {
				if (op.op === "supersede")
					return [{ op: "invalidate", id: op.replaces, by: "user", source: op.source, reason: "you said otherwise" }];
				return op.op === "invalidate" ? [op] : [];
			}),
		);
	}

	#mayAskAgain(session: SessionName): boolean {
		const last = this.#byModel.get(keyOf(sessionFile(session)));
		return last === undefined || this.#options.now() - last >= MODEL_PAUSE_MS;
	}

	async #byModelLater(session: SessionName, why: string): Promise<void> {
		if (this.#options.models().length === 0) return;
		this.#byModel.set(keyOf(sessionFile(session)), this.#options.now());
		await this.#jobs.updateSession(session, why);
	}

	/** True: a consolidation by a model is still due. */
	isOwed(session: SessionName): boolean {
		const owed = owedBy(this.#options.state(session).owed, session);
		return owed !== undefined && owed.owed > owed.byModel;
	}

	/** The agent rests: tries again what failed before. */
	async retryLater(session: SessionName): Promise<void> {
		if (this.isOwed(session)) await this.#jobs.consolidate(session);
	}

	/** For agents whose process lives no longer than a turn: does what is due by the log, with one job of a model at most. */
	async upkeep(session: SessionName): Promise<void> {
		const owed = this.#options.models().length > 0 ? this.#owedByLog(session) : undefined;
		if (owed) {
			await this.#jobs.consolidate(owed);
			return this.#tend(session, { asksModel: false });
		}
		const file = sessionFile(session);
		const written = this.#current(file);
		const byModel = written.filter(({ by }) => isModel(by)).map(({ ts }) => ts ?? 0);
		const isDue = this.#options.now() - Math.max(0, ...byModel) >= MODEL_PAUSE_MS;
		const asksModel = written.length > 0 && isDue;
		if (asksModel) await this.#byModelLater(session, "turn");
		await this.#tend(session, { asksModel: !asksModel });
	}

	/** The newest session whose consolidation a model has not tried a moment ago. */
	#owedByLog(session: SessionName): SessionName | undefined {
		const { log } = this.#options.history;
		const since = this.#options.now() - MODEL_PAUSE_MS;
		const isTried = (of: SessionName) =>
			[...log.read({ ...of, types: ["Job"], since })].some(({ payload }) => payload["job"] === "consolidate");
		const owed = memoryHomes(this.#options.scope(session)).flatMap((of) =>
			owedToModel(this.#options.state(of ?? session).owed),
		);
		return owed.map(({ session, host }) => ({ session, host })).find((of) => !isTried(of));
	}

	async #tend(session: SessionName, { asksModel } = { asksModel: true }): Promise<void> {
		if (this.#isEnded) return;
		const { now } = this.#options;
		this.#safely("clean-up", () => this.#write(this.#memory(session), "clean-up", session, expiredOps(now())));
		this.#safely("folding", () => this.#write(this.#history(session), "folding", session, foldOps));
		if (asksModel) await this.#jobs.cleanUp(session);
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
		return this.#options.scope({ session, host }).owner === undefined ? undefined : { session, host };
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

/** Sections about the present: a model's words for them are wrong once the work has moved. */
const PRESENT_SECTIONS: ReadonlySet<string> = new Set(["Current State", "User Intent", "Next Steps"]);

/** Sections that state knows better than a model. */
const STATE_SECTIONS: ReadonlySet<string> = new Set(["Active Files", "Errors & Corrections", "Decisions", "Worklog"]);

/** Calls that an agent makes to look something up before it acknowledges. */
const MAX_LOOKS = 3;

/** The agent did something for the request: it ran commands, changed files, or looked at many things. */
function isWorkedOn(log: Log, session: SessionName, after: number, before: number | undefined): boolean {
	const upTo = before === undefined ? undefined : before - 1;
	const range = { ...session, after, upTo };
	const [changed] = log.read({ ...range, types: ["FileChanged", "CommandRun"], limit: 1 });
	return (
		changed !== undefined || [...log.read({ ...range, types: ["ToolCalled"], limit: MAX_LOOKS + 1 })].length > MAX_LOOKS
	);
}

function isRuleElsewhere({ sessions }: ThreadState, session: string, text: string): boolean {
	for (const [name, { remarks }] of newestFirst(sessions)) {
		if (name === session) continue;
		const isRule = (each: ThreadRemark) =>
			each.kind === "rule" && each.replacedBy === null && each.foundBy === undefined;
		if (remarks.some((each) => isRule(each) && isSameRule(each.text, text))) return true;
	}
	return false;
}
