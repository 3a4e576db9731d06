/**
 * The proxy in front of an agent that weft does not know: requests and answers become a session of the log, with usage and manifests.
 * With `rewrite` it also bounds the requests: the planner's own seal decides, and the cut is made in the agent's own bytes
 * (request-cut.ts). Requests that it cannot read pass as they came.
 */
import type { IncomingHttpHeaders } from "node:http";
import { BoundedMap } from "../../base/collection/bounded.ts";
import { asName, asObject, type JsonObject } from "../../base/json/read.ts";
import { listedWindow } from "../../base/tokens/model-windows.ts";
import type { Engine } from "../../engine.ts";
import { anthropicDialect } from "../../message/dialect/anthropic/dialect.ts";
import type { Dialect } from "../../message/dialect/dialect.ts";
import { chatDialect } from "../../message/dialect/openai-chat/dialect.ts";
import { responsesDialect } from "../../message/dialect/openai-responses/dialect.ts";
import { Conversation, WIRE } from "./conversation.ts";
import { EventTap } from "./event-tap.ts";
import { oneHeader } from "./headers.ts";
import { passedManifest, sizeRequest } from "./manifest.ts";
import { type CutRequest, cutRequest, takeOverSeals } from "./request-cut.ts";
import { parseBody, unpackBody } from "./request-encoding.ts";
import type { Decision, MetRequest, Visit, Watch } from "./watch.ts";
import { type Placement, WireLines } from "./wire-lines.ts";

export interface WireRecorderOptions {
	readonly engine: () => Engine | undefined;
	readonly cwd: string;
	readonly rewrite?: boolean | undefined;
	/** Tokens of the model's window, as far as seals go by it. */
	readonly window?: number | undefined;
	readonly onFail: (where: string, error: unknown) => void;
	readonly now?: (() => number) | undefined;
}

const DIALECTS: readonly Dialect[] = [anthropicDialect, chatDialect, responsesDialect];
const MAX_CONVERSATIONS = 100;
/** Messages of the log that a new proxy reads, so that it knows their sessions. */
const MAX_KNOWN_MESSAGES = 20_000;

/** A request that is written down. */
interface RecordedRequest {
	readonly dialect: Dialect;
	readonly body: JsonObject;
	readonly place: Placement;
	readonly conversation: Conversation;
	/** The newest entry of the request, and its seq. */
	readonly tip: string | undefined;
	readonly leaf: number | undefined;
}

export class WireRecorder implements Watch {
	readonly #options: WireRecorderOptions;
	readonly #conversations = new BoundedMap<string, Conversation>(MAX_CONVERSATIONS);
	/** Sessions whose seal could not be applied. */
	readonly #uncut = new Set<string>();
	#lines: WireLines | undefined;

	constructor(options: WireRecorderOptions) {
		this.#options = options;
	}

	meet({ method, path, headers }: MetRequest): Visit | undefined {
		const dialect = DIALECTS.find((each) => each.isCall(method, path));
		if (!dialect) return undefined;
		return {
			wanted: this.#options.rewrite ? "whole" : "ahead",
			decide: (body) => this.#decide(dialect, headers, body.whole()),
		};
	}

	fail(where: string, error: unknown): void {
		this.#options.onFail(where, error);
	}

