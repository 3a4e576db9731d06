/**
 * The proxy before an agent that nobody knows: requests and answers become a session of the log, with their usage and with what
 * was sent. With `rewrite` it also bounds what goes out: the planner's own seal decides, and the epoch is cut on the agent's own
 * bytes (rewrite.ts). Whatever is not understood passes as it came.
 */
import type { Engine } from "../../engine.ts";
import { type JsonObject, parseObject } from "../../json/read.ts";
import { Conversation, type NamedSpoken, nameSpoken, WIRE } from "./conversation.ts";
import { unpackBody } from "./decode.ts";
import { EventTap } from "./event-tap.ts";
import { passedManifest, sizeRequest } from "./manifest.ts";
import { type Cut, cutRequest } from "./rewrite.ts";
import { chatTalk } from "./talk/chat.ts";
import { messagesTalk } from "./talk/messages.ts";
import { responsesTalk } from "./talk/responses.ts";
import { sessionNamed, type Talk } from "./talk/talk.ts";
import type { Decision, SeenRequest, Wanted, Watch } from "./watch.ts";

export interface WireRecorderOptions {
	readonly engine: () => Engine | undefined;
	readonly cwd: string;
	readonly rewrite?: boolean | undefined;
	/** Tokens of the model's window, as far as seals go by it. */
	readonly window?: number | undefined;
	readonly onFail: (where: string, error: unknown) => void;
	readonly now?: (() => number) | undefined;
}

const TALKS: readonly Talk[] = [messagesTalk, chatTalk, responsesTalk];
const MOST_CONVERSATIONS = 100;
/** So many messages of the log are known by their names when a proxy starts. */
const MOST_KNOWN = 20_000;

interface Seen {
	readonly talk: Talk;
	readonly body: JsonObject;
	readonly named: readonly NamedSpoken[];
	readonly conversation: Conversation;
	readonly leaf: number | undefined;
}

export class WireRecorder implements Watch {
	readonly #options: WireRecorderOptions;
	readonly #conversations = new Map<string, Conversation>();
	/** Sessions by the names of their messages. */
	#known: Map<string, string> | undefined;

	constructor(options: WireRecorderOptions) {
		this.#options = options;
	}

	wants({ method, path }: Omit<SeenRequest, "body">): Wanted | undefined {
		if (!TALKS.some((talk) => talk.isCall(method, path))) return undefined;
		return this.#options.rewrite ? "whole" : "ahead";
	}

	fail(where: string, error: unknown): void {
		this.#options.onFail(where, error);
	}

	async decide({ method, path, headers, body: bytes }: SeenRequest): Promise<Decision> {
		const talk = TALKS.find((each) => each.isCall(method, path));
		const unpacked = await unpackBody(bytes, headers["content-encoding"]);
		const body = unpacked && parseObject(unpacked.toString("utf8"));
		const engine = this.#options.engine();
		if (!talk || !body || !engine || engine.log.readOnly) return { kind: "pass" };
		const named = nameSpoken(talk.spoken(body));
		const conversation = this.#conversationOf(engine, named, sessionNamed(headers, body), hasTools(body));
		if (!conversation) return { kind: "pass" };
		const { now = Date.now, cwd } = this.#options;
		engine.record(conversation.take(named, talk, { ts: now(), cwd }));
		for (const { entry } of named) this.#names(engine).set(entry, conversation.session);
		engine.history.tree.catchUp();
		const seen = { talk, body, named, conversation, leaf: engine.history.tree.tip(conversation.ref) };
		const cut = this.#options.rewrite ? await this.#cut(engine, seen) : undefined;
		const tap = this.#tap(engine, seen, cut);
		return cut ? { kind: "replace", body: Buffer.from(JSON.stringify(cut.body)), tap } : { kind: "pass", tap };
	}

	async #cut(engine: Engine, { talk, body, named, conversation, leaf }: Seen): Promise<Cut | undefined> {
		try {
			const { window } = this.#options;
			const namesTools = JSON.stringify(body["tools"] ?? "").includes("lcm_expand");
			return await cutRequest(engine, { ...conversation.ref, leaf, window, namesTools }, { talk, body, named });
		} catch (error) {
			this.fail("rewrite", error);
			return undefined;
		}
	}

	/** Undefined: nothing that is a conversation yet. */
	#conversationOf(
		engine: Engine,
		named: readonly NamedSpoken[],
		session: string | undefined,
		hasTools: boolean,
	): Conversation | undefined {
		const first = named[0];
		if (!first || first.speaker === "assistant") return undefined;
		const known = this.#names(engine);
		const found = named.findLast(({ entry, speaker }) => speaker !== "assistant" && known.has(entry));
		const isFirst = !named.some(({ speaker }) => speaker === "assistant");
		// A title or a question beside the work: if it becomes a conversation, its next request tells all of it.
		if (!found && isFirst && !hasTools && session === undefined) return undefined;
		const name = session ?? (found && known.get(found.entry));
		// The same first words again, after an answer to them, begin another session.
		const isAgain = session === undefined && isFirst && name !== undefined && this.#hold(name).hasAnswered(first.entry);
		return this.#hold(name === undefined || isAgain ? this.#newName(first.entry) : name);
	}

	#newName(entry: string): string {
		const names = new Set(this.#known?.values());
		let name = `wire-${entry}`;
		for (let n = 2; names.has(name); n++) name = `wire-${entry}-${n}`;
		return name;
	}

	#hold(session: string): Conversation {
		const conversation = this.#conversations.get(session) ?? new Conversation(session);
		this.#conversations.delete(session);
		this.#conversations.set(session, conversation);
		if (this.#conversations.size > MOST_CONVERSATIONS)
			this.#conversations.delete(this.#conversations.keys().next().value!);
		return conversation;
	}

	#names({ log }: Engine): Map<string, string> {
		if (this.#known) return this.#known;
		const query = { host: WIRE, types: ["Message"], order: "newest", limit: MOST_KNOWN } as const;
		const newest = [...log.read(query)].reverse();
		this.#known = new Map(newest.flatMap(({ entry, session }) => (entry === null ? [] : [[entry, session]])));
		return this.#known;
	}

	#tap(engine: Engine, { talk, body, named, conversation, leaf }: Seen, cut: Cut | undefined): EventTap {
		const reader = talk.answer();
		const last = named.at(-1)!;
		return new EventTap({
			mayChange: false,
			isWanted: () => true,
			onEvent: (data) => {
				reader.take(data);
				return undefined;
			},
			onEnd: ({ status, isWhole }) => {
				const answer = status === 200 && isWhole ? reader.made() : undefined;
				if (!answer) return;
				const { now = Date.now } = this.#options;
				const sent = cut?.named ?? named;
				const passed = sizeRequest(
					talk.head(body),
					sent.map(({ items }) => ({ items })),
				);
				const request = answer.id ?? `${last.entry} ${conversation.requests}`;
				const reason = cut?.isNew ? cut.reason : "the agent changed what it had sent";
				const model = answer.model;
				const payload = passedManifest({ request, model, reason }, passed, conversation.passed);
				conversation.requests++;
				conversation.passed = passed;
				engine.record([
					{ ...conversation.ref, type: "Request", entry: `request ${request}`, cause: leaf, payload },
					...conversation.takeAnswer(last, answer, talk.api, now()),
				]);
			},
		});
	}
}

function hasTools({ tools, functions }: JsonObject): boolean {
	return [tools, functions].some((list) => Array.isArray(list) && list.length > 0);
}
