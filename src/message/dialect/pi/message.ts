/** Messages that weft itself writes, in Pi's form: importers and the proxy turn what other programs wrote into these. */
import type { JsonObject } from "../../../base/json/read.ts";
import type { Usage } from "../../usage.ts";

export type PiBlock =
	| { readonly type: "text"; readonly text: string }
	| {
			readonly type: "thinking";
			readonly thinking: string;
			readonly thinkingSignature?: string | undefined;
			/** The provider hid the text, and the signature is all that it gave. */
			readonly redacted?: boolean | undefined;
	  }
	| PiImage
	| PiCall;

export interface PiImage {
	readonly type: "image";
	/** Base64. */
	readonly data: string;
	readonly mimeType: string;
}

export interface PiCall {
	readonly type: "toolCall";
	readonly id: string;
	readonly name: string;
	readonly arguments: unknown;
}

export type PiMessage =
	/** `attribution: "agent"`: spoken by a program in the user's name. */
	| { readonly role: "user"; readonly content: readonly PiBlock[]; readonly attribution?: "agent" | undefined }
	| { readonly role: "system"; readonly content: readonly PiBlock[] }
	| {
			readonly role: "assistant";
			readonly content: readonly PiBlock[];
			readonly api?: string | undefined;
			readonly provider?: string | undefined;
			readonly model?: string | undefined;
			/** null: the provider gave none. The request counts all the same. */
			readonly usage?: Usage | null | undefined;
			readonly stopReason?: string | undefined;
	  }
	| {
			readonly role: "toolResult";
			readonly toolCallId: string;
			readonly toolName: string;
			readonly content: readonly PiBlock[];
			readonly isError: boolean;
			/** Notes about the call, for derivation; the model never sees them. */
			readonly details?: { readonly noted: object } | undefined;
	  };

export function textBlock(text: string): PiBlock[] {
	return text === "" ? [] : [{ type: "text", text }];
}

/** The picture of a `data:` address; undefined for any other. */
export function imageOfUrl(url: string): PiImage | undefined {
	const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
	return mimeType === undefined || data === undefined ? undefined : { type: "image", data, mimeType };
}

/** Usage as Pi's messages hold it: the cost is an object. */
export function writePiUsage({ cost, ...tokens }: Usage): JsonObject {
	return { ...tokens, cost: cost === undefined ? undefined : { total: cost } };
}
