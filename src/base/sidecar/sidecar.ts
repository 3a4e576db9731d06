/**
 * Small jobs for models: one after the other, so that they never pile up, each with a time limit, all cancelled at the
 * end. A failure goes into the report and nowhere else. Urgent jobs skip the queue.
 */
import { errorText } from "../error/error-text.ts";
import { askModels, type Question, type SideAnswer, type Tried } from "./ask.ts";
import { ModelGate } from "./gate.ts";

export interface SideJob<Value, Given extends SideAnswer = SideAnswer> extends Omit<Question<Value, Given>, "gate"> {
	/** Its purpose: `session-update`, `consolidate`, … */
	readonly name: string;
	/** Of the waiting jobs with one key, only the newest runs. */
	readonly key?: string | undefined;
	/** For the whole job, from its start. */
	readonly deadlineMs?: number | undefined;
	/** A caller waits for it, so it skips the queue. */
	readonly isUrgent?: boolean | undefined;
}

export interface JobReport {
	readonly job: string;
	readonly outcome: "done" | "refused" | "failed" | "cancelled";
	readonly model?: string | undefined;
	readonly durationMs: number;
	readonly calls: number;
	readonly tried: readonly Tried[];
	readonly usage?: unknown;
}

export interface JobResult<Value> {
	/** Undefined: nothing came of it. */
	readonly value: Value | undefined;
	readonly report: JobReport;
}

export interface SidecarOptions {
	readonly gate?: ModelGate | undefined;
	readonly now?: (() => number) | undefined;
	/** Called for every job that asked a model. */
	readonly onReport?: ((report: JobReport) => void) | undefined;
}

const DEADLINE_MS = 180_000;
const MAX_WAITING = 20;

export class Sidecar {
	readonly gate: ModelGate;
	readonly #options: SidecarOptions;
	readonly #ending = new AbortController();
	readonly #waiting: WaitingJob[] = [];
	#running: Promise<void> | undefined;

	constructor(options: SidecarOptions = {}) {
		this.#options = options;
		this.gate = options.gate ?? new ModelGate(options.now);
	}

	/** Never rejects. */
	run<Value, Given extends SideAnswer>(job: SideJob<Value, Given>): Promise<JobResult<Value>> {
		if (job.isUrgent) return this.#do(job);
		const { promise, resolve } = Promise.withResolvers<JobResult<Value>>();
		const cancel = () => resolve(cancelled(job.name));
		const older = job.key === undefined ? -1 : this.#waiting.findIndex(({ key }) => key === job.key);
		if (older !== -1) this.#waiting.splice(older, 1)[0]?.cancel();
		if (this.#waiting.length >= MAX_WAITING) this.#waiting.shift()?.cancel();
		this.#waiting.push({ key: job.key, cancel, start: async () => resolve(await this.#do(job)) });
		this.#running ??= this.#work();
		return promise;
	}

	/** When nothing runs and nothing waits. */
	async idle(): Promise<void> {
		while (this.#running) await this.#running;
	}

	/** Cancels running and waiting jobs; later ones are cancelled at once. */
	end(): void {
		this.#ending.abort();
		for (const { cancel } of this.#waiting.splice(0)) cancel();
	}

	async #work(): Promise<void> {
		// Jobs added in the same tick may replace each other.
		await Promise.resolve();
		for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await next.start();
		this.#running = undefined;
	}

	async #do<Value, Given extends SideAnswer>(job: SideJob<Value, Given>): Promise<JobResult<Value>> {
		const { now = Date.now, onReport } = this.#options;
		const start = now();
		const took = () => Math.max(0, Math.round(now() - start));
		const signals = [this.#ending.signal, AbortSignal.timeout(job.deadlineMs ?? DEADLINE_MS)];
		const signal = AbortSignal.any(job.signal ? [...signals, job.signal] : signals);
		let report: JobReport;
		let value: Value | undefined;
		try {
			const { taken, tried, calls } = await askModels({ breaker: job.name, ...job, gate: this.gate, signal });
			value = taken?.value;
			const outcome = taken ? "done" : calls > 0 ? "refused" : "failed";
			const { model, usage } = taken ?? {};
			report = { job: job.name, outcome, model, usage, durationMs: took(), calls, tried };
		} catch (error) {
			const isCancelled = signal.aborted;
			const reason = errorText(error);
			report = {
				job: job.name,
				outcome: isCancelled ? "cancelled" : "failed",
				durationMs: took(),
				calls: 0,
				tried: [{ model: "-", reason }],
			};
		}
		try {
			if (job.models.length > 0) onReport?.(report);
		} catch {
			// A report that fails must not withhold the answer.
		}
		return { value, report };
	}
}

interface WaitingJob {
	readonly key: string | undefined;
	readonly cancel: () => void;
	readonly start: () => Promise<void>;
}

function cancelled<Value>(job: string): JobResult<Value> {
	return { value: undefined, report: { job, outcome: "cancelled", durationMs: 0, calls: 0, tried: [] } };
}
