/**
 * One random command after another in a user's work tree, with the guard before each, then `weft rewind`: is every file back
 * that was there before? A command that the guard stops takes nothing.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Engine, openEngine } from "../../../src/engine.ts";
import { openRewind } from "../../../src/guard/rewind/request.ts";
import { removeFolder, temporaryFolder } from "../temporary-folder.ts";
import { makeCommand } from "./commands.ts";
import { type Snapshot, type TreeKind, UserTree } from "./tree.ts";

export interface TrialOptions {
	readonly kind: TreeKind;
	readonly files: number;
	readonly commands: number;
	readonly random: () => number;
	readonly onCommand?: ((line: string) => void) | undefined;
}

export interface TrialReport {
	commands: number;
	/** The guard stopped them. */
	stopped: number;
	/** They took or changed at least one file. */
	destructive: number;
	/** Files that were gone or different after a command. */
	taken: number;
	/** Of these, files that did not come back. */
	readonly lost: LostFile[];
	/** Undone rewinds after which a file was not as the command had left it. */
	readonly undone: LostFile[];
	/** Of the guard before the commands, and before a harmless one, ms. */
	readonly guardMs: number[];
	readonly harmlessMs: number[];
}

export interface LostFile {
	readonly line: string;
	readonly path: string;
	readonly why: string;
}

const UNDO_SHARE = 0.2;
const MAX_COMMAND_S = 600;
/** The disk's clock may lag behind ours by a tick. */
const NOW = Date.now;

export function runTrial({ kind, files, commands, random, onCommand }: TrialOptions): TrialReport {
	const report: TrialReport = {
		...{ commands: 0, stopped: 0, destructive: 0, taken: 0 },
		...{ lost: [], undone: [], guardMs: [], harmlessMs: [] },
	};
	let trial: Trial | undefined;
	for (let n = 0; n < commands; n++) {
		if (trial && !trial.isWhole()) trial = trial.close();
		trial ??= new Trial(new UserTree(temporaryFolder(), { kind, files, random }), random, report);
		trial.run(n, onCommand);
	}
	trial?.close();
	return report;
}

class Trial {
	readonly #tree: UserTree;
	readonly #root: string;
	readonly #engine: Engine;
	readonly #random: () => number;
	readonly #report: TrialReport;

	constructor(tree: UserTree, random: () => number, report: TrialReport) {
		this.#tree = tree;
		this.#root = dirname(tree.folder);
		this.#random = random;
		this.#report = report;
		this.#engine = openEngine({ cwd: tree.folder, host: "pi", home: join(this.#root, "home"), env: {} });
	}

