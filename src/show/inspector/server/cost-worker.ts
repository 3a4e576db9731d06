/** The thread that reads the cost of every session of a home: posts how many there are, then each as soon as it is read. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { EngineError } from "../../../base/error/engine-error.ts";
import { errorText } from "../../../base/error/error-text.ts";
import { readPriceList } from "../../../base/tokens/price-file.ts";
import { type Engine, openEngine } from "../../../engine.ts";
import { sessionKey } from "../../../log/session-ref.ts";
import { listSessions } from "../../../state/session/find-session.ts";
import type { SessionState } from "../../../state/session/session-state.ts";
import { type CostOfSession, costOfRequests } from "../../../view/cost-parts.ts";

export interface CostTask {
	readonly home: string;
	readonly projects: readonly { readonly key: string; readonly root: string }[];
	readonly since: number | undefined;
	/** The ids of sessions whose cost is known. */
	readonly known: ReadonlySet<string>;
}

export type CostMessage =
	| { readonly kind: "total"; readonly total: number }
	| {
			readonly kind: "session";
			readonly key: string;
			/** Names the session and its newest event. */
			readonly id: string;
			readonly state: SessionState;
			/** Undefined: it is known. */
			readonly cost: CostOfSession | undefined;
	  }
	| { readonly kind: "done" }
	| { readonly kind: "failed"; readonly message: string };

const post = (message: CostMessage) => parentPort?.postMessage(message);
if (parentPort) {
	try {
		readCosts(workerData as CostTask);
		post({ kind: "done" });
	} catch (error) {
		post({ kind: "failed", message: errorText(error) });
	}
}

function readCosts({ home, projects, since, known }: CostTask): void {
	const opened = projects.flatMap(({ key, root }) => {
		const engine = openProject(home, key, root);
		if (!engine) return [];
		const active = listSessions(engine.log).filter(({ last_ts }) => since === undefined || last_ts >= since);
		return [{ key, engine, active }];
	});
	post({ kind: "total", total: opened.reduce((sum, { active }) => sum + active.length, 0) });
	for (const { key, engine, active } of opened) {
		const prices = readPriceList(engine.settings.prices);
		for (const state of active) {
			const id = `${key} ${sessionKey(state)} ${state.last_seq}`;
			const cost = known.has(id) ? undefined : costOfRequests(engine, state, prices, { since });
			post({ kind: "session", key, id, state, cost });
		}
		engine.close();
	}
}

/** Undefined: the project has no log yet, or one that cannot be read, which must not hide the others. */
function openProject(home: string, key: string, root: string): Engine | undefined {
	if (!existsSync(join(home, "projects", key, "log.db"))) return undefined;
	try {
		return openEngine({ cwd: root, home, host: "inspector", readOnly: true, env: {} });
	} catch (error) {
		if (error instanceof EngineError) return undefined;
		throw error;
	}
}
