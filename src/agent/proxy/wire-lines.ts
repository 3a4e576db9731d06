/**
 * Finds the session of a request. A session of the wire is one line of messages, and a request that carries its newest
 * message continues it. A request that leaves the line (another answer to the same messages, an edited question, the same
 * first words again) begins a session of its own, so nothing of one reaches the other.
 */
import { sha256 } from "../../base/hash/sha256.ts";
import { asName } from "../../base/json/read.ts";
import { writeJson } from "../../base/json/write.ts";
import type { EventRecord } from "../../log/event/types.ts";
import { withoutCacheMarks } from "../../message/dialect/anthropic/dialect.ts";
import type { CallNames, Dialect, RequestMessage } from "../../message/dialect/dialect.ts";
import { answerId } from "../../message/outgoing-message.ts";
import { type Block, viewMessage } from "../../message/view.ts";
import { align } from "./alignment.ts";
import { keysOf, tellingKeys } from "./answer-keys.ts";
import { type LineMatch, type MessagePrint, NAME_CHARS, type NamedMessage, WireLine } from "./wire-line.ts";

/** A request as it comes from an agent that we do not know. */
export interface IncomingRequest {
	readonly dialect: Dialect;
	readonly messages: readonly RequestMessage[];
	/** The agent's name of the session. */
	readonly name: string | undefined;
	/** The id of the answer that it follows. */
	readonly previous: string | undefined;
	/** The id under which the provider keeps the conversation: the request holds only its new messages. */
	readonly conversation: string | undefined;
	readonly hasTools: boolean;
	/** True: the log has a session of this name. */
	readonly isUsed: (session: string) => boolean;
}

/** The place of a request in a session. */
export interface Placement {
	readonly session: string;
	readonly named: readonly NamedMessage[];
	/** The entry of its newest message. */
	readonly tip: string;
	/** The entry that it follows, where the request does not repeat earlier messages. "": it is the first. */
	readonly follows?: string | undefined;
	/** How many of its last messages are transient: the next request will not have them. */
	readonly passing?: number | undefined;
	/** The session that it left, and how many messages they share. */
	readonly parent?: { readonly session: string; readonly shared: number } | undefined;
}

interface SessionMatch extends LineMatch {
	readonly session: string;
	readonly line: WireLine;
}

/** A message may be several entries: `x`, `x/1`, `x/2`. */
export function partName(entry: string, n: number): string {
	return n === 0 ? entry : `${entry}/${n}`;
}

export function isPartOf(part: string, entry: string): boolean {
	return messageName(part) === entry;
}

/** The name of the message that an entry is part of. */
export function messageName(part: string): string {
	return part.replace(PART, "");
}

const PART = /\/\d+$/;
const MAX_ALIKE = 50;

export class WireLines {
	readonly #lines = new Map<string, WireLine>();
	/** Sessions by the entries in them. */
	readonly #sessions = new Map<string, Set<string>>();
	/** Answers by the provider's ids. */
	readonly #ids = new Map<string, { readonly session: string; readonly entry: string }>();
	/** Sessions by the keys that no other conversation has. */
	readonly #answers = new Map<string, Set<string>>();

	/** `messages`: from the log, oldest first. */
	constructor(messages: Iterable<EventRecord>) {
		for (const { session, entry, payload } of messages) {
			if (entry === null || PART.test(entry)) continue;
			this.#add(session, entry, asName(payload["parent"])?.replace(PART, ""));
			const { blocks } = viewMessage(payload);
			if (payload["role"] === "assistant") this.#addAnswer(session, entry, blocks, answerId(payload));
			else this.#line(session).addWords(entry, hashWords(blocks));
			this.#line(session).tip = entry;
		}
	}

	callsOf(session: string): CallNames {
		return this.#line(session).calls;
	}

	/** The first rule that fits places the request. Undefined: it is no conversation yet. */
	place(request: IncomingRequest): Placement | undefined {
		const prints = printsOf(request);
		const [first] = prints;
		if (!first || first.message.speaker === "assistant") return undefined;
		const given = this.#placeByAnswerId(request, prints) ?? this.#placeByConversationId(request, prints);
		if (given) return given;
		const matches = this.#matchSessions(request, prints);
		const continued =
			nearest(matches.filter((match) => match.line.isContinuedBy(match))) ??
			nearest(matches.filter((match) => match.line.isAnsweredIn(match, prints)));
		if (continued) {
			const { session, line, named, tip } = continued;
			return { session, named, tip, passing: line.countPassing(continued) };
		}
		const near = nearest(matches.filter(({ shared }) => shared > 0));
		if (near) return sharesAnswer(near, prints) ? this.#fork(near, request, prints) : this.#begin(request, prints);
		const realigned = this.#placeByAnswers(request, prints);
		if (realigned) return realigned;
		return this.#isAside(request, prints) ? undefined : this.#begin(request, prints);
	}