	async #decide(dialect: Dialect, headers: IncomingHttpHeaders, bytes: Buffer): Promise<Decision> {
		const unpacked = await unpackBody(bytes, headers["content-encoding"]);
		const body = unpacked && parseBody(unpacked);
		const engine = this.#options.engine();
		if (!body || !engine || engine.log.readOnly) return { kind: "pass" };
		const lines = this.#linesOf(engine);
		const place = lines.place({
			dialect,
			messages: dialect.readMessages(body),
			name: sessionNamed(headers),
			previous: asName(body["previous_response_id"]),
			conversation: safeName(asName(body["conversation"]) ?? asName(asObject(body["conversation"])?.["id"])),
			hasTools: hasTools(body),
			isUsed: (session) => engine.history.tree.tip({ session, host: WIRE }) !== undefined,
		});
		if (!place) return { kind: "pass" };
		const conversation = this.#hold(place.session, lines);
		const { now = Date.now, cwd } = this.#options;
		engine.record(conversation.take(place, dialect, { ts: now(), cwd }));
		lines.begin(place, dialect);
		engine.history.tree.catchUp();
		const { tip } = conversation;
		const leaf = tip === undefined ? undefined : engine.history.tree.find(conversation.ref, tip);
		const seen = { dialect, body, place, conversation, tip, leaf };
		const cut = this.#options.rewrite && isWhole(body) ? await this.#cut(engine, seen) : undefined;
		const tap = this.#tap(engine, seen, cut);
		return cut ? { kind: "replace", body: Buffer.from(JSON.stringify(cut.body)), tap } : { kind: "pass", tap };
	}

	async #cut(engine: Engine, { dialect, body, place, conversation }: RecordedRequest): Promise<CutRequest | undefined> {
		const { session, named, parent, passing = 0 } = place;
		// A seal follows a message that the next request will hold.
		const tip = conversation.tipBefore(passing);
		const leaf = tip === undefined ? undefined : engine.history.tree.find(conversation.ref, tip);
		try {
			const { window = listedWindow(asName(body["model"])) } = this.#options;
			const namesTools = JSON.stringify(body["tools"] ?? "").includes("lcm_expand");
			if (parent) takeOverSeals(engine, { session: parent.session, host: WIRE }, conversation.ref);
			const input = { ...conversation.ref, leaf, window, namesTools };
			return await cutRequest(engine, input, { dialect, body, named }, (error) => {
				if (!this.#uncut.has(session)) this.fail("rewrite", error);
				this.#uncut.add(session);
			});
		} catch (error) {
			this.fail("rewrite", error);
			return undefined;
		}
	}

	#hold(session: string, lines: WireLines): Conversation {
		const conversation = this.#conversations.get(session) ?? new Conversation(session, lines.callsOf(session));
		// The conversation that was used last is dropped last.
		this.#conversations.delete(session);
		this.#conversations.set(session, conversation);
		return conversation;
	}

	#linesOf({ log }: Engine): WireLines {
		const query = { host: WIRE, types: ["Message"], order: "newest", limit: MAX_KNOWN_MESSAGES } as const;
		this.#lines ??= new WireLines([...log.read(query)].reverse());
		return this.#lines;
	}

	#tap(
		engine: Engine,
		{ dialect, body, place, conversation, tip, leaf }: RecordedRequest,
		cut: CutRequest | undefined,
	): EventTap {
		const reader = dialect.openAnswer();
		const lines = this.#linesOf(engine);
		return new EventTap({
			canChange: false,
			isWanted: () => true,
			onEvent: (data) => {
				reader.take(data);
				return undefined;
			},
			onEnd: ({ status, isWhole }) => {
				lines.end(place);
				const answer = status === 200 && isWhole ? reader.finish() : undefined;
				if (!answer) return;
				const { now = Date.now } = this.#options;
				const sent = cut?.named ?? place.named;
				const passed = sizeRequest(
					dialect.readHead(body),
					sent.map(({ items }) => ({ items })),
				);
				const request = answer.id ?? `${place.tip} ${conversation.requests}`;
				const reason = cut?.isNew ? cut.reason : "the agent changed what it had sent";
				const model = answer.model;
				const payload = passedManifest({ request, model, reason }, passed, conversation.passed);
				conversation.requests++;
				conversation.passed = passed;
				const entry = lines.nameAnswer(place);
				engine.record([
					{ ...conversation.ref, type: "Request", entry: `request ${request}`, cause: leaf, payload },
					...conversation.takeAnswer(entry, tip, answer, dialect.api, now()),
				]);
				lines.answered(place, entry, answer.content, answer.id);
			},
		});
	}
}

function hasTools({ tools, functions }: JsonObject): boolean {
	return [tools, functions].some((list) => Array.isArray(list) && list.length > 0);
}

/** False: the provider keeps the earlier messages, so there is nothing to remove. */
function isWhole(body: JsonObject): boolean {
	return [body["previous_response_id"], body["conversation"]].every((id) => id === undefined || id === null);
}

/** Agents name their session in one of these headers. A `prompt_cache_key` is no such name: whole applications share it. */
const SESSION_HEADERS = ["x-session-id", "x-session-affinity", "session-id", "session_id", "thread-id"];
const MAX_NAME_CHARS = 100;

function sessionNamed(headers: IncomingHttpHeaders): string | undefined {
	return safeName(SESSION_HEADERS.map((header) => oneHeader(headers, header)).find((each) => each !== undefined));
}

/** Undefined: it cannot be the name of a session. */
function safeName(name: string | undefined): string | undefined {
	return name !== undefined && /^[\w.:-]+$/.test(name) && name.length <= MAX_NAME_CHARS ? name : undefined;
}
