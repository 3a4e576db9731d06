import { EngineError } from "../../../base/error/engine-error.ts";
import { type ContextEnvelope, withSystem } from "../../envelope/envelope.ts";
import type { SystemOp } from "../operation.ts";

export function applySystem(envelope: ContextEnvelope, op: SystemOp): ContextEnvelope {
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
