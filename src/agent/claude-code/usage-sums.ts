/**
 * Sums the tokens of a session's answers by model, and compares them with the program's own totals. The summary of a
 * compaction has no line of its own, so the difference belongs to it.
 */
import { BoundedMap } from "../../base/collection/bounded.ts";
import { asName, asNumber, asObject, type JsonObject } from "../../base/json/read.ts";

/** With Anthropic's names. */
export interface ModelUsage {
	readonly input_tokens: number;
	readonly output_tokens: number;
	readonly cache_read_input_tokens: number;
	readonly cache_creation_input_tokens: number;
}

const NONE: ModelUsage = {
	input_tokens: 0,
	output_tokens: 0,
	cache_read_input_tokens: 0,
	cache_creation_input_tokens: 0,
};
const KINDS = Object.keys(NONE) as (keyof ModelUsage)[];

/** The lines of one answer are close together. */
const MAX_OPEN = 1_000;

export class UsageSums {
	readonly #sums = new Map<string, ModelUsage>();
	/** By the provider's id of the answer. Its lines repeat the counts; the last one is right. */
	readonly #answers = new BoundedMap<string, { readonly model: string; readonly usage: ModelUsage }>(MAX_OPEN, (id) =>
		this.#closed.add(id),
	);
	/** Answers that have left `#answers`. */
	readonly #closed = new Set<string>();

	add(line: JsonObject): void {
		const message = line["type"] === "assistant" ? asObject(line["message"]) : undefined;
		const [id, model, usage] = [asName(message?.["id"]), asName(message?.["model"]), asObject(message?.["usage"])];
		if (id === undefined || model === undefined || model === "<synthetic>" || !usage) return;
		if (this.#closed.has(id)) return;
		const before = this.#answers.get(id);
		if (before) this.#count(before, -1);
		const answer = { model, usage: countsOf(usage) };
		this.#count(answer, 1);
		this.#answers.set(id, answer);
	}

	byModel(): ReadonlyMap<string, ModelUsage> {
		return this.#sums;
	}

	#count({ model, usage }: { readonly model: string; readonly usage: ModelUsage }, sign: 1 | -1): void {
		this.#sums.set(model, plus(this.#sums.get(model) ?? NONE, usage, sign));
	}
}

/** The totals of a `cost-state` line, over all runs, with sub-agents and compactions. */
export function totalsOf(line: JsonObject): Map<string, ModelUsage> {
	return new Map(
		Object.entries(asObject(line["modelUsage"]) ?? {}).map(([model, of]) => {
			const counts = asObject(of) ?? {};
			const count = (name: string) => asNumber(counts[name]) ?? 0;
			return [
				model,
				{
					input_tokens: count("inputTokens"),
					output_tokens: count("outputTokens"),
					cache_read_input_tokens: count("cacheReadInputTokens"),
					cache_creation_input_tokens: count("cacheCreationInputTokens"),
				},
			];
		}),
	);
}

/** The part of the totals beyond all known usage, by model. */
export function leftOver(
	totals: ReadonlyMap<string, ModelUsage>,
	known: readonly ReadonlyMap<string, ModelUsage>[],
): { readonly model: string; readonly usage: ModelUsage }[] {
	return [...totals].flatMap(([model, total]) => {
		const rest = known.reduce((sum, each) => plus(sum, each.get(model) ?? NONE, -1), total);
		const usage = Object.fromEntries(KINDS.map((kind) => [kind, Math.max(0, rest[kind])])) as unknown as ModelUsage;
		return KINDS.some((kind) => usage[kind] > 0) ? [{ model, usage }] : [];
	});
}

export function tokensOf(usage: ModelUsage): number {
	return KINDS.reduce((sum, kind) => sum + usage[kind], 0);
}

export function plus(one: ModelUsage, other: ModelUsage, sign: 1 | -1): ModelUsage {
	return Object.fromEntries(KINDS.map((kind) => [kind, one[kind] + sign * other[kind]])) as unknown as ModelUsage;
}

function countsOf(usage: JsonObject): ModelUsage {
	return Object.fromEntries(KINDS.map((kind) => [kind, asNumber(usage[kind]) ?? 0])) as unknown as ModelUsage;
}
