/** What passes between the host and the scripted model, in OpenAI's words. */
import type { Thinking } from "../../test/rig/answer.ts";

export interface WireMessage {
	readonly role: string;
	readonly content?: unknown;
	readonly tool_call_id?: string;
	readonly tool_calls?: readonly unknown[];
}

/** A request as OpenAI's protocol has it. */
export interface Body {
	readonly model?: string;
	readonly messages?: WireMessage[];
	readonly tools?: unknown[];
	readonly stream?: boolean;
	readonly max_tokens?: number;
	readonly max_completion_tokens?: number;
}

/** Of a tool. */
export interface Call {
	readonly name: string;
	readonly args: Readonly<Record<string, unknown>>;
}

/** An answer of the model. */
export interface Said {
	readonly model: string;
	readonly text: string | undefined;
	/** Anthropic's protocol alone; before the text and the calls. */
	readonly thinking?: readonly Thinking[];
	/** None: it answers. */
	readonly calls: readonly (Call & { readonly id: string })[];
	readonly usage: { readonly tokens: number; readonly cached: number };
	readonly stream: boolean;
}
