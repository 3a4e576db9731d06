/**
 * A folder of its own for one test: a git repository to work on, and everything that Pi and weft keep, so that nothing of
 * the machine's own Pi, skills, settings or data is seen or touched. Removed when disposed.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { removeFolder, temporaryFolder } from "./temporary-folder.ts";

export interface PiWorkspace extends Disposable {
	/** The git repository; Pi's working folder. */
	readonly project: string;
	/** Pi's own folder: models.json, settings.json. */
	readonly agentDir: string;
	readonly sessionDir: string;
	/** weft's data (WEFT_HOME). */
	readonly home: string;
	/** HOME of the processes that are started. */
	readonly userHome: string;
}

export type ProjectFiles = Readonly<Record<string, string>>;

export interface PiWorkspaceOptions {
	readonly files: ProjectFiles;
	readonly piSettings?: object;
	/** An empty folder that outlives the process; a temporary one by default. */
	readonly root?: string;
}

export function makePiWorkspace(options: PiWorkspaceOptions): PiWorkspace {
	const root = options.root ?? temporaryFolder();
	const folder = (name: string) => {
		mkdirSync(join(root, name));
		return join(root, name);
	};
	const workspace: PiWorkspace = {
		project: join(root, "project"),
		agentDir: folder("agent"),
		sessionDir: folder("sessions"),
		home: join(root, "home"),
		userHome: folder("user"),
		[Symbol.dispose]: () => removeFolder(root),
	};
	writeFileSync(join(workspace.agentDir, "settings.json"), JSON.stringify(options.piSettings ?? {}));
	resetProject(workspace, options.files);
	return workspace;
}

/** Makes the repository anew at the same path, so that a second run starts from the same bytes. */
export function resetProject({ project, userHome }: PiWorkspace, files: ProjectFiles): void {
	rmSync(project, { recursive: true, force: true });
	for (const [path, content] of Object.entries(files)) {
		mkdirSync(dirname(join(project, path)), { recursive: true });
		writeFileSync(join(project, path), content);
	}
	const git = (...args: string[]) =>
		execFileSync("git", ["-c", "user.name=Rig", "-c", "user.email=rig@localhost", ...args], {
			cwd: project,
			env: { PATH: process.env["PATH"], HOME: userHome, GIT_CONFIG_NOSYSTEM: "1" },
			stdio: ["ignore", "ignore", "inherit"],
		});
	git("init", "-q", "-b", "main");
	git("add", "--all");
	git("commit", "-q", "-m", "Start");
}

/** Pi's session files, oldest first (their names begin with the time). */
export function sessionFiles({ sessionDir }: PiWorkspace): string[] {
	return readdirSync(sessionDir, { recursive: true, encoding: "utf8" })
		.filter((name) => name.endsWith(".jsonl"))
		.sort()
		.map((name) => join(sessionDir, name));
}
