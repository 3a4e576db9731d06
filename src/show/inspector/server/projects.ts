/** The projects with a log in the data folder. A log is opened read-only when a page first asks for it. */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { openingRoleOf } from "../../../agent/opening-role.ts";
import { BoundedMap } from "../../../base/collection/bounded.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { readPriceList } from "../../../base/tokens/price-file.ts";
import type { ProjectState } from "../../../context/project-state.ts";
import type { Engine } from "../../../engine.ts";
import { projectKey } from "../../../log/home.ts";
import { refuseEvents } from "../../../log/look-only.ts";
import { readProjectPath } from "../../../log/project.ts";
import type { SessionRef } from "../../../log/session-ref.ts";
import { sessionKey } from "../../../log/session-ref.ts";
import { chooseSession } from "../../../state/session/find-session.ts";
import type { SessionState } from "../../../state/session/session-state.ts";
import { SessionConversation } from "../../../view/conversation.ts";
import { isHostsOwn, viewHostNow } from "../../../view/host-now.ts";
import { type NowOptions, type TakenLook, viewNow } from "../../../view/now-page.ts";
import { projectNames } from "../../../view/project-name.ts";
import { SessionRequests } from "../../../view/requests.ts";
import { viewWork, type WorkView, workOf } from "../../../view/state.ts";
import { foldOpenFailures } from "../../../view/vitals.ts";

export interface ProjectsOptions {
	/** The folder with the data of all projects. */
	readonly home: string;
	/** The project in which the command was started. */
	readonly root: string;
	/** Opens the log of a project; called only where there is one. */
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
	readonly #open: Map<string, Project>;
	/** Roots by key; a key never changes its root. */
	readonly #roots = new Map<string, string>();
	/** In reach. Undefined: all. */
	readonly #key: string | undefined;

	constructor(options: ProjectsOptions, key?: string, open = new Map<string, Project>()) {
		this.#options = options;
		this.#key = key;
		this.#open = open;
	}

