/**
 * What did this message say, whichever host wrote it? Reads a Message payload, whose `raw` is the host's whole entry, into
 * one view. Sessions hold messages of old versions, of forks and of hands: whatever is missing or odd, it never throws.
 */
import type { AnyPayload } from "../event/types.ts";
import { asText } from "../json/read.ts";
import { viewAnthropic } from "./anthropic-form.ts";
import { viewPi } from "./pi-form.ts";

export type Block =
	| { readonly kind: "text"; readonly text: string }
	| { readonly kind: "thinking"; readonly text: string; readonly signature?: string }
	| { readonly kind: "image"; readonly mimeType?: string }
	| CallBlock
	| ResultBlock
	/** A block that this version cannot read; it is whole in `raw`. */
	| { readonly kind: "other"; readonly name: string };

export interface CallBlock {
	readonly kind: "call";
	readonly id: string;
	readonly tool: string;
	readonly input: unknown;
}

export interface ResultBlock {
	readonly kind: "result";
	readonly callId: string;
	/** Hosts in Anthropic's form do not repeat it: the call with this id knows. */
	readonly tool?: string;
	readonly text: string;
	readonly isError: boolean;
	/** What the host noted beside the text; never shown to the model. */
	readonly details?: unknown;
}

/** A shell command that the user ran by hand. */
export interface UserCommand {
	readonly command: string;
	readonly output: string;
	readonly exit: number | null;
}

export interface Usage {
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	/** In the currency of the host's price list, where it computed one. */
	readonly cost?: number;
}

export interface MessageView {
	/** user, assistant, toolResult, bashExecution, custom, system, compactionSummary, branchSummary, … */
	readonly role: string;
	readonly blocks: readonly Block[];
	readonly tool?: string;
	readonly model?: string;
	readonly provider?: string;
	readonly stopReason?: string;
	readonly usage?: Usage;
	/** ms since the epoch, as the message itself says. */
	readonly timestamp?: number;
	readonly command?: UserCommand;
	/** Spoken in the user's name by a program: a hook, a command's expansion, a reminder. */
	readonly injected?: true;
}

/** Several folds ask for the view of the same payload, one after the other; a payload is never changed. */
const views = new WeakMap<AnyPayload, MessageView>();

export function viewMessage(payload: AnyPayload): MessageView {
	const known = views.get(payload);
	if (known) return known;
	const made = readView(payload);
	views.set(payload, made);
	return made;
}

function readView(payload: AnyPayload): MessageView {
	const view = payload["form"] === "anthropic" ? viewAnthropic(payload["raw"]) : viewPi(payload["raw"]);
	const tool = view.tool ?? asText(payload["tool"]);
	const role = view.role === "" ? (asText(payload["role"]) ?? "") : view.role;
	return tool === undefined ? { ...view, role } : { ...view, role, tool };
}

/** The texts of a message, one after the other; no thinking, no calls, no results. */
export function messageText(view: MessageView): string {
	const texts: string[] = [];
	for (const block of view.blocks) if (block.kind === "text") texts.push(block.text);
	return texts.join("\n");
}
