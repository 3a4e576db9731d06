/**
 * `npm run bench -- replay`: the replay of the shipped session, and whether planning a request stays as cheap in a session of
 * thousands as in its beginning. Ratios only; nothing here is a test.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT_WINDOW_TOKENS, UNKNOWN_PRICES } from "../src/base/tokens/prices.ts";
import { Walk } from "../src/context/walk.ts";
import { readExam } from "../src/replay/exam.ts";
import { openRecording, type Recording } from "../src/replay/recording.ts";
import { type ReplayReport, replaySession } from "../src/replay/report.ts";
import { measureAssembly } from "./assemble.ts";
import { median, micros, type Ratio } from "./measure.ts";
import { madeUpSession } from "./session.ts";

export const SHIPPED_SESSION = fileURLToPath(new URL("../demo/session.jsonl", import.meta.url));

const SHIPPED_EXAM = fileURLToPath(new URL("../demo/exam.json", import.meta.url));

export interface ReplayBenchOptions {
	/** Requests of the long session. */
	readonly requests?: number | undefined;
	readonly onProgress?: (what: string) => void;
}

export interface ReplayBenchReport {
	readonly replay: ReplayReport;
	readonly requests: number;
	readonly ratios: readonly Ratio[];
}

const LONG_REQUESTS = 5_000;
/** The early stretch begins here; both stretches are this long, so that each has seals in it. */
const EARLY_REQUEST = 50;
const STRETCH_REQUESTS = 300;
const BOUND = 1.5;
const ROUNDS = 3;
const MEASURED = ["woven", "warp", "lossless"] as const;
type MeasuredMode = (typeof MEASURED)[number];

export async function runReplayBench(options: ReplayBenchOptions = {}): Promise<ReplayBenchReport> {
	const say = options.onProgress ?? (() => {});
	const requests = options.requests ?? LONG_REQUESTS;
	say("replaying the shipped session");
	const shipped = await openRecording(SHIPPED_SESSION);
	const exam = readExam(SHIPPED_EXAM, SHIPPED_SESSION);
	const replay = await replaySession(shipped, { window: DEFAULT_WINDOW_TOKENS, profile: "balanced", exam });
	shipped.close();
	const folder = mkdtempSync(join(tmpdir(), "weft-bench-"));
	try {
		say(`a session of ${requests} requests`);
		const file = join(folder, "session.jsonl");
		writeFileSync(file, madeUpSession({ requests }));
		const recording = await openRecording(file);
		try {
			const ratios: Ratio[] = [];
			for (const mode of MEASURED) {
				say(`planning each of them in ${mode}`);
				ratios.push(...(await measureMode(recording, mode)));
			}
			say("the engine's own requests, early and late");
			ratios.push(...(await measureAssembly(file, recording.calls, EARLY_REQUEST)));
			return { replay, requests, ratios };
		} finally {
			recording.close();
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function measureMode(recording: Recording, mode: MeasuredMode): Promise<Ratio[]> {
	const rounds: { readonly early: readonly number[]; readonly late: readonly number[] }[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		const times = await planTimes(recording, mode);
		const early = times.slice(EARLY_REQUEST, EARLY_REQUEST + STRETCH_REQUESTS);
		rounds.push({ early, late: times.slice(-STRETCH_REQUESTS) });
	}
	const ratio = (name: string, of: (times: readonly number[]) => number): Ratio => ({
		name,
		beside: `requests ${EARLY_REQUEST} to ${EARLY_REQUEST + STRETCH_REQUESTS}`,
		ratio: median(rounds.map(({ early, late }) => of(late) / of(early))),
		bound: BOUND,
		detail: `${micros(median(rounds.map(({ late }) => of(late))))} against ${micros(median(rounds.map(({ early }) => of(early))))}`,
	});
	const last = `the last ${STRETCH_REQUESTS} of ${recording.calls.length}`;
	const usual = ratio(`${mode}: a request among ${last}`, median);
	// Compactions of lossless are not part of a request: the host asks for them at its own time.
	return mode === "woven" ? [usual, ratio(`${mode}: the same, with its share of the seals`, mean)] : [usual];
}

/** ms that each request took to plan. */
async function planTimes({ log, calls, reader }: Recording, mode: MeasuredMode): Promise<number[]> {
	const settings = { mode, window: DEFAULT_WINDOW_TOKENS, profile: "balanced" } as const;
	const walk = new Walk({ log, settings, prices: UNKNOWN_PRICES, reader });
	const times: number[] = [];
	for (const call of calls) {
		const start = performance.now();
		await walk.request(call);
		times.push(performance.now() - start);
	}
	return times;
}

function mean(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