	/** The request names the answer that it follows, and we have that answer. */
	#placeByAnswerId({ previous }: IncomingRequest, prints: readonly MessagePrint[]): Placement | undefined {
		const known = previous === undefined ? undefined : this.#ids.get(previous);
		return known && this.#placeAfter(known.session, known.entry, prints);
	}

	/** The provider keeps the conversation under an id. A request that got no answer is tried again at its place. */
	#placeByConversationId(
		{ previous, conversation }: IncomingRequest,
		prints: readonly MessagePrint[],
	): Placement | undefined {
		if (previous !== undefined || conversation === undefined) return undefined;
		const { unanswered, tip } = this.#line(conversation);
		return this.#placeAfter(conversation, unanswered ?? tip, prints);
	}

	#placeAfter(session: string, follows: string, prints: readonly MessagePrint[]): Placement {
		const { named, tip } = this.#line(session).match(prints, follows);
		return { session, named, tip, follows };
	}

	/** Sessions that hold a message of the request, under the agent's name. Those that share most are last. */
	#matchSessions(request: IncomingRequest, prints: readonly MessagePrint[]): SessionMatch[] {
		const start = startOf(request);
		const found = new Set<string>();
		for (const { entry } of new WireLine().match(prints, start).named.toReversed())
			for (const session of [...(this.#sessions.get(entry) ?? [])].reverse())
				if (found.size < MAX_ALIKE && isNamed(session, request.name)) found.add(session);
		return [...found].reverse().map((session) => {
			const line = this.#line(session);
			return { session, line, ...line.match(prints, start) };
		});
	}

	/** The newest answer of one session comes back, though earlier messages have changed. If two sessions fit, it takes neither. */
	#placeByAnswers(request: IncomingRequest, prints: readonly MessagePrint[]): Placement | undefined {
		const { dialect, name } = request;
		const newest = prints.findLast(({ keys }) => keys)?.keys;
		const found = new Set((newest ? tellingKeys(newest) : []).flatMap((key) => [...(this.#answers.get(key) ?? [])]));
		if (found.size === 0) return undefined;
		const sent = prints.map(({ message, keys }) => ({
			keys,
			words: keys ? undefined : hashFirstWords(dialect, message),
		}));
		const placements = [...found].flatMap((session): Placement[] => {
			const line = this.#line(session);
			const entries = isNamed(session, name) ? align(line.path(), sent) : undefined;
			const last = entries?.at(-1);
			if (!entries || last === undefined) return [];
			const known = entries.flatMap((entry, at): NamedMessage[] => {
				const print = prints[at];
				return print ? [{ ...print.message, entry, hash: print.hash, isKnown: true }] : [];
			});
			const rest = line.match(prints.slice(entries.length), last);
			const match = { ...rest, named: [...known, ...rest.named] };
			return line.isContinuedBy(match) ? [{ session, named: match.named, tip: match.tip }] : [];
		});
		const [only, ...others] = placements;
		return others.length === 0 ? only : undefined;
	}

	/** A title or a side question. If it becomes a conversation, its next request holds all of it. */
	#isAside(request: IncomingRequest, prints: readonly MessagePrint[]): boolean {
		const hasFreeName = request.name !== undefined && !this.#isUsed(request.name, request);
		return !request.hasTools && !hasFreeName && !prints.some(({ keys }) => keys);
	}

	/** A session that leaves another. Their common answers have the same names in both. */
	#fork(near: SessionMatch, request: IncomingRequest, prints: readonly MessagePrint[]): Placement {
		const line = new WireLine();
		for (const [at, { entry }] of near.named.slice(0, near.shared).entries()) {
			const keys = prints[at]?.keys;
			if (keys) line.addAnswer(entry, keys);
		}
		return { ...this.#begin(request, prints, line), parent: { session: near.session, shared: near.shared } };
	}

	#begin(request: IncomingRequest, prints: readonly MessagePrint[], line = new WireLine()): Placement {
		const { named, tip } = line.match(prints, startOf(request));
		const nth = (n: number) =>
			request.name === undefined ? wireName(named[0]?.entry ?? "", n) : numbered(request.name, n);
		let n = 1;
		while (this.#isUsed(nth(n), request)) n++;
		return { session: nth(n), named, tip };
	}

	/** The messages of a request are in the log, and it waits for its answer. */
	begin({ session, named, tip, follows }: Placement, dialect: Dialect): void {
		const line = this.#line(session);
		let before = follows;
		for (const { entry, ...message } of named) {
			const isKnown = line.has(entry);
			this.#add(session, entry, before);
			before = entry;
			if (isKnown) continue;
			if (message.speaker === "assistant") this.#addAnswer(session, entry, blocksOf(dialect, message), undefined);
			else line.addWords(entry, hashFirstWords(dialect, message));
		}
		line.openRequest(tip, follows);
	}

	end({ session, tip }: Placement): void {
		this.#line(session).closeRequest(tip);
	}

	/** The name of an answer to a request. */
	nameAnswer({ session, tip }: Placement): string {
		return this.#line(session).nameAnswer(tip);
	}

	answered({ session, tip }: Placement, entry: string, content: unknown, id: string | undefined): void {
		const line = this.#line(session);
		line.unanswered = undefined;
		this.#add(session, entry, tip);
		this.#addAnswer(session, entry, viewBlocks(content), id);
		if (line.tip === tip) line.tip = entry;
	}

	#add(session: string, entry: string, parent: string | undefined): void {
		this.#line(session).add(entry, parent);
		this.#sessions.set(entry, (this.#sessions.get(entry) ?? new Set()).add(session));
	}

	#addAnswer(session: string, entry: string, blocks: readonly Block[], id: string | undefined): void {
		const line = this.#line(session);
		const keys = keysOf(blocks);
		line.addAnswer(entry, keys);
		for (const key of tellingKeys(keys)) this.#answers.set(key, (this.#answers.get(key) ?? new Set()).add(session));
		for (const block of blocks) if (block.kind === "call") line.calls.set(block.id, block.tool);
		if (id !== undefined) this.#ids.set(id, { session, entry });
	}

	#isUsed(session: string, { isUsed }: IncomingRequest): boolean {
		return this.#lines.has(session) || isUsed(session);
	}

	#line(session: string): WireLine {
		const line = this.#lines.get(session) ?? new WireLine();
		this.#lines.set(session, line);
		return line;
	}
}

