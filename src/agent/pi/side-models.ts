/**
 * Who may write a summary, or memory, in Pi: the models that the settings name, as far as the user has access to them, then the
 * session's own. What comes after them, the deterministic one, the engine adds itself.
 */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { SideModel } from "../../base/sidecar/ask.ts";
import type { Summariser } from "../../state/history/summariser.ts";
import type { LivePi } from "./live.ts";

type Model = NonNullable<ExtensionContext["model"]>;
type Registry = ExtensionContext["modelRegistry"];

const MAX_INSTRUCTION_CHARS = 2_000;

/** Those that the user chose: the ones that weft assumes do not count. */
export function configuredSummarisers(live: LivePi): Summariser[] {
	if (!live.hasChosenModels) return [];
	return namedModels(live).map((each) => toSummariser(each as Model, live.ctx.modelRegistry, undefined));
}

/** Who may write memory, as the settings say. */
export function memoryModels(live: LivePi): SideModel[] {
	const { modelRegistry, model } = live.ctx;
	const { memoryModels: who } = live.engine.settings;
	if (who === "none") return [];
	const named = live.hasChosenModels ? namedModels(live) : [];
	const own = who === "session" && model && !named.some((each) => sameModel(each, model)) ? [model] : [];
	return [...named, ...own].map((each) => toSideModel(each as Model, modelRegistry));
}

/** `instructions`: what the user asks of the summary. */
export function summarisers(live: LivePi, instructions?: string): Summariser[] {
	const { modelRegistry, model } = live.ctx;
	const named = namedModels(live);
	const models = model && !named.some((each) => sameModel(each, model)) ? [...named, model] : named;
	return models.map((each) => toSummariser(each as Model, modelRegistry, instructions));
}

/** As far as the user has access to them. */
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
			// Pi's registry does not throw: a failure is an answer that says so.
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
