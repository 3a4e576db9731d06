/** Joins tool definitions with their implementations. Definitions from an old patch may have none. */
import type { ToolDefinition } from "../envelope/envelope.ts";

export interface JoinedTools<Implementation> {
	readonly tools: readonly { readonly definition: ToolDefinition; readonly implementation: Implementation }[];
	/** Definitions without an implementation; they are not sent. */
	readonly missing: readonly string[];
}

export function joinTools<Implementation>(
	definitions: readonly ToolDefinition[],
	implementations: ReadonlyMap<string, Implementation>,
): JoinedTools<Implementation> {
	const tools: { definition: ToolDefinition; implementation: Implementation }[] = [];
	const missing: string[] = [];
	for (const definition of definitions) {
		const implementation = implementations.get(definition.name);
		if (implementation === undefined) missing.push(definition.name);
		else tools.push({ definition, implementation });
	}
	return { tools, missing };
}
