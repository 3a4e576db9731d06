/**
 * What does this message say, whichever agent wrote it? One view serves derivation, search, summaries, weight, validity, repair and
 * people. Sessions hold messages of old versions, of forks, and edited by hand, so reading never throws.
 */

import { asList, asObject, asText, type JsonObject } from "../base/json/read.ts";
import type { AnyPayload } from "../log/event/types.ts";
import { readLine } from "./dialect/anthropic/form.ts";
import { collectWords } from "./dialect/content.ts";
import { formOf } from "./dialect/forms.ts";
import { readEntry } from "./dialect/pi/form.ts";
import type { Usage } from "./usage.ts";

/** How a message is written: as Pi has it, or as the API of a provider takes it. */
export type Form = "pi" | "anthropic" | "openai";

/** In whose name a message goes to the model. `result`: it opens with results of tools. `other`: no provider takes it. */
export type Speaker = "user" | "assistant" | "result" | "system" | "other";

export type Block =
	| { readonly kind: "text"; readonly text: string }
	| { readonly kind: "thinking"; readonly text: string; readonly signature?: string | undefined }
	| { readonly kind: "image"; readonly mimeType?: string | undefined }
	| CallBlock
	| ReadResult
	/** A block that this version cannot read; `text` has the words in it. */
	| { readonly kind: "other"; readonly name: string; readonly text: string };

export interface CallBlock {
	readonly kind: "call";
	/** Empty where the message has none. */
	readonly id: string;
	readonly tool: string;
	readonly input: unknown;
	/** The provider runs the tool itself: the same message holds the result. */
	readonly byProvider?: true | undefined;
}

/** The result of a tool. */
export interface ResultBlock {
	readonly kind: "result";
	readonly callId: string;
	/** Anthropic's form does not repeat it: the call with this id has it. */
	readonly tool?: string | undefined;
	/** The tool's own words, without our notes. */
	readonly text: string;
	readonly isError: boolean;
	/** The agent's notes beside the text. The model never sees them. */
	readonly details?: unknown;
}

/** A result in a message. Its pictures follow it as blocks of their own. */
export interface ReadResult extends ResultBlock {
	/** The text for the model, with our notes. */
	readonly shown: string;
	/** The message (Pi, OpenAI) or the block (Anthropic) that holds it. */
	readonly raw: JsonObject;
}

/** A shell command that the user ran by hand. */
export interface UserCommand {
	readonly command: string;
	readonly output: string;
	readonly exit: number | null;
}

export interface MessageView {
	/** user, assistant, toolResult, bashExecution, custom, system, compactionSummary, branchSummary, … */
	readonly role: string;
	readonly speaker: Speaker;
	readonly blocks: readonly Block[];
	/** The text that the model reads in place of the blocks, where the agent builds one: for a command, for a summary. */
	readonly shown?: string | undefined;
	readonly tool?: string | undefined;
	readonly model?: string | undefined;
	readonly provider?: string | undefined;
	readonly stopReason?: string | undefined;
	readonly usage?: Usage | undefined;
	/** ms since the epoch, by the message itself. */
	readonly timestamp?: number | undefined;
	readonly command?: UserCommand | undefined;
	/** Spoken in the user's name by a program: a hook, a command's expansion, a reminder. */
	readonly injected?: true | undefined;
	/** False: the agent never sends it: a failed or aborted answer, a command kept out, a line of its own making. */
	readonly isSent: boolean;
	/** The api, provider and model of the answer are known. True where the form has no place for them. */
	readonly isIdentified: boolean;
	/** A result comes after another block of the same message. */
	readonly hasLateResult: boolean;
	/** The message itself, without the agent's entry around it. */
	readonly raw: JsonObject;
}

/**
 * Several folds ask for the view of the same payload in turn; a payload never changes. Only the last view is kept: a weak map of all of them
 * costs more than reading a message again.
 */
let viewed: { readonly payload: AnyPayload; readonly view: MessageView } | undefined;

/** Reads a Message payload, whose `raw` is the agent's whole entry. */
export function viewMessage(payload: AnyPayload): MessageView {
	if (viewed?.payload === payload) return viewed.view;
	const view = readPayload(payload);
	viewed = { payload, view };
	return view;
}

function readPayload(payload: AnyPayload): MessageView {
	const raw = asObject(payload["raw"]) ?? {};
	const view = payload["form"] === "anthropic" ? readLine(raw) : readEntry(raw);
	const role = view.role === "" ? (asText(payload["role"]) ?? "") : view.role;
	const tool = view.tool ?? asText(payload["tool"]);
	return role === view.role && tool === view.tool ? view : { ...view, role, tool };
}

/** An agent may change its messages in place: only frozen ones are remembered. */
const frozenViews: Readonly<Record<Form, WeakMap<JsonObject, MessageView>>> = {
	pi: new WeakMap(),
	anthropic: new WeakMap(),
	openai: new WeakMap(),
};

/** Reads a bare message of a form. */
export function readWire(message: unknown, form: Form): MessageView {
	const raw = asObject(message) ?? {};
	const known = frozenViews[form].get(raw);
	if (known) return known;
	const made = formOf(form).read(raw);
	if (Object.isFrozen(raw)) frozenViews[form].set(raw, made);
	return made;
}

/** The form of a bare message, by its shape. A plain text is the same in all forms. */
export function guessForm(message: JsonObject): Form {
	const role = message["role"];
	if (role === "tool" || role === "developer" || message["tool_calls"] !== undefined) return "openai";
	const isAnthropic = (block: unknown) => /^tool_(?:use|result)$/.test(asText(asObject(block)?.["type"]) ?? "");
	return role !== "toolResult" && asList(message["content"]).some(isAnthropic) ? "anthropic" : "pi";
}

/** The texts of a message; no thinking, no calls, no results. */
export function messageText(view: MessageView): string {
	const texts: string[] = [];
	for (const block of view.blocks) if (block.kind === "text") texts.push(block.text);
	return texts.join("\n");
}

/** Every word of a message that a model can read, unescaped: thinking, arguments and results too. */
export function shownText(view: MessageView): string {
	return view.shown ?? view.blocks.flatMap(blockWords).join("\n");
}

function blockWords(block: Block): string[] {
	switch (block.kind) {
		case "image":
			return [];
		case "call":
			return [block.tool, ...collectWords(block.input)];
		case "result":
			return [block.shown];
		default:
			return [block.text];
	}
}

/** Calls that need a result in a message of its own. */
export function callsOf({ blocks }: MessageView): CallBlock[] {
	return blocks.filter(isOwnCall);
}

/** The agent runs it, not the provider. */
export function isOwnCall(block: Block): block is CallBlock {
	return block.kind === "call" && !block.byProvider;
}

export function resultsOf({ blocks }: MessageView): ReadResult[] {
	return blocks.filter((block) => block.kind === "result") as ReadResult[];
}

/** Says nothing: no word, no call, no result, no picture. */
export function isEmpty(view: MessageView): boolean {
	return view.shown === undefined && view.blocks.every((block) => block.kind === "text" && block.text.trim() === "");
}
