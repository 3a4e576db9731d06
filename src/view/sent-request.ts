/** The messages of a request that was sent, and how its tokens divide between the agent's own part and the messages. */
import { cutStart, cutWithEllipsis } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import type { Segment, SegmentItem } from "../context/envelope/bytes.ts";
import type { ContextEnvelope, EnvelopeMessage } from "../context/envelope/envelope.ts";
import type { Path, PathMessage } from "../context/path.ts";
import { requestOf } from "../context/request.ts";
import { SentRequests } from "../context/sent-requests.ts";
import type { Engine } from "../engine.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { userWords } from "../message/user-words.ts";
import { type CallBlock, callsOf, guessForm, readWire } from "../message/view.ts";
import { callGist } from "./event-gist.ts";
import { withoutRoot } from "./path-in-project.ts";
import type { RequestRow, SessionRequests } from "./requests.ts";

/** A request rendered again from the log. */
export interface SentAgain {
	readonly envelope: ContextEnvelope;
	readonly segments: readonly Segment[];
	readonly path: Path;
	readonly messages: ReadonlyMap<string, PathMessage>;
}

export function sendAgain(
	{ log, history }: Engine,
	session: SessionRef,
	row: RequestRow,
	sent: SentRequests = new SentRequests(history),
): SentAgain {
	history.catchUp();
	const made = row.mode === null ? undefined : log.get(row.seq);
	const answered = row.answer && history.tree.get(row.answer.seq)?.parent;
	const leaf = answered ?? made?.cause ?? undefined;
	const upTo = made?.seq ?? row.seq - 1;
	const { planned, request, ephemeral } = sent.read({ session, leaf, upTo }, made);
	const { envelope, segments } = requestOf(planned, { isAsked: true, request, ephemeral });
	const { path } = planned;
	return { envelope, segments, path, messages: new Map(path.messages.map((message) => [message.id, message])) };
}

export function itemsOf({ segments }: Pick<SentAgain, "segments">): readonly SegmentItem[] {
	return segments.flatMap(({ items }) => items);
}

function weightOf(sent: SentAgain): number {
	return itemsOf(sent).reduce((sum, { tokens }) => sum + tokens, 0);
}

/** How the tokens of a request that weft did not make divide. Both are estimates; their sum is what was reported, if it was. */
export interface HostShare {
	/** As reported, or else as we weigh the messages, with the system prompt and tools of other requests. */
	readonly tokens: number;
	readonly isReported: boolean;
	/** System prompt and tools: the part of the prompt that is not messages. */
	readonly head: number;
	/** By which our weight of a message becomes its share of the reported prompt. */
	readonly scale: number;
}

/** Rounding must not change the sum: the largest takes the rest. A total of 0 is not known. */
export function fitTo<Item extends { readonly tokens: number }>(
	total: number,
	items: readonly Item[],
	isFixed: (item: Item) => boolean = () => false,
): Item[] {
	const rest = total - items.reduce((sum, { tokens }) => sum + tokens, 0);
	const sizes = items.map((item) => (isFixed(item) ? -1 : item.tokens));
	const largest = sizes.reduce((at, size, index) => (size > (sizes[at] ?? -1) ? index : at), 0);
	return items.map((item, at) => (total > 0 && at === largest ? { ...item, tokens: item.tokens + rest } : item));
}

const MAX_HEADS = 6;
const heads = new WeakMap<SessionRequests, number>();

/** For a request that weft made, the weights are as its manifest has them. */
export function hostShare(
	engine: Engine,
	requests: SessionRequests,
	session: SessionRef,
	row: RequestRow,
	sent: SentAgain,
): HostShare {
	const { tokens } = row;
	const isReported = row.reported !== null;
	if (row.mode !== null) return { tokens, isReported, head: 0, scale: 1 };
	const known = hostHeadTokens(engine, requests, session);
	const weight = weightOf(sent);
	if (tokens === 0) return { tokens: known + weight, isReported, head: known, scale: 1 };
	const head = weight === 0 ? tokens : Math.min(tokens, known);
	return { tokens, isReported, head, scale: weight === 0 ? 1 : (tokens - head) / weight };
}

