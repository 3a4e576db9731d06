/**
 * What a recording says about its host, by the usage that the provider reported: the tokens of system prompt and tools,
 * how long the cache lived, at which size the host compacts. Calibrated tokens are used only here; costs are counted with
 * the ruler, for all modes alike.
 */

import { BYTES_PER_TOKEN } from "../base/tokens/estimate.ts";
import { CACHE_TTL_MS, DEFAULT_WINDOW_TOKENS, LONG_CACHE_TTL_MS } from "../base/tokens/prices.ts";
import type { EnvelopeMessage } from "../context/envelope/envelope.ts";
import type { Path, PathReader } from "../context/path.ts";
import { PatchList } from "../context/session-patches.ts";
import { guessForm, readWire, shownText } from "../message/view.ts";
import { IMAGE_TOKENS } from "../message/weight.ts";
import type { Tree } from "../state/session/tree.ts";
import type { ModelCall } from "./recording.ts";

export interface HostFacts {
	/** Tokens of the system prompt and the tools. */
	readonly fixedTokens: number;
	/** The first prompt was larger than the file explains: the session began earlier. */
	readonly startMissing: boolean;
	/** How long the provider cached a request, in ms. */
	readonly cacheLifetime: number;
	/** Real tokens per estimated token. */
	readonly tokensPerEstimate: number;
	/** Tokens of the largest recorded prompt; 0: no usage was recorded. */
	readonly largestPrompt: number;
	/** The host compacted in the recording. */
	readonly hasCompacted: boolean;
}

/** Assumptions about a host, used where a recording does not say. */
interface HostDefaults {
	readonly fixedTokens: number;
	/** The host compacts when less than this is left of the window. */
	readonly reservedTokens: number;
}

const HOST_DEFAULTS: ReadonlyMap<string, HostDefaults> = new Map([
	["claude-code", { fixedTokens: 27_000, reservedTokens: 33_000 }],
	["pi", { fixedTokens: 3_000, reservedTokens: 16_384 }],
]);
const UNKNOWN_HOST_DEFAULTS: HostDefaults = { fixedTokens: 3_000, reservedTokens: 16_384 };

/** No system prompt is larger: what exceeds it is history that the file does not contain. */
const MAX_FIXED_TOKENS = 60_000;
/** Hosts add a little to a first prompt now and then, but not more than this. */
const FIXED_SLACK_TOKENS = 20_000;
/** Calls used for the calibration, spread over the session. */
const SAMPLED_CALLS = 48;
const MIN_SAMPLE_TOKENS = 4_000;
const [MIN_CALIBRATION, MAX_CALIBRATION] = [0.7, 4];

export function readHostFacts(calls: readonly ModelCall[], reader: PathReader, tree: Tree): HostFacts {
	const defaults = defaultsOf(calls);
	const recorded = calls.filter((call) => promptOf(call) > 0);
	const after = callsAfterCompaction(calls, tree).filter((call) => hostPath(reader, call).opening?.by === "host");
	const openings = [...recorded.slice(0, 1), ...after].filter((call) => promptOf(call) > 0);
	const rests = openings.map((call) => promptOf(call) - rulerTokens(hostPath(reader, call)));
	const smallest = rests.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
	const isPlausible = smallest > 0 && smallest <= MAX_FIXED_TOKENS;
	const fixedTokens = isPlausible ? Math.round(smallest) : defaults.fixedTokens;
	return {
		fixedTokens,
		startMissing: (rests[0] ?? 0) > Math.min(MAX_FIXED_TOKENS, fixedTokens + FIXED_SLACK_TOKENS),
		cacheLifetime: lifetimeOf(recorded),
		tokensPerEstimate: calibrate(recorded, reader, fixedTokens),
		largestPrompt: recorded.reduce((max, call) => Math.max(max, promptOf(call)), 0),
		hasCompacted: after.length > 0,
	};
}

function promptOf({ answer }: Pick<ModelCall, "answer">): number {
	const { input = 0, cacheRead = 0, cacheWrite = 0 } = answer.usage ?? {};
	return input + cacheRead + cacheWrite;
}

