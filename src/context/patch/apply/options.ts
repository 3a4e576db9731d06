import { EngineError } from "../../../base/error/engine-error.ts";
import type { ContextEnvelope, EnvelopeOptions } from "../../envelope/envelope.ts";
import type { OptionName, OptionOp } from "../operation.ts";

const NAMES: readonly OptionName[] = ["reasoning", "temperature", "maxTokens"];

export function applyOptions(envelope: ContextEnvelope, op: OptionOp): ContextEnvelope {
	const options: Record<string, unknown> = { ...envelope.options };
	for (const name of NAMES) {
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
