/**
 * How fast is a recorded session of each agent read in, beside JSON.parse of the same lines, or a bare SELECT of the same
 * rows? The processor's time is what is compared, because other work on the machine does not count in it. And how much
 * memory does it take while a large file is read?
 */
import { execFile } from "node:child_process";
import {
	appendFileSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { readLines } from "../src/hosts/line-reader.ts";
import { FORMATS, type Format, writeFormat } from "../test/formats/formats.ts";
import type { Script, Step } from "../test/formats/script.ts";
import { random } from "./corpus.ts";
import type { ImportCost } from "./import-child.ts";
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
	/** Of the whole process at its largest. */
	readonly memoryMB: number;
}

const DEFAULT_MB = 8;
/** One JSON value must be held whole, and a database is one transaction to write. */
const MOST_WHOLE_MB = 64;
/** Reading in may take so many times what parsing takes. */
const BOUND = 60;
const MEMORY_BOUND_MB = 300;
const STEPS_A_CHUNK = 400;

export async function runImportBench({
	megabytes = DEFAULT_MB,
	only,
	onProgress,
}: {
	readonly megabytes?: number | undefined;
	/** This agent's format alone. */
	readonly only?: string | undefined;
	readonly onProgress: (what: string) => void;
}): Promise<ImportBench> {
	const formats: FormatSpeed[] = [];
	for (const format of FORMATS.filter(({ agent }) => only === undefined || agent === only)) {
		onProgress(`${format.agent} ${basename(format.path)}`);
		const folder = mkdtempSync(join(tmpdir(), "weft-bench-import-"));
		try {
			const path = writeLarge(format, folder, format.lines ? megabytes : Math.min(megabytes, MOST_WHOLE_MB));
			formats.push(await measureImport(format, path, folder));
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	}
	const ratios = formats.map(({ agent, importedMBPerSecond, parsedMBPerSecond, megabytes: size }): Ratio => {
		const detail = `${importedMBPerSecond.toFixed(1)} MB/s of ${size.toFixed(0)} MB, beside ${parsedMBPerSecond.toFixed(0)} MB/s`;
		return { name: agent, beside: "reading it", ratio: parsedMBPerSecond / importedMBPerSecond, bound: BOUND, detail };
	});
	const most = Math.max(...formats.map(({ memoryMB }) => memoryMB));
	const memory = {
		name: "memory",
		beside: "300 MB",
		ratio: most / MEMORY_BOUND_MB,
		bound: 1,
		detail: `${most.toFixed(0)} MB at most`,
	};
	return { ratios: [...ratios, memory], formats };
}

async function measureImport(format: Format, path: string, folder: string): Promise<FormatSpeed> {
	const megabytes = bytesOf(path) / 1e6;
	const parsed = await cpuSeconds(() => readBare(format, path));
	const { seconds, memoryMB } = await importInChild(path, join(folder, "log"));
	return {
		agent: `${format.agent} ${format.isOld ? "(old)" : ""}`.trim(),
		megabytes,
		importedMBPerSecond: megabytes / seconds,
		parsedMBPerSecond: megabytes / parsed,
		memoryMB,
	};
}

async function importInChild(path: string, log: string): Promise<ImportCost> {
	const child = join(import.meta.dirname, "import-child.ts");
	const { stdout } = await promisify(execFile)(process.execPath, [child, path, log]);
	return JSON.parse(stdout) as ImportCost;
}

/** Of the file, or of a store of many, whose session's file says little. */
function bytesOf(path: string): number {
	if (!/[/\\]storage[/\\]/.test(path)) return statSync(path).size;
	const storage = join(dirname(path), "..", "..");
	const names = readdirSync(storage, { recursive: true, encoding: "utf8" });
	return names.reduce((sum, name) => sum + (name.endsWith(".json") ? statSync(join(storage, name)).size : 0), 0);
}

async function readBare(format: Format, path: string): Promise<void> {
	if (format.lines) for await (const { text } of readLines(path)) JSON.parse(text ?? "null");
	else if (format.whole) JSON.parse(readFileSync(path, "utf8"));
	else if (path.endsWith(".json")) {
		// A store of many files, the session's among them.
		const storage = join(dirname(path), "..", "..");
		for (const name of readdirSync(storage, { recursive: true, encoding: "utf8" }))
			if (name.endsWith(".json")) JSON.parse(readFileSync(join(storage, name), "utf8"));
	} else {
		const db = new DatabaseSync(path, { readOnly: true });
		const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
		for (const { name } of tables) for (const _ of db.prepare(`SELECT * FROM "${name}"`).iterate());
		db.close();
	}
}

async function cpuSeconds(work: () => Promise<void>): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1e6;
}

/** A session of about this size; a file of lines is written piece by piece. */
function writeLarge(format: Format, folder: string, megabytes: number): string {
	const bytes = megabytes * 1e6;
	const { lines } = format;
	if (!lines) return writeFormat(format, folder, madeUp(Math.ceil(bytes / 2_600), 1));
	const path = join(folder, format.path);
	mkdirSync(dirname(path), { recursive: true });
	const header = lines([]).length;
	writeFileSync(path, "");
	for (let chunk = 0; statSync(path).size < bytes; chunk++) {
		const written = lines(madeUp(STEPS_A_CHUNK, chunk)).slice(chunk === 0 ? 0 : header);
		const text = written.map((line) => `${JSON.stringify(line)}\n`).join("");
		// Each piece has names of its own.
		appendFileSync(path, text.replaceAll(/"(u|m|e|item_|msg_|call_|resp_|api)(\d+)/g, `"$1${chunk}x$2`));
	}
	return path;
}

const WORDS = "route ledger parcel invoice vessel cargo berth tariff order split merge check count close".split(" ");

function madeUp(steps: number, seed: number): Script {
	const chance = random(seed + 1);
	const words = (count: number) =>
		Array.from({ length: count }, () => WORDS[Math.floor(chance() * WORDS.length)]).join(" ");
	return Array.from({ length: steps }, (_, at): Step => {
		if (at % 12 === 0) return { user: words(12) };
		const act = { do: "run", command: `node ${words(2)}.mjs`, output: words(200), exit: at % 5 === 0 ? 1 : 0 } as const;
		return { answer: words(20), acts: [act], tokens: { input: 100, read: 1_000, output: 50 } };
	});
}