	close(): undefined {
		this.#engine.close();
		removeFolder(this.#root);
	}

	/** False: git itself is broken, or a folder is left of nothing. */
	isWhole(): boolean {
		const { folder, kind } = this.#tree;
		if (kind === "plain") return readdirSync(folder).length > 0;
		const probe =
			"git status > /dev/null 2>&1 && git rev-parse -q --verify HEAD~1 > /dev/null && ! test -d .git/rebase-merge";
		return spawnSync("sh", ["-c", probe], { cwd: folder }).status === 0;
	}

	run(n: number, onCommand: TrialOptions["onCommand"]): void {
		const tree = this.#tree;
		tree.disturb();
		tree.dropTooLarge();
		const before = tree.snapshot();
		const theirs = this.#outside();
		const names = [...before.keys()];
		const folders = [...new Set(names.map((path) => dirname(path)))].filter((path) => path !== ".");
		const { line, isUnseen } = makeCommand(this.#random, { files: names, folders, isGit: tree.kind === "git" });
		onCommand?.(line);
		const callId = `c${n}`;
		const call = { session: "random", host: "pi", cwd: tree.folder, tool: "bash", callId, input: { command: line } };
		this.#report.commands++;
		const judge = (of: typeof call, times: number[]) => {
			const start = performance.now();
			const verdict = this.#engine.judge(of);
			times.push(performance.now() - start);
			return verdict;
		};
		judge({ ...call, callId: `look${n}`, input: { command: "git status && ls -la" } }, this.#report.harmlessMs);
		const verdict = judge(call, this.#report.guardMs);
		if (verdict.action === "block") {
			this.#report.stopped++;
			return;
		}
		// What a command started must end with it, or it takes files after they came back.
		const limited = ["-s", "KILL", String(MAX_COMMAND_S), "bash", "-c", line];
		const { stdout } = spawnSync("timeout", limited, { cwd: tree.folder, encoding: "utf8" });
		if (!isUnseen) this.#engine.observe(call, { kind: "result", callId, tool: "bash", text: stdout, isError: false });
		this.#checkOutside(line, theirs);
		// The project itself may be gone.
		mkdirSync(tree.folder, { recursive: true });
		const after = tree.snapshot();
		const taken = names.filter((path) => after.get(path) !== before.get(path));
		if (taken.length > 0) this.#report.destructive++;
		this.#report.taken += taken.length;
		const undo = this.#rewind({ before: callId });
		this.#compare(line, before, this.#report.lost);
		if (undo !== undefined && this.#random() < UNDO_SHARE) {
			this.#rewind({ to: String(undo) });
			this.#compare(line, after, this.#report.undone);
			this.#rewind({ before: callId });
			this.#compare(`${line} (again)`, before, this.#report.lost);
		}
	}

	#rewind(request: { readonly to?: string; readonly before?: string }): number | undefined {
		const root = this.#tree.folder;
		const rewind = openRewind(this.#engine.log, { ...request, cwd: root, root, now: NOW() });
		this.#plan = new Map(rewind.plan.steps.map(({ path, how, why }) => [path, why ?? how]));
		if (rewind.plan.steps.every(({ how }) => how === "leave")) return undefined;
		return rewind.apply({ maxBytes: 1e9, now: NOW, command: "weft rewind" });
	}

	#plan: ReadonlyMap<string, string> = new Map();

	#compare(line: string, wanted: Snapshot, into: LostFile[]): void {
		const now = this.#tree.snapshot();
		for (const [path, what] of wanted) {
			const is = now.get(path);
			if (is !== what) into.push({ line, path, why: `${what} is now ${is}; plan: ${this.#plan.get(path)}` });
		}
	}

	/** Files of other folders that a command can reach. */
	#outside(): Map<string, Buffer> {
		const found = new Map<string, Buffer>();
		for (const folder of ["sibling", "beside"]) {
			const at = join(this.#root, folder);
			let entries: string[] = [];
			try {
				entries = readdirSync(at, { recursive: true }) as string[];
			} catch {
				// Gone since an earlier command.
			}
			for (const name of entries.filter((each) => each.endsWith(".txt")))
				found.set(join(at, name), readFileSync(join(at, name)));
		}
		return found;
	}

	/** What was taken there comes back into another folder. */
	#checkOutside(line: string, theirs: ReadonlyMap<string, Buffer>): void {
		const now = this.#outside();
		const into = join(this.#root, "back");
		for (const [path, bytes] of theirs) {
			if (now.get(path)?.equals(bytes)) continue;
			const of = { files: [path], before: line, cwd: this.#tree.folder, root: this.#tree.folder, now: NOW() };
			rmSync(into, { recursive: true, force: true });
			try {
				openRewind(this.#engine.log, { ...of, isElsewhere: true }).writeInto(into);
			} catch (error) {
				this.#report.lost.push({ line, path, why: String(error) });
				continue;
			}
			mkdirSync(into, { recursive: true });
			const back = readdirSync(into, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
			const isBack = back.some((entry) => readFileSync(join(entry.parentPath, entry.name)).equals(bytes));
			if (!isBack) this.#report.lost.push({ line, path, why: "not among what comes back" });
		}
	}
}
