/** Processes in the roles of `role.ts`, at one project's log; and whether what they were promised is there. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openEngine } from "../../src/engine.ts";
import { verify } from "../../src/log/repair/verify.ts";
import { archiveFolder } from "../../src/log/retention/archive.ts";
import { readArchived } from "../../src/log/retention/archived-events.ts";
import { prunedParts } from "../../src/log/retention/prune-history.ts";

const ROLE = fileURLToPath(new URL("role.ts", import.meta.url));
const COMPILE_CACHE = fileURLToPath(new URL("../../node_modules/.cache/weft-compile", import.meta.url));

export type Role = "append" | "read" | "prune" | "end" | "verify";

export interface Ended {
	readonly words: readonly string[];
	readonly stderr: string;
	readonly code: number | null;
}

export interface Running {
	readonly role: Role;
	readonly child: ChildProcess;
	/** Resolves when it has opened the log, or ends. */
	readonly up: Promise<void>;
	readonly ended: Promise<Ended>;
}

export class Field implements Disposable {
	readonly #root = realpathSync(mkdtempSync(join(tmpdir(), "weft-attack-")));
	readonly #cwd = join(this.#root, "project");
	readonly #home = join(this.#root, "home");
	readonly #running = new Set<ChildProcess>();
	#names = 0;

	constructor() {
		mkdirSync(join(this.#cwd, ".git"), { recursive: true });
	}

	start(role: Role, rounds: number): Running {
		const args = [ROLE, role, this.#cwd, this.#home, `${role}-${++this.#names}`, String(rounds)];
		const env = { PATH: process.env["PATH"] ?? "", HOME: this.#root, NODE_COMPILE_CACHE: COMPILE_CACHE };
		const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env });
		this.#running.add(child);
		const { promise: up, resolve: isUp } = Promise.withResolvers<void>();
		let stdout = "";
		let stderr = "";
		child.stdout!.on("data", (chunk) => {
			stdout += chunk;
			isUp();
		});
		child.stderr!.on("data", (chunk) => {
			stderr += chunk;
		});
		const ended = new Promise<Ended>((resolve) => {
			child.on("close", (code) => {
				this.#running.delete(child);
				isUp();
				// A line is an acknowledgement only when it is whole.
				const whole = stdout.slice(0, stdout.lastIndexOf("\n") + 1);
				resolve({ words: whole.split(/[ \n]/).filter((word) => word !== ""), stderr, code });
			});
		});
		return { role, child, up, ended };
	}

	/** The log is whole, and every acknowledged event is in it or in an archive that it names. Returns how many. */
	async check(words: Iterable<string>): Promise<{ readonly acknowledged: number; readonly archived: number }> {
		const engine = openEngine({ cwd: this.#cwd, home: this.#home, host: "attack", env: {} });
		try {
			const { log } = engine;
			assert.deepEqual(verify(log).problems, []);
			const archived = await readArchived(log);
			assert.deepEqual(archived.problems, []);
			assert.ok(archived.isWhole, "an event left and no archive has it");
			const names = (records: Iterable<{ type: string; session: string; entry: string | null }>) =>
				new Set([...records].map(({ type, session, entry }) => `${type}:${session}:${entry}`));
			const kept = names(log.read());
			const left = names(archived.events.values());
			const acknowledged = [...words].filter((word) => word.includes(":"));
			assert.deepEqual(
				acknowledged.filter((word) => !kept.has(word) && !left.has(word)),
				[],
			);
			// Opening has removed what nothing names.
			const named = new Set(prunedParts(log).map(({ archive }) => archive));
			assert.deepEqual(
				namesIn(archiveFolder(log)).filter((name) => !named.has(join(archiveFolder(log), name))),
				[],
			);
			const archivedOnes = acknowledged.filter((word) => !kept.has(word));
			return { acknowledged: acknowledged.length, archived: archivedOnes.length };
		} finally {
			engine.close();
		}
	}

	[Symbol.dispose](): void {
		for (const child of this.#running) child.kill("SIGKILL");
		rmSync(this.#root, { recursive: true, force: true });
	}
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}
