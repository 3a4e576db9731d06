/**
 * The models that may write summaries and memory in Pi: those that the settings name and the user has access to, then the
 * session's own. The engine itself adds the deterministic summariser after them.
 */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { SideModel } from "../../base/sidecar/ask.ts";
import type { Summariser } from "../../state/history/summariser.ts";
import type { LentModels } from "../live/memory-models.ts";
import type { LivePi } from "./live.ts";

type Model = NonNullable<ExtensionContext["model"]>;
type Registry = ExtensionContext["modelRegistry"];

const MAX_INSTRUCTION_CHARS = 2_000;

/** For summaries in the background: models that the user chose, or allowed when asked. */
export function configuredSummarisers(live: LivePi): Summariser[] {
	if (!live.hasChosenModels && live.project.memoryModels.choice !== "session") return [];
	return namedModels(live).map((each) => toSummariser(each as Model, live.ctx.modelRegistry, undefined));
}

export function lentModels(live: LivePi): LentModels {
	const { modelRegistry, model } = live.ctx;
	return {
		named: namedModels(live).map((each) => toSideModel(each as Model, modelRegistry)),
		isChosen: live.hasChosenModels,
		own: model && toSideModel(model, modelRegistry),
		ownPrices: model && live.pricesOf(model.id),
	};
}

/** `instructions`: the user's wishes for the summary. */
export function summarisers(live: LivePi, instructions?: string): Summariser[] {
	const { modelRegistry, model } = live.ctx;
	const named = namedModels(live);
	const models = model && !named.some((each) => sameModel(each, model)) ? [...named, model] : named;
	return models.map((each) => toSummariser(each as Model, modelRegistry, instructions));
}

/** The models of the setting that the user has access to. */
function namedModels({ engine, ctx: { modelRegistry } }: LivePi) {
	return engine.settings.compactionModels.flatMap(({ provider, id }) => {
		const found = modelRegistry.find(provider, id);
		return found && modelRegistry.hasConfiguredAuth(found) ? [found] : [];
	});
}

function toSummariser(model: Model, registry: Registry, instructions: string | undefined): Summariser {
	const { name, complete } = toSideModel(model, registry);
	return {
		name,
		summarise: ({ prompt, maxTokens, signal = new AbortController().signal }) =>
			complete(withInstructions(prompt, instructions), { maxTokens, signal }),
	};
}

function toSideModel(model: Model, registry: Registry): SideModel {
	return {
		name: `${model.provider}/${model.id}`,
		async complete(content, { maxTokens, signal }) {
			const answer = await registry.complete(
				model,
				{ messages: [{ role: "user", content, timestamp: Date.now() }] },
				{ maxTokens: Math.min(maxTokens, model.maxTokens || maxTokens), cacheRetention: "none", signal },
			);
			// Pi's registry does not throw; a failure is an answer with this stop reason.
			if (answer.stopReason === "error" || answer.stopReason === "aborted") {
				throw new Error(answer.errorMessage ?? `the call was ${answer.stopReason}`);
			}
			const text = answer.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
			return { text, usage: answer.usage };
		},
	};
}

function withInstructions(prompt: string, instructions: string | undefined): string {
	const wanted = instructions?.trim().slice(0, MAX_INSTRUCTION_CHARS);
	return wanted ? `${prompt}\n\nThe user asks of this summary: ${wanted}` : prompt;
}

function sameModel(one: { provider: string; id: string }, other: { provider: string; id: string }): boolean {
	return one.provider === other.provider && one.id === other.id;
}
