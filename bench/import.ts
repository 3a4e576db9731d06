/**
 * How fast does weft import recorded sessions of each agent, compared with JSON.parse of the same texts? For a database: its
 * JSON columns after a SELECT of all rows; the time of a SELECT alone is shown too. Compares CPU time, because other work on
 * the machine does not count in it. Also measures the memory of one process that imports everything.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { readLines } from "../src/agent/recorded/line-reader.ts";
import { FORMATS, type Format } from "../test/formats/formats.ts";
import type { ImportCost } from "./import-child.ts";
import { writeSessions } from "./import-files.ts";
import type { Ratio } from "./measure.ts";

export interface ImportBench {
	readonly ratios: readonly Ratio[];
	readonly formats: readonly FormatSpeed[];
}

export interface FormatSpeed {
	readonly agent: string;
	readonly megabytes: number;
	/** By the processor's time. */
	readonly importedMBPerSecond: number;
	readonly parsedMBPerSecond: number;
	/** For a database: reading its rows, without parsing them. */
	readonly selectedMBPerSecond: number | undefined;
	/** Of the whole process at its largest. */
	readonly memoryMB: number;
}

const DEFAULT_MB = 8;
/** Importing may take this many times as long as parsing. */
const BOUND = 60;
const MEMORY_BOUND_MB = 300;

export async function runImportBench({
	megabytes = DEFAULT_MB,
	only,
	onProgress,
}: {
	/** Of each format. */
	readonly megabytes?: number | undefined;
	/** This agent's formats alone. */
	readonly only?: string | undefined;
	readonly onProgress: (what: string) => void;
}): Promise<ImportBench> {
	const formats: FormatSpeed[] = [];
	for (const format of FORMATS.filter(({ agent }) => only === undefined || agent === only)) {
		onProgress(`${format.agent} ${basename(format.path)}`);
		const folder = mkdtempSync(join(tmpdir(), "weft-bench-import-"));
		try {
			formats.push(await measureImport(format, writeSessions(format, folder, megabytes), folder));
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	}
	const most = Math.max(...formats.map(({ memoryMB }) => memoryMB));
	const memory = {
		name: "memory",
		beside: "300 MB",
		ratio: most / MEMORY_BOUND_MB,
		bound: 1,
		detail: `${most.toFixed(0)} MB at most`,
	};
	return { ratios: [...formats.map(ratioOf), memory], formats };
}

function ratioOf(format: FormatSpeed): Ratio {
	const { agent, importedMBPerSecond, parsedMBPerSecond, selectedMBPerSecond, memoryMB } = format;
	return {
		name: agent,
		beside: selectedMBPerSecond === undefined ? "JSON.parse" : "SELECT, parse",
		ratio: parsedMBPerSecond / importedMBPerSecond,
		bound: BOUND,
		detail: `${importedMBPerSecond.toFixed(1)} beside ${parsedMBPerSecond.toFixed(0)} MB/s, ${memoryMB.toFixed(0)} MB`,
	};
}

async function measureImport(format: Format, paths: readonly string[], folder: string): Promise<FormatSpeed> {
	const megabytes = paths.reduce((sum, path) => sum + bytesOf(path), 0) / 1e6;
	const isDatabase = paths.some((path) => !/\.jsonl?$/.test(path));
	// The first reading is from the disk.
	if (isDatabase) await readRows(paths, () => {});
	const selected = isDatabase ? await cpuSeconds(() => readRows(paths, () => {})) : undefined;
	const parsed = await cpuSeconds(() => (isDatabase ? readRows(paths, parseColumns) : parseFiles(format, paths)));
	const { seconds, memoryMB } = await importInChild(paths, join(folder, "log"));
	return {
		agent: `${format.agent} ${format.isOld ? "(old)" : ""}`.trim(),
		megabytes,
		importedMBPerSecond: megabytes / seconds,
		parsedMBPerSecond: megabytes / parsed,
		selectedMBPerSecond: selected === undefined ? undefined : megabytes / selected,
		memoryMB,
	};
}

async function importInChild(paths: readonly string[], log: string): Promise<ImportCost> {
	const child = join(import.meta.dirname, "import-child.ts");
	const { stdout } = await promisify(execFile)(process.execPath, [child, log, ...paths]);
	return JSON.parse(stdout) as ImportCost;
}

function bytesOf(path: string): number {
	return filesOf(path).reduce((sum, file) => sum + statSync(file).size, 0);
}

/** The file, or all files of a session in a store of many: the session's own says little. */
function filesOf(path: string): string[] {
	if (!/[/\\]storage[/\\]/.test(path)) return [path];
	const storage = join(dirname(path), "..", "..");
	const inside = (folder: string) => readdirSync(folder).map((name) => join(folder, name));
	const messages = inside(join(storage, "message", basename(path, ".json")));
	return [
		path,
		...messages,
		...messages.flatMap((message) => inside(join(storage, "part", basename(message, ".json")))),
	];
}

async function parseFiles(format: Format, paths: readonly string[]): Promise<void> {
	for (const path of paths) {
		if (format.lines) for await (const { text } of readLines(path)) JSON.parse(text ?? "null");
		else for (const file of filesOf(path)) JSON.parse(readFileSync(file, "utf8"));
	}
}

async function readRows(paths: readonly string[], take: (row: Record<string, unknown>) => void): Promise<void> {
	for (const path of paths) {
		const db = new DatabaseSync(path, { readOnly: true });
		const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
		for (const { name } of tables) for (const row of db.prepare(`SELECT * FROM "${name}"`).iterate()) take(row);
		db.close();
	}
}

function parseColumns(row: Record<string, unknown>): void {
	for (const value of Object.values(row)) if (typeof value === "string" && value.startsWith("{")) JSON.parse(value);
}

async function cpuSeconds(work: () => Promise<void>): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1e6;
}
