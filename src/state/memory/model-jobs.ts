/**
 * The jobs of models for the memory files: notes of the session, what outlives it, and tidying up. They run in the background, one
 * after the other. The answer of a consolidation is recorded before anything is written, so a process that dies in between leaves it
 * for the next one, which writes the rest, once.
 *
 * An answer may be late: the user has said something since the model read the conversation. Or it takes the old value of two. Words that
 * the user replaced are left out of it.
 */
import { asInteger, asObject, asText } from "../../base/json/read.ts";
import { type AnswerReading, readJsonAnswer, type SideModel } from "../../base/sidecar/ask.ts";
import type { JobReport, SideJob } from "../../base/sidecar/sidecar.ts";
import type { EventRecord, GivenPayload, NewEvent } from "../../log/event/types.ts";
import { hasValue } from "../thread/corrections.ts";
import { type ThreadItem, threadItems } from "../thread/items.ts";
import { threadIn } from "../thread/thread.ts";
import { type CheckedOps, checkThreadOps, listItems } from "../thread/thread-ops.ts";
import { conversation } from "./conversation-text.ts";
import {
	type Consolidation,
	consolidationPrompt,
	historyOps,
	memoryOps,
	readConsolidation,
} from "./durable/model-consolidation.ts";
import { cleanUpOps, cleanUpPrompt, isCleanUpDue, readCleanUp } from "./durable/upkeep.ts";
import { dayOf } from "./file-text.ts";
import type { KeeperOptions } from "./keeper.ts";
import { type MemoryFile, type SessionName, sessionFile, type WriteRequest } from "./memory-files.ts";
import type { CurrentBullet, MemoryOp } from "./operation.ts";
import { owedBy } from "./owed-fold.ts";
import { NOTE_PROMPT, NOTE_TOKENS, readNote } from "./seal-note.ts";
import { draftOps, readDraft, type SessionDraft, sessionPrompt } from "./session/draft.ts";
import { supersededInScope } from "./superseded-in-scope.ts";

const UPDATE_TOKENS = 2_000;
const CONSOLIDATION_TOKENS = 2_500;
const CLEAN_UP_TOKENS = 1_500;
const CALL_MS = 60_000;
/** The agent waits this long for the note at a seal. */
const NOTE_WAIT_MS = 15_000;

/** The keeper's files. */
export interface KeptFiles {
	readonly memory: (session: SessionName) => MemoryFile;
	readonly history: (session: SessionName) => MemoryFile;
	readonly current: (file: MemoryFile) => CurrentBullet[];
	readonly write: (
		file: MemoryFile,
		why: string,
		session: SessionName,
		build: WriteRequest["build"],
		job?: string,
	) => unknown;
	/** The agent has ended: nothing more is written. */
	readonly isEnded: () => boolean;
}

/** An answer that was recorded; `upTo`: seq of the newest message that the model read. */
interface KeptAnswer {
	readonly value: Consolidation;
	readonly model: string;
	readonly job: string;
	readonly upTo: number;
}

export class ModelJobs {
	readonly #options: KeeperOptions;
	readonly #files: KeptFiles;

	constructor(options: KeeperOptions, files: KeptFiles) {
		this.#options = options;
		this.#files = files;
	}

