/** What every command starts from: where it runs, for which project, with which settings, and how it speaks. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { EngineError } from "../../base/error/engine-error.ts";
import { type Engine, openEngine } from "../../engine.ts";
import { dataHome, projectKey, projectRoot } from "../../log/home.ts";
import { type LookedInto, logFolders, lookInto, projectRoots } from "../../log/project.ts";
import { readSettings } from "../../settings/read.ts";
import type { ResolvedSettings } from "../../settings/resolve.ts";
import { readTrustedSettings } from "../../settings/trust.ts";
import { withSummaries } from "../../state/history/searchable.ts";
import { searchable } from "../../state/session/searchable.ts";
import type { CommandSpec } from "./catalogue/spec.ts";
import { Output } from "./output.ts";

export const HOST = "cli";

export interface GlobalOptions {
	readonly home?: string;
	readonly project?: string;
	readonly json?: boolean;
	readonly color?: boolean;
	readonly trust?: boolean;
}

/** Where a command runs; by default where the process does. */
export interface Surroundings {
	readonly env: NodeJS.ProcessEnv;
	readonly cwd: string;
	readonly out?: Output;
	readonly commands?: readonly CommandSpec[] | undefined;
}

export class Context {
	readonly out: Output;
	readonly env: NodeJS.ProcessEnv;
	readonly cwd: string;
	/** As `--home` said it. */
	readonly home: string | undefined;
	/** The folder that `--project` named, or else the current one; the project is the repository around it. */
	readonly folder: string;
	readonly projectGiven: boolean;
	/** `--trust` or `WEFT_TRUST`: what asked to trust this project for this run. */
	readonly #trustedBy: string | undefined;
	/** Projects of whose files it was said whether they count. */
	readonly #said = new Set<string>();
	/** Every command, for the one that tells of them. */
	readonly commands: readonly CommandSpec[];

	constructor(
		options: GlobalOptions,
		{ env, cwd, out, commands = [] }: Surroundings = { env: process.env, cwd: process.cwd() },
	) {
		this.commands = commands;
		this.env = env;
		this.cwd = cwd;
		this.out = out ?? new Output({ json: options.json ?? false, color: options.color ?? true });
		this.home = options.home === undefined ? undefined : resolve(cwd, options.home);
		this.projectGiven = options.project !== undefined;
		this.#trustedBy = options.trust ? "--trust" : isOn(env["WEFT_TRUST"]) ? "WEFT_TRUST" : undefined;
		this.folder = resolve(cwd, options.project ?? ".");
		// A folder may be gone while the log of what was done in it is there.
		if (this.projectGiven && !isFolder(this.folder) && !existsSync(this.#ownLog())) {
			throw new EngineError("not-found", `--project ${options.project}: there is no such folder.`);
		}
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

	/** The settings, with what is wrong in them: for the commands that show just that. */
	readSettings(): ResolvedSettings {
		return this.#settingsOf(this.root);
	}

	/** The user's data folder, whatever the project's own files say: there is written whom the user trusts. */
	ownHome(): string {
		return dataHome(this.settingsFor({ trusted: false }).settings.dbDir ?? undefined, this.env);
	}

	/** The settings as they would be with or without the project's own files. Says nothing. */
	settingsFor({ trusted }: { readonly trusted: boolean }): ResolvedSettings {
		return readSettings({ ...this.#places(this.root), trusted });
	}

	/** Where the data of all projects lies, and the file of this one. */
	places(): { readonly home: string; readonly logPath: string } {
		const home = dataHome(this.readSettings().settings.dbDir ?? undefined, this.env);
		return { home, logPath: join(home, "projects", projectKey(this.root), "log.db") };
	}

	/** Opens the log of the project, or of another folder's, and makes it if there is none. */
	openForWriting(folder = this.folder): Engine {
		this.refuseBadSettings();
		return this.#open(folder, { readOnly: false });
	}

	/**
	 * Opens the log that is there. It is opened for writing where that is allowed, because a reader may have to bring the
	 * search index up to date; it never makes a log.
	 */
	openExisting(): Engine {
		this.refuseBadSettings();
		const { logPath } = this.places();
		if (!existsSync(logPath)) {
			throw new EngineError(
				"not-found",
				`There is no log for ${this.root} yet. 'weft import FILE' reads recorded sessions; an agent with weft installed writes it by itself.`,
			);
		}
		return this.#open(this.folder, { readOnly: !isWritable(logPath) });
	}

	/** Opens the log of another project that has one. */
	openProject(root: string): Engine {
		const path = join(this.places().home, "projects", projectKey(root), "log.db");
		return this.#open(root, { readOnly: !isWritable(path) });
	}

	/** The logs of all projects, one after the other; each is closed when the next is asked for. A damaged one is named and passed over. */
	*openAll(): Generator<Engine> {
		this.refuseBadSettings();
		const { home } = this.places();
		let found = 0;
		for (const root of projectRoots(home)) {
			found++;
			let engine: Engine;
			try {
				engine = this.#open(root, { readOnly: !isWritable(join(home, "projects", projectKey(root), "log.db")) });
			} catch (error) {
				if (!(error instanceof EngineError)) throw error;
				this.out.talk(`${root}: ${error.message}`);
				continue;
			}
			try {
				yield engine;
			} finally {
				engine.close();
			}
		}
		if (found === 0) throw noLogs(home);
	}

	/**
	 * The logs of all projects, for whoever only searches them: each is opened once and only read, unless its search index
	 * has to be brought up to date first. A damaged one is named and passed over.
	 */
	*searchAll(): Generator<LookedInto> {
		this.refuseBadSettings();
		const { home } = this.places();
		const folders = logFolders(home);
		for (const folder of folders) {
			let looked: LookedInto | undefined;
			try {
				looked = this.#lookInto(folder);
			} catch (error) {
				if (!(error instanceof EngineError)) throw error;
				this.out.talk(`${folder}: ${error.message}`);
			}
			if (!looked) continue;
			try {
				yield looked;
			} finally {
				looked.log.close();
			}
		}
		if (folders.length === 0) throw noLogs(home);
	}

	#lookInto(folder: string): LookedInto | undefined {
		const options = { searchable: withSummaries(searchable) };
		const looked = lookInto(folder, options);
		if (!looked || looked.log.search.stats().behind === 0 || !isWritable(looked.log.path)) return looked;
		looked.log.close();
		const engine = this.#open(looked.root, { readOnly: false });
		return { log: engine.log, root: looked.root };
	}

	refuseBadSettings(): void {
		const { problems } = this.readSettings();
		if (problems.length > 0) throw new EngineError("bad-config", problems.map(({ message }) => message).join("\n"));
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

	/** Of the project around the command, or of another one that an imported session names: `--trust` is for the first only. */
	#settingsOf(root: string): ReturnType<typeof readTrustedSettings> {
		const once = root === this.root ? this.#trustedBy : undefined;
		const settings = readTrustedSettings(this.#places(root), once !== undefined);
		if (!this.#said.has(root)) this.#sayTrust(root, settings, once);
		this.#said.add(root);
		return settings;
	}

	#sayTrust(root: string, settings: ReturnType<typeof readTrustedSettings>, once: string | undefined): void {
		const where = root === this.root ? "" : ` --project ${root}`;
		for (const file of settings.ignored)
			this.out.talk(`weft: ${file} is ignored: you have not trusted this project. 'weft trust${where}' lets it count.`);
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

function noLogs(home: string): EngineError {
	return new EngineError("not-found", `There is no log in ${home} yet. 'weft import' reads recorded sessions.`);
}
