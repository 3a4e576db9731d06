/**
 * Reads a patch from outside: a handler, a session file, another version. Every operation is checked before any is
 * applied. The result is a copy that went through JSON, so the applied patch equals the stored one.
 */
import { EngineError } from "../../base/error/engine-error.ts";
import type { ContextPatchOp, OpName } from "./operation.ts";

type FieldCheck = (value: unknown) => boolean;
interface OpShape {
	readonly scopes: readonly ("cached" | "uncached")[];
	readonly fields: Readonly<Record<string, FieldCheck>>;
	/** One of these must be there. */
	readonly oneOf?: readonly string[];
}

const isText: FieldCheck = (value) => typeof value === "string";
const isName: FieldCheck = (value) => typeof value === "string" && value !== "";
const isNumber: FieldCheck = (value) => typeof value === "number";
const isIndex: FieldCheck = (value) => Number.isSafeInteger(value);
const isNameOrNull: FieldCheck = (value) => value === null || isName(value);
const isMessage: FieldCheck = (value) => isObject(value) && isName(value["role"]) && optional(isName)(value["id"]);
const isPart: FieldCheck = (value) => isObject(value) && isName(value["name"]) && isText(value["text"]);
const isTool: FieldCheck = (value) => isObject(value) && isName(value["name"]) && isText(value["description"]);
const isSummaryRole: FieldCheck = (value) => value === "compactionSummary";
const isOption: FieldCheck = (value) => value === "reasoning" || value === "temperature" || value === "maxTokens";

const SHAPES: Readonly<Record<OpName, OpShape>> = {
	system_part_set: cached({ partName: isName, text: isText }),
	system_part_remove: cached({ partName: isName }),
	system_parts_replace: cached({ parts: listOf(isPart) }),
	tools_replace: cached({ tools: listOf(isTool) }),
	tools_remove: cached({ toolNames: listOf(isName) }),
	options_set: cached({
		reasoning: optional(isName),
		temperature: optional(isNumber),
		maxTokens: optional(isNumber),
		unset: optional(listOf(isOption)),
	}),
	messages_cached_replace: cached({ messages: listOf(isMessage), keepThroughId: optional(isName) }),
	messages_uncached_append: { scopes: ["uncached"], fields: { messages: listOf(isMessage) } },
	tail_set: { scopes: ["uncached"], fields: { messages: listOf(isMessage) } },
	items_drop: { scopes: ["cached", "uncached"], fields: { ids: listOf(isName), stub: optional(isName) } },
	item_replace: { scopes: ["cached", "uncached"], fields: { id: isName, message: isMessage } },
	compaction_apply: {
		...cached({
			summary: isText,
			timestamp: isNumber,
			tokensBefore: isNumber,
			firstKeptMessageId: optional(isNameOrNull),
			firstKeptMessageIndex: optional(isIndex),
			role: optional(isSummaryRole),
		}),
		oneOf: ["firstKeptMessageId", "firstKeptMessageIndex"],
	},
	epoch_seal: cached({
		seedText: isName,
		keepFromId: isNameOrNull,
		timestamp: optional(isNumber),
		droppedIds: optional(listOf(isName)),
		projectionHash: optional(isText),
		tokensBefore: optional(isNumber),
		tokensAfter: optional(isNumber),
		role: optional(isSummaryRole),
	}),
};

export function readPatch(given: unknown): ContextPatchOp[] {
	const patch = throughJson(given);
	if (!Array.isArray(patch)) throw new EngineError("refused", "A context patch must be a list of operations.");
	return patch.map(readOp);
}

function readOp(value: unknown, at: number): ContextPatchOp {
	const name = isObject(value) ? value["op"] : undefined;
	if (!isObject(value) || typeof name !== "string" || !Object.hasOwn(SHAPES, name)) {
		const known = Object.keys(SHAPES).join(", ");
		throw new EngineError("refused", `Operation ${at + 1} of a context patch is unknown. Known operations: ${known}.`);
	}
	const { scopes, fields, oneOf } = SHAPES[name as OpName];
	if (!scopes.includes(value["scope"] as "cached")) {
		throw new EngineError("refused", `Context patch op "${name}" must have the scope ${scopes.join(" or ")}.`);
	}
	for (const [field, check] of Object.entries(fields)) {
		if (check(value[field])) continue;
		const state = value[field] === undefined ? "is missing" : "cannot be read";
		throw new EngineError("refused", `Context patch op "${name}": its ${field} ${state}.`);
	}
	if (oneOf && !oneOf.some((field) => value[field] !== undefined)) {
		throw new EngineError("refused", `Context patch op "${name}": its ${oneOf[0]} is missing.`);
	}
	if (!optional(isText)(value["invalidateCacheReason"])) {
		throw new EngineError("refused", `Context patch op "${name}": its invalidateCacheReason must be a text.`);
	}
	return value as unknown as ContextPatchOp;
}

function throughJson(value: unknown): unknown {
	try {
		return JSON.parse(JSON.stringify(value) ?? "null");
	} catch (cause) {
		throw new EngineError("refused", "A context patch must be plain JSON: no cycles, no big integers.", { cause });
	}
}

function cached(fields: OpShape["fields"]): OpShape {
	return { scopes: ["cached"], fields };
}

function optional(check: FieldCheck): FieldCheck {
	return (value) => value === undefined || check(value);
}

function listOf(check: FieldCheck): FieldCheck {
	return (value) => Array.isArray(value) && value.every(check);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
	return value !== null && typeof value === "object" && !Array.isArray(value);
}