	/** Writes SESSION.md, and operations on the thread. */
	async updateSession(
		session: SessionName,
		why: string,
		{ models = this.#options.models(), ...limits }: Partial<Pick<MemoryJob<never>, "models"> & JobLimits> = {},
	): Promise<void> {
		if (models.length === 0) return;
		const file = sessionFile(session);
		await this.#run("session-update", session, async () => {
			const askedAt = this.#options.history.log.newestSeq();
			const { text, said } = await conversation(this.#options.history, session);
			const current = this.#files.current(file);
			const thread = listItems(this.#items(session));
			return {
				...limits,
				maxTokens: UPDATE_TOKENS,
				models,
				prompt: (refused) => sessionPrompt({ current, said: text, thread }, refused),
				read: (answer): AnswerReading<{ draft: SessionDraft; thread: unknown }> => {
					const json = readJsonAnswer(answer);
					const draft = json.ok ? readDraft(json.value) : json;
					if (!json.ok || !draft.ok) return draft as Exclude<typeof draft, { ok: true }>;
					return { ok: true, value: { draft: draft.value, thread: json.value["thread"] } };
				},
				take: ({ draft, thread }, model, job) => {
					const isOver = this.#isReplaced(session);
					const items = this.#items(session);
					const checked = checkThreadOps(thread, { items, askedAt, said, isReplaced: isOver });
					this.#recordOps(session, { ...checked, by: model, job });
					this.#files.write(file, why, session, (now) => fresh(draftOps(now, draft, model), isOver), job);
				},
			};
		});
	}

	/** The session's own model leaves itself a note. `model` reads the session as it is in the provider's cache, then the prompt. */
	async sealNote(session: SessionName, model: SideModel): Promise<void> {
		const { callMs = NOTE_WAIT_MS } = this.#options;
		await this.#run("seal-note", session, async () => ({
			maxTokens: NOTE_TOKENS,
			models: [model],
			attempts: 1,
			isUrgent: true,
			deadlineMs: Math.min(NOTE_WAIT_MS, callMs),
			prompt: () => NOTE_PROMPT,
			read: readNote,
			take: (note, by, job) => this.#recordOps(session, { ops: [], refused: [], note, by, job }),
		}));
	}

	#items(session: SessionName): readonly ThreadItem[] {
		const { thread, decisions } = this.#options.state(session);
		const own = threadIn(thread, session.session);
		return own ? threadItems(own, session.session, decisions) : [];
	}

	#recordOps({ session, host }: SessionName, given: CheckedOps & { note?: string; by: string; job: string }): void {
		const { ops, refused, ...rest } = given;
		if (ops.length + refused.length === 0 && rest.note === undefined) return;
		const payload: GivenPayload<"ThreadOps"> = {
			...rest,
			ops: ops.map((op) => ({ ...op })),
			...(refused.length > 0 && { refused: refused.map((each) => ({ ...each })) }),
		};
		const ts = this.#options.now();
		this.#options.record([{ type: "ThreadOps", session, host, ts, entry: `thread ${rest.job}`, payload }]);
	}

	/** Writes MEMORY.md and HISTORY.md: from an answer that a process left when it died, else by asking a model. */
	async consolidate(session: SessionName): Promise<void> {
		const kept = this.#keptAnswer(session);
		if (kept) return this.#safely(() => this.#take(session, kept));
		const models = this.#options.models();
		const upTo = owedBy(this.#options.state(session).owed, session)?.newest ?? 0;
		if (models.length === 0) return;
		await this.#run("consolidate", session, async () => {
			const { text: said } = await conversation(this.#options.history, session);
			const { memory, current } = this.#files;
			const input = { said, session: current(sessionFile(session)), memory: current(memory(session)) };
			return {
				maxTokens: CONSOLIDATION_TOKENS,
				models,
				prompt: (refused) => consolidationPrompt(input, refused),
				read: (answer) => {
					const json = readJsonAnswer(answer);
					return json.ok ? readConsolidation(json.value) : json;
				},
				upTo,
				take: (value, model, job) => this.#take(session, { value, model, job, upTo }),
			};
		});
	}

	/** Removes bullets of MEMORY.md that were only about work in progress. */
	async cleanUp(session: SessionName): Promise<void> {
		const models = this.#options.models();
		const file = this.#files.memory(session);
		const current = this.#files.current(file);
		if (models.length === 0 || !isCleanUpDue(current)) return;
		await this.#run("clean-up", session, async () => ({
			maxTokens: CLEAN_UP_TOKENS,
			models,
			prompt: (refused) => cleanUpPrompt(current, refused),
			read: (answer) => {
				const json = readJsonAnswer(answer);
				return json.ok ? readCleanUp(json.value) : json;
			},
			take: (value, model, job) => this.#files.write(file, "clean-up", session, cleanUpOps(value, model), job),
		}));
	}

	/** Another process may have written a newer answer meanwhile, or this one in part. */
	#take(session: SessionName, { value, model, job, upTo }: KeptAnswer): void {
		const { log } = this.#options.history;
		const { now, record } = this.#options;
		if ((owedBy(this.#options.state(session).owed, session)?.byModel ?? 0) >= upTo) return;
		const isOver = this.#isReplaced(session);
		const day = dayOf(log.get(upTo)?.ts ?? now());
		const history = value.history.filter((text) => !isOver(text));
		const ops = {
			memory: () => fresh(memoryOps(value, model, now()), isOver),
			history: historyOps({ ...value, history }, session.session, day, model),
		};
		const written = new Set(
			[...log.read({ ...session, types: ["MemoryWrite"], after: upTo })]
				.filter(({ payload }) => payload["job"] === job)
				.map(({ payload }) => payload["file"]),
		);
		for (const kind of ["memory", "history"] as const) {
			if (!written.has(kind)) this.#files.write(this.#files[kind](session), "consolidation", session, ops[kind], job);
		}
		record([consolidationEvent(session, { state: "done", why: "model", upTo, by: model }, now())]);
	}

	/** The newest answer that was recorded and not yet written. */
	#keptAnswer(session: SessionName): KeptAnswer | undefined {
		const done = owedBy(this.#options.state(session).owed, session)?.byModel ?? 0;
		const jobs = [...this.#options.history.log.read({ ...session, types: ["Job"], after: done })];
		return jobs.toReversed().reduce<KeptAnswer | undefined>((found, job) => found ?? keptIn(job, done), undefined);
	}

	/**
	 * Whether the user's words replaced a text, after the model read it or before: a model may have read both and taken the old value.
	 * A text that has the new value says the same as the user.
	 */
	#isReplaced(session: SessionName): (text: string) => boolean {
		const { log } = this.#options.history;
		const { thread } = this.#options.state(session);
		const superseded = supersededInScope(log, thread, this.#options.scope(session));
		return (text) => {
			const replacer = superseded.replacerOf({ text, session: session.session }) ?? superseded.disproofOf(text, -1);
			return replacer !== undefined && (replacer.right === "" || !hasValue(text, replacer.right));
		};
	}

	/** Never rejects. Writes nothing after the agent has ended. */
	async #run<Value>(name: string, session: SessionName, prepare: () => Promise<MemoryJob<Value>>): Promise<void> {
		const { sidecar, record, now, callMs } = this.#options;
		try {
			const { upTo, ...job } = await prepare();
			const { value, report } = await sidecar.run({
				name,
				key: `${name} ${session.host} ${session.session}`,
				callMs: callMs ?? CALL_MS,
				// One call and a second more.
				deadlineMs: callMs === undefined ? undefined : callMs + 1_000,
				...job,
			});
			if (this.#files.isEnded()) return;
			const entry = `job ${name} ${now()}`;
			const answer = upTo === undefined || value === undefined ? {} : { answer: value, upTo };
			if (report.calls > 0) record([jobEvent(report, session, entry, now(), answer)]);
			if (value !== undefined) this.#safely(() => job.take(value, report.model ?? "model", entry), name);
		} catch (error) {
			if (!this.#files.isEnded()) this.#options.onFailure(name, error);
		}
	}

	#safely(work: () => unknown, where = "consolidate"): void {
		try {
			work();
		} catch (error) {
			this.#options.onFailure(`memory ${where}`, error);
		}
	}
}

type JobLimits = Pick<SideJob<unknown>, "deadlineMs" | "isUrgent">;

interface MemoryJob<Value>
	extends JobLimits,
		Pick<SideJob<Value>, "maxTokens" | "models" | "prompt" | "read" | "attempts"> {
	/** The answer is recorded, as of this message. Undefined: it is not worth keeping. */
	readonly upTo?: number | undefined;
	readonly take: (value: Value, model: string, job: string) => void;
}

/** Leaves out what an operation would write, never what it removes. */
function fresh(ops: readonly MemoryOp[], isOver: (text: string) => boolean): MemoryOp[] {
	return ops.filter((op) => !("text" in op) || !isOver(op.text));
}

function keptIn({ payload, entry }: EventRecord, done: number): KeptAnswer | undefined {
	const answer = asObject(payload["answer"]);
	const upTo = asInteger(payload["upTo"]);
	if (payload["job"] !== "consolidate" || !answer || upTo === undefined || upTo <= done || entry === null)
		return undefined;
	const reading = readConsolidation(answer);
	return reading.ok
		? { value: reading.value, model: asText(payload["model"]) ?? "model", job: entry, upTo }
		: undefined;
}

export function consolidationEvent(
	{ session, host }: SessionName,
	payload: GivenPayload<"Consolidation">,
	ts: number,
): NewEvent {
	const entry = `consolidation ${payload.state} ${payload.by ?? ""} ${payload.upTo}`;
	return { type: "Consolidation", session, host, ts, entry, payload };
}

export function jobEvent(
	report: JobReport,
	{ session, host }: SessionName,
	entry: string,
	ts: number,
	kept: Pick<GivenPayload<"Job">, "answer" | "upTo"> = {},
): NewEvent {
	const { tried, ...fields } = report;
	const payload: GivenPayload<"Job"> = { ...fields, tried: tried.length > 0 ? [...tried] : undefined, ...kept };
	return { type: "Job", session, host, ts, entry, payload };
}
