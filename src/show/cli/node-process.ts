import { lstatSync, mkdirSync, type Stats } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setFlagsFromString } from "node:v8";

const NEEDED = [22, 19] as const;

/** Why this Node is too old; undefined: it is new enough. */
export function nodeProblem(version: string): string | undefined {
	const [major = 0, minor = 0] = version.split(".").map(Number);
	if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return undefined;
	return `weft needs Node ${NEEDED.join(".")} or newer; this is ${version}. Install a newer one from https://nodejs.org.`;
}

interface Warner {
	emitWarning: typeof process.emitWarning;
}

/** Silences Node 22's warning that its SQLite is experimental: the user can do nothing about it. */
export function silenceSqliteWarning(target: Warner): void {
	const emit = target.emitWarning.bind(target) as (...args: unknown[]) => void;
	target.emitWarning = (...args: unknown[]): void => {
		const [warning, kind] = args;
		if (kind === "ExperimentalWarning" && String(warning).startsWith("SQLite ")) return;
		emit(...args);
	};
}

/**
 * For compiled code between runs: a folder that no other account can write to, because Node runs what it finds there. The one
 * that Node takes by itself belongs to the first account that needs it. Undefined: there is no such folder.
 */
export function ownCacheFolder(parent = tmpdir(), account = process.getuid?.()): string | undefined {
	const folder = join(parent, account === undefined ? "weft-compiled" : `weft-compiled-${account}`);
	try {
		mkdirSync(folder, { mode: 0o700 });
	} catch {
		// It is there from an earlier run, or cannot be made.
	}
	const stat = statOf(folder);
	const isOwn = account === undefined || (stat?.uid === account && (stat.mode & 0o022) === 0);
	return stat?.isDirectory() && isOwn ? folder : undefined;
}

function statOf(path: string): Stats | undefined {
	try {
		return lstatSync(path);
	} catch {
		return undefined;
	}
}

interface Runner {
	readonly env: NodeJS.ProcessEnv;
	cwd(): string;
	chdir(folder: string): void;
}

/**
 * `npm --prefix FOLDER run weft` starts weft in that folder, but the user means paths, and the project, from their own. A
 * program that weft starts inherits npm's variables without running in npm's folder, so the folder is checked too.
 */
export function followCaller(runner: Runner): void {
	const { INIT_CWD: caller, npm_lifecycle_event: script, npm_package_json: manifest } = runner.env;
	if (script !== "weft" || caller === undefined || manifest === undefined) return;
	if (runner.cwd() !== dirname(manifest) || caller === runner.cwd()) return;
	try {
		runner.chdir(caller);
	} catch {
		// The folder is gone: stay here.
	}
}

/**
 * Collects garbage earlier. Reading much keeps little, yet V8 would let the space for new objects grow and let old objects pile
 * up to four times the need: more than half of the memory. Collecting earlier costs some time. `growth`: percent.
 */
export function keepHeapSmall({ growth = 60 }: { readonly growth?: number | undefined } = {}): void {
	setFlagsFromString("--semi-space-growth-factor=1");
	setFlagsFromString(`--heap-growing-percent=${growth}`);
}
