/**
 * Who writes a summary: the models in order, each up to three times, and at the end the deterministic summariser, which
 * needs none and never fails. What was refused on the way is kept with the reason.
 */
import { sliceUnits } from "../text/truncate.ts";
import { deterministic } from "./deterministic/summarise.ts";
import type { ModelGate } from "./gate.ts";
import { firstWords } from "./gist.ts";
import { summaryPrompt } from "./prompt.ts";
import type { Summariser, SummaryAnswer, SummarySource } from "./summariser.ts";
import { refuseSummary } from "./validate.ts";

export interface Written {
	readonly text: string;
	readonly topic: string;
	readonly model: string;
	readonly usage?: unknown;
	readonly tried: readonly Tried[];
}

/** An answer that was refused, or a call that was not made, with the reason. */
export interface Tried {
	readonly model: string;
	readonly reason: string;
}

export interface WriteOptions {
	readonly models: readonly Summariser[];
	readonly gate: ModelGate;
	/** The source as a model reads it, masked; asked for only if a model is. */
	readonly text: () => Promise<string>;
	readonly signal?: AbortSignal | undefined;
	/** How long one call may take. */
	readonly callMs?: number | undefined;
	/** How often a model is asked again after an answer that was refused. */
	readonly retries?: number | undefined;
	/** The prompt, where another than that of a summary is wanted. */
	readonly prompt?: ((text: string, maxTokens: number) => string) | undefined;
}

const RETRIES = 2;
const CALL_MS = 120_000;
const MOST_REASON_CHARS = 300;
const TOPIC_CHARS = 80;
const LEAF_TOKENS = 800;
const CONDENSED_TOKENS = 1_200;

export async function writeSummary(source: SummarySource, options: WriteOptions): Promise<Written> {
	const tried: Tried[] = [];
	const written = await writeByModel(source, options, tried);
	if (written) return written;
	options.signal?.throwIfAborted();
	const { signal } = options;
	const answer = await deterministic.summarise({ prompt: "", source, maxTokens: maxTokens(source), signal });
	return { ...told(answer), model: deterministic.name, tried };
}

/** Undefined: no model gave an answer that can stand for the source. */
export async function writeByModel(
	source: SummarySource,
	options: WriteOptions,
	tried: Tried[] = [],
): Promise<Written | undefined> {
	for (const model of options.models) {
		const answer = await tryModel(model, source, options, tried);
		if (answer === "too small") return undefined;
		if (answer) return { ...told(answer), model: model.name, tried };
	}
	return undefined;
}

/** `too small`: there is so little to summarise that no model can say it shorter. Nobody's failure. */
async function tryModel(
	model: Summariser,
	source: SummarySource,
	options: WriteOptions,
	tried: Tried[],
): Promise<SummaryAnswer | "too small" | undefined> {
	const { gate, signal, retries = RETRIES } = options;
	let refused: string | undefined;
	for (let attempt = 0; attempt <= retries; attempt++) {
		signal?.throwIfAborted();
		const closed = gate.enter(model.name);
		if (closed !== undefined) {
			tried.push({ model: model.name, reason: closed });
			return undefined;
		}
		try {
			const answer = await ask(model, source, options, refused);
			const refusal = refuseSummary(answer.text, { sourceTokens: source.tokens, maxTokens: maxTokens(source) });
			if (refusal === undefined || !refusal.isFault) gate.passed(model.name);
			if (refusal === undefined) return answer;
			refused = refusal.reason;
			if (!refusal.isFault) {
				tried.push({ model: model.name, reason: refused });
				return "too small";
			}
		} catch (error) {
			// Cancelled from outside: nobody's failure.
			signal?.throwIfAborted();
			refused = reasonOf(error);
		}
		gate.failed(model.name);
		tried.push({ model: model.name, reason: refused });
	}
	return undefined;
}

/** A model that does not notice its signal is not waited for. */
async function ask(
	model: Summariser,
	source: SummarySource,
	options: WriteOptions,
	refused: string | undefined,
): Promise<SummaryAnswer> {
	const limit = maxTokens(source);
	const text = await options.text();
	const timeout = AbortSignal.timeout(options.callMs ?? CALL_MS);
	const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
	const prompt =
		options.prompt?.(text, limit) ?? summaryPrompt(text, { depth: source.depth, maxTokens: limit, refused });
	const aborted = Promise.withResolvers<never>();
	const abort = () => aborted.reject(signal.reason);
	signal.addEventListener("abort", abort, { once: true });
	try {
		signal.throwIfAborted();
		return await Promise.race([model.summarise({ prompt, source, maxTokens: limit, signal }), aborted.promise]);
	} finally {
		signal.removeEventListener("abort", abort);
	}
}

function maxTokens(source: SummarySource): number {
	return source.depth === 0 ? LEAF_TOKENS : CONDENSED_TOKENS;
}

function told(answer: SummaryAnswer): Pick<Written, "text" | "topic" | "usage"> {
	const text = answer.text.trim().toWellFormed();
	return { text, topic: firstWords(answer.topic ?? text, TOPIC_CHARS), usage: answer.usage };
}

function reasonOf(error: unknown): string {
	const text = error instanceof Error ? error.message || error.name : String(error);
	return sliceUnits(text.replace(/\s+/g, " ").trim() || "it failed without a word", MOST_REASON_CHARS).toWellFormed();
}
