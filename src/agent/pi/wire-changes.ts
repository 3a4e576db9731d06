/** Puts handlers' changes to the system text, the tools and the options into the request that Pi has made for a provider. */

import { asList, asObject, type JsonObject } from "../../base/json/read.ts";
import type { ContextEnvelope } from "../../context/envelope/envelope.ts";
import { joinTools } from "../../context/patch/join-tools.ts";
import { changeReasoning, type ReasoningModel } from "../../message/dialect/reasoning-level.ts";
import {
	changeTool,
	keepToolMark,
	limitAnswer,
	replaceSystemText,
	toolName,
} from "../../message/dialect/request-head.ts";

export interface WireChanges {
	readonly base: ContextEnvelope;
	readonly made: ContextEnvelope;
	readonly model?: ReasoningModel | undefined;
}

/** Gives the payload itself where nothing changes. */
export function changeWire(payload: unknown, { base, made, model }: WireChanges): unknown {
	const request = asObject(payload);
	if (!request) return payload;
	const [before, after] = [base.system.compiled, made.system.compiled];
	const system = before === after ? {} : replaceSystemText(request, before, after);
	const tools = base.tools === made.tools ? {} : { tools: changeTools(request, base, made) };
	const { temperature, maxTokens, reasoning } = made.options;
	const changed: JsonObject = {
		...request,
		...system,
		...tools,
		...(temperature === undefined ? {} : { temperature }),
		...(maxTokens === undefined ? {} : limitAnswer(request, maxTokens)),
	};
	const sent = reasoning === undefined ? changed : changeReasoning(changed, reasoning, model);
	const keys = new Set([...Object.keys(request), ...Object.keys(sent)]);
	return [...keys].every((key) => sent[key] === request[key]) ? payload : sent;
}

/**
 * In the order of the definitions. A handler cannot add a tool that Pi does not have, because Pi could not run it. A tool whose
 * definition did not change keeps the bytes that Pi made of it.
 */
function changeTools(request: JsonObject, base: ContextEnvelope, made: ContextEnvelope): JsonObject[] {
	const given = asList(request["tools"]).map((tool) => asObject(tool) ?? {});
	const named = new Map(
		given.flatMap((tool) => {
			const name = toolName(tool);
			return name === undefined ? [] : [[name, tool] as const];
		}),
	);
	const before = new Map(base.tools.map((tool) => [tool.name, tool]));
	const joined = joinTools(made.tools, named).tools.map(({ definition, implementation }) =>
		changeTool(implementation, definition, before.get(definition.name)),
	);
	// The provider's own tools have no name and no definition: they stay.
	const others = given.filter((tool) => toolName(tool) === undefined);
	return keepToolMark([...others, ...joined], given);
}
