/** Where one session of the contract runs: a project with files, a home, the settings, and weft's log. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openEngine } from "../../src/engine.ts";
import type { EventRecord } from "../../src/log/event/types.ts";
import { MemoryFiles, memoryFile, type SessionName } from "../../src/state/memory/memory-files.ts";

/** A limit of its own for reads: without it, it follows the room that an agent reports. */
const LINES = { WEFT_MAX_READ_LINES: "500" };

/** As a user sets them. */
export const SETTINGS = {
	woven: { WEFT_MODE: "woven", ...LINES },
	warp: { WEFT_MODE: "warp" },
	lossless: { WEFT_MODE: "lossless", ...LINES },
	off: { WEFT_MODE: "off" },
	report: { WEFT_MODE: "woven", WEFT_POLICY_MODE: "report", ...LINES },
	disabled: { WEFT_MODE: "woven", WEFT_ENABLED: "false" },
} as const satisfies Record<string, NodeJS.ProcessEnv>;

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

const DAY_MS = 24 * 3_600_000;

const DISK_TICK_MS = 40;

export interface WorldOptions {
	readonly setting: SettingName;
	readonly files: Readonly<Record<string, string>>;
	/** A bullet of MEMORY.md, on probation. */
	readonly remembers: string;
	/** The session that has a MEMORY.md of its own; undefined: the project's. */
	readonly memoryOf?: SessionName | undefined;
}

export class AgentWorld implements Disposable {
	readonly root = realpathSync(mkdtempSync(join(tmpdir(), "weft-agents-")));
	readonly project = join(this.root, "project");
	readonly home = join(this.root, "weft");
	/** Of the agent's process, and of the commands that it runs. */
	readonly env: NodeJS.ProcessEnv;
	readonly #database: string;
	/** Events up to here were there before the agent. */
	readonly #planted: number;

	constructor({ setting, files, remembers, memoryOf }: WorldOptions) {
		mkdirSync(join(this.project, ".git"), { recursive: true });
		for (const [path, text] of Object.entries(files)) this.put(path, text);
		this.env = {
			PATH: `${join(this.project, "bin")}:${process.env["PATH"]}`,
			HOME: this.root,
			WEFT_HOME: this.home,
			// Agents lend different models, or none: what a model would write is no part of the contract.
			WEFT_MEMORY_MODELS: "none",
			// Some agents report that their scripted model costs nothing; seals come as with a paid one.
			WEFT_SEAL: "thrift",
			...SETTINGS[setting],
		};
		const engine = this.#open(false);
		const by = { session: "earlier", host: "cli" };
		const until = Date.now() + DAY_MS;
		new MemoryFiles({ log: engine.log }).write({
			file: memoryFile(memoryOf),
			why: "consolidation",
			session: by,
			ts: Date.now() - DAY_MS,
			build: () => [{ op: "add", section: "Constraints", text: remembers, until, by: "state" }],
		});
		this.#database = engine.log.path;
		this.#planted = engine.log.newestSeq();
		engine.close();
		// What was saved within a tick of a command counts as that command's: a person's files are older.
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, DISK_TICK_MS);
	}

	/** Somebody writes a file. */
	put(path: string, text: string): void {
		mkdirSync(dirname(join(this.project, path)), { recursive: true });
		writeFileSync(join(this.project, path), text, { mode: 0o755 });
	}

	text(path: string): string {
		return readFileSync(join(this.project, path), "utf8");
	}

	/** What was recorded since the agent started. */
	events(): EventRecord[] {
		if (!existsSync(this.#database)) return [];
		const engine = this.#open(true);
		try {
			return [...engine.log.read({ after: this.#planted })];
		} finally {
			engine.close();
		}
	}

	/** No event can be written from now on, whoever tries. */
	breakLog(): void {
		this.#sql("CREATE TRIGGER broken BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
	}

	mendLog(): void {
		this.#sql("DROP TRIGGER broken");
	}

	/** The log can only be read from now on: opening it to write fails. */
	closeLogToWriters(): void {
		this.#sql("ALTER TABLE pack RENAME TO pack_away");
	}

	openLogToWriters(): void {
		this.#sql("ALTER TABLE pack_away RENAME TO pack");
	}

	/** The user's own settings. */
	putUserConfig(text: string): void {
		const folder = join(this.root, ".config", "weft");
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, "config.json"), text);
	}

	[Symbol.dispose](): void {
		rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
	}

	#sql(statement: string): void {
		const db = new DatabaseSync(this.#database);
		db.exec(statement);
		db.close();
	}

	#open(readOnly: boolean) {
		return openEngine({ cwd: this.project, home: this.home, host: "test", env: {}, readOnly });
	}
}
