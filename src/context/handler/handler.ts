/** The input and output of a handler, in the shapes of the context-engineering document. */

import { EngineError } from "../../base/error/engine-error.ts";
import type { ContextEnvelope, GivenMessage } from "../envelope/envelope.ts";
import type { ContextPatchOp } from "../patch/operation.ts";
import type { ContextReason } from "../patch/transform.ts";

export interface ContextEvent {
	readonly type: "context";
	readonly reason: ContextReason;
	/** A frozen copy, after the patches of earlier handlers, with the context beside it. */
	readonly state: { readonly envelope: ContextEnvelope & { readonly meta: HandlerContext } };
}

export interface Display {
	readonly title: string;
	readonly summary?: string;
	readonly markdown?: string;
	readonly rendererId?: string;
	readonly rendererProps?: unknown;
}

export interface ContextResult {
	readonly patch?: readonly ContextPatchOp[];
	/** Stored with the patch; without it, the handler's file or number. */
	readonly transformerName?: string;
	readonly display?: Display;
}

/** A message is final: before it is shown, stored and used as context. */
export interface MessageEvent {
	readonly type: "message";
	readonly message: GivenMessage;
}

export interface MessageResult {
	/** Of the same role. null drops the message, which only a user's message allows. */
	readonly message?: GivenMessage | null;
	readonly transformerName?: string;
	readonly display?: Display;
}

/** Facts beside the request that a handler may need. */
export interface HandlerContext {
	/** Long-running handlers must stop when it fires. */
	readonly signal: AbortSignal;
	/** ms since the epoch. The same for all handlers of a request; use it in place of the clock. */
	readonly now: number;
	readonly model?: string | undefined;
	/** Tokens that the model takes. */
	readonly window?: number | undefined;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a handler may return nothing
type HandlerAnswer<Result> = Result | undefined | void | Promise<Result | undefined | void>;

export type ContextHandler = (event: ContextEvent, beside: HandlerContext) => HandlerAnswer<ContextResult>;
export type MessageHandler = (event: MessageEvent, beside: HandlerContext) => HandlerAnswer<MessageResult>;

export interface HandlerOptions {
	/** It removes what a model must not see. */
	readonly redacts?: boolean | undefined;
	/**
	 * `stop`: a request is not sent, and a message is not shown, without this handler's changes. `pass`: they go out without
	 * them. By default `stop` for a handler that redacts, else `pass`.
	 */
	readonly onFailure?: "stop" | "pass" | undefined;
}

export interface NamedHandler<Handler> {
	readonly name: string;
	readonly handle: Handler;
	readonly onFailure: "stop" | "pass";
}

/** The argument of a handler file's default export. */
export interface HandlerApi {
	/** Handlers run in the order in which they were added. Returns a function that removes the handler. */
	on(type: "context", handler: ContextHandler, options?: HandlerOptions): () => void;
	on(type: "message", handler: MessageHandler, options?: HandlerOptions): () => void;
}

export class Handlers {
	#context: NamedHandler<ContextHandler>[] = [];
	#message: NamedHandler<MessageHandler>[] = [];

	get context(): readonly NamedHandler<ContextHandler>[] {
		return this.#context;
	}

	get message(): readonly NamedHandler<MessageHandler>[] {
		return this.#message;
	}

	/** Only those without which nothing may be sent. */
	required(): Handlers {
		const required = new Handlers();
		required.#context = this.#context.filter(({ onFailure }) => onFailure === "stop");
		required.#message = this.#message.filter(({ onFailure }) => onFailure === "stop");
		return required;
	}

	/** The API for one file; its name is used for handlers that give none. */
	api(name: string): HandlerApi {
		return {
			on: (type: "context" | "message", handler: ContextHandler | MessageHandler, options: HandlerOptions = {}) => {
				if (type !== "context" && type !== "message") {
					throw new EngineError("usage", `on() takes "context" or "message", not ${JSON.stringify(type)}.`);
				}
				const { redacts = false, onFailure = redacts ? "stop" : "pass" } = options;
				if (onFailure !== "stop" && onFailure !== "pass")
					throw new EngineError("usage", `onFailure takes "stop" or "pass", not ${JSON.stringify(onFailure)}.`);
				const added = { name, handle: handler, onFailure };
				if (type === "context") this.#context.push(added as NamedHandler<ContextHandler>);
				else this.#message.push(added as NamedHandler<MessageHandler>);
				return () => {
					this.#context = this.#context.filter((each) => each !== added);
					this.#message = this.#message.filter((each) => each !== added);
				};
			},
		};
	}
}
