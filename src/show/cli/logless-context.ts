/** The surroundings of a command: its folder, project, settings and output. It opens no log, so it loads little. */
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { EngineError } from "../../base/error/engine-error.ts";
import { dataHome, isForeignPath, projectKey, projectRoot } from "../../log/home.ts";
import { ownVariables, readProjectVariables } from "../../settings/project-variables.ts";
import { type ResolvedSettings, readSettings } from "../../settings/resolve.ts";
import { readTrustedSettings } from "../../settings/trust.ts";
import type { GlobalOptions } from "./options.ts";
import { Output } from "./output.ts";

/** Where a command runs; by default where the process does. */
export interface CommandSurroundings {
	readonly env: NodeJS.ProcessEnv;
	readonly cwd: string;
	readonly out?: Output;
}

export class LoglessContext {
	readonly out: Output;
	/** Without what the project's own files may not say. */
	readonly env: NodeJS.ProcessEnv;
	/** As it was given, for the programs that a command starts. */
	readonly wholeEnv: NodeJS.ProcessEnv;
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
		this.wholeEnv = env;
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
		return this.settingsOf(this.root);
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

	/** `--trust` counts for the command's own project, not for others that an imported session names. */
	protected settingsOf(root: string): ReturnType<typeof readTrustedSettings> {
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