	/** The same open logs, with one project in reach. */
	only(key: string): Projects {
		return new Projects(this.#options, key, this.#open);
	}

	/** True: only one project is in reach. */
	get isOne(): boolean {
		return this.#key !== undefined;
	}

	/** The project of the command comes first. */
	list(): ProjectName[] {
		const { root } = this.#options;
		const own = projectKey(root);
		this.#roots.set(own, root);
		const folder = join(this.#options.home, "projects");
		const keys = existsSync(folder) ? readdirSync(folder).sort() : [];
		const known = keys.flatMap((key) => {
			const path = key === own ? undefined : this.#rootOf(key, join(folder, key));
			return path === undefined ? [] : [{ key, root: path }];
		});
		const all = [{ key: own, root }, ...known];
		const names = projectNames(all.map((each) => each.root));
		return all
			.filter(({ key }) => this.#key === undefined || key === this.#key)
			.map((each) => ({ ...each, name: names.get(each.root) ?? each.root }));
	}

	/** Undefined: nothing has been recorded for the project yet. */
	get(key: string): Project | undefined {
		if (this.#key !== undefined && key !== this.#key) return undefined;
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

	require(key: string): Project {
		const project = this.get(key);
		if (!project) throw new EngineError("not-found", "Nothing has been recorded for this project yet.");
		return project;
	}

	close(): void {
		for (const { engine } of this.#open.values()) engine.close();
		this.#open.clear();
	}

	#rootOf(key: string, folder: string): string | undefined {
		const known = this.#roots.get(key) ?? projectPath(folder);
		// The key of a folder that was copied by hand, or of two colliding paths, does not match its root.
		if (known === undefined || projectKey(known) !== key) return undefined;
		this.#roots.set(key, known);
		return known;
	}
}

/** A log that cannot be read is left out: it must not hide the others. */
function projectPath(folder: string): string | undefined {
	try {
		return readProjectPath(folder);
	} catch (error) {
		if (error instanceof EngineError) return undefined;
		throw error;
	}
}

const MAX_CACHED = 40;
/** In a live session the time passes too: the cache may turn cold. */
const LIVE_LOOK_MS = 1_000;

interface FoldedState {
	/** The session's newest event, and the time of the fold. */
	readonly seq: number;
	readonly at: number;
	readonly state: ProjectState;
}

/** One open log, with cached views of its sessions. */
export class Project {
	readonly key: string;
	readonly engine: Engine;
	readonly #now: () => number;
	readonly #requests = new BoundedMap<string, SessionRequests>(MAX_CACHED);
	readonly #conversations = new BoundedMap<string, SessionConversation>(MAX_CACHED);
	readonly #looks = new BoundedMap<string, LookWalk>(MAX_CACHED);
	readonly #states = new BoundedMap<string, FoldedState>(MAX_CACHED);
	readonly #failures = new BoundedMap<string, Omit<FoldedState, "state"> & { readonly open: number }>(MAX_CACHED);
	readonly #saved = new Map<string, { readonly seq: number; readonly dollars: number | undefined }>();

	constructor(key: string, engine: Engine, now: () => number) {
		this.key = key;
		this.engine = engine;
		this.#now = now;
		refuseEvents(engine.log);
	}

	/** `-`: the session with messages that was active last. */
	session(given: string): SessionState {
		return chooseSession(this.engine.log, given === "-" ? undefined : given);
	}

	requestsOf({ session, host }: SessionRef): SessionRequests {
		const key = sessionKey({ host, session });
		const known = this.#requests.get(key);
		if (known) return known;
		const prices = readPriceList(this.engine.settings.prices);
		const requests = new SessionRequests(this.engine.history, { session, host }, prices);
		this.#requests.set(key, requests);
		return requests;
	}

	conversationOf({ session, host }: SessionRef): SessionConversation {
		const key = sessionKey({ host, session });
		const known = this.#conversations.get(key);
		if (known) return known;
		const conversation = new SessionConversation(this.engine, { session, host }, this.requestsOf({ session, host }));
		this.#conversations.set(key, conversation);
		return conversation;
	}

	/** Dollars that weft saved in a session, cached until its next request; undefined: weft made no request in it. */
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

	/** The state of one session's work, or of all sessions together. */
	work(of: SessionState | undefined): WorkView {
		return viewWork(this.engine, of?.session, of && this.#stateOf(of));
	}

	/** Brings the project's state up to date in steps: other pages are answered in between. */
	async advanceState(): Promise<void> {
		while (this.engine.state(STEP_EVENTS).seq < this.engine.log.newestSeq()) await setImmediate();
	}

	async openFailuresOf(of: SessionState): Promise<number> {
		const key = sessionKey(of);
		const known = this.#failures.get(key);
		if (known && (known.seq === of.last_seq || this.#now() - known.at < LIVE_LOOK_MS)) return known.open;
		const steps = foldOpenFailures(this.engine, of);
		let step = steps.next();
		for (; !step.done; step = steps.next()) await setImmediate();
		const open = step.value;
		this.#failures.set(key, { seq: of.last_seq, at: this.#now(), open });
		return open;
	}

	/** Folding one session alone reads all of it, so it is kept until the session goes on. */
	#stateOf(of: SessionState): ProjectState {
		const key = sessionKey(of);
		const known = this.#states.get(key);
		if (known && (known.seq === of.last_seq || this.#now() - known.at < LIVE_LOOK_MS)) return known.state;
		const state = workOf(this.engine, of.session);
		this.#states.set(key, { seq: of.last_seq, at: this.#now(), state });
		return state;
	}

	/**
	 * The newest request of a session without weft as it was; of any other, the next one. The walk that shows what weft would
	 * send takes as long as the session: until it is done, its progress is the answer, and it ends when the page no longer asks for it.
	 */
	async look(state: SessionState, options: TakenLookOptions): Promise<TakenLook | PendingLook> {
		const session = { session: state.session, host: state.host };
		const requests = this.requestsOf(session);
		const rows = requests.rows();
		if (options.as !== "weft" && isHostsOwn(rows)) {
			return viewHostNow(this.engine, requests, session, { now: this.#now(), window: options.window });
		}
		const isLive = rows.some(({ mode }) => mode !== null);
		const at = isLive
			? `${this.engine.log.newestSeq()} ${Math.floor(this.#now() / LIVE_LOOK_MS)}`
			: `${state.last_seq}`;
		const key = [session.host, session.session, options.window, options.mode, at].join(" ");
		const walk = this.#looks.get(key) ?? this.#startLook(key, session, options);
		walk.askedAt = performance.now();
		if (isLive) return walk.taken;
		const waited = setTimeout(PATIENCE_MS);
		return Promise.race([walk.taken, waited.then(() => ({ progress: walk.progress }))]);
	}

	#startLook(key: string, session: SessionRef, { mode, window }: TakenLookOptions): LookWalk {
		const walk = { askedAt: performance.now(), progress: { done: 0, total: 0 } };
		let rested = performance.now();
		const taken = viewNow(this.engine, this.requestsOf(session), session, {
			mode,
			window,
			now: this.#now(),
			openingRole: openingRoleOf(session.host),
			onStep: async (done, total) => {
				walk.progress = { done, total };
				if (performance.now() - walk.askedAt > MAX_UNASKED_MS)
					throw new EngineError("refused", "The page that asked for it has gone.");
				if (performance.now() - rested < STEP_MS) return;
				// Other pages are answered in between.
				await setImmediate();
				rested = performance.now();
			},
		});
		const started = Object.assign(walk, { taken });
		this.#looks.set(key, started);
		taken.catch(() => this.#looks.delete(key));
		return started;
	}
}

interface TakenLookOptions extends Pick<NowOptions, "mode" | "window"> {
	/** By default as it was, for a session without weft. */
	readonly as?: "weft" | undefined;
}

/** A look that is still computed, in requests. */
export interface PendingLook {
	readonly progress: { readonly done: number; readonly total: number };
}

interface LookWalk extends PendingLook {
	progress: PendingLook["progress"];
	readonly taken: Promise<TakenLook>;
	askedAt: number;
}

/** An answer that takes longer is given as its progress. */
const PATIENCE_MS = 400;
/** A page that shows the progress asks more often. */
const MAX_UNASKED_MS = 10_000;
const STEP_MS = 30;
const STEP_EVENTS = 1_000;
