/** What handlers changed of the system text, the tools and the options, put into the request that Pi has made for a provider. */
import type { ContextEnvelope } from "../../context/envelope/envelope.ts";
import { asList, asObject, type JsonObject } from "../../json/read.ts";

export interface WireChanges {
	readonly base: ContextEnvelope;
	readonly made: ContextEnvelope;
}

/** The payload itself where nothing is to be changed. */
export function changeWire(payload: unknown, { base, made }: WireChanges): unknown {
	const request = asObject(payload);
	if (!request) return payload;
	const system = base.system.compiled === made.system.compiled ? {} : changeSystem(request, base, made);
	const tools = base.tools === made.tools ? {} : changeTools(request, made);
	const changed = { ...request, ...system, ...tools, ...changeOptions(request, made) };
	return Object.keys(changed).every((key) => changed[key] === request[key]) ? payload : changed;
}

/** Anthropic has the text in a field of its own, OpenAI in the first messages. */
function changeSystem(request: JsonObject, base: ContextEnvelope, made: ContextEnvelope): JsonObject {
	const swap = (text: string) => text.replace(base.system.compiled, () => made.system.compiled);
	const { system, messages } = request;
	if (typeof system === "string") return { system: swap(system) };
	if (Array.isArray(system)) return { system: asList(system).map((block) => swapText(block, "text", swap)) };
	return {
		messages: asList(messages).map((message) => {
			const role = asObject(message)?.["role"];
			return role === "system" || role === "developer" ? swapText(message, "content", swap) : message;
		}),
	};
}

function swapText(value: unknown, field: string, swap: (text: string) => string): unknown {
	const block = asObject(value);
	const text = block?.[field];
	return block && typeof text === "string" ? { ...block, [field]: swap(text) } : value;
}

/** A tool that the host does not have cannot be added: nobody would run it. */
function changeTools(request: JsonObject, made: ContextEnvelope): JsonObject {
	const wanted = new Map(made.tools.map((tool) => [tool.name, tool]));
	const tools = asList(request["tools"]).flatMap((tool) => {
		const fields = asObject(tool) ?? {};
		const inner = asObject(fields["function"]);
		const known = wanted.get(String((inner ?? fields)["name"]));
		if (!known) return [];
		const { description } = known;
		return [inner ? { ...fields, function: { ...inner, description } } : { ...fields, description }];
	});
	return { tools };
}

function changeOptions(request: JsonObject, { options }: ContextEnvelope): JsonObject {
	const limit = "max_completion_tokens" in request ? "max_completion_tokens" : "max_tokens";
	return {
		...(options.temperature === undefined ? {} : { temperature: options.temperature }),
		...(options.maxTokens === undefined ? {} : { [limit]: options.maxTokens }),
		...(options.reasoning === undefined || !("reasoning_effort" in request)
			? {}
			: { reasoning_effort: options.reasoning }),
	};
}
