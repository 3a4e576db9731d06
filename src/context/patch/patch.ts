/**
 * Applies a patch: pure, copy-on-write, wholly or not at all. It throws if any operation is malformed, outside its
 * boundary, without its reason, or cannot be applied; the given envelope stays unchanged.
 */

import { EngineError } from "../../base/error/engine-error.ts";
import { sameCachedPart, sameUncachedPart } from "../envelope/difference.ts";
import { type ContextEnvelope, type EnvelopeOptions, withSystem, withTools } from "../envelope/envelope.ts";
import { applyEpoch, pinEpoch } from "./epoch-op.ts";
import { applyMessages, isAppend, pinMessages } from "./message-op.ts";
import type { ContextPatchOp, OptionName, OptionOp, SystemOp, ToolOp } from "./operation.ts";
import { readPatch } from "./read-patch.ts";
import { type ContextReason, checkBoundary, requireReason } from "./transform.ts";

export interface PatchResult {
	readonly envelope: ContextEnvelope;
	/** The operations as applied and stored: plain JSON, every message with its id, no index. */
	readonly ops: readonly ContextPatchOp[];
	/** False: nothing changed. */
	readonly changed: boolean;
	/** True when bytes that a provider may have cached have changed. */
	readonly cacheInvalidated: boolean;
	/** The reasons: trimmed, each once, in order; only of operations that changed something. */
	readonly invalidateCacheReasons: readonly string[];
}

export function applyPatch(envelope: ContextEnvelope, patch: unknown, reason: ContextReason): PatchResult {
	const ops = readPatch(patch);
	checkBoundary(ops, reason);
	const pinned: ContextPatchOp[] = [];
	const reasons = new Set<string>();
	let current = envelope;
	for (const op of ops) {
		const step = applyOp(current, op);
		if (step.reason !== undefined) reasons.add(step.reason);
		pinned.push(step.op);
		current = step.envelope;
	}
	return {
		envelope: current,
		ops: pinned,
		changed: !sameCachedPart(envelope, current) || !sameUncachedPart(envelope, current),
		cacheInvalidated: reasons.size > 0,
		invalidateCacheReasons: [...reasons],
	};
}

interface PatchStep {
	readonly op: ContextPatchOp;
	readonly envelope: ContextEnvelope;
	/** undefined: nothing that was sent before has changed. */
	readonly reason?: string;
}

function applyOp(envelope: ContextEnvelope, given: ContextPatchOp): PatchStep {
	const op = pin(envelope, given);
	if (op.op === "messages_cached_replace" && isAppend(envelope, op)) {
		return { op, envelope: change(envelope, op) };
	}
	const reason = op.scope === "cached" ? requireReason(op) : undefined;
	const next = change(envelope, op);
	return reason === undefined || sameCachedPart(envelope, next)
		? { op, envelope: next }
		: { op, envelope: next, reason };
}

function pin(envelope: ContextEnvelope, op: ContextPatchOp): ContextPatchOp {
	switch (op.op) {
		case "compaction_apply":
		case "epoch_seal":
			return pinEpoch(op, (index) => envelope.messages.cached[index]?.id ?? null);
		case "messages_cached_replace":
		case "messages_uncached_append":
		case "tail_set":
		case "items_drop":
		case "item_replace":
			return pinMessages(envelope, op);
		default:
			return op;
	}
}

function change(envelope: ContextEnvelope, op: ContextPatchOp): ContextEnvelope {
	switch (op.op) {
		case "system_part_set":
		case "system_part_remove":
		case "system_parts_replace":
			return applySystem(envelope, op);
		case "tools_replace":
		case "tools_remove":
			return applyTools(envelope, op);
		case "options_set":
			return applyOptions(envelope, op);
		case "compaction_apply":
		case "epoch_seal":
			return applyEpoch(envelope, op);
		default:
			return applyMessages(envelope, op);
	}
}

function applySystem(envelope: ContextEnvelope, op: SystemOp): ContextEnvelope {
	const { parts } = envelope.system;
	switch (op.op) {
		case "system_part_set": {
			const part = { name: op.partName, text: op.text };
			const present = parts.some(({ name }) => name === op.partName);
			return withSystem(
				envelope,
				present ? parts.map((each) => (each.name === op.partName ? part : each)) : [...parts, part],
			);
		}
		case "system_part_remove":
			if (!parts.some(({ name }) => name === op.partName)) {
				throw new EngineError("refused", `Context patch op "${op.op}": there is no system part '${op.partName}'.`);
			}
			return withSystem(
				envelope,
				parts.filter(({ name }) => name !== op.partName),
			);
		case "system_parts_replace":
			return withSystem(envelope, op.parts);
	}
}

/** Removing a missing tool changes nothing: machines load different tools. */
function applyTools(envelope: ContextEnvelope, op: ToolOp): ContextEnvelope {
	switch (op.op) {
		case "tools_replace":
			return withTools(envelope, op.tools);
		case "tools_remove":
			return withTools(
				envelope,
				envelope.tools.filter(({ name }) => !op.toolNames.includes(name)),
			);
	}
}

const OPTION_NAMES: readonly OptionName[] = ["reasoning", "temperature", "maxTokens"];

function applyOptions(envelope: ContextEnvelope, op: OptionOp): ContextEnvelope {
	const options: Record<string, unknown> = { ...envelope.options };
	for (const name of OPTION_NAMES) {
		const removed = op.unset?.includes(name) ?? false;
		if (op[name] === undefined) {
			if (removed) delete options[name];
			continue;
		}
		if (removed) throw new EngineError("refused", `Context patch op "${op.op}" both sets and unsets ${name}.`);
		options[name] = op[name];
	}
	return { ...envelope, options: options as EnvelopeOptions };
}
