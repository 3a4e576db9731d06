/**
 * Which session a request goes on with. A session of the wire is one line of messages: a request that carries its newest one goes on
 * with it. Whatever parts from the line (another answer to the same messages, an edited question, the same first words again) is a
 * session of its own, so nothing of one reaches the other. An answer that comes back is known by its calls or its words: an agent
 * may write it in another way.
 */

import { sha256 } from "../../base/hash/sha256.ts";
import { asName } from "../../base/json/read.ts";
import { writeJson } from "../../base/json/write.ts";
import type { EventRecord } from "../../log/event/types.ts";
import { withoutCacheMarks } from "../../message/dialect/anthropic/dialect.ts";
import type { CallNames, Dialect, RequestMessage } from "../../message/dialect/dialect.ts";
import { answerId } from "../../message/sent.ts";
import { type Block, viewMessage } from "../../message/view.ts";
import { type AnswerKeys, align, isSame, isTellingSame, type PathMessage, tellingKeys } from "./align.ts";

/** A message of a request, with the name of its first entry: by its content and by what stands before it. */
export interface NamedSpoken extends RequestMessage {
	readonly entry: string;
	/** Of what it says; "": it is an answer. */
	readonly hash: string;
	/** True: it stands in the log, maybe with other words (align.ts). */
	readonly isKnown?: boolean | undefined;
}

export interface Place {
	readonly session: string;
	readonly named: readonly NamedSpoken[];
	/** The entry that it follows, where the request does not repeat what was said before. "": none, it is the first. */
	readonly follows?: string | undefined;
	/** So many of its last messages pass: those of the request before are not in this one. */
	readonly passing?: number | undefined;
	/** The session that it parted from, and how many of its messages it shares. */
	readonly parent?: { readonly session: string; readonly shared: number } | undefined;
}

export interface Asked {
	readonly dialect: Dialect;
	readonly spoken: readonly RequestMessage[];
	/** As the agent names the session. */
	readonly name: string | undefined;
	/** The id of the answer that it follows. */
	readonly previous: string | undefined;
	/** The id under which the provider keeps what was said: the request holds only what is new. */
	readonly conversation: string | undefined;
	readonly hasTools: boolean;
	/** True: the log has a session of this name. */
	readonly isUsed: (session: string) => boolean;
}

interface Answer {
	readonly entry: string;
	readonly keys: AnswerKeys;
}

interface Line {
	readonly entries: Set<string>;
	/** What each message follows. */
	readonly parents: Map<string, string | undefined>;
	/** Of the answers. */
	readonly keys: Map<string, AnswerKeys>;
	/** Of the other messages: a hash of what they say. */
	readonly words: Map<string, string>;
	/** By the message that they answer. */
	readonly answers: Map<string, Answer[]>;
	readonly calls: CallNames;
	readonly underway: Map<string, number>;
	tip: string;
	/** What the newest request follows, while it has no answer. */
	unanswered?: string | undefined;
}

interface Walk {
	readonly session: string;
	readonly line: Line;
	readonly named: readonly NamedSpoken[];
	/** So many messages are those of the line. */
	readonly shared: number;
}

/** A message, with what it is known by in any session. */
interface Print {
	readonly spoken: RequestMessage;
	readonly hash: string;
	readonly keys: AnswerKeys | undefined;
}

/** A message may be several entries: `x`, `x/1`, `x/2`. */
export function partName(entry: string, n: number): string {
	return n === 0 ? entry : `${entry}/${n}`;
}

export function isPartOf(part: string, entry: string): boolean {
	return part.replace(PART, "") === entry;
}

const PART = /\/\d+$/;
const NAME_CHARS = 20;
const MAX_LIKE = 50;
const TELLING_CHARS = 40;

export class Lines {
	readonly #lines = new Map<string, Line>();
	readonly #sessions = new Map<string, Set<string>>();
	readonly #ids = new Map<string, { readonly session: string; readonly entry: string }>();
	/** By what an answer is known by anywhere. */
	readonly #answers = new Map<string, Set<string>>();

	/** `messages`: of the log, the oldest first. */
	constructor(messages: Iterable<EventRecord>) {
		for (const { session, entry, payload } of messages) {
			if (entry === null || PART.test(entry)) continue;
			this.#add(session, entry, asName(payload["parent"])?.replace(PART, ""));
			const { blocks } = viewMessage(payload);
			if (payload["role"] === "assistant") this.#addAnswer(session, entry, blocks, answerId(payload));
			else this.#line(session).words.set(entry, wordsOf(blocks));
			this.#line(session).tip = entry;
		}
	}