/** A window of the default size or more is widened to the largest recorded prompt. A smaller one means a smaller model. */
export function windowFor({ largestPrompt }: HostFacts, asked: number | undefined): number {
	if (asked !== undefined && asked < DEFAULT_WINDOW_TOKENS) return asked;
	return Math.max(asked ?? DEFAULT_WINDOW_TOKENS, largestPrompt);
}

const HOST_LIMIT_SHARE = 0.8;

/** Estimated tokens of messages at which the host would compact; infinite where the recording has its own compactions. */
export function hostLimit(facts: HostFacts, calls: readonly ModelCall[], window: number): number {
	if (facts.hasCompacted && window >= DEFAULT_WINDOW_TOKENS) return Number.POSITIVE_INFINITY;
	const { reservedTokens } = defaultsOf(calls);
	const limit = Math.max(window - reservedTokens, Math.floor(window * HOST_LIMIT_SHARE));
	// A small window means another model, whose host has a smaller prompt.
	const fixed = facts.fixedTokens < limit / 2 ? facts.fixedTokens : UNKNOWN_HOST_DEFAULTS.fixedTokens;
	return (limit - fixed) / facts.tokensPerEstimate;
}

function defaultsOf(calls: readonly ModelCall[]): HostDefaults {
	return HOST_DEFAULTS.get(calls[0]?.session.host ?? "") ?? UNKNOWN_HOST_DEFAULTS;
}

const NO_PATCHES = new PatchList();

/** The path as the host sent it, with its own compactions. */
function hostPath(reader: PathReader, { session, leaf }: ModelCall): Path {
	return reader.read({ session, leaf, patches: NO_PATCHES, compactions: "host" });
}

function rulerTokens({ opening, messages }: Path): number {
	return sumTokens([...(opening ? [opening.sent] : []), ...messages.map(({ sent }) => sent)]);
}

/** The first call after each compaction, found without reading a path: each entry is visited once. */
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

/** One hour where most cache writes were for one hour. */
function lifetimeOf(recorded: readonly ModelCall[]): number {
	let [long, all] = [0, 0];
	for (const { answer } of recorded) {
		long += answer.usage?.cacheWriteLong ?? 0;
		all += answer.usage?.cacheWrite ?? 0;
	}
	return long > all / 2 ? LONG_CACHE_TTL_MS : CACHE_TTL_MS;
}

/** The median of the recorded prompts: one of them may include text that the file does not have. */
function calibrate(recorded: readonly ModelCall[], reader: PathReader, fixedTokens: number): number {
	const step = Math.max(1, Math.floor(recorded.length / SAMPLED_CALLS));
	const ratios: number[] = [];
	for (const call of recorded.filter((_, at) => (at + 1) % step === 0)) {
		const { opening, messages } = hostPath(reader, call);
		const estimate = messages.reduce((sum, { tokens }) => sum + tokens, opening?.tokens ?? 0);
		if (estimate >= MIN_SAMPLE_TOKENS) ratios.push((promptOf(call) - fixedTokens) / estimate);
	}
	ratios.sort((one, other) => one - other);
	const median = ratios[Math.floor(ratios.length / 2)] ?? 1;
	return Math.min(MAX_CALIBRATION, Math.max(MIN_CALIBRATION, median));
}

interface MeasuredMessage {
	/** All text of the message that a model reads. */
	readonly text: string;
	readonly tokens: number;
}

const measured = new WeakMap<EnvelopeMessage, MeasuredMessage>();

/**
 * The ruler of a comparison: the tokens of a message, counted alike for all modes and the host. Bytes of the text that a
 * model reads divided by 3.2, plus 1,600 for each image. The planner's counts adapt to the model's tokenizer; this one
 * never changes, so that two replays of a file can be compared.
 */
export function measureMessage(message: EnvelopeMessage): MeasuredMessage {
	const known = measured.get(message);
	if (known) return known;
	const view = readWire(message, guessForm(message));
	const text = shownText(view);
	const images = view.shown === undefined ? view.blocks.filter(({ kind }) => kind === "image").length : 0;
	const result = { text, tokens: Buffer.byteLength(text, "utf8") / BYTES_PER_TOKEN + images * IMAGE_TOKENS };
	measured.set(message, result);
	return result;
}

export function sumTokens(messages: readonly EnvelopeMessage[]): number {
	return messages.reduce((sum, message) => sum + measureMessage(message).tokens, 0);
}
