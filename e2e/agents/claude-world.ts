/** The real Claude Code in a folder of its own: a project, a user's home, weft's data, and a scripted model on loopback. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
	chmodSync,
	chownSync,
	existsSync,
	linkSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { claudeSetup } from "../../src/agent/claude-code/setup.ts";
import type { WeftCommand } from "../../src/agent/setup/contract.ts";
import { type ModelServer, startModelServer } from "../../test/rig/model-server.ts";
import { programPath } from "./programs.ts";
import { Script } from "./script.ts";

const MAIN = fileURLToPath(new URL("../../dist/show/cli/main.js", import.meta.url));
const TOOLS = ["Read", "Edit", "Write", "Bash", "Agent", "Grep", "mcp__plugin_weft_log"];
const TURN_MS = 240_000;

export interface Said {
	readonly type: string;
	readonly subtype?: string;
	readonly result?: string;
	readonly session_id?: string;
	readonly is_error?: boolean;
}

export interface RunOptions {
	/** False: without weft. `proxy`: through `weft run`, which also computes the requests. */
	readonly weft?: boolean | "proxy";
	/** Goes on with a session. */
	readonly resume?: string | undefined;
	readonly env?: Readonly<Record<string, string>>;
	/** More arguments for the program. */
	readonly args?: readonly string[];
	/** Whom it runs as. */
	readonly as?: { readonly uid: number; readonly gid: number } | undefined;
}

export class ClaudeWorld {
	readonly root = realpathSync(mkdtempSync(join(tmpdir(), "weft-claude-")));
	readonly project = join(this.root, "project");
	readonly user = join(this.root, "user");
	readonly config = join(this.user, ".claude");
	readonly home = join(this.root, "weft");
	/** Must never be found anywhere. */
	readonly key = `sk-ant-${"k".repeat(12)}-never-to-be-seen`;
	readonly script = new Script();
	#model: ModelServer | undefined;
	readonly #running = new Set<ChildProcess>();

	static async start(files: Readonly<Record<string, string>>): Promise<ClaudeWorld> {
		const world = new ClaudeWorld();
		for (const folder of [world.project, world.config, join(world.root, "run")]) mkdirSync(folder, { recursive: true });
		for (const [path, text] of Object.entries(files)) world.write(path, text);
		const git = (...args: string[]) =>
			execFileSync("git", ["-c", "user.email=a@b", "-c", "user.name=n", ...args], { cwd: world.project });
		git("init", "-q", ".");
		git("add", ".");
		git("commit", "-qm", "first");
		world.#model = await startModelServer(world.script.answer);
		return world;
	}

	get requests() {
		return this.#model!.requests;
	}

	get weft(): WeftCommand {
		return [process.execPath, MAIN, "--home", this.home];
	}

	path(name: string): string {
		return join(this.project, name);
	}

	write(name: string, text: string): void {
		mkdirSync(dirname(this.path(name)), { recursive: true });
		writeFileSync(this.path(name), text);
	}

	/** The file of a session. */
	transcript(session: string): string {
		const projects = join(this.config, "projects");
		return join(projects, readdirSync(projects)[0]!, `${session}.jsonl`);
	}

	/** A process that takes one turn after the other. */
	open(options: RunOptions = {}): ClaudeProcess {
		const { weft = true, resume, env = {}, args: more = [], as } = options;
		const program = as ? this.#programForAll() : programPath("claude");
		const found = { program, version: "2.1.325", folder: this.config };
		const stream = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", ...more];
		const args = [...stream, ...(resume === undefined ? [] : ["--resume", resume]), "--allowedTools", TOOLS.join(",")];
		const base = {
			PATH: process.env["PATH"] ?? "",
			HOME: this.user,
			CLAUDE_CONFIG_DIR: this.config,
			LANG: "C.UTF-8",
			ANTHROPIC_BASE_URL: this.#model!.url,
			ANTHROPIC_API_KEY: this.key,
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
			CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000",
			DISABLE_AUTOUPDATER: "1",
			...env,
		};
		const place = { weft: this.weft, folder: join(this.root, "run"), env: base };
		const start =
			weft === "proxy"
				? this.#proxied(found.program, args, base)
				: weft
					? claudeSetup.command(found, args, place)
					: { file: found.program, args, env: base };
		const child = spawn(start.file, start.args, {
			...as,
			cwd: this.project,
			env: start.env,
			stdio: ["pipe", "pipe", "pipe"],
		});
		this.#running.add(child);
		child.once("close", () => this.#running.delete(child));
		return new ClaudeProcess(child);
	}

	/** `weft run` looks for the agent on the PATH. */
	#proxied(program: string, args: readonly string[], env: Readonly<Record<string, string>>) {
		const bin = join(this.root, "bin");
		mkdirSync(bin, { recursive: true });
		if (!existsSync(join(bin, "claude"))) symlinkSync(program, join(bin, "claude"));
		const [file, ...weft] = this.weft;
		return {
			file,
			args: [...weft, "run", "claude", "--", ...args],
			env: { ...env, PATH: `${bin}:${env["PATH"]}`, WEFT_SEAL: "thrift" },
		};
	}

