/**
 * What a recording shows of its host, by the usage that providers reported: how much the system prompt and the tools weigh,
 * how long the cache lived, at which size the host compacts. Calibrated tokens serve only this; costs are counted with the
 * ruler, on all sides alike.
 */

import { CACHE_TTL_MS, DEFAULT_WINDOW_TOKENS, LONG_CACHE_TTL_MS } from "../base/tokens/model-defaults.ts";
import type { Path, PathReader } from "../context/path.ts";
import { PatchList } from "../context/session-patches.ts";
import type { Tree } from "../state/session/tree.ts";
import type { ModelCall } from "./recording.ts";
import { sumTokens } from "./ruler.ts";

export interface HostFacts {
	/** Tokens of the system prompt and the tools. */
	readonly fixedTokens: number;
	/** The first prompt held more than the file shows: the session began before it. */
	readonly startMissing: boolean;
	/** How long the provider kept a request, in ms. */
	readonly cacheLifetime: number;
	/** Real tokens for one of our estimate. */
	readonly tokensPerEstimate: number;
	/** Tokens of the largest recorded prompt; 0: none is recorded. */
	readonly largestPrompt: number;
	/** The host compacted in the recording. */
	readonly hasCompacted: boolean;
}

/** What is usual of a host, where a recording does not tell. */
interface Usual {
	readonly fixedTokens: number;
	/** It compacts when less than this is left of the window. */
	readonly reservedTokens: number;
}

const USUAL: ReadonlyMap<string, Usual> = new Map([
	["claude-code", { fixedTokens: 27_000, reservedTokens: 33_000 }],
	["pi", { fixedTokens: 3_000, reservedTokens: 16_384 }],
]);
const UNKNOWN_HOST: Usual = { fixedTokens: 3_000, reservedTokens: 16_384 };

/** More than this no system prompt has: what exceeds it is history that the file does not show. */
const MAX_FIXED_TOKENS = 60_000;
/** A first prompt may exceed the least one by what a host adds to it now and then, not by more. */
const FIXED_SLACK_TOKENS = 20_000;
/** Calls from which the calibration is read, spread over the session. */
const SAMPLED_CALLS = 48;
const MIN_SAMPLE_TOKENS = 4_000;
const [MIN_CALIBRATION, MAX_CALIBRATION] = [0.7, 4];

export function readHostFacts(calls: readonly ModelCall[], reader: PathReader, tree: Tree): HostFacts {
	const usual = usualOf(calls);
	const recorded = calls.filter((call) => promptOf(call) > 0);
	const after = callsAfterCompaction(calls, tree).filter((call) => hostPath(reader, call).opening?.by === "host");
	const openings = [recorded[0], ...after].filter((call) => call !== undefined && promptOf(call) > 0) as ModelCall[];
	const rests = openings.map((call) => promptOf(call) - rulerTokens(hostPath(reader, call)));
	const least = rests.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
	const isTold = least > 0 && least <= MAX_FIXED_TOKENS;
	const fixedTokens = isTold ? Math.round(least) : usual.fixedTokens;
	return {
		fixedTokens,
		startMissing: rests.length > 0 && rests[0]! > Math.min(MAX_FIXED_TOKENS, fixedTokens + FIXED_SLACK_TOKENS),
		cacheLifetime: lifetimeOf(recorded),
		tokensPerEstimate: calibrate(recorded, reader, fixedTokens),
		largestPrompt: recorded.reduce((most, call) => Math.max(most, promptOf(call)), 0),
		hasCompacted: after.length > 0,
	};
}

function promptOf({ answer }: Pick<ModelCall, "answer">): number {
	const { input = 0, cacheRead = 0, cacheWrite = 0 } = answer.usage ?? {};
	return input + cacheRead + cacheWrite;
}

/** A window of the usual size or above is at least the largest recorded prompt. A smaller one asks for a smaller model. */
export function windowFor({ largestPrompt }: HostFacts, asked: number | undefined): number {
	if (asked !== undefined && asked < DEFAULT_WINDOW_TOKENS) return asked;
	return Math.max(asked ?? DEFAULT_WINDOW_TOKENS, largestPrompt);
}

const HOST_LIMIT_SHARE = 0.8;

/** Tokens of messages, as we estimate them, at which the host would compact by itself; it did so where it was recorded. */
export function hostLimit(facts: HostFacts, calls: readonly ModelCall[], window: number): number {
	if (facts.hasCompacted && window >= DEFAULT_WINDOW_TOKENS) return Number.POSITIVE_INFINITY;
	const { reservedTokens } = usualOf(calls);
	const limit = Math.max(window - reservedTokens, Math.floor(window * HOST_LIMIT_SHARE));
	// A small window is another model's, and a host that fits into it has a smaller prompt.
	const fixed = facts.fixedTokens < limit / 2 ? facts.fixedTokens : UNKNOWN_HOST.fixedTokens;
	return (limit - fixed) / facts.tokensPerEstimate;
}

function usualOf(calls: readonly ModelCall[]): Usual {
	return USUAL.get(calls[0]?.session.host ?? "") ?? UNKNOWN_HOST;
}

const NO_PATCHES = new PatchList();

/** As the host sent it, with its own compactions. */
function hostPath(reader: PathReader, { session, leaf }: ModelCall): Path {
	return reader.read({ session, leaf, patches: NO_PATCHES, compactions: "host" });
}

function rulerTokens({ opening, messages }: Path): number {
	return sumTokens([...(opening ? [opening.sent] : []), ...messages.map(({ sent }) => sent)]);
}

/** The first call after each compaction, found without reading a path: each entry is looked at once. */
function callsAfterCompaction(calls: readonly ModelCall[], tree: Tree): ModelCall[] {
	const seen = new Set<number>();
	return calls.filter(({ leaf }) => {
		let found = false;
		for (const { seq, kind, role } of tree.upward(leaf ?? null)) {
			if (seen.has(seq)) break;
			seen.add(seq);
			if (kind === "compaction" || role === "compactionSummary") found = true;
		}
		return found;
	});
}

/** An hour where most of what was written was written for an hour. */
function lifetimeOf(recorded: readonly ModelCall[]): number {
	let [long, all] = [0, 0];
	for (const { answer } of recorded) {
		long += answer.usage?.cacheWriteLong ?? 0;
		all += answer.usage?.cacheWrite ?? 0;
	}
	return long > all / 2 ? LONG_CACHE_TTL_MS : CACHE_TTL_MS;
}

/** The middle of what the recorded prompts say: one of them may hold what the file does not show. */
function calibrate(recorded: readonly ModelCall[], reader: PathReader, fixedTokens: number): number {
	const step = Math.max(1, Math.floor(recorded.length / SAMPLED_CALLS));
	const ratios: number[] = [];
	for (let at = step - 1; at < recorded.length; at += step) {
		const call = recorded[at]!;
		const { opening, messages } = hostPath(reader, call);
		const estimate = messages.reduce((sum, { tokens }) => sum + tokens, opening?.tokens ?? 0);
		if (estimate >= MIN_SAMPLE_TOKENS) ratios.push((promptOf(call) - fixedTokens) / estimate);
	}
	ratios.sort((one, other) => one - other);
	const middle = ratios[Math.floor(ratios.length / 2)] ?? 1;
	return Math.min(MAX_CALIBRATION, Math.max(MIN_CALIBRATION, middle));
}
