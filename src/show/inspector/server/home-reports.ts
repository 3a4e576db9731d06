/** The report over all projects. It reads every session once, so it answers with its progress until it is done. */
import { setImmediate, setTimeout } from "node:timers/promises";
import { readPriceList } from "../../../base/tokens/price-file.ts";
import { sessionKey } from "../../../log/session-ref.ts";
import { listSessions } from "../../../state/session/find-session.ts";
import { type CostOfSession, costOfRequests } from "../../../view/cost-parts.ts";
import { type HomeReport, reportHome } from "../../../view/report.ts";
import type { PendingLook, Projects } from "./projects.ts";

const PATIENCE_MS = 400;
const STEP_MS = 30;

export class HomeReports {
	readonly #projects: Projects;
	/** By session, its newest event and the first moment that counts. */
	readonly #costs = new Map<string, CostOfSession>();
	readonly #running = new Map<string, { progress: PendingLook["progress"]; readonly report: Promise<HomeReport> }>();

	constructor(projects: Projects) {
		this.#projects = projects;
	}

	async read(since: number | undefined): Promise<HomeReport | PendingLook> {
		const key = String(since ?? "");
		const running = this.#running.get(key) ?? this.#start(key, since);
		const waited = setTimeout(PATIENCE_MS).then(() => ({ progress: running.progress }));
		return Promise.race([running.report, waited]);
	}

	#start(key: string, since: number | undefined) {
		const state = { progress: { done: 0, total: 0 } };
		const report = this.#report(since, (progress) => {
			state.progress = progress;
		}).finally(() => this.#running.delete(key));
		// The reader may have left.
		report.catch(() => undefined);
		const running = Object.assign(state, { report });
		this.#running.set(key, running);
		return running;
	}

	async #report(
		since: number | undefined,
		onProgress: (progress: PendingLook["progress"]) => void,
	): Promise<HomeReport> {
		const opened = this.#projects.list().flatMap(({ key }) => {
			const project = this.#projects.get(key);
			if (!project) return [];
			const { engine } = project;
			const active = listSessions(engine.log).filter(({ last_ts }) => since === undefined || last_ts >= since);
			return active.map((session) => ({ engine, session, id: `${key} ${sessionKey(session)}` }));
		});
		const costs: CostOfSession[] = [];
		let rested = performance.now();
		for (const { engine, session, id } of opened) {
			const name = `${id} ${session.last_seq} ${since ?? ""}`;
			const cost =
				this.#costs.get(name) ?? costOfRequests(engine, session, readPriceList(engine.settings.prices), { since });
			this.#costs.set(name, cost);
			costs.push(cost);
			onProgress({ done: costs.length, total: opened.length });
			if (performance.now() - rested < STEP_MS) continue;
			// Other pages are answered in between.
			await setImmediate();
			rested = performance.now();
		}
		const keys = Object.fromEntries(this.#projects.list().map(({ root, key }) => [root, key]));
		return { ...reportHome(costs, since), keys };
	}
}
