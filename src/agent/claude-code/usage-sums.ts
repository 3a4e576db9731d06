/** Usage of a session's answers by model. The program's own totals beyond it are the summaries of compactions, which have no line. */
import { BoundedMap } from "../../base/collection/bounded.ts";
import { asName, asNumber, asObject, type JsonObject } from "../../base/json/read.ts";
import { readAnthropicUsage } from "../../message/dialect/anthropic/answer.ts";
import { addUsage, NO_USAGE, totalTokens, type Usage } from "../../message/usage.ts";

/** The lines of one answer are near each other. */
const MAX_OPEN = 1_000;

export class UsageSums {
	readonly #sums = new Map<string, Usage>();
	/** By the provider's id of the answer: its lines repeat the same counts, and the last one holds. */
	readonly #answers = new BoundedMap<string, { readonly model: string; readonly usage: Usage }>(MAX_OPEN, (id) =>
		this.#closed.add(id),
	);
	/** Answers that have left `#answers`. */
	readonly #closed = new Set<string>();

	add(line: JsonObject): void {
		const message = line["type"] === "assistant" ? asObject(line["message"]) : undefined;
		const [id, model] = [asName(message?.["id"]), asName(message?.["model"])];
		const usage = readAnthropicUsage(message?.["usage"]);
		if (id === undefined || model === undefined || model === "<synthetic>" || !usage) return;
		if (this.#closed.has(id)) return;
		const before = this.#answers.get(id);
		if (before) this.#count(before, -1);
		const answer = { model, usage };
		this.#count(answer, 1);
		this.#answers.set(id, answer);
	}

	byModel(): ReadonlyMap<string, Usage> {
		return this.#sums;
	}

	#count({ model, usage }: { readonly model: string; readonly usage: Usage }, sign: 1 | -1): void {
		this.#sums.set(model, addUsage(this.#sums.get(model) ?? NO_USAGE, usage, sign));
	}
}

/** The totals of a `cost-state` line: of all runs, with sub-agents and compactions. */
export function totalsOf(line: JsonObject): Map<string, Usage> {
	return new Map(
		Object.entries(asObject(line["modelUsage"]) ?? {}).map(([model, of]) => {
			const counts = asObject(of) ?? {};
			const count = (name: string) => asNumber(counts[name]) ?? 0;
			return [
				model,
				{
					input: count("inputTokens"),
					output: count("outputTokens"),
					cacheRead: count("cacheReadInputTokens"),
					cacheWrite: count("cacheCreationInputTokens"),
				},
			];
		}),
	);
}

/** The totals without the known usage, for models that have a rest. */
export function leftOver(
	totals: ReadonlyMap<string, Usage>,
	known: readonly ReadonlyMap<string, Usage>[],
): { readonly model: string; readonly usage: Usage }[] {
	return [...totals].flatMap(([model, total]) => {
		const rest = known.reduce((sum, each) => addUsage(sum, each.get(model) ?? NO_USAGE, -1), total);
		const usage: Usage = {
			input: Math.max(0, rest.input),
			output: Math.max(0, rest.output),
			cacheRead: Math.max(0, rest.cacheRead),
			cacheWrite: Math.max(0, rest.cacheWrite),
		};
		return totalTokens(usage) > 0 ? [{ model, usage }] : [];
	});
}
