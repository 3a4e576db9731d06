/** A whole turn through the pipeline's steps, in their order, as a host that owns the loop runs it. */
import type { ContextEnvelope, EnvelopeMessage, GivenMessage } from "../../src/context/envelope/envelope.ts";
import type { HandlerFailure } from "../../src/context/handler/chain.ts";
import type { HandlerContext } from "../../src/context/handler/handler.ts";
import {
	type Compact,
	endTurn,
	finishMessage,
	type PipelineInput,
	type PreparedRequest,
	prepareRequest,
} from "../../src/context/handler/pipeline.ts";
import { identify, idsOf } from "../../src/context/patch/message-op.ts";
import { type ReplayItem, replay } from "../../src/context/patch/replay.ts";
import type { Transform } from "../../src/context/patch/transform.ts";

export interface TurnInput extends PipelineInput {
	/** Calls the model, runs its tools, and gives back the assistant's message and the results. */
	readonly call: (request: PreparedRequest, beside: HandlerContext) => Promise<readonly GivenMessage[]>;
	readonly evaluate?: Compact;
}

export interface Turn {
	readonly prepared: PreparedRequest;
	/** What the next turn's replay takes after what this one had: messages and transforms, in order. */
	readonly items: readonly ReplayItem[];
	readonly envelope: ContextEnvelope;
	readonly failures: readonly HandlerFailure[];
}

export async function runTurn(input: TurnInput): Promise<Turn> {
	const { handlers, beside } = input;
	const prepared = await prepareRequest(input);
	const answered = await input.call(prepared, beside);
	const failures = [...prepared.failures];
	const finished: GivenMessage[] = [];
	for (const message of answered) {
		const outcome = await finishMessage(message, handlers.message, beside);
		failures.push(...outcome.failures);
		if (outcome.message) finished.push(outcome.message);
	}
	const present = prepared.durable.messages;
	const messages = identify(finished, idsOf(present.cached, present.uncached));
	const { envelope } = replay(prepared.durable, messages.map(asItem));
	const ended = await endTurn({
		envelope,
		handlers,
		beside,
		...(input.evaluate ? { evaluate: input.evaluate } : {}),
	});
	return {
		prepared,
		items: [...prepared.transforms.map(toItem), ...messages.map(asItem), ...ended.transforms.map(toItem)],
		envelope: ended.envelope,
		failures: [...failures, ...ended.failures],
	};
}

function asItem(message: EnvelopeMessage): ReplayItem {
	return { kind: "message", message };
}

function toItem(transform: Transform): ReplayItem {
	return { kind: "transform", transform };
}
