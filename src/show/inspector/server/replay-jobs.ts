/** Replays session files dropped on the page, and sessions of a log. Each runs in its own thread, so that the server keeps answering. Nothing is stored. */
import { createHash } from "node:crypto";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Worker } from "node:worker_threads";
import { EngineError } from "../../../base/error/engine-error.ts";
import { ownModule } from "../../../base/file/package-file.ts";
import type { ReplayReport } from "../../../replay/report.ts";
import type { SessionSaving } from "../../../view/saving.ts";
import type { ReplayMessage, ReplayTask, SavingTask } from "./replay-worker.ts";

const MAX_BYTES = 512 * 1024 * 1024;
const MAX_JOBS = 8;

export interface ReplayJob {
	readonly id: string;
	readonly name: string;
	readonly status: "running" | "done" | "failed" | "stopped";
	/** The current step, and how far it is. */
	readonly progress: { readonly what: string; readonly done: number; readonly total: number } | null;
	/** A mode appears as soon as it is computed. */
	readonly report: Partial<ReplayReport> | null;
	readonly error: string | null;
	readonly ms: number;
}

interface RunningReplay {
	job: ReplayJob;
	readonly worker: Worker;
	readonly started: number;
}

export class ReplayJobs {
	readonly #jobs = new Map<string, RunningReplay>();
	readonly #savings = new Set<Worker>();
	readonly #folder: string;
	readonly #now: () => number;

	constructor(now: () => number) {
		this.#now = now;
		this.#folder = mkdtempSync(join(tmpdir(), "weft-inspect-"));
	}

	list(): readonly Pick<ReplayJob, "id" | "name" | "status">[] {
		return [...this.#jobs.values()].map(({ job: { id, name, status } }) => ({ id, name, status })).reverse();
	}

	get(id: string): ReplayJob {
		const running = this.#jobs.get(id);
		if (!running)
			throw new EngineError(
				"not-found",
				"This replay is no longer available: replays are not stored. Drop the file again.",
			);
		return running.job;
	}

	/** Streams an upload to a temporary file and replays it. The file is deleted when the replay ends. */
	async receive(request: IncomingMessage, name: string): Promise<ReplayJob> {
		const path = join(mkdtempSync(join(this.#folder, "file-")), safeName(name));
		const hash = createHash("sha256");
		let bytes = 0;
		request.on("data", (chunk: Buffer) => {
			bytes += chunk.length;
			hash.update(chunk);
			if (bytes > MAX_BYTES) request.destroy(new Error("too large"));
		});
		await pipeline(request, createWriteStream(path, { mode: 0o600 }));
		return this.start({ kind: "file", path }, { id: hash.digest("hex").slice(0, 16), name: safeName(name) });
	}

	start(task: Exclude<ReplayTask, SavingTask>, { id, name }: Pick<ReplayJob, "id" | "name">): ReplayJob {
		this.stop(id);
		const worker = new Worker(ownModule("show/inspector/server/replay-worker") ?? notShipped(), { workerData: task });
		const job: ReplayJob = { id, name, status: "running", progress: null, report: null, error: null, ms: 0 };
		const running: RunningReplay = { job, worker, started: this.#now() };
		for (const oldest of [...this.#jobs.keys()].slice(0, Math.max(0, this.#jobs.size - MAX_JOBS))) this.#drop(oldest);
		this.#jobs.delete(id);
		this.#jobs.set(id, running);
		const change = (part: Partial<ReplayJob>) => {
			running.job = { ...running.job, ...part, ms: this.#now() - running.started };
		};
		worker.on("message", (message: ReplayMessage) => change(changeOf(message, running.job)));
		worker.on("error", (error) => change({ status: "failed", error: String(error), progress: null }));
		worker.on("exit", () => {
			if (running.job.status === "running") change({ status: "stopped", progress: null });
			if (task.kind === "file") rmSync(task.path, { force: true });
		});
		return running.job;
	}

	/** Replays one session for what weft would have saved in it. */
	async saving(task: SavingTask): Promise<SessionSaving | null> {
		const worker = new Worker(ownModule("show/inspector/server/replay-worker") ?? notShipped(), { workerData: task });
		this.#savings.add(worker);
		try {
			return await new Promise((resolve, reject) => {
				worker.on("message", (message: ReplayMessage) => {
					if (message.kind === "saving") resolve(message.saving);
					if (message.kind === "failed") reject(new Error(message.message));
				});
				worker.on("error", reject);
				worker.on("exit", () => reject(new EngineError("refused", "The replay was stopped.")));
			});
		} finally {
			this.#savings.delete(worker);
		}
	}

	stop(id: string): void {
		void this.#jobs.get(id)?.worker.terminate();
	}

	close(): void {
		for (const worker of [...this.#savings, ...[...this.#jobs.values()].map((each) => each.worker)])
			void worker.terminate();
		rmSync(this.#folder, { recursive: true, force: true });
	}

	#drop(id: string): void {
		this.stop(id);
		this.#jobs.delete(id);
	}
}

function changeOf(message: ReplayMessage, { report }: ReplayJob): Partial<ReplayJob> {
	switch (message.kind) {
		case "progress":
			return { progress: message.progress };
		case "mode":
			return { report: { ...report, modes: { ...report?.modes, [message.row]: message.mode } } };
		case "report":
			return { report: message.report, status: "done", progress: null };
		case "failed":
			return { status: "failed", error: message.message, progress: null };
		case "saving":
			return {};
	}
}

function notShipped(): never {
	throw new EngineError("not-shipped", "The replay's worker is not built. Run 'npm run build' in the checkout.");
}

/** A name to show and to save under, without any part of a path. */
function safeName(name: string): string {
	return (
		basename(name)
			.replace(/[^\p{L}\p{N}._ -]/gu, "_")
			.slice(-120) || "session.jsonl"
	);
}
