/**
 * The models that may write summaries and memory in Pi: those that the settings name and the user has access to, then the
 * session's own. The engine itself adds the deterministic summariser after them.
 */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { asList, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import type { SideAnswer, SideModel } from "../../base/sidecar/ask.ts";
import type { Summariser } from "../../state/history/summariser.ts";
import type { LentModels } from "../live/memory-models.ts";
import type { LivePi } from "./live.ts";

type AssistantMessage = Awaited<ReturnType<Registry["complete"]>>;
type Message = Parameters<Registry["complete"]>[1]["messages"][number];
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
		cached: cachedModel(live),
	};
}

/**
 * The session's own model with the newest request before the prompt, byte for byte as it left, so that the provider reads it from its
 * cache. The answer to it and the results of its calls follow.
 */
function cachedModel(live: LivePi): SideModel | undefined {
	const { modelRegistry: registry, model, sessionManager } = live.ctx;
	const sent = live.lastPayload;
	if (!model || !sent) return undefined;
	return {
		name: `${model.provider}/${model.id}`,
		async complete(content, { maxTokens, signal }) {
			const messages = sessionManager.getBranch().flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
			const since = messages.slice(messages.findLastIndex(({ role }) => role === "assistant"));
			const turn = since.filter(({ role }) => role === "assistant" || role === "toolResult") as Message[];
			return read(
				await registry.complete(
					model,
					{ messages: [...turn, { role: "user", content, timestamp: Date.now() }] },
					{
						maxTokens,
						signal,
						sessionId: sessionManager.getSessionId(),
						onPayload: (payload: unknown) => afterSent(sent, asObject(payload) ?? {}, maxTokens),
					},
				),
			);
		},
	};
}

/** Appends messages to a request that left. Everything before them stays as it was: another byte there, and the cache is lost. */
export function afterSent(sent: JsonObject, more: JsonObject, maxTokens: number): JsonObject {
	const key = ["messages", "input", "contents"].find((name) => Array.isArray(sent[name]) && Array.isArray(more[name]));
	if (key === undefined) throw new Error("the newest request has no list of messages");
	// A system text may come first in the list.
	const added = asList(more[key]).filter(
		(each) => !["system", "developer"].includes(asText(asObject(each)?.["role"]) ?? ""),
	);
	// Thinking counts as output, so its limit stays.
	const thinks =
		sent["thinking"] !== undefined || sent["reasoning"] !== undefined || sent["reasoning_effort"] !== undefined;
	const limits = ["max_tokens", "max_completion_tokens", "max_output_tokens"].filter(
		(name) => sent[name] !== undefined,
	);
	return {
		...sent,
		...(thinks ? {} : Object.fromEntries(limits.map((name) => [name, maxTokens]))),
		[key]: [...asList(sent[key]), ...(JSON.parse(JSON.stringify(added), withoutMarks) as unknown[])],
	};
}

/** A request may have only so many marks, and those of the sent part are the ones that count. */
function withoutMarks(key: string, value: unknown): unknown {
	return key === "cache_control" ? undefined : value;
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
			return read(answer);
		},
	};
}

/** Pi's registry does not throw; a failure is an answer with this stop reason. */
function read(answer: AssistantMessage): SideAnswer {
	if (answer.stopReason === "error" || answer.stopReason === "aborted") {
		throw new Error(answer.errorMessage ?? `the call was ${answer.stopReason}`);
	}
	const text = answer.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
	return { text, usage: answer.usage };
}

function withInstructions(prompt: string, instructions: string | undefined): string {
	const wanted = instructions?.trim().slice(0, MAX_INSTRUCTION_CHARS);
	return wanted ? `${prompt}\n\nThe user asks of this summary: ${wanted}` : prompt;
}

function sameModel(one: { provider: string; id: string }, other: { provider: string; id: string }): boolean {
	return one.provider === other.provider && one.id === other.id;
}
