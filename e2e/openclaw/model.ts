/**
 * A model on loopback that does what the words of the user say, counts tokens and refuses what is over its window. What it
 * was sent is kept, by session: the proof of everything else. Triggers in the user's words:
 *   RUN:a:1-5       reads data/a-01.txt … data/a-05.txt, one call each, then answers
 *   BATCH:a:1-10    the same, five calls in each answer
 *   CALL:tool:{…}   calls a tool once with these arguments, then answers
 *   RECALL:a:1-5    finds these files by lcm_grep, five calls at once, and reads each back with lcm_expand
 *   FAIL:x HANG:x   answers with an error, or not at all
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CONTEXT_TAG } from "../../src/message/recall-tags.ts";
import type { ModelAnswer } from "../../test/rig/answer.ts";
import { type ThinkingProvider, thoughts } from "../../test/rig/thinking-provider.ts";
import { fromAnthropic, sayAnthropic } from "./anthropic.ts";
import type { Body, Call, Said, WireMessage } from "./protocol.ts";

export interface WireRequest {
	/** Whose it is, by the address that it came to. */
	readonly gateway: string;
	readonly session: string;
	readonly model: string;
	readonly messages: readonly WireMessage[];
	readonly tools: readonly unknown[];
	/** As this provider counts: characters of the body by four. */
	readonly tokens: number;
	/** How many the answer may have; undefined: the host names no limit. */
	readonly room: number | undefined;
	/** Of them, those that the request before it began with. */
	readonly cached: number;
	/** call, text, refused, failed; aux: a request without tools, such as one for a summary. */
	readonly kind: string;
	readonly at: number;
}

/** What the model does next, given what its last calls gave. */
type Script = Generator<readonly Call[], string, readonly string[]>;

/** Calls in one answer. */
const MAX_AT_ONCE = 5;
/** The host's system prompt says the date: a run over midnight must not look as if a head had changed. */
const DATE_LINE = /(Current date: )\d{4}-\d\d-\d\d/g;

const CACHE_STEP_TOKENS = 64;
const CARRIER = "BEGIN_OPENCLAW_INTERNAL_CONTEXT";
export const SEED_OPENING = /The (?:work|conversation) so far, computed/;
export const RECALLED = new RegExp(`<${CONTEXT_TAG}>[\\s\\S]*?</${CONTEXT_TAG}>`, "g");
/** The host's own lines on who wrote a message. An answer that repeats them says nothing, for the host. */
const SENDER_NOTE = /^(?:\[[^\]\n]*UTC\] )?[^\n]*⟦openclaw:ctx⟧\n```json\n[\s\S]*?\n```\n*/gm;
/** Headings that the host's own compaction demands of a summary. */
const SUMMARY = (ids: string) =>
	`## Decisions\n- The agent read data files and noted what they hold.\n\n## Open TODOs\n- None.\n\n## Constraints/Rules\n- none\n\n## Pending user asks\n- None.\n\n## Exact identifiers\n- ${ids || "none"}`;

export class ScriptedModel {
	readonly requests: WireRequest[] = [];
	/** Whole texts that RECALL read back, by file. */
	readonly recalled = new Map<string, string>();
	/** Told of every request before it is answered. */
	onRequest: ((request: WireRequest) => void | Promise<void>) | undefined;
	/** Answers requests without tools; undefined: with a summary. */
	side: ((words: string) => string | undefined) | undefined;
	/** Over Anthropic's protocol the model thinks, and this checks the thinking that comes back. */
	provider: ThinkingProvider | undefined;
	readonly #server: Server;
	readonly #scripts = new Map<string, Script>();
	readonly #seen = new Set<string>();
	readonly #last = new Map<string, string>();
	#calls = 0;

	private constructor(server: Server) {
		this.#server = server;
	}

