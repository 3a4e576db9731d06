/**
 * Writes a summary: asks the models in order, each up to three times, and falls back to the deterministic summariser, which
 * never fails. Refused answers are recorded with the reason.
 */
import { askModels, type SideModel, type Tried } from "../../base/sidecar/ask.ts";
import type { ModelGate } from "../../base/sidecar/gate.ts";
import { deterministic } from "./deterministic/summarise.ts";
import { firstWords } from "./gist.ts";
import type { Summariser, SummaryAnswer, SummarySource } from "./summariser.ts";
import { summaryPrompt } from "./summary-prompt.ts";
import { refuseSummary } from "./summary-refusal.ts";

export interface WrittenSummary {
	readonly text: string;
	readonly topic: string;
	readonly model: string;
	readonly usage?: unknown;
	readonly tried: readonly Tried[];
}

export interface WriteOptions {
	readonly models: readonly Summariser[];
	readonly gate: ModelGate;
	/** The source as a model reads it, masked. Called only if a model is asked. */
	readonly text: () => Promise<string>;
	readonly signal?: AbortSignal | undefined;
	/** Limit for one call. */
	readonly callMs?: number | undefined;
	/** How often a model is asked again after a refused answer. */
	readonly retries?: number | undefined;
	/** Replaces the prompt for a summary. */
	readonly prompt?: ((text: string, maxTokens: number) => string) | undefined;
}

const RETRIES = 2;
const TOPIC_CHARS = 80;
const LEAF_TOKENS = 800;
const CONDENSED_TOKENS = 1_200;

export async function writeSummary(source: SummarySource, options: WriteOptions): Promise<WrittenSummary> {
	const tried: Tried[] = [];
	const written = await writeByModel(source, options, tried);
	if (written) return written;
	options.signal?.throwIfAborted();
	const { signal } = options;
	const answer = await deterministic.summarise({ prompt: "", source, maxTokens: maxTokens(source), signal });
	return { ...withTopic(answer), model: deterministic.name, tried };
}

/** Undefined: no model gave an acceptable answer. */
export async function writeByModel(
	source: SummarySource,
	options: WriteOptions,
	tried: Tried[] = [],
): Promise<WrittenSummary | undefined> {
	const limit = maxTokens(source);
	const { gate, signal, callMs, retries = RETRIES } = options;
	const asked = await askModels({
		models: options.models.map((model) => asSideModel(model, source)),
		gate,
		signal,
		callMs,
		attempts: retries + 1,
		maxTokens: limit,
		prompt: async (refused) => {
			const text = await options.text();
			return options.prompt?.(text, limit) ?? summaryPrompt(text, { depth: source.depth, maxTokens: limit, refused });
		},
		read: (answer) => {
			const refusal = refuseSummary(answer.text, { sourceTokens: source.tokens, maxTokens: limit });
			return refusal === undefined ? { ok: true, value: answer } : { ok: false, ...refusal };
		},
	});
	tried.push(...asked.tried);
	return asked.taken && { ...withTopic(asked.taken.value), model: asked.taken.model, tried };
}

function asSideModel(model: Summariser, source: SummarySource): SideModel<SummaryAnswer> {
	const { name } = model;
	return { name, complete: (prompt, { maxTokens, signal }) => model.summarise({ prompt, source, maxTokens, signal }) };
}

function maxTokens(source: SummarySource): number {
	return source.depth === 0 ? LEAF_TOKENS : CONDENSED_TOKENS;
}

function withTopic(answer: SummaryAnswer): Pick<WrittenSummary, "text" | "topic" | "usage"> {
	const text = answer.text.trim().toWellFormed();
	return { text, topic: firstWords(answer.topic ?? text, TOPIC_CHARS), usage: answer.usage };
}
