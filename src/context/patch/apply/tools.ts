import { type ContextEnvelope, withTools } from "../../envelope/envelope.ts";
import type { ToolOp } from "../operation.ts";

/** Removing a tool that is not there changes nothing: which tools are loaded differs between machines. */
export function applyTools(envelope: ContextEnvelope, op: ToolOp): ContextEnvelope {
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
