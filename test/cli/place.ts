/** A home, a project and the real command as a child process, all in a temporary folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Compiled once for all the commands that the tests start. */
const COMPILE_CACHE = fileURLToPath(new URL("../../node_modules/.cache/weft-compile", import.meta.url));
const MAIN = fileURLToPath(new URL("../../src/show/cli/main.ts", import.meta.url));

export interface Ended {
	readonly code: number | null;
	readonly out: string;
	readonly err: string;
}

/** The user that a command runs as; by default the one who runs the tests. */
export type User = { readonly uid?: number; readonly gid?: number };

export class Place {
	readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "weft-cli-")));
	readonly home = join(this.folder, "home");
	readonly project = join(this.folder, "project");

	constructor() {
		mkdirSync(this.project);
		mkdirSync(join(this.project, ".git"));
	}

	/** Writes a file below the temporary folder and returns its path. */
	file(name: string, content: string | readonly object[]): string {
		const path = join(this.folder, name);
		mkdirSync(dirname(path), { recursive: true });
		const text = typeof content === "string" ? content : content.map((line) => `${JSON.stringify(line)}\n`).join("");
		writeFileSync(path, text);
		return path;
	}

	start(args: readonly string[], env: Readonly<Record<string, string>> = {}, as: User = {}): ChildProcess {
		return spawn(process.execPath, [MAIN, ...args], {
			...as,
			cwd: this.project,
			env: this.env(env),
		});
	}

	/** Of a command that is started here. */
	env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
		return {
			PATH: process.env["PATH"] ?? "",
			HOME: this.folder,
			TZ: "UTC",
			WEFT_HOME: this.home,
			NODE_COMPILE_CACHE: COMPILE_CACHE,
			// Most tests look at what one process does.
			WEFT_RESIDENT_SECONDS: "0",
			...more,
		};
	}

	async weft(...args: readonly string[]): Promise<Ended> {
		return ended(this.start(args));
	}

	async weftIn(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ended> {
		return ended(this.start(args, env));
	}

	async weftAs(user: User, ...args: readonly string[]): Promise<Ended> {
		return ended(this.start(args, { NODE_DISABLE_COMPILE_CACHE: "1" }, user));
	}

	/** The document that a command prints with --json; the command must end well. */
	async json<T = Record<string, unknown>>(...args: readonly string[]): Promise<T> {
		const { code, out, err } = await this.weft(...args, "--json");
		if (code !== 0) throw new Error(`weft ${args.join(" ")} ended with ${code}: ${err}`);
		return JSON.parse(out) as T;
	}

	remove(): void {
		rmSync(this.folder, { recursive: true, force: true });
	}
}

export function ended(child: ChildProcess): Promise<Ended> {
	let out = "";
	let err = "";
	child.stdout?.setEncoding("utf8").on("data", (text: string) => {
		out += text;
	});
	child.stderr?.setEncoding("utf8").on("data", (text: string) => {
		err += text;
	});
	return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, err })));
}