	static async start(): Promise<ScriptedModel> {
		const server = createServer();
		// A host that waited for a minute finds its connection as it was.
		server.keepAliveTimeout = 0;
		const model = new ScriptedModel(server);
		server.on("request", (request, response) => {
			void model.#answer(request, response).catch(() => response.destroy());
		});
		await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
		return model;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	of(session: string): WireRequest[] {
		return this.requests.filter((request) => request.session === session && request.kind !== "aux");
	}

	stop(): void {
		this.#server.closeAllConnections();
		this.#server.close();
	}

	async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of incoming) chunks.push(chunk as Buffer);
		const written = Buffer.concat(chunks).toString() || "{}";
		const sent = JSON.parse(written.replaceAll(DATE_LINE, "$1")) as Body;
		const isOther = incoming.url?.includes("/messages") === true;
		const body = isOther ? fromAnthropic(sent) : sent;
		const { messages = [], tools = [], model = "", max_tokens, max_completion_tokens: room = max_tokens } = body;
		const canon = JSON.stringify(tools) + messages.map((message) => JSON.stringify(message)).join("\n");
		const session = sessionIn(canon);
		const tokens = Math.ceil(canon.length / 4);
		const shared = samePrefix(this.#last.get(session) ?? "", canon);
		const cached = Math.floor(shared / 4 / CACHE_STEP_TOKENS) * CACHE_STEP_TOKENS;
		const fresh = freshWords(messages);
		const window = Number(/^m(\d+)$/.exec(model)?.[1] ?? 64) * 1_000;
		const aux = tools.length === 0;
		// Words of turns that failed before stand there too: each fails once.
		const failing = [...fresh.matchAll(/\b(FAIL|HANG):(\w+)/g)].find(([said]) => !this.#seen.has(`${session} ${said}`));
		if (failing) this.#seen.add(`${session} ${failing[0]}`);
		const isRefused = tokens > window;
		const next = aux || isRefused || failing ? undefined : this.#next(session, fresh, messages);
		const kind = aux ? "aux" : isRefused ? "refused" : failing ? "failed" : typeof next === "object" ? "call" : "text";
		const gateway = incoming.url?.split("/")[1] ?? "";
		const request = { gateway, session, model, messages, tools, tokens, room, cached, kind, at: Date.now() };
		this.requests.push(request);
		await this.onRequest?.(request);
		if (isRefused) return refuse(response, tokens, window);
		const provider = isOther && !aux ? this.provider : undefined;
		const wrong = provider?.check({ ...sent });
		if (provider && wrong !== undefined) {
			provider.refused.push(`${session}: ${wrong}`);
			const error = { type: "error", error: { type: "invalid_request_error", message: wrong } };
			response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(error));
			return;
		}
		if (failing?.[1] === "HANG") return;
		if (failing) return fail(response);
		if (!aux) this.#last.set(session, canon);
		const ids = [...new Set(canon.match(/data\/[a-f]-\d\d\.txt/g) ?? [])].slice(0, 60).join(", ");
		const answer = isOther ? sayAnthropic : say;
		const said: Said = {
			model,
			text: aux ? (this.side?.(canon) ?? SUMMARY(ids)) : typeof next === "string" ? next : undefined,
			calls: typeof next === "object" ? next.map((call) => ({ ...call, id: callId(++this.#calls, isOther) })) : [],
			usage: { tokens, cached },
			stream: body.stream !== false && body.stream !== undefined,
		};
		const { thinking } = provider?.sign({ ...sent }, thoughtBefore(said)) ?? {};
		answer(response, typeof thinking === "object" ? { ...said, thinking } : said);
	}

	#next(session: string, fresh: string, messages: readonly WireMessage[]): readonly Call[] | string {
		const triggers = fresh.match(/\b(?:RUN|BATCH|CALL|RECALL):\S+/g) ?? [];
		const trigger = triggers.find((each) => !this.#seen.has(`${session} ${each}`));
		if (trigger) {
			this.#seen.add(`${session} ${trigger}`);
			this.#scripts.set(session, this.#script(trigger, fresh));
		}
		const script = this.#scripts.get(session);
		if (!script) return `ok ${fresh.slice(0, 60).replaceAll(/\s+/g, " ")}`;
		const { value, done } = script.next(lastResults(messages));
		if (done) this.#scripts.delete(session);
		return value;
	}

	*#script(trigger: string, fresh: string): Script {
		const [, kind = "", name = "", from = "1", to = from] = /^(\w+):(\w+):(\d+)?(?:-(\d+))?/.exec(trigger) ?? [];
		if (kind === "CALL") {
			yield [{ name, args: JSON.parse(/CALL:\w+:(\{.*?\})(?:\s|$)/.exec(fresh)?.[1] ?? "{}") }];
			return "called";
		}
		const files = filesOf(name, Number(from), Number(to));
		const reads = files.map((file) => ({ name: "read", args: { path: `data/${file}.txt` } }));
		if (kind === "RUN") for (const read of reads) yield [read];
		else if (kind === "BATCH")
			for (let from = 0; from < reads.length; from += MAX_AT_ONCE) yield reads.slice(from, from + MAX_AT_ONCE);
		else
			for (let from = 0; from < files.length; from += MAX_AT_ONCE)
				yield* this.#recall(files.slice(from, from + MAX_AT_ONCE));
		return `done with ${trigger}`;
	}

	*#recall(files: readonly string[]): Generator<readonly Call[], void, readonly string[]> {
		const queries = files.map(queryOf);
		const found = yield queries.map((query) => ({ name: "lcm_grep", args: { query, scope: "messages" } }));
		const open: Reading[] = [];
		for (const [at, file] of files.entries()) {
			const text = found[at] ?? "";
			const handle = handleIn(text, queries[at]!);
			if (handle) open.push({ file, handle, offset: 0, pages: [] });
			else this.recalled.set(file, `not found by ${queries[at]}: ${text.slice(0, 200)}`);
		}
		for (let page = 0; page < 20 && open.length > 0; page++) {
			const texts = yield open.map(({ handle, offset }) => ({
				name: "lcm_expand",
				args: { summary_id: handle, offset, max_tokens: 3_000 },
			}));
			for (const [at, reading] of [...open].entries()) {
				const text = texts[at] ?? "";
				// Each page has a line of the tool's own before and behind it.
				reading.pages.push(text.slice(text.indexOf("\n") + 1, text.lastIndexOf("\n")));
				const next = Number(/offset[^\d]{1,20}(\d+)/.exec(text.slice(-300))?.[1] ?? 0);
				if (next > reading.offset) reading.offset = next;
				else open.splice(open.indexOf(reading), 1);
				this.recalled.set(reading.file, reading.pages.join(""));
			}
		}
	}
}

/** The host rewrites ids that are not of the provider's own form, in each later turn. */
function callId(number: number, isAnthropic: boolean): string {
	return isAnthropic ? `toolu_${String(number).padStart(20, "0")}` : `call_${number}`;
}

function thoughtBefore({ text, calls }: Said): ModelAnswer {
	const thinking = thoughts(Number(calls[0]?.id.replace(/\D/g, "") ?? 0));
	return { thinking, toolCalls: calls, ...(text === undefined ? {} : { text }) };
}

/** A result that is read back page by page. */
interface Reading {
	readonly file: string;
	readonly handle: string;
	offset: number;
	readonly pages: string[];
}

function queryOf(file: string): string {
	const [letter, number] = file.split("-");
	return `FACT-${letter}-${Number(number)}`;
}

function handleIn(found: string, query: string): string | undefined {
	const hits = found.split(/\n(?=\[\d+\] )/).filter((hit) => hit.includes(`${query}:`));
	return hits.map((hit) => /\] (m-[a-z0-9]+) \(toolResult\/read/.exec(hit)?.[1]).find(Boolean);
}

/** What the tools said since the model spoke last. */
function lastResults(messages: readonly WireMessage[]): string[] {
	const spoke = messages.findLastIndex(({ role }) => role === "assistant");
	const results = messages.slice(spoke + 1).filter(({ role }) => role === "tool");
	return results.map(({ content }) => textOf(content));
}

/** The host's line about its runtime names it; requests on the side have other marks of it. */
function sessionIn(canon: string): string {
	const named = /session=(agent:[\w-]+:[\w:-]+)/.exec(canon)?.[1];
	return named ?? /agent:[\w-]+:[\w:-]+/.exec(canon)?.[0] ?? "-";
}

/** all: over all letters, twelve files each. */
function filesOf(name: string, from: number, to: number): string[] {
	const pad = (number: number) => String(number).padStart(2, "0");
	const count = to - from + 1;
	const numbers = Array.from({ length: count }, (_, nth) => from + nth);
	if (name !== "all") return numbers.map((number) => `${name}-${pad(number)}`);
	return numbers.map((number) => `${"abcdef"[Math.floor((number - 1) / 12) % 6]}-${pad(((number - 1) % 12) + 1)}`);
}

/** The user's words since the model or a tool spoke last. What an engine tells of earlier words is no order. */
function freshWords(messages: readonly WireMessage[]): string {
	const last = messages.findLastIndex(({ role }) => role === "assistant" || role === "tool");
	const users = messages.slice(last + 1).filter((message) => message.role === "user" && !isCarrier(message));
	const said = users.map(({ content }) => textOf(content)).filter((text) => !SEED_OPENING.test(text.slice(0, 200)));
	return said.join("\n").replaceAll(RECALLED, "").replaceAll(SENDER_NOTE, "");
}

export function textOf(content: unknown): string {
	if (typeof content === "string") return content;
	return Array.isArray(content) ? content.map((block) => String(block?.text ?? "")).join("\n") : "";
}

/** The host's own last message, which moves with every request. */
export function isCarrier({ role, content }: WireMessage): boolean {
	return role === "user" && textOf(content).slice(0, 80).includes(CARRIER);
}

function samePrefix(one: string, other: string): number {
	const most = Math.min(one.length, other.length);
	let at = 0;
	while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at++;
	return at;
}

function refuse(response: ServerResponse, tokens: number, window: number): void {
	const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
	const error = { message, type: "invalid_request_error", code: "context_length_exceeded" };
	response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));
}

