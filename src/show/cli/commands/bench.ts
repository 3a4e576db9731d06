/**
 * `weft bench`: loads a benchmark and prints its ratios. The benchmarks are in `bench/`, outside the package, so they are
 * loaded by an address that is computed here.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { EngineError } from "../../../base/error/engine-error.ts";
import { ownPath } from "../../../base/file/package-file.ts";
import { oneOf, wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";

const BENCHMARKS = pathToFileURL(ownPath("bench", "run.ts"));
/** Which option each benchmark takes, and its least value. */
const SIZES = {
	fleet: { option: "events", least: 10_000 },
	grep: undefined,
	history: undefined,
	import: { option: "mb", least: 1 },
	log: undefined,
	pi: { option: "events", least: 10_000 },
	proxy: { option: "requests", least: 100 },
	recall: undefined,
	replay: { option: "requests", least: 1_000 },
	session: undefined,
	state: { option: "events", least: 2_000 },
} as const;

export type BenchName = keyof typeof SIZES;
const BENCH_NAMES = Object.keys(SIZES) as BenchName[];

export interface BenchInput {
	/** For `log` and `session`: a recorded session to weigh, or to bring in. For `recall`: one to mine questions from. */
	readonly transcript: string | undefined;
	/** For `recall`: conversations with questions. */
	readonly data: string | undefined;
	/** Events of the long log, or requests of the long session. */
	readonly size: number | undefined;
	/** For `log`: many processes at once. */
	readonly load: boolean;
	/** For `import`: this format alone. */
	readonly agent?: string | undefined;
	onProgress(what: string): void;
}

export interface BenchStyle {
	readonly width: number | undefined;
	dim(text: string): string;
}

export interface BenchResult {
	/** What `--json` prints; where it has ratios, `within` says that all are within their bounds. */
	readonly report: object;
	lines(style: BenchStyle): Iterable<string>;
	/** For the person, beside the numbers. */
	readonly remark?: string | undefined;
}

/** What `bench/run.ts` exports. */
export interface BenchModule {
	runBench(name: BenchName, input: BenchInput): Promise<BenchResult>;
}

export interface BenchOptions {
	readonly events?: string;
	readonly requests?: string;
	readonly mb?: string;
	readonly agent?: string;
	readonly load?: boolean;
	readonly data?: string;
	readonly session?: string;
}

export async function run(
	{ out, cwd }: Context,
	[what, file]: readonly string[],
	options: BenchOptions,
): Promise<void> {
	const name = oneOf("weft bench", what, BENCH_NAMES)!;
	const size = readSize(name, options);
	if (file !== undefined && name !== "log" && name !== "session") {
		throw new EngineError("usage", `'weft bench ${name}' does not take a session file. log and session do.`);
	}
	if ((options.data !== undefined || options.session !== undefined) && name !== "recall") {
		throw new EngineError("usage", "--data and --session are for 'weft bench recall'.");
	}
	if (options.data !== undefined && options.session !== undefined) {
		throw new EngineError("usage", "Take --data or --session, one at a time.");
	}
	if (options.agent !== undefined && name !== "import")
		throw new EngineError("usage", "--agent is for 'weft bench import'.");
	const transcript = file ?? options.session;
	for (const path of [transcript, options.data]) {
		if (path !== undefined && !existsSync(resolve(cwd, path))) {
			throw new EngineError("not-found", `${path}: there is no such file.`);
		}
	}
	if (options.load && (name !== "log" || transcript !== undefined)) {
		throw new EngineError("usage", "--load is for 'weft bench log', without a session file.");
	}
	const { runBench } = await loadBenchmarks();
	const { report, lines, remark } = await runBench(name, {
		transcript: transcript === undefined ? undefined : resolve(cwd, transcript),
		size,
		load: options.load ?? false,
		agent: options.agent,
		data: options.data === undefined ? undefined : resolve(cwd, options.data),
		onProgress: (doing) => out.talk(out.paintTalk("dim", `${doing} …`)),
	});
	if (out.json) return out.document(report);
	await out.lines(lines({ width: out.columns, dim: (text) => out.paint("dim", text) }));
	if (remark !== undefined) out.talk(remark);
}

export async function loadBenchmarks(address = BENCHMARKS): Promise<BenchModule> {
	if (existsSync(address)) return (await import(address.href)) as BenchModule;
	throw new EngineError(
		"not-shipped",
		"Benchmarks are not part of the installed package. They run from a checkout of weft's repository: 'npm run weft bench log'.",
	);
}

function readSize(name: BenchName, options: BenchOptions): number | undefined {
	const taken = SIZES[name];
	for (const option of ["events", "requests", "mb"] as const) {
		if (options[option] !== undefined && taken?.option !== option) {
			throw new EngineError("usage", `'weft bench ${name}' does not take --${option}.`);
		}
	}
	return taken && wholeNumber(`--${taken.option}`, options[taken.option], taken.least);
}
