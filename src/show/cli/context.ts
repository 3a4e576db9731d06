/** The surroundings of a command: its folder, project, settings, logs and output. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { EngineError } from "../../base/error/engine-error.ts";
import { hasNoRoom } from "../../base/sqlite/sqlite-error.ts";
import { type Engine, openEngine } from "../../engine.ts";
import { dataHome, isForeignPath, projectKey, projectRoot } from "../../log/home.ts";
import { type LookedInto, logFolders, lookInto, readProjectPath } from "../../log/project.ts";
import { ownVariables, readProjectVariables } from "../../settings/project-variables.ts";
import { type ResolvedSettings, readSettings } from "../../settings/resolve.ts";
import { readTrustedSettings } from "../../settings/trust.ts";
import { withSummaries } from "../../state/history/searchable.ts";
import { searchable } from "../../state/session/searchable.ts";
import type { GlobalOptions } from "./options.ts";
import { Output } from "./output.ts";

/** The agent and session under which the command line itself writes. */
export const HOST = "cli";

/** How a change of memory by hand is recorded. */
export function byCommand(now: number) {
	return { now, why: "command", by: { session: HOST, host: HOST } } as const;
}

/** Where a command runs; by default where the process does. */
export interface CommandSurroundings {
	readonly env: NodeJS.ProcessEnv;
	readonly cwd: string;
	readonly out?: Output;
}

export class Context {
	readonly out: Output;
	readonly env: NodeJS.ProcessEnv;
	readonly cwd: string;
	/** `--home`. */
	readonly home: string | undefined;
	/** `--project`, or else the current folder; the project is the repository around it. */
	readonly folder: string;
	readonly projectGiven: boolean;
	/** `--trust` or `WEFT_TRUST`, where one of them trusts this project for this run. */
	readonly #trustedBy: string | undefined;
	/** Projects whose ignored or trusted files were already reported. */
	readonly #reported = new Set<string>();
	/** The problems of the settings were already reported. */
	#isWarned = false;

	constructor(
		options: GlobalOptions,
		{ env, cwd, out }: CommandSurroundings = { env: process.env, cwd: process.cwd() },
	) {
		this.cwd = cwd;
		this.out = out ?? new Output({ json: options.json ?? false, color: !options.noColor });
		this.home = options.home === undefined ? undefined : resolve(cwd, options.home);
		this.projectGiven = options.project !== undefined;
		const folder = options.project ?? ".";
		this.folder = isForeignPath(folder) ? folder : resolve(cwd, folder);
		this.env = ownVariables(env, [this.root, cwd]);
		// The folder may be gone while its log still exists.
		if (this.projectGiven && !isFolder(this.folder) && !existsSync(this.#ownLog())) {
			throw new EngineError("not-found", `--project ${options.project}: no such folder.`);
		}
		this.#trustedBy = options.trust ? "--trust" : this.#isTrustedByVariable() ? "WEFT_TRUST" : undefined;
	}

	/** A clone does not trust itself by its .env file. */
	#isTrustedByVariable(): boolean {
		if (!isOn(this.env["WEFT_TRUST"])) return false;
		return readProjectVariables(this.env, [this.root, this.cwd]).fileOf("WEFT_TRUST") === undefined;
	}

	#ownLog(): string {
		return join(this.ownHome(), "projects", projectKey(this.root), "log.db");
	}

	now(): number {
		return Date.now();
	}

	get root(): string {
		return projectRoot(this.folder);
	}

	/** The settings with their problems, for commands that show the problems. */
	readSettings(): ResolvedSettings {
		return this.#settingsOf(this.root);
	}

	/** The user's own data folder, which the project's files cannot move: it holds the list of trusted projects. */
	ownHome(): string {
		return dataHome(this.settingsFor({ trusted: false }).settings.dbDir ?? undefined, this.env);
	}

	/** The settings with or without the project's own files. Prints nothing. */
	settingsFor({ trusted }: { readonly trusted: boolean }): ResolvedSettings {
		return readSettings({ ...this.#places(this.root), trusted });
	}

	/** The data folder of all projects, whether it is one or not. */
	dataFolder(): string {
		return dataHome(this.readSettings().settings.dbDir ?? undefined, this.env);
	}

	/** The data folder of all projects, and the log file of this one. */
	places(): { readonly home: string; readonly logPath: string } {
		const home = this.dataFolder();
		if (existsSync(home) && !isFolder(home)) {
			const { dbDir } = this.readSettings().origins;
			throw new EngineError("usage", `${dbDir}: ${home} is not a folder. Name the folder that holds weft's data.`);
		}
		return { home, logPath: join(home, "projects", projectKey(this.root), "log.db") };
	}

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
				`There is no log for ${this.root} yet. 'weft import FILE' imports recorded sessions; an agent with weft installed writes one by itself.`,
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

	/** For commands that write or delete by the settings: a default instead of a bad value could lose data. */
	refuseBadSettings(): void {
		const { problems } = this.readSettings();
		const bad = problems.filter(({ isSkipped }) => !isSkipped);
		if (bad.length > 0) throw new EngineError("bad-config", bad.map(({ message }) => message).join("\n"));
		this.warnOfSettings();
	}

	/** For commands that read: the default takes the place of a bad value. Warns once. */
	warnOfSettings(): void {
		if (this.#isWarned) return;
		this.#isWarned = true;
		for (const { message, isSkipped } of this.readSettings().problems) {
			this.out.talk(`weft: ${message}${isSkipped ? "" : " It is ignored."}`);
		}
	}

	#open(folder: string, { readOnly }: { readonly readOnly: boolean }): Engine {
		return openEngine({
			cwd: folder,
			host: HOST,
			session: HOST,
			readOnly,
			trusted: this.#settingsOf(projectRoot(folder)).trusted,
			env: this.env,
			warn: (message) => this.out.talk(message),
			home: this.home,
		});
	}

	/** `--trust` counts for the command's own project, not for others that an imported session names. */
	#settingsOf(root: string): ReturnType<typeof readTrustedSettings> {
		const once = root === this.root ? this.#trustedBy : undefined;
		const settings = readTrustedSettings(this.#places(root), once !== undefined);
		if (!this.#reported.has(root)) this.#reportTrust(root, settings, once);
		this.#reported.add(root);
		return settings;
	}

	#reportTrust(root: string, settings: ReturnType<typeof readTrustedSettings>, once: string | undefined): void {
		const where = root === this.root ? "" : ` --project ${root}`;
		for (const file of settings.ignored)
			this.out.talk(
				`weft: ${file} is ignored: you have not trusted this project. 'weft trust${where}' makes it count.`,
			);
		if (settings.trusted && once) this.out.talk(`weft: ${root} is trusted for this run (${once}).`);
	}

	#places(projectRoot: string) {
		return { flags: { dbDir: this.home }, env: this.env, cwd: this.cwd, projectRoot };
	}
}

function isOn(text: string | undefined): boolean {
	return /^(1|true|yes|on)$/i.test(text ?? "");
}

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
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
