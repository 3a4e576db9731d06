/**
 * The report over all projects. A thread reads every session once; until it is done, the answer is the report on what it has
 * read, with its progress. What weft would have saved comes from replays that the command kept; the others run in threads of
 * their own, and only when asked for.
 */
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { EngineError } from "../../../base/error/engine-error.ts";
import { ownModule } from "../../../base/file/package-file.ts";
import { knownSaving } from "../../../replay/session-saving.ts";
import type { SessionState } from "../../../state/session/session-state.ts";
import type { CostOfSession } from "../../../view/cost-parts.ts";
import { REPLAYED_SESSIONS } from "../../../view/replayed-sessions.ts";
import { type HomeReport, reportHome } from "../../../view/report.ts";
import { type HomeSaving, type SessionSaving, sessionsToReplay, sumSavings } from "../../../view/saving.ts";
import type { CostMessage, CostTask } from "./cost-worker.ts";
import type { Projects } from "./projects.ts";
import type { SavingTask } from "./replay-worker.ts";

const PATIENCE_MS = 400;

export interface ReportProgress {
	readonly what: "read" | "replayed";
	readonly done: number;
	readonly total: number;
}

/** A report that is not complete yet. */
export type PendingReport = HomeReport & { readonly progress: ReportProgress };

interface HomeReportOptions {
	/** Also replay the sessions that were not replayed yet. */
	readonly replay: boolean;
}

interface ReadSession {
	/** Of its project. */
	readonly key: string;
	readonly state: SessionState;
	/** Names the session and its newest event. */
	readonly id: string;
	readonly cost: CostOfSession;
}

interface RunningReport {
	progress: ReportProgress;
	readonly since: number | undefined;
	/** So far. */
	readonly sessions: ReadSession[];
	readonly report: Promise<HomeReport>;
}

type ReplaySaving = (task: Omit<SavingTask, "kind" | "home">) => Promise<SessionSaving | null>;

export class HomeReports {
	readonly #home: string;
	readonly #projects: Projects;
	readonly #replaySaving: ReplaySaving;
	/** By the first moment that counts, then by session and its newest event. */
	readonly #costs = new Map<number | undefined, Map<string, CostOfSession>>();
	/** By session and its newest event. */
	readonly #savings = new Map<string, SessionSaving | null>();
	readonly #running = new Map<string, RunningReport>();
	readonly #workers = new Set<Worker>();

	constructor(home: string, projects: Projects, replaySaving: ReplaySaving) {
		this.#home = home;
		this.#projects = projects;
		this.#replaySaving = replaySaving;
	}

	async read(since: number | undefined, options: HomeReportOptions): Promise<HomeReport | PendingReport> {
		const key = `${since ?? ""} ${options.replay}`;
		const running = this.#running.get(key) ?? this.#start(key, since, options);
		return Promise.race([running.report, setTimeout(PATIENCE_MS).then(() => this.#soFar(running))]);
	}

	close(): void {
		for (const worker of this.#workers) void worker.terminate();
	}

	#start(key: string, since: number | undefined, options: HomeReportOptions): RunningReport {
		const state = { progress: { what: "read", done: 0, total: 0 } as ReportProgress, since, sessions: [] };
		const running = Object.assign(state, { report: this.#report(state, options) });
		// The reader may have left.
		running.report.catch(() => undefined);
		running.report.finally(() => this.#running.delete(key)).catch(() => undefined);
		this.#running.set(key, running);
		return running;
	}

	async #report(running: Omit<RunningReport, "report">, options: HomeReportOptions): Promise<HomeReport> {
		await this.#readSessions(running);
		const { known, unreplayed } = await this.#saving(running, options);
		return { ...this.#view(running, known), unreplayed };
	}

	#soFar(running: RunningReport): PendingReport {
		return { ...this.#view(running, undefined), progress: running.progress };
	}

	#view({ sessions, since }: Pick<RunningReport, "sessions" | "since">, saving: HomeSaving | undefined): HomeReport {
		const keys = Object.fromEntries(this.#projects.list().map(({ root, key }) => [root, key]));
		const costs = sessions.map(({ cost }) => cost);
		return { ...reportHome(costs, since, saving), keys, ...(this.#projects.isOne && { isOneProject: true }) };
	}

	async #readSessions(running: Omit<RunningReport, "report">): Promise<void> {
		const { since, sessions } = running;
		const costs = this.#costs.get(since) ?? new Map<string, CostOfSession>();
		this.#costs.set(since, costs);
		const projects = this.#projects.list().map(({ key, root }) => ({ key, root }));
		const task: CostTask = { home: this.#home, projects, since, known: new Set(costs.keys()) };
		const worker = new Worker(ownModule("show/inspector/server/cost-worker") ?? notShipped(), { workerData: task });
		this.#workers.add(worker);
		try {
			await new Promise<void>((resolve, reject) => {
				worker.on("message", (message: CostMessage) => {
					if (message.kind === "done") resolve();
					else if (message.kind === "failed") reject(new Error(message.message));
					else if (message.kind === "total") running.progress = { what: "read", done: 0, total: message.total };
					else {
						const { key, id, state, cost = costs.get(id) } = message;
						if (!cost) return;
						costs.set(id, cost);
						sessions.push({ key, id, state, cost });
						running.progress = { ...running.progress, done: sessions.length };
					}
				});
				worker.on("error", reject);
				worker.on("exit", () => reject(new EngineError("refused", "The report was stopped.")));
			});
		} finally {
			this.#workers.delete(worker);
		}
	}

	/** `unreplayed`: how many replays are missing for an answer. */
	async #saving(
		running: Omit<RunningReport, "report">,
		{ replay }: HomeReportOptions,
	): Promise<{ readonly known: HomeSaving | undefined; readonly unreplayed: number }> {
		const { sessions, since } = running;
		const costs = sessions.map(({ cost }) => cost);
		const { chosen, left } = sessionsToReplay(costs, REPLAYED_SESSIONS);
		const wanted = chosen.flatMap((cost) => sessions.find((each) => each.cost === cost) ?? []);
		const savings: (SessionSaving | null)[] = [];
		for (const [at, { key, state, id }] of wanted.entries()) {
			const { engine } = this.#projects.require(key);
			let saving = this.#savings.get(id) ?? knownSaving(engine, state);
			if (saving === undefined && replay) {
				running.progress = { what: "replayed", done: at, total: wanted.length };
				saving = await this.#replaySaving({ root: engine.project.root, session: state.session, host: state.host });
				this.#savings.set(id, saving);
			}
			if (saving !== undefined) savings.push(saving);
		}
		const unreplayed = wanted.length - savings.length;
		const known =
			unreplayed > 0
				? undefined
				: sumSavings(
						savings.filter((each) => each !== null),
						left,
						since,
					);
		return { known, unreplayed };
	}
}

function notShipped(): never {
	throw new EngineError("not-shipped", "The report's worker is not built. Run 'npm run build' in the checkout.");
}