/** An answer that we do not know begins another line. */
function startOf({ previous }: IncomingRequest): string {
	return previous === undefined ? "" : `after ${previous}`;
}

/** The match that shares most, and the last of those. */
function nearest(matches: readonly SessionMatch[]): SessionMatch | undefined {
	return matches.reduce<SessionMatch | undefined>(
		(best, each) => (best && best.shared > each.shared ? best : each),
		undefined,
	);
}

function sharesAnswer({ shared }: LineMatch, prints: readonly MessagePrint[]): boolean {
	return prints.slice(0, shared).some(({ keys }) => keys);
}

/** People see the beginning of a name. */
function wireName(entry: string, n: number): string {
	return `wire-${n === 1 ? entry : sha256(`${entry} ${n}`).slice(0, NAME_CHARS)}`;
}

function numbered(name: string, n: number): string {
	return n === 1 ? name : `${name}-${n}`;
}

/** True: the agent gives no name, or the session has it, with a number or without. */
function isNamed(session: string, name: string | undefined): boolean {
	if (name === undefined || session === name) return true;
	return session.startsWith(`${name}-`) && /^\d+$/.test(session.slice(name.length + 1));
}

/** Without the system messages at the start, which are the same for every session. */
function printsOf({ messages, dialect }: IncomingRequest): MessagePrint[] {
	const begins = messages.findIndex(({ speaker }) => speaker !== "system");
	return messages.slice(Math.max(0, begins)).map((message) => {
		const isAnswer = message.speaker === "assistant";
		return {
			message,
			hash: isAnswer ? "" : sha256(writeJson(withoutCacheMarks(message.items))),
			keys: isAnswer ? keysOf(blocksOf(dialect, message)) : undefined,
		};
	});
}

/** Of its first entry, because the log is read by those. */
function hashFirstWords(dialect: Dialect, message: RequestMessage): string {
	return hashWords(viewBlocks(dialect.toPi(message, new Map())[0]?.content));
}

function hashWords(blocks: readonly Block[]): string {
	const texts = blocks.map((block) => (block.kind === "text" || block.kind === "result" ? block.text : block.kind));
	return sha256(texts.join("\n")).slice(0, NAME_CHARS);
}

function blocksOf(dialect: Dialect, message: RequestMessage): readonly Block[] {
	return dialect.toPi(message, new Map()).flatMap(({ content }) => viewBlocks(content));
}

function viewBlocks(content: unknown): readonly Block[] {
	return viewMessage({ form: "pi", raw: { role: "assistant", content } }).blocks;
}
