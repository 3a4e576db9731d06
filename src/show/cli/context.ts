/** The surroundings of a command that opens logs: its folder, project, settings, logs and output. */
import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { EngineError } from "../../base/error/engine-error.ts";
import { hasNoRoom } from "../../base/sqlite/sqlite-error.ts";
import { type Engine, openEngine } from "../../engine.ts";
import { projectKey, projectRoot } from "../../log/home.ts";
import { type LookedInto, logFolders, lookInto, readProjectPath } from "../../log/project.ts";
import { withSummaries } from "../../state/history/searchable.ts";
import { searchable } from "../../state/session/searchable.ts";
import { LoglessContext } from "./logless-context.ts";

/** The agent and session under which the command line itself writes. */
export const HOST = "cli";

/** How a change of memory by hand is recorded. */
export function byCommand(now: number) {
	return { now, why: "command", by: { session: HOST, host: HOST } } as const;
}

export class Context extends LoglessContext {
	/** Opens the log of the project, or of another folder's project; creates it if there is none. */
	openForWriting(folder = this.folder): Engine {
		this.refuseBadSettings();
		return this.#open(folder, { readOnly: false });
	}

	/**
	 * Opens the project's log; never creates one. Opens it for writing where that is allowed, because a reader may have to
	 * update the search index.
	 */
	openExisting(): Engine {
		this.warnOfSettings();
		const { logPath } = this.places();
		if (!existsSync(logPath)) {
			throw new EngineError(
				"not-found",
				`There is no log for ${this.root} yet. 'weft import' finds the sessions that your agents have, 'weft sessions --all' lists those of other projects, and an agent with weft installed writes a log by itself.`,
			);
		}
		return this.#openToLook(this.folder, logPath);
	}

	/** On a full disk a log can still be read. */
	#openToLook(folder: string, path: string): Engine {
		if (!isWritable(path)) return this.#open(folder, { readOnly: true });
		try {
			return this.#open(folder, { readOnly: false });
		} catch (error) {
			if (!hasNoRoom(error)) throw error;
			const engine = this.#open(folder, { readOnly: true });
			this.out.talk(`weft: ${error.message} Until then the log can only be read.`);
			return engine;
		}
	}

	/** Runs `work` on the project's existing log and closes it. */
	async withLog<Result>(work: (engine: Engine) => Result | Promise<Result>): Promise<Result> {
		const engine = this.openExisting();
		try {
			return await work(engine);
		} finally {
			engine.close();
		}
	}

	/** Opens the log of another project that has one. */
	openProject(root: string): Engine {
		const path = join(this.places().home, "projects", projectKey(root), "log.db");
		return this.#openToLook(root, path);
	}

	/** Yields the log of each project, and closes it before the next. Reports and skips damaged ones. */
	*openAll(): Generator<Engine> {
		this.warnOfSettings();
		const { home } = this.places();
		const folders = logFolders(home);
		const read = { count: 0, failed: undefined as EngineError | undefined };
		for (const folder of folders) {
			let engine: Engine;
			try {
				const root = readProjectPath(folder);
				if (root === undefined) continue;
				engine = this.#openToLook(root, join(home, "projects", projectKey(root), "log.db"));
			} catch (error) {
				if (!(error instanceof EngineError)) throw error;
				this.out.talk(`${folder}: ${error.message}`);
				read.failed = error;
				continue;
			}
			read.count++;
			try {
				yield engine;
			} finally {
				engine.close();
			}
		}
		if (read.count === 0 && read.failed) throw noneRead(home, read.failed);
		if (folders.length === 0) throw noLogs(home);
	}

	/**
	 * Yields the log of each project for searching: opened read-only, unless its search index has to be updated first.
	 * Reports and skips damaged ones.
	 */
	*searchAll(): Generator<LookedInto> {
		this.warnOfSettings();
		const { home } = this.places();
		const folders = logFolders(home);
		const read = { count: 0, failed: undefined as EngineError | undefined };
		for (const folder of folders) {
			let looked: LookedInto | undefined;
			try {
				looked = this.#lookInto(folder);
			} catch (error) {
				if (!(error instanceof EngineError)) throw error;
				this.out.talk(`${folder}: ${error.message}`);
				read.failed = error;
			}
			if (!looked) continue;
			read.count++;
			try {
				yield looked;
			} finally {
				looked.log.close();
			}
		}
		if (read.count === 0 && read.failed) throw noneRead(home, read.failed);
		if (folders.length === 0) throw noLogs(home);
	}

	#lookInto(folder: string): LookedInto | undefined {
		const options = { searchable: withSummaries(searchable) };
		const looked = lookInto(folder, options);
		if (!looked || looked.log.search.stats().behind === 0 || !isWritable(looked.log.path)) return looked;
		looked.log.close();
		const engine = this.#openToLook(looked.root, looked.log.path);
		return { log: engine.log, root: looked.root };
	}

	#open(folder: string, { readOnly }: { readonly readOnly: boolean }): Engine {
		return openEngine({
			cwd: folder,
			host: HOST,
			session: HOST,
			readOnly,
			trusted: this.settingsOf(projectRoot(folder)).trusted,
			env: this.env,
			warn: (message) => this.out.talk(message),
			home: this.home,
		});
	}
}

/** SQLite needs the folder too, for its WAL. */
function isWritable(path: string): boolean {
	try {
		accessSync(path, constants.W_OK);
		accessSync(join(path, ".."), constants.W_OK);
		return true;
	} catch {
		return false;
	}
}

/** The reason of each was said. An empty answer would pass for that of a search. */
function noneRead(home: string, { code }: EngineError): EngineError {
	return new EngineError(code, `No log in ${home} can be read now.`);
}

function noLogs(home: string): EngineError {
	return new EngineError("not-found", `There is no log in ${home} yet. 'weft import' imports recorded sessions.`);
}
