/**
 * `weft replay`: a recorded session, request by request, through the code that works live, under each mode and beside
 * what the host itself would have sent; what it would have cost and what it would have held. Reads the file, writes
 * nothing that stays, asks no model.
 */
import type { Profile } from "../context/seal/rule.ts";
import { type Prices, pricesOf } from "../tokens/prices.ts";
import { type Billed, billedBy, mainModel } from "./billed.ts";
import { type ModeName, makeMode } from "./modes.ts";
import { openRecording, type Recording } from "./open-recording.ts";
import type { PlannedRequest } from "./planned.ts";
import type { RecordedCall } from "./recording.ts";
import { type Recovery, recoverMessages } from "./recovery.ts";
import { type ModeReport, runMode } from "./run.ts";
import { type Sweep, sweepThresholds } from "./sweep.ts";
import { countVerdicts, type Verdicts } from "./verdicts.ts";

export interface ReplayOptions {
	readonly modes: readonly ModeName[];
	/** By default the one that answered most often in the recording. */
	readonly model?: string;
	readonly window: number;
	readonly profile: Profile;
	/** Also try all fixed thresholds. */
	readonly sweep?: boolean;
	/** Every request as it would go out. */
	readonly onRequest?: (mode: ModeName, call: RecordedCall, request: PlannedRequest, tokens: number) => void;
	readonly onProgress?: (what: string, done: number, total: number) => void;
}

export interface ReplayReport {
	readonly file: string;
	readonly sessions: readonly string[];
	readonly model: string | null;
	readonly prices: Prices;
	readonly window: number;
	readonly profile: Profile;
	/** Tokens of the system prompt and tools, in every request. */
	readonly fixedTokens: number;
	/** Lines of the file that could not be read. */
	readonly malformed: number;
	readonly modes: Readonly<Partial<Record<ModeName, ModeReport>>>;
	readonly billed: Billed;
	readonly recovered: Recovery;
	readonly verdicts: Verdicts;
	readonly sweep?: Sweep;
}

export async function replayFile(file: string, options: ReplayOptions): Promise<ReplayReport> {
	const say = options.onProgress ?? (() => {});
	const recording = await openRecording(file, { onProgress: (done, total) => say("reading the session", done, total) });
	try {
		return { file, ...(await replay(recording, options)) };
	} finally {
		recording.close();
	}
}

export async function replay(recording: Recording, options: ReplayOptions): Promise<Omit<ReplayReport, "file">> {
	const say = options.onProgress ?? (() => {});
	const { calls, fixed, format, demands, log, sessions } = recording;
	const { window, profile } = options;
	const model = options.model ?? mainModel(calls) ?? null;
	const prices = pricesOf(model ?? undefined);
	const modeOptions = { ...recording, prices, profile, window };
	const modes: Partial<Record<ModeName, ModeReport>> = {};
	for (const name of options.modes) {
		const copy = recording.fork();
		try {
			modes[name] = await runMode(makeMode(name, { ...modeOptions, log: copy.log }), calls, {
				prices,
				fixed,
				format,
				demands,
				onRequest: (call, request, tokens) => {
					say(name, call.index + 1, calls.length);
					options.onRequest?.(name, call, request, tokens);
				},
			});
		} finally {
			copy.close();
		}
	}
	const sweep = options.sweep
		? await sweepThresholds(recording, modeOptions, (done, total) => say("trying thresholds", done, total))
		: undefined;
	say("fetching every message back", 0, 1);
	const recovered = await recoverMessages(log, sessions);
	return {
		sessions,
		model,
		prices,
		window,
		profile,
		fixedTokens: fixed,
		malformed: recording.malformed,
		modes,
		billed: billedBy(calls, prices),
		recovered,
		verdicts: countVerdicts(recording),
		...(sweep ? { sweep } : {}),
	};
}