	callsOf(session: string): CallNames {
		return this.#line(session).calls;
	}

	/** Undefined: nothing that is a conversation yet. */
	place(asked: Asked): Place | undefined {
		const { previous, name, conversation } = asked;
		const prints = printsOf(asked);
		const [first] = prints;
		if (!first || first.spoken.speaker === "assistant") return undefined;
		const follows = previous === undefined ? undefined : this.#ids.get(previous);
		if (follows) {
			const { session, entry } = follows;
			return { session, named: walk(this.#line(session), prints, entry).named, follows: entry };
		}
		if (previous === undefined && conversation !== undefined) {
			const { tip, unanswered } = this.#line(conversation);
			// One that got no answer is tried again.
			const entry = unanswered ?? tip;
			return { session: conversation, named: walk(this.#line(conversation), prints, entry).named, follows: entry };
		}
		const start = previous === undefined ? "" : `after ${previous}`;
		const walks = this.#alike(prints, start, name).map(([session, line]): Walk => {
			return { session, line, ...walk(line, prints, start) };
		});
		const nearest = (among: readonly Walk[]) =>
			among.reduce<Walk | undefined>((best, each) => (best && best.shared > each.shared ? best : each), undefined);
		const going = nearest(walks.filter(goesOn)) ?? nearest(walks.filter((each) => returnsAnswer(each, prints)));
		if (going) return { session: going.session, named: going.named, passing: countPassing(going) };
		const near = nearest(walks.filter(({ shared }) => shared > 0));
		const aligned = near ? undefined : onlyOne(this.#aligned(prints, name, asked.dialect));
		if (aligned) return { session: aligned.session, named: aligned.named };
		const isFirst = !prints.some(({ keys }) => keys);
		const isFree = name !== undefined && !this.#isUsed(name, asked);
		// A title or a question beside the work: if it becomes a conversation, its next request tells all of it.
		if (isFirst && !asked.hasTools && !near && !isFree) return undefined;
		const isFork = near !== undefined && prints.slice(0, near.shared).some(({ keys }) => keys);
		const { named } = walk(isFork ? sharedLine(near, prints) : emptyLine(), prints, start);
		const session = this.#newName(
			(n) => (name === undefined ? wireName(named[0]!.entry, n) : numbered(name, n)),
			asked,
		);
		return { session, named, parent: isFork ? { session: near.session, shared: near.shared } : undefined };
	}

	/** The messages of a request are in the log, and it is under way. */
	begin({ session, named, follows }: Place, dialect: Dialect): void {
		const line = this.#line(session);
		for (const [at, { entry, ...spoken }] of named.entries()) {
			const isKnown = line.entries.has(entry);
			this.#add(session, entry, named[at - 1]?.entry ?? follows);
			if (isKnown) continue;
			if (spoken.speaker === "assistant") this.#addAnswer(session, entry, blocksOf(dialect, spoken), undefined);
			else line.words.set(entry, wordsSpoken(dialect, spoken));
		}
		const last = named.at(-1)!.entry;
		line.tip = last;
		line.unanswered = follows;
		line.underway.set(last, (line.underway.get(last) ?? 0) + 1);
	}

	end({ session, named }: Place): void {
		const { underway } = this.#line(session);
		const last = named.at(-1)!.entry;
		const left = (underway.get(last) ?? 1) - 1;
		if (left > 0) underway.set(last, left);
		else underway.delete(last);
	}

	/** The name of an answer to the newest of these messages. */
	nameAnswer({ session, named }: Place): string {
		const to = named.at(-1)!.entry;
		return answerName(to, this.#line(session).answers.get(to));
	}

	answered({ session, named }: Place, entry: string, content: unknown, id: string | undefined): void {
		const line = this.#line(session);
		line.unanswered = undefined;
		this.#add(session, entry, named.at(-1)!.entry);
		this.#addAnswer(session, entry, viewOf(content), id);
		if (line.tip === named.at(-1)!.entry) line.tip = entry;
	}

	#add(session: string, entry: string, parent: string | undefined): void {
		const { entries, parents } = this.#line(session);
		entries.add(entry);
		if (!parents.has(entry)) parents.set(entry, parent);
		const sessions = this.#sessions.get(entry) ?? new Set();
		this.#sessions.set(entry, sessions.add(session));
	}

	#addAnswer(session: string, entry: string, blocks: readonly Block[], id: string | undefined): void {
		const line = this.#line(session);
		const to = entry.replace(/\/answer(?:-\d+)?$/, "");
		const keys = keysOf(blocks);
		line.answers.set(to, [...(line.answers.get(to) ?? []), { entry, keys }]);
		line.keys.set(entry, keys);
		for (const key of tellingKeys(keys)) this.#answers.set(key, (this.#answers.get(key) ?? new Set()).add(session));
		for (const block of blocks) if (block.kind === "call") line.calls.set(block.id, block.tool);
		if (id !== undefined) this.#ids.set(id, { session, entry });
	}

	/** Sessions that hold a message of the request, under the name that the agent gives. Those that share most are last. */
	#alike(prints: readonly Print[], start: string, name: string | undefined): [string, Line][] {
		const found = new Set<string>();
		for (const { entry } of walk(emptyLine(), prints, start).named.toReversed())
			for (const session of [...(this.#sessions.get(entry) ?? [])].reverse())
				if (found.size < MAX_LIKE && (name === undefined || isNumbered(session, name))) found.add(session);
		return [...found].reverse().map((session) => [session, this.#line(session)]);
	}

	/** Sessions whose newest answer comes back, though the messages before it do not stand as they did. */
	#aligned(prints: readonly Print[], name: string | undefined, dialect: Dialect): Walk[] {
		const newest = prints.findLast(({ keys }) => keys)?.keys;
		const found = new Set((newest ? tellingKeys(newest) : []).flatMap((key) => [...(this.#answers.get(key) ?? [])]));
		if (found.size === 0) return [];
		const told = prints.map(({ spoken, keys }) => ({ keys, words: keys ? undefined : wordsSpoken(dialect, spoken) }));
		return [...found].flatMap((session): Walk[] => {
			const line = this.#line(session);
			const entries = name === undefined || isNumbered(session, name) ? align(pathOf(line), told) : undefined;
			if (!entries) return [];
			const known = prints
				.slice(0, entries.length)
				.map(({ spoken, hash }, at) => ({ ...spoken, entry: entries[at]!, hash, isKnown: true }));
			const rest = walk(line, prints.slice(entries.length), entries.at(-1)!);
			const found: Walk = { session, line, named: [...known, ...rest.named], shared: known.length + rest.shared };
			return goesOn(found) ? [found] : [];
		});
	}

	#isUsed(session: string, { isUsed }: Asked): boolean {
		return this.#lines.has(session) || isUsed(session);
	}

	#newName(nth: (n: number) => string, asked: Asked): string {
		let n = 1;
		while (this.#isUsed(nth(n), asked)) n++;
		return nth(n);
	}

	#line(session: string): Line {
		const line = this.#lines.get(session) ?? emptyLine();
		this.#lines.set(session, line);
		return line;
	}
}

function emptyLine(): Line {
	return {
		entries: new Set(),
		parents: new Map(),
		keys: new Map(),
		words: new Map(),
		answers: new Map(),
		calls: new Map(),
		underway: new Map(),
		tip: "",
	};
}

/** The messages of a line, the oldest first. */
function pathOf({ parents, keys, words, tip }: Line): PathMessage[] {
	const path: PathMessage[] = [];
	for (let entry: string | undefined = tip; entry && path.length < parents.size; entry = parents.get(entry))
		path.push({ entry, keys: keys.get(entry), words: words.get(entry) });
	return path.reverse();
}

/** What a request shares with a line: its answers have the same names in the session that parts from it. */
function sharedLine({ named, shared }: Walk, prints: readonly Print[]): Line {
	const line = emptyLine();
	for (const [at, { entry }] of named.slice(0, shared).entries()) {
		const keys = prints[at]?.keys;
		if (keys) line.answers.set(named[at - 1]!.entry, [{ entry, keys }]);
	}
	return line;
}

/** People see the beginning of a name. */
function wireName(entry: string, n: number): string {
	return `wire-${n === 1 ? entry : sha256(`${entry} ${n}`).slice(0, NAME_CHARS)}`;
}

function numbered(name: string, n: number): string {
	return n === 1 ? name : `${name}-${n}`;
}

function isNumbered(session: string, name: string): boolean {
	return session === name || (session.startsWith(`${name}-`) && /^\d+$/.test(session.slice(name.length + 1)));
}

/** Without what opens a request for every session alike: its system messages. */
function printsOf({ spoken, dialect }: Asked): Print[] {
	const begins = spoken.findIndex(({ speaker }) => speaker !== "system");
	return spoken.slice(Math.max(0, begins)).map((each) => {
		const isAnswer = each.speaker === "assistant";
		return {
			spoken: each,
			hash: isAnswer ? "" : sha256(writeJson(withoutCacheMarks(each.items))),
			keys: isAnswer ? keysOf(blocksOf(dialect, each)) : undefined,
		};
	});
}

function walk(line: Line, prints: readonly Print[], start: string): Pick<Walk, "named" | "shared"> {
	let before = start;
	let shared = 0;
	const named = prints.map(({ spoken, hash, keys }, at) => {
		const answers = line.answers.get(before) ?? [];
		const entry = keys
			? (sameAnswer(answers, keys)?.entry ?? answerName(before, answers))
			: sha256(`${before}\n${hash}`).slice(0, NAME_CHARS);
		if (shared === at && line.entries.has(entry)) shared++;
		before = entry;
		return { ...spoken, entry, hash };
	});
	return { named, shared };
}

/** A reminder, or the time, that stands at the end of a request and is not sent again, though the answer to it is. */
function countPassing({ line, named }: Walk): number {
	const path = pathOf(line);
	const asked = line.keys.has(line.tip) ? path.slice(0, -1) : path;
	const entries = new Set(named.map(({ entry }) => entry));
	const kept = asked.findLastIndex(({ entry }) => entries.has(entry));
	const count = asked.length - 1 - kept;
	if (kept < 0 || count === 0 || named[kept]?.entry !== asked[kept]!.entry) return 0;
	const isSaid = ({ speaker }: NamedSpoken) => speaker === "user" || speaker === "system";
	return named.length > kept + 1 + count && named.slice(-count).every(isSaid) ? count : 0;
}

/** The same words again while the first request waits for its answer are another conversation. */
function goesOn({ line: { tip, underway }, named }: Walk): boolean {
	if (!named.some(({ entry }) => entry === tip)) return false;
	return named.at(-1)!.entry !== tip || (underway.get(tip) ?? 0) === 0;
}

/** The newest answer of the line comes back, though the agent changed a message before it. */
function returnsAnswer({ line, shared }: Walk, prints: readonly Print[]): boolean {
	const keys = prints.findLast((print) => print.keys)?.keys;
	const newest = [...line.answers.values()].flat().find(({ entry }) => entry === line.tip);
	return shared > 0 && keys !== undefined && newest !== undefined && isTellingSame(keys, newest.keys);
}

function answerName(before: string, others: readonly Answer[] = []): string {
	const nth = (n: number) => (n === 1 ? `${before}/answer` : `${before}/answer-${n}`);
	let n = 1;
	while (others.some(({ entry }) => entry === nth(n))) n++;
	return nth(n);
}

function sameAnswer(answers: readonly Answer[], keys: AnswerKeys): Answer | undefined {
	return answers.find((each) => each.keys.said === keys.said) ?? answers.find((each) => isSame(each.keys, keys));
}

/** Where two would do, it is neither. */
function onlyOne(walks: readonly Walk[]): Walk | undefined {
	return walks.length === 1 ? walks[0] : undefined;
}

/** Of its first entry, which is what a log is read by. */
function wordsSpoken(dialect: Dialect, spoken: RequestMessage): string {
	return wordsOf(viewOf(dialect.toPi(spoken, new Map())[0]?.content));
}

function wordsOf(blocks: readonly Block[]): string {
	const texts = blocks.map((block) => (block.kind === "text" || block.kind === "result" ? block.text : block.kind));
	return sha256(texts.join("\n")).slice(0, NAME_CHARS);
}

function blocksOf(dialect: Dialect, spoken: RequestMessage): readonly Block[] {
	return dialect.toPi(spoken, new Map()).flatMap(({ content }) => viewOf(content));
}

function viewOf(content: unknown): readonly Block[] {
	return viewMessage({ form: "pi", raw: { role: "assistant", content } }).blocks;
}

/** Thoughts do not count: agents leave them out. */
function keysOf(blocks: readonly Block[]): AnswerKeys {
	const texts = blocks.map((block) => (block.kind === "text" ? block.text : ""));
	const text = texts
		.join(" ")
		.replace(/<think>.*?<\/think>/gs, "")
		.replace(/\s+/g, " ")
		.trim();
	const calls = blocks.filter((block) => block.kind === "call");
	const said = writeJson([text, calls.map(({ tool, input }) => [tool, input])]);
	const ids = calls.map(({ id }) => id).filter((id) => id !== "");
	return { said: sha256(said), calls: ids, isTelling: said.length >= TELLING_CHARS };
}