	/** Everything in it belongs to somebody else, and weft's data can only be read. */
	giveTo({ uid, gid }: { readonly uid: number; readonly gid: number }): void {
		const give = (path: string) => {
			chownSync(path, uid, gid);
			for (const entry of readdirSync(path, { withFileTypes: true })) {
				if (entry.isDirectory()) give(join(path, entry.name));
				else if (entry.isFile()) chownSync(join(path, entry.name), uid, gid);
			}
		};
		chmodSync(this.root, 0o755);
		for (const folder of [this.project, this.user, join(this.root, "run")]) give(folder);
	}

	/** The cache may be in a folder that only its owner can enter. */
	#programForAll(): string {
		const path = join(this.root, "claude");
		if (!existsSync(path)) linkSync(realpathSync(programPath("claude")), path);
		return path;
	}

	async close(): Promise<void> {
		for (const child of this.#running) child.kill("SIGKILL");
		await this.#model?.close();
		if (process.env["WEFT_KEEP"]) return;
		rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
	}
}

export class ClaudeProcess {
	readonly #child: ChildProcess;
	readonly said: Said[] = [];
	/** Answers the program's question whether a tool may run, with `--permission-prompt-tool stdio`. */
	onAsked: ((tool: string, input: Readonly<Record<string, unknown>>) => object) | undefined;
	#told = "";
	#waiting: { resolve: (said: Said) => void; reject: (error: Error) => void } | undefined;
	readonly ended: Promise<number | null>;

	constructor(child: ChildProcess) {
		this.#child = child;
		createInterface({ input: child.stdout! }).on("line", (line) => this.#hear(line));
		child.stderr!.on("data", (data) => {
			this.#told += String(data);
		});
		this.ended = new Promise((resolve) => {
			child.once("error", (error) => this.#waiting?.reject(error));
			child.once("close", (code) => {
				this.#waiting?.reject(new Error(`Claude Code ended (${code}): ${this.#told.slice(-2_000)}`));
				resolve(code);
			});
		});
	}

	/** What stood on stderr. */
	get told(): string {
		return this.#told;
	}

	/** Sends a turn and waits for its result. */
	turn(text: string): Promise<Said> {
		return this.#within(text, () => this.send(text));
	}

	/** Sends a turn and does not wait. */
	send(text: string): void {
		this.#child.stdin!.write(`${JSON.stringify({ type: "user", message: { role: "user", content: text } })}\n`);
	}

	/** As somebody who closes the terminal. */
	kill(signal: NodeJS.Signals): Promise<number | null> {
		this.#child.kill(signal);
		return this.ended;
	}

	end(): Promise<number | null> {
		this.#child.stdin!.end();
		return this.ended;
	}

	#answer(line: string): void {
		const { request_id, request } = JSON.parse(line) as {
			request_id: string;
			request: { subtype: string; tool_name: string; input: Record<string, unknown> };
		};
		if (request.subtype !== "can_use_tool" || !this.onAsked) return;
		const response = this.onAsked(request.tool_name, request.input);
		const answer = { type: "control_response", response: { subtype: "success", request_id, response } };
		this.#child.stdin!.write(`${JSON.stringify(answer)}\n`);
	}

	#within(what: string, begin: () => void): Promise<Said> {
		return new Promise((resolve, reject) => {
			const timer = setTimeout(() => reject(new Error(`No result of '${what}': ${this.#told.slice(-2_000)}`)), TURN_MS);
			const settle =
				<Value>(then: (value: Value) => void) =>
				(value: Value) => {
					clearTimeout(timer);
					this.#waiting = undefined;
					then(value);
				};
			this.#waiting = { resolve: settle(resolve), reject: settle(reject) };
			begin();
		});
	}

	#hear(line: string): void {
		try {
			const said = JSON.parse(line) as Said;
			this.said.push(said);
			if (said.type === "control_request") this.#answer(line);
			if (said.type === "result") this.#waiting?.resolve(said);
		} catch {
			// Not a line of the stream.
		}
	}
}
