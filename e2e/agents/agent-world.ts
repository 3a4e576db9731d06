/** A real agent with weft in a folder of its own: a project of files, a user's home, weft's data, and a scripted model on loopback. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
	chmodSync,
	constants,
	copyFileSync,
	cpSync,
	lchownSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { openEngine } from "../../src/engine.ts";
import type { EventRecord } from "../../src/log/event/types.ts";
import type { ModelRequest, ModelScript } from "../../test/rig/answer.ts";
import { type ModelServer, startModelServer } from "../../test/rig/model-server.ts";
import { type AgentName, nativeProgram, programPath } from "./programs.ts";

const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
const MAIN = join(PACKAGE, "dist/show/cli/main.js");
const RUN_MS = 420_000;
/** About 6,000 tokens each. */
const LINES = 400;

export interface Ran {
	readonly code: number | null;
	readonly out: string;
	readonly err: string;
}

export class AgentWorld {
	readonly root = realpathSync(mkdtempSync(join(tmpdir(), "weft-agent-")));
	readonly project = join(this.root, "project");
	readonly user = join(this.root, "user");
	readonly home = join(this.root, "weft");
	/** Must never be found in weft's data. */
	readonly key = `sk-${"k".repeat(12)}-never-to-be-seen`;
	readonly #model: ModelServer;
	readonly #running = new Set<ChildProcess>();
	#as: { readonly uid: number; readonly gid: number } | undefined;

	private constructor(model: ModelServer) {
		this.#model = model;
		for (const folder of [this.project, this.user, join(this.root, "bin")]) mkdirSync(folder);
	}

	/** `files`: how many the project has. */
	static async start(agent: AgentName, script: ModelScript, { files = 50 } = {}) {
		const world = new AgentWorld(await startModelServer(script));
		// opencode's own launcher needs an install script; the program itself does not.
		symlinkSync(programPath(agent), join(world.root, "bin", agent));
		for (let n = 0; n < files; n++) {
			const lines = Array.from(
				{ length: LINES },
				(_, at) => `export const value_${n}_${at} = "text ${at} of file ${n}, kept";`,
			);
			writeFileSync(join(world.project, `f${n}.js`), `${lines.join("\n")}\n`);
		}
		const git = (...args: string[]) =>
			execFileSync("git", ["-c", "user.email=a@b", "-c", "user.name=n", ...args], { cwd: world.project });
		git("init", "-q", ".");
		git("add", ".");
		git("commit", "-qm", "first");
		return world;
	}

	/** weft's command line. */
	readonly main = MAIN;

	get url(): string {
		return this.#model.url;
	}

	get requests(): readonly ModelRequest[] {
		return this.#model.requests;
	}

	env(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
		const path = [join(this.root, "bin"), process.env["PATH"]].join(":");
		// Some agents report that the scripted model costs nothing; seals come as with a paid one.
		return { PATH: path, HOME: this.user, LANG: "C.UTF-8", WEFT_HOME: this.home, WEFT_SEAL: "thrift", ...more };
	}

	/** For Claude Code: its settings below the user's folder, the scripted model, and no other connections. */
	claudeEnv(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
		return this.env({
			CLAUDE_CONFIG_DIR: join(this.user, ".claude"),
			ANTHROPIC_BASE_URL: this.url,
			ANTHROPIC_API_KEY: this.key,
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
			DISABLE_AUTOUPDATER: "1",
			...more,
		});
	}

	/** `weft ARGS`. `onStart` gets its process id. */
	weft(args: readonly string[], env: NodeJS.ProcessEnv, onStart?: (pid: number) => void): Promise<Ran> {
		return this.run(process.execPath, [MAIN, ...args], env, onStart);
	}

	/** In a group of its own, as a terminal starts it. */
	run(program: string, args: readonly string[], env: NodeJS.ProcessEnv, onStart?: (pid: number) => void): Promise<Ran> {
		const child = spawn(program, args, {
			...this.#as,
			cwd: this.project,
			env,
			stdio: ["ignore", "pipe", "pipe"],
			timeout: RUN_MS,
			detached: true,
		});
		this.#running.add(child);
		onStart?.(child.pid!);
		let [out, err] = ["", ""];
		child.stdout.on("data", (data) => {
			out += String(data);
		});
		child.stderr.on("data", (data) => {
			err += String(data);
		});
		return new Promise((done) => {
			child.once("close", (code) => {
				this.#running.delete(child);
				done({ code, out, err });
			});
		});
	}

	events(...types: string[]): EventRecord[] {
		const engine = openEngine({ cwd: this.project, home: this.home, host: "test", env: {} });
		try {
			return [...engine.log.read({ types })];
		} finally {
			engine.close();
		}
	}