function fail(response: ServerResponse): void {
	const error = { message: "Invalid value for 'temperature'.", type: "invalid_request_error", code: "invalid_value" };
	response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));
}

function say(response: ServerResponse, { model, text, calls, usage: { tokens, cached }, stream }: Said): void {
	const usage = {
		prompt_tokens: tokens,
		completion_tokens: 20,
		total_tokens: tokens + 20,
		prompt_tokens_details: { cached_tokens: cached },
	};
	const base = { id: `r-${tokens}-${Date.now()}`, created: 1_790_000_000, model };
	if (!stream) {
		const choices = [{ index: 0, message: { role: "assistant", content: text ?? "" }, finish_reason: "stop" }];
		response.writeHead(200, { "content-type": "application/json" });
		response.end(JSON.stringify({ ...base, object: "chat.completion", choices, usage }));
		return;
	}
	response.writeHead(200, { "content-type": "text/event-stream" });
	const write = (chunk: object) =>
		response.write(`data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", ...chunk })}\n\n`);
	const called = calls.map(({ id, name, args }, index) => {
		return { index, id, type: "function", function: { name, arguments: JSON.stringify(args) } };
	});
	const isCall = called.length > 0;
	const delta = isCall ? { tool_calls: called } : { content: text };
	write({ choices: [{ index: 0, delta: { role: "assistant", ...delta } }] });
	write({ choices: [{ index: 0, delta: {}, finish_reason: isCall ? "tool_calls" : "stop" }] });
	write({ choices: [], usage });
	response.end("data: [DONE]\n\n");
}