/**
 * A request with few messages shows the agent's own part best: the first of a session, and those after a compaction. The
 * smallest rest counts, because a message that the log does not have would look like a part of it.
 */
export function hostHeadTokens(engine: Engine, requests: SessionRequests, session: SessionRef): number {
	const known = heads.get(requests);
	if (known !== undefined) return known;
	const rows = requests.rows().filter(({ mode, tokens }) => mode === null && tokens > 0);
	const shortest = rows.filter((row, at) => at === 0 || row.compaction !== null).slice(0, MAX_HEADS);
	const rests = shortest.map((row) => row.tokens - weightOf(sendAgain(engine, session, row)));
	const head = Math.min(...rests.filter((rest) => rest > 0));
	const found = Number.isFinite(head) ? head : 0;
	heads.set(requests, found);
	return found;
}

export interface MessageLine {
	/** user, assistant, result, seed, system, or program: what the agent's program wrote in the user's name. */
	readonly role: string;
	readonly tool: string | null;
	readonly preview: string;
}

const PREVIEW_CHARS = 240;
/** A longer message is read to here for the words of its preview. */
const MAX_READ_CHARS = 100_000;

/** The messages of a request, each in one line. Calls and their results are named by file or command. */
export class MessageLines {
	readonly #messages: ReadonlyMap<string, EnvelopeMessage>;
	readonly #root: string;
	readonly #agent: string;
	#calls: ReadonlyMap<string, CallBlock> | undefined;

	/** `root`: the project's folder, which paths in it leave out. */
	constructor({ messages }: ContextEnvelope, { root, agent }: { readonly root: string; readonly agent: string }) {
		this.#messages = new Map([...messages.cached, ...messages.uncached].map((message) => [message.id, message]));
		this.#root = root;
		this.#agent = agent;
	}

	of(id: string): MessageLine | undefined {
		const message = this.#messages.get(id);
		return message && this.line(message);
	}

	/** Who speaks, with which tool on what, and how it begins. */
	line(message: EnvelopeMessage): MessageLine {
		const { speaker, role, blocks, shown } = readWire(message, guessForm(message));
		const texts: string[] = shown === undefined ? [] : [begin(shown)];
		let tool: string | null = null;
		const said = blocks.flatMap((block) => (block.kind === "text" ? [block.text] : []));
		const own =
			speaker === "user" && !message.seed
				? said.map((text) => userWords(cutStart(text, MAX_READ_CHARS), this.#agent))
				: said;
		const isPrograms = said.length > 0 && own.every((text) => text === "") && blocks.length === said.length;
		for (const block of shown === undefined ? blocks : []) {
			const isFirst: boolean = tool === null;
			switch (block.kind) {
				case "call":
					tool ??= block.tool;
					texts.push(isFirst ? this.#about(block) : `→ ${block.tool} ${this.#about(block)}`);
					break;
				case "result": {
					const call = this.#call(block.callId);
					tool ??= call?.tool ?? block.tool ?? null;
					texts.push([call ? this.#about(call) : "", begin(block.shown)].filter(Boolean).join(" → "));
					break;
				}
				case "text":
					texts.push(begin(isPrograms ? block.text : (own[said.indexOf(block.text)] ?? "")));
					break;
				case "image":
					texts.push("[image]");
					break;
				case "thinking":
					if (blocks.length === 1) texts.push("[thinking]");
					break;
				default:
					texts.push(`[${block.name}]`);
			}
		}
		return {
			role: message.seed ? "seed" : isPrograms ? "program" : speaker === "other" ? role : speaker,
			tool,
			preview: cutWithEllipsis(oneLine(texts.filter(Boolean).join(" · ")), PREVIEW_CHARS),
		};
	}

	#about(call: CallBlock): string {
		return withoutRoot(callGist(call).slice(call.tool.length).trim(), this.#root);
	}

	#call(id: string): CallBlock | undefined {
		this.#calls ??= new Map(
			[...this.#messages.values()]
				.flatMap((message) => callsOf(readWire(message, guessForm(message))))
				.map((call) => [call.id, call]),
		);
		return this.#calls.get(id);
	}
}

function begin(text: string): string {
	return cutWithEllipsis(text, PREVIEW_CHARS * 2);
}