	/** Files of weft's data that hold this text. */
	holding(text: string): string[] {
		const all = readdirSync(this.home, { recursive: true }).map((name) => join(this.home, String(name)));
		return all.filter((path) => statSync(path).isFile() && readFileSync(path).includes(text));
	}

	/** From now on the first Node on the PATH is too old for weft, as in a project with a Node of its own. */
	putOldNodeFirst(): void {
		const pretence = join(this.root, "old.cjs");
		const old = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });\n';
		writeFileSync(pretence, old);
		const run = `exec "${process.execPath}" -r "${pretence}" "$@"`;
		const text = `#!/bin/sh\nif [ "$1" = --version ]; then echo v20.20.2; else ${run}; fi\n`;
		writeFileSync(join(this.root, "bin", "node"), text, { mode: 0o755 });
	}

	/** weft's data can only be read from now on, also by root: what is run then is somebody else's. */
	lockHome(): void {
		mkdirSync(this.home, { mode: 0o555, recursive: true });
		chmodSync(this.home, 0o555);
		if (process.getuid?.() !== 0) return;
		this.#as = { uid: 65_534, gid: 65_534 };
		// The cache may be in a folder that only its owner can enter.
		for (const name of readdirSync(join(this.root, "bin"))) {
			rmSync(join(this.root, "bin", name));
			copyFileSync(nativeProgram(name as AgentName), join(this.root, "bin", name), constants.COPYFILE_FICLONE);
		}
		chmodSync(this.root, 0o755);
		for (const folder of [this.project, this.user]) giveTo(folder, this.#as);
	}

	/** The residents that answer hooks here, by process id. */
	residents(): number[] {
		const list = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" });
		const lines = list.split("\n").filter((line) => line.includes(` resident --home ${this.home} `));
		return lines.map((line) => Number.parseInt(line, 10));
	}

	async close(): Promise<void> {
		for (const pid of this.residents()) signalGroup(pid, "SIGKILL");
		for (const child of this.#running) signalGroup(child.pid!, "SIGKILL");
		await this.#model.close();
		if (process.env["WEFT_KEEP"]) {
			writeFileSync(join(this.root, "requests.json"), JSON.stringify(this.requests));
			return;
		}
		rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
	}
}

/** As Ctrl-C in a terminal: everything that was started there hears it. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(-pid, signal);
	} catch {
		// It has ended.
	}
}

function giveTo(path: string, as: { readonly uid: number; readonly gid: number }): void {
	lchownSync(path, as.uid, as.gid);
	for (const entry of readdirSync(path, { withFileTypes: true })) {
		const each = join(path, entry.name);
		if (entry.isDirectory()) giveTo(each, as);
		else lchownSync(each, as.uid, as.gid);
	}
}

/** The process with the proxy of a `weft run`: the project's resident, or one that it has started. */
export function proxyOf(pid: number, world?: AgentWorld): number | undefined {
	return startedBy(pid).find(({ args }) => / proxy .*--for /.test(args))?.pid ?? world?.residents()[0];
}

/** A weft that a test may change and remove, with its command line at dist/show/cli/main.js. */
export function installedCopy(t: TestContext): string {
	const installed = mkdtempSync(join(tmpdir(), "weft-installed-"));
	t.after(() => rmSync(installed, { recursive: true, force: true }));
	for (const name of ["dist", "plugin", "package.json"])
		cpSync(join(PACKAGE, name), join(installed, name), { recursive: true });
	symlinkSync(join(PACKAGE, "node_modules"), join(installed, "node_modules"));
	return installed;
}

/** The processes that one has started. */
export function startedBy(pid: number): readonly { readonly pid: number; readonly args: string }[] {
	const list = execFileSync("ps", ["--ppid", String(pid), "-o", "pid=,args="], { encoding: "utf8" });
	return [...list.matchAll(/^\s*(\d+) (.*)$/gm)].map(([, id, args]) => ({ pid: Number(id), args: args! }));
}

/** Where a request does not extend the one before: a new epoch begins there. Marks do not count. */
export function epochStartsOf(lists: readonly (readonly unknown[])[]): number[] {
	const lines = lists.map((list) => list.map((message) => JSON.stringify(withoutMarks(message))));
	return lines.flatMap((list, at) => {
		const before = lines[at - 1];
		return before && !before.every((line, n) => line === list[n]) ? [at] : [];
	});
}

function withoutMarks(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutMarks);
	if (value === null || typeof value !== "object") return value;
	const entries = Object.entries(value).flatMap(([key, each]) => {
		if (key === "cache_control") return [];
		// A text that carries a mark stands in a block.
		if (key === "content" && typeof each === "string") return [[key, [{ type: "text", text: each }]] as const];
		return [[key, withoutMarks(each)] as const];
	});
	return Object.fromEntries(entries);
}
