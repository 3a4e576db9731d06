/** Replays of session files that somebody dropped on the page, or of sessions of a log: each in a thread of its own, so that the server goes on answering. Nothing is kept. */
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
import type { ReplayTask, ReplayWord } from "./replay-worker.ts";

const MAX_BYTES = 512 * 1024 * 1024;
const MAX_JOBS = 8;

export interface ReplayJob {
	readonly id: string;
	readonly name: string;
	readonly status: "running" | "done" | "failed" | "stopped";
	/** What is computed now, and how far it is. */
	readonly progress: { readonly what: string; readonly done: number; readonly total: number } | null;
	/** Modes are there as soon as each is computed. */
	readonly report: Partial<ReplayReport> | null;
	readonly error: string | null;
	readonly ms: number;
}

interface Running {
	job: ReplayJob;
	readonly worker: Worker;
	readonly started: number;
}

export class ReplayJobs {
	readonly #jobs = new Map<string, Running>();
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
			throw new EngineError("not-found", "This replay is gone: nothing of it was kept. Drop the file again.");
		return running.job;
	}

	/** Takes a file in as it comes, and replays it. It is removed when the replay has ended. */
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

	start(task: ReplayTask, { id, name }: Pick<ReplayJob, "id" | "name">): ReplayJob {
		this.stop(id);
		const worker = new Worker(ownModule("show/inspector/server/replay-worker")!, { workerData: task });
		const job: ReplayJob = { id, name, status: "running", progress: null, report: null, error: null, ms: 0 };
		const running: Running = { job, worker, started: this.#now() };
		for (const oldest of [...this.#jobs.keys()].slice(0, Math.max(0, this.#jobs.size - MAX_JOBS))) this.#drop(oldest);
		this.#jobs.delete(id);
		this.#jobs.set(id, running);
		const change = (part: Partial<ReplayJob>) => {
			running.job = { ...running.job, ...part, ms: this.#now() - running.started };
		};
		worker.on("message", (word: ReplayWord) => {
			if (word.kind === "progress") change({ progress: word.progress });
			else if (word.kind === "mode") {
				const modes = { ...running.job.report?.modes, [word.row]: word.mode };
				change({ report: { ...running.job.report, modes } });
			} else if (word.kind === "report") change({ report: word.report, status: "done", progress: null });
			else change({ status: "failed", error: word.message, progress: null });
		});
		worker.on("error", (error) => change({ status: "failed", error: String(error), progress: null }));
		worker.on("exit", () => {
			if (running.job.status === "running") change({ status: "stopped", progress: null });
			if (task.kind === "file") rmSync(task.path, { force: true });
		});
		return running.job;
	}

	stop(id: string): void {
		void this.#jobs.get(id)?.worker.terminate();
	}

	close(): void {
		for (const { worker } of this.#jobs.values()) void worker.terminate();
		rmSync(this.#folder, { recursive: true, force: true });
	}

	#drop(id: string): void {
		this.stop(id);
		this.#jobs.delete(id);
	}
}

/** Names of files tell what they are, and are nothing else. */
function safeName(name: string): string {
	return (
		basename(name)
			.replace(/[^\p{L}\p{N}._ -]/gu, "_")
			.slice(-120) || "session.jsonl"
	);
}
