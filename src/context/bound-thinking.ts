/**
 * Which thinking of a request is left out? The one answer for every mode and agent. Newer models sign thinking over everything before
 * it, so it may come back only while every byte before it is as it was when the model wrote it. A seal, a patch, a switch of the mode and a text for
 * one request alone all change that. The log keeps the thinking, and the handle of its message fetches it. Pure: the same log gives the
 * same bytes, and inside an epoch nothing changes.
 */
import { sha256 } from "../base/hash/sha256.ts";
import { asName } from "../base/json/read.ts";
import { modelName } from "../base/tokens/prices.ts";
import { hasThinking, withoutThinking } from "../message/thinking.ts";
import type { ThinkingRule } from "../message/thinking-rules.ts";
import { type Form, readWire } from "../message/view.ts";
import { hashMessage } from "./envelope/bytes.ts";
import type { EnvelopeMessage } from "./envelope/envelope.ts";

/** What a model saw before it wrote an answer. */
export interface SeenPrefix {
	/** Of the tools and the system text. */
	readonly head: string;
	/** Of all messages. */
	readonly messages: string;
	/** True: weft made the request. */
	readonly isOurs: boolean;
}

export interface ThinkingFacts {
	readonly rule: ThinkingRule;
	readonly form: Form;
	/** The model that is asked. An agent sends the thinking of others as text, or not at all. */
	readonly model?: string | undefined;
	/** The prefix of the request that made a message; undefined: not known. */
	readonly seen?: ((id: string) => SeenPrefix | undefined) | undefined;
	/** Messages before which something changed after they came. It counts where the prefix is not known. */
	readonly displaced: ReadonlySet<string>;
	/** Of this request; undefined: not known. */
	readonly head?: string | undefined;
	/** True: the request is the agent's own, so only thinking that weft moved counts. */
	readonly isAgents?: boolean | undefined;
}

export interface BoundMessages<Message> {
	readonly messages: readonly Message[];
	/** Ids of the messages that lost their thinking. */
	readonly leftOut: readonly string[];
}

export function leaveOutThinking<Message extends EnvelopeMessage>(
	messages: readonly Message[],
	facts: ThinkingFacts,
): BoundMessages<Message> {
	const misplaced = findMisplaced(messages, facts, withoutThinking);
	if (misplaced.size === 0) return { messages, leftOut: [] };
	return {
		messages: messages.map((message) => (misplaced.has(message.id) ? withoutThinking(message) : message)),
		leftOut: [...misplaced],
	};
}

/** Ids of the messages whose thinking a provider would refuse, in a request as it is. */
export function misplacedThinking(messages: readonly EnvelopeMessage[], facts: ThinkingFacts): ReadonlySet<string> {
	return findMisplaced(messages, facts, (message) => message);
}

/** `send`: how a message with misplaced thinking is sent; thinking after it is bound to that. */
function findMisplaced(
	messages: readonly EnvelopeMessage[],
	facts: ThinkingFacts,
	send: (message: EnvelopeMessage) => EnvelopeMessage,
): ReadonlySet<string> {
	const { rule, model } = facts;
	const misplaced = new Set<string>();
	if (rule === "keep") return misplaced;
	const last = messages.findLastIndex(hasThinking);
	let prefix = "";
	let isBroken = false;
	for (const [at, message] of messages.slice(0, last + 1).entries()) {
		const isChecked = hasThinking(message) && isOwn(message, model);
		const seen = isChecked && rule === "bound" ? facts.seen?.(message.id) : undefined;
		const isElsewhere = seen ? isMoved(seen, prefix, facts) : isDisplaced(message, facts) || isBroken;
		const isNeeded = rule === "manual" && hadToStay(messages, at, facts);
		const isMisplaced = isChecked && (rule === "off" || (isElsewhere && !isNeeded));
		if (isMisplaced) misplaced.add(message.id);
		if (isMisplaced && seen) isBroken = true;
		prefix = extendPrefix(prefix, hashMessage(isMisplaced ? send(message) : message));
	}
	return misplaced;
}

/** True: the model that is asked wrote the message, or may have. Providers add dates, regions and versions to a model's name. */
function isOwn(message: EnvelopeMessage, model: string | undefined): boolean {
	const [author, asked] = [asName(message["model"]), model].map((name) => name && modelName(name));
	return !author || !asked || author.startsWith(asked) || asked.startsWith(author);
}

function isMoved(seen: SeenPrefix, prefix: string, { head, isAgents }: ThinkingFacts): boolean {
	if (isAgents && !seen.isOurs) return false;
	return seen.messages !== prefix || (head !== undefined && seen.head !== head);
}

function isDisplaced({ id }: EnvelopeMessage, { displaced, isAgents }: ThinkingFacts): boolean {
	return !isAgents && displaced.has(id);
}

/**
 * True: the answer was the newest of its run when something before it changed. A model with manual thinking wanted its thinking then, and
 * it stays, so that inside an epoch nothing changes.
 */
function hadToStay(messages: readonly EnvelopeMessage[], at: number, { form, displaced }: ThinkingFacts): boolean {
	const first = messages[at + 1];
	const next = messages.find(({ role }, index) => index > at && role === "assistant");
	const continues = first !== undefined && readWire(first, form).speaker === "result";
	return continues && (next === undefined || !displaced.has(next.id));
}

/** The hash of a list of messages, from that of the list without the last one. */
export function extendPrefix(prefix: string, hash: string): string {
	return sha256(`${prefix}\n${hash}`);
}
