/**
 * Runs the handlers of a finished message. A handler that fails, or returns something invalid, is skipped: the message
 * stays unchanged.
 */

import { untilAborted } from "../../base/async/until-aborted.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import type { GivenMessage } from "../envelope/envelope.ts";
import { frozenCopy } from "../envelope/frozen.ts";
import type { HandlerFailure } from "./chain.ts";
import type { HandlerContext, MessageHandler, MessageResult, NamedHandler } from "./handler.ts";

export interface Finished {
	/** null: dropped; only a user's message can be. */
	readonly message: GivenMessage | null;
	readonly changedBy: readonly string[];
	readonly failures: readonly HandlerFailure[];
}

export async function finishMessage(
	message: GivenMessage,
	handlers: readonly NamedHandler<MessageHandler>[],
	beside: HandlerContext,
): Promise<Finished> {
	let current = message;
	const changedBy: string[] = [];
	const failures: HandlerFailure[] = [];
	for (const { name, handle } of handlers) {
		try {
			const event = { type: "message", message: frozenCopy(current) } as const;
			const result = await untilAborted(beside.signal, () => handle(event, beside));
			if (result?.message === undefined) continue;
			const next = accept(current, result);
			changedBy.push(result.transformerName ?? name);
			if (next === null) return { message: null, changedBy, failures };
			current = next;
		} catch (error) {
			failures.push({ handler: name, reason: "message", error });
		}
	}
	return { message: current, changedBy, failures };
}

function accept(current: GivenMessage, { message }: MessageResult): GivenMessage | null {
	if (message === null || message === undefined) {
		if (current.role === "user") return null;
		throw new EngineError("refused", `Only a user's message can be left out, not one of the role '${current.role}'.`);
	}
	const next = JSON.parse(JSON.stringify(message)) as GivenMessage;
	if (next.role !== current.role) {
		throw new EngineError("refused", `A message handler may not change the role '${current.role}' to '${next.role}'.`);
	}
	return current.id === undefined ? next : { ...next, id: current.id };
}
