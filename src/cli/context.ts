/** What every command starts from: where it runs, for which project, with which settings, and how it speaks. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Engine, openEngine } from "../engine.ts";
import { EngineError } from "../error/engine-error.ts";
import { dataHome, projectKey, projectRoot } from "../log/home.ts";
import { readSettings } from "../settings/read.ts";
import type { ResolvedSettings } from "../settings/resolve.ts";
import type { CommandSpec } from "./catalogue.ts";
import { Output } from "./output.ts";

export const HOST = "cli";

export interface GlobalOptions {
	readonly home?: string;
	readonly project?: string;
	readonly json?: boolean;
	readonly color?: boolean;
}

export class Context {
	readonly out: Output;
	readonly env: NodeJS.ProcessEnv = process.env;
	readonly cwd: string = process.cwd();
	/** As `--home` said it. */
	readonly home: string | undefined;
	/** The folder that `--project` named, or else the current one; the project is the repository around it. */
	readonly folder: string;
	readonly projectGiven: boolean;

	/** Every command, for the one that tells of them. */
	readonly commands: readonly CommandSpec[];

	constructor(options: GlobalOptions, commands: readonly CommandSpec[] = []) {
		this.commands = commands;
		this.out = new Output({ json: options.json ?? false, color: options.color ?? true });
		this.home = options.home === undefined ? undefined : resolve(options.home);
		this.projectGiven = options.project !== undefined;
		this.folder = resolve(options.project ?? this.cwd);
		if (this.projectGiven && !isFolder(this.folder)) {
			throw new EngineError("not-found", `--project ${options.project}: there is no such folder.`);
		}
	}

	now(): number {
		return Date.now();
	}

	get root(): string {
		return projectRoot(this.folder);
	}

	/** The settings, with what is wrong in them: for the commands that show just that. */
	readSettings(): ResolvedSettings {
		return readSettings({
			flags: { dbDir: this.home },
			env: this.env,
			cwd: this.cwd,
			projectRoot: this.root,
			trusted: true,
		});
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
			env: this.env,
			warn: (message) => this.out.talk(message),
			home: this.home,
		});
	}
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
