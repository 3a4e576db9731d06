/**
 * The report over all projects. It reads every session once, so it answers with its progress until it is done. What weft would
 * have saved comes from replays that the command kept; the others run in threads of their own, and only when asked for.
 */
import { setImmediate, setTimeout } from "node:timers/promises";
import { readPriceList } from "../../../base/tokens/price-file.ts";
import type { Engine } from "../../../engine.ts";
import { sessionKey } from "../../../log/session-ref.ts";
import { knownSaving } from "../../../replay/session-saving.ts";
import { listSessions } from "../../../state/session/find-session.ts";
import type { SessionState } from "../../../state/session/session-state.ts";
import { type CostOfSession, costOfRequests } from "../../../view/cost-parts.ts";
import { REPLAYED_SESSIONS } from "../../../view/replayed-sessions.ts";
import { type HomeReport, reportHome } from "../../../view/report.ts";
import { type HomeSaving, type SessionSaving, sessionsToReplay, sumSavings } from "../../../view/saving.ts";
import type { Projects } from "./projects.ts";
import type { SavingTask } from "./replay-worker.ts";

const PATIENCE_MS = 400;
const STEP_MS = 30;

export interface PendingReport {
	readonly progress: { readonly what: "read" | "replayed"; readonly done: number; readonly total: number };
}

interface ReportOptions {
	/** Also replay the sessions that were not replayed yet. */
	readonly replay: boolean;
}

interface ReadSession {
	readonly engine: Engine;
	readonly state: SessionState;
	/** Names the session and its newest event. */
	readonly id: string;
	readonly cost: CostOfSession;
}

type ReplaySaving = (task: Omit<SavingTask, "kind" | "home">) => Promise<SessionSaving | null>;

export class HomeReports {
	readonly #projects: Projects;
	readonly #replaySaving: ReplaySaving;
	/** By session, its newest event and the first moment that counts. */
	readonly #costs = new Map<string, CostOfSession>();
	/** By session and its newest event. */
	readonly #savings = new Map<string, SessionSaving | null>();
	readonly #running = new Map<string, { progress: PendingReport["progress"]; readonly report: Promise<HomeReport> }>();

	constructor(projects: Projects, replaySaving: ReplaySaving) {
		this.#projects = projects;
		this.#replaySaving = replaySaving;
	}

	async read(since: number | undefined, options: ReportOptions): Promise<HomeReport | PendingReport> {
		const key = `${since ?? ""} ${options.replay}`;
		const running = this.#running.get(key) ?? this.#start(key, since, options);
		const waited = setTimeout(PATIENCE_MS).then(() => ({ progress: running.progress }));
		return Promise.race([running.report, waited]);
	}

	#start(key: string, since: number | undefined, options: ReportOptions) {
		const state: PendingReport = { progress: { what: "read", done: 0, total: 0 } };
		const running = Object.assign(state, {
			report: this.#report(since, options, (now) => Object.assign(state, { progress: now })),
		});
		// The reader may have left.
		running.report.catch(() => undefined);
		running.report.finally(() => this.#running.delete(key)).catch(() => undefined);
		this.#running.set(key, running);
		return running;
	}

	async #report(
		since: number | undefined,
		options: ReportOptions,
		onProgress: (progress: PendingReport["progress"]) => void,
	): Promise<HomeReport> {
		const sessions = await this.#readSessions(since, onProgress);
		const saving = await this.#saving(sessions, since, options, onProgress);
		const keys = Object.fromEntries(this.#projects.list().map(({ root, key }) => [root, key]));
		const costs = sessions.map(({ cost }) => cost);
		return { ...reportHome(costs, since, saving.known), keys, unreplayed: saving.unreplayed };
	}

	async #readSessions(
		since: number | undefined,
		onProgress: (progress: PendingReport["progress"]) => void,
	): Promise<ReadSession[]> {
		const opened = this.#projects.list().flatMap(({ key }) => {
			const project = this.#projects.get(key);
			if (!project) return [];
			const { engine } = project;
			const active = listSessions(engine.log).filter(({ last_ts }) => since === undefined || last_ts >= since);
			return active.map((state) => ({ engine, state, id: `${key} ${sessionKey(state)} ${state.last_seq}` }));
		});
		const sessions: ReadSession[] = [];
		let rested = performance.now();
		for (const { engine, state, id } of opened) {
			const name = `${id} ${since ?? ""}`;
			const cost =
				this.#costs.get(name) ?? costOfRequests(engine, state, readPriceList(engine.settings.prices), { since });
			this.#costs.set(name, cost);
			sessions.push({ engine, state, id, cost });
			onProgress({ what: "read", done: sessions.length, total: opened.length });
			if (performance.now() - rested < STEP_MS) continue;
			// Other pages are answered in between.
			await setImmediate();
			rested = performance.now();
		}
		return sessions;
	}

	/** `unreplayed`: how many replays are missing for an answer. */
	async #saving(
		sessions: readonly ReadSession[],
		since: number | undefined,
		{ replay }: ReportOptions,
		onProgress: (progress: PendingReport["progress"]) => void,
	): Promise<{ readonly known: HomeSaving | undefined; readonly unreplayed: number }> {
		const costs = sessions.map(({ cost }) => cost);
		const { chosen, left } = sessionsToReplay(costs, REPLAYED_SESSIONS);
		const wanted = chosen.flatMap((cost) => sessions.find((each) => each.cost === cost) ?? []);
		const savings: (SessionSaving | null)[] = [];
		for (const [at, { engine, state, id }] of wanted.entries()) {
			let saving = this.#savings.get(id) ?? knownSaving(engine, state);
			if (saving === undefined && replay) {
				onProgress({ what: "replayed", done: at, total: wanted.length });
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
