/** The projects whose logs lie in the data folder. Each is opened when somebody looks at it, to be looked at only. */

import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { openingRoleOf } from "../../../agent/opening-role.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { readPriceList } from "../../../base/tokens/prices.ts";
import type { Engine } from "../../../engine.ts";
import { projectKey } from "../../../log/home.ts";
import { refuseEvents } from "../../../log/observe.ts";
import { readProjectPath } from "../../../log/project.ts";
import type { SessionRef } from "../../../log/session-ref.ts";
import { sessionKey } from "../../../log/session-ref.ts";
import { agentSessions, findSession } from "../../../state/session/find-session.ts";
import type { SessionState } from "../../../state/session/fold.ts";
import { type NowOptions, type Taken, viewNow } from "../../../view/now.ts";
import { SessionRequests } from "../../../view/requests.ts";

export interface ProjectsOptions {
	/** The folder of all data. */
	readonly home: string;
	/** The project that the command stands in. */
	readonly root: string;
	/** Opens the log of a project that has one. */
	readonly open: (root: string) => Engine;
	readonly now: () => number;
}

export interface ProjectName {
	readonly key: string;
	readonly name: string;
	readonly root: string;
}

export class Projects {
	readonly #options: ProjectsOptions;
	readonly #open = new Map<string, Project>();
	/** Roots by key: a folder keeps its project. */
	readonly #roots = new Map<string, string>();

	constructor(options: ProjectsOptions) {
		this.#options = options;
	}

	/** The project of the command first. */
	list(): ProjectName[] {
		const { root } = this.#options;
		const own = projectKey(root);
		this.#roots.set(own, root);
		const folder = join(this.#options.home, "projects");
		const keys = existsSync(folder) ? readdirSync(folder).sort() : [];
		const known = keys.flatMap((key): ProjectName[] => {
			const path = this.#rootOf(key, join(folder, key));
			return path === undefined ? [] : [{ key, name: basename(path) || path, root: path }];
		});
		const here = { key: own, name: basename(root) || root, root };
		return [here, ...known.filter(({ key }) => key !== own)];
	}

	/** Undefined: nothing has been recorded for it yet. */
	get(key: string): Project | undefined {
		const open = this.#open.get(key);
		if (open) return open;
		const path = join(this.#options.home, "projects", key);
		if (!/^[0-9a-f]{16}$/.test(key) || !existsSync(join(path, "log.db"))) return undefined;
		const root = key === projectKey(this.#options.root) ? this.#options.root : this.#rootOf(key, path);
		if (root === undefined) return undefined;
		const project = new Project(key, this.#options.open(root), this.#options.now);
		this.#open.set(key, project);
		return project;
	}

	close(): void {
		for (const { engine } of this.#open.values()) engine.close();
		this.#open.clear();
	}

	#rootOf(key: string, folder: string): string | undefined {
		const known = this.#roots.get(key) ?? readProjectPath(folder);
		// A folder that was copied by hand, or two paths with one key, is not opened by its key.
		if (known === undefined || projectKey(known) !== key) return undefined;
		this.#roots.set(key, known);
		return known;
	}
}

/** One log, and what was computed from it and still holds. */
export class Project {
	readonly key: string;
	readonly engine: Engine;
	readonly #now: () => number;
	readonly #requests = new Map<string, SessionRequests>();
	readonly #looks = new Map<string, Promise<Taken>>();
	readonly #saved = new Map<string, { readonly seq: number; readonly dollars: number | undefined }>();

	constructor(key: string, engine: Engine, now: () => number) {
		this.key = key;
		this.engine = engine;
		this.#now = now;
		refuseEvents(engine.log);
	}

	/** `-`: the freshest one with messages. */
	session(given: string): SessionState {
		if (given !== "-") return findSession(this.engine.log, given);
		const freshest = agentSessions(this.engine.log).find(({ messages }) => messages > 0);
		if (freshest) return freshest;
		throw new EngineError("not-found", "The log holds no session with messages yet.");
	}

	requestsOf({ session, host }: SessionRef): SessionRequests {
		const key = sessionKey({ host, session });
		const known =
			this.#requests.get(key) ??
			new SessionRequests(this.engine.history, { session, host }, readPriceList(this.engine.settings.prices));
		if (this.#requests.size > MAX_KEPT) this.#requests.clear();
		this.#requests.set(key, known);
		return known;
	}

	/** What weft saved in a session; undefined: it made no request of it. Kept while the session stands still. */
	savedIn(of: SessionRef): number | undefined {
		const [newest] = this.engine.log.read({ ...of, types: ["Request"], order: "newest", limit: 1 });
		if (!newest) return undefined;
		const key = sessionKey(of);
		const known = this.#saved.get(key);
		if (known?.seq === newest.seq) return known.dollars;
		const dollars = this.requestsOf(of).saved();
		this.#saved.set(key, { seq: newest.seq, dollars });
		return dollars;
	}

	/** A session that ran without weft is walked from its beginning: what came of that is kept while the session stands still. */
	look(state: SessionState, options: Omit<NowOptions, "now">): Promise<Taken> {
		const session = { session: state.session, host: state.host };
		const requests = this.requestsOf(session);
		const isLive = requests.rows().some(({ mode }) => mode !== null);
		const at = isLive
			? `${this.engine.log.newestSeq()} ${Math.floor(this.#now() / LIVE_LOOK_MS)}`
			: `${state.last_seq}`;
		const key = [session.host, session.session, options.window, options.mode, at].join(" ");
		const known = this.#looks.get(key);
		if (known) return known;
		if (this.#looks.size > MAX_KEPT) this.#looks.clear();
		const taken = viewNow(this.engine, requests, session, {
			...options,
			now: this.#now(),
			openingRole: openingRoleOf(session.host),
		});
		this.#looks.set(key, taken);
		taken.catch(() => this.#looks.delete(key));
		return taken;
	}
}

const MAX_KEPT = 40;
const LIVE_LOOK_MS = 1_000;
