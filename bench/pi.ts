/**
 * `npm run bench -- pi`: weft's work for a request in Pi, compared with one JSON.stringify of the sent messages. The hooks
 * are those that the extension registers, called in the order in which Pi calls them, on Pi's own session manager.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExtensionAPI, ExtensionContext, SessionManager } from "@earendil-works/pi-coding-agent";
import { register } from "../src/agent/pi/register.ts";
import { EngineError } from "../src/base/error/engine-error.ts";
import { openEngine } from "../src/engine.ts";
import { median, micros, type Ratio } from "./measure.ts";
import { measurePiCpu } from "./pi-cpu.ts";
import { WorkSource } from "./work.ts";

const SMALL_EVENTS = 10_000;
const LARGE_EVENTS = 100_000;
const BATCH_EVENTS = 2_000;
const WARM_ROUNDS = 60;
const ROUNDS = 120;
const FILES = 40;
const RESULT_CHARS = 6_000;

/** Between an answered turn and the next request. */
const REQUEST_HOOKS = new Set(["context", "before_provider_request"]);

/** Medians of a round, ms. */
interface Times {
	/** The time that a request waits. */
	readonly ours: number;
	/** The hooks around a tool call and at the end of the turn. */
	readonly rest: number;
	readonly stringify: number;
}

export interface PiBenchOptions {
	readonly onProgress?: (what: string) => void;
	/** Events of the long log. */
	readonly events?: number | undefined;
}

export interface PiBenchReport {
	readonly ratios: readonly Ratio[];
}

export async function runPiBench(options: PiBenchOptions = {}): Promise<PiBenchReport> {
	const say = options.onProgress ?? (() => {});
	const folder = mkdtempSync(join(tmpdir(), "weft-bench-pi-"));
	try {
		say(`a session on a log of ${SMALL_EVENTS} events`);
		const small = await measureRequests(join(folder, "small"), SMALL_EVENTS);
		const events = options.events ?? LARGE_EVENTS;
		say(`the same on ${events} events`);
		const large = await measureRequests(join(folder, "large"), events);
		const real = await measurePiCpu({ folder, onProgress: say });
		return {
			ratios: [
				{
					name: `what a request pays at ${SMALL_EVENTS} events`,
					beside: "JSON.stringify of its messages",
					ratio: small.ours / small.stringify,
					bound: 3,
					detail: `${micros(small.ours)} against ${micros(small.stringify)}; a tool call's hooks ${micros(small.rest)}`,
				},
				{
					name: `the same at ${events} events`,
					beside: `at ${SMALL_EVENTS}`,
					ratio: large.ours / small.ours,
					bound: 1.5,
					detail: `${micros(large.ours)} against ${micros(large.stringify)}; a tool call's hooks ${micros(large.rest)}`,
				},
				...real,
			],
		};
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function measureRequests(folder: string, events: number): Promise<Times> {
	const project = join(folder, "project");
	mkdirSync(project, { recursive: true });
	for (let n = 0; n < FILES; n++) writeFileSync(join(project, `f${n}.txt`), text(n));
	const before = process.env["WEFT_HOME"];
	process.env["WEFT_HOME"] = join(folder, "home");
	try {
		fill(project, events);
		const host = await Host.start(project);
		const times: Times[] = [];
		for (let n = 0; n < WARM_ROUNDS + ROUNDS; n++) times.push(await host.round(n));
		await host.end();
		refuseFaults(project);
		const measured = times.slice(WARM_ROUNDS);
		const medianOf = (field: keyof Times) => median(measured.map((each) => each[field]));
		return { ours: medianOf("ours"), rest: medianOf("rest"), stringify: medianOf("stringify") };
	} finally {
		if (before === undefined) delete process.env["WEFT_HOME"];
		else process.env["WEFT_HOME"] = before;
	}
}

function fill(project: string, events: number): void {
	const engine = openEngine({ cwd: project, host: "bench" });
	const source = new WorkSource();
	for (let done = 0; done < events; done += BATCH_EVENTS) engine.log.append(source.events(BATCH_EVENTS));
	engine.state();
	engine.log.settle({ all: true });
	engine.close();
}

/** A hook that failed took no time, and the others had less to do. */
function refuseFaults(project: string): void {
	const engine = openEngine({ cwd: project, host: "pi", env: process.env });
	try {
		const [fault] = [...engine.log.read({ types: ["Fault"] })];
		if (fault) throw new Error(`weft failed: ${JSON.stringify(fault.payload)}`);
	} finally {
		engine.close();
	}
}

function text(n: number): string {
	return `file ${n} `.repeat(RESULT_CHARS / 8).slice(0, RESULT_CHARS);
}

type Handler = (event: unknown, ctx: ExtensionContext) => unknown;

/** Pi, as far as the hooks see it. */
class Host {
	readonly #handlers = new Map<string, Handler[]>();
	readonly #manager: SessionManager;
	readonly #ctx: ExtensionContext;

	private constructor(manager: SessionManager, cwd: string) {
		this.#manager = manager;
		const model = {
			provider: "bench",
			id: "bench",
			api: "anthropic-messages",
			contextWindow: 200_000,
			maxTokens: 8_192,
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
		};
		this.#ctx = {
			sessionManager: manager,
			model,
			modelRegistry: { find: () => undefined, isUsingOAuth: () => false },
			cwd,
			mode: "print",
			hasUI: false,
			isProjectTrusted: () => true,
			isIdle: () => false,
			getSystemPrompt: () => "",
		} as unknown as ExtensionContext;
		register(
			new Proxy({} as ExtensionAPI, {
				get: (_target, name) => {
					if (name === "on") return (event: string, handler: Handler) => this.#add(event, handler);
					if (name === "events") return { on: () => {}, emit: () => {} };
					return () => [];
				},
			}),
		);
	}

	static async start(cwd: string): Promise<Host> {
		const { SessionManager } = await import("@earendil-works/pi-coding-agent").catch((cause: unknown) => {
			throw new EngineError("not-found", "Pi is not installed here: npm i @earendil-works/pi-coding-agent.", { cause });
		});
		const host = new Host(SessionManager.inMemory(cwd), cwd);
		host.#manager.appendMessage({ role: "user", content: "Read the files.", timestamp: Date.now() });
		await host.#fire("session_start", { reason: "startup" });
		await host.#fire("agent_start", {});
		return host;
	}

	/** One request with one tool call; only weft's own work is timed. */
	async round(n: number): Promise<Times> {
		const messages = structuredClone(
			this.#manager.buildSessionProjection().messages.filter(({ role }) => role !== "system"),
		);
		const start = performance.now();
		JSON.stringify(messages);
		const stringify = performance.now() - start;
		let ours = 0;
		let rest = 0;
		const fire = async (name: string, event: object) => {
			const at = performance.now();
			const answers = await this.#fire(name, event);
			const spent = performance.now() - at;
			if (REQUEST_HOOKS.has(name)) ours += spent;
			else rest += spent;
			return answers;
		};
		const id = `call_${n}`;
		const path = `f${n % FILES}.txt`;
		const call = { toolName: "read", toolCallId: id, input: { path } };
		await fire("context", { messages });
		await fire("before_provider_request", { payload: { system: [], tools: [], messages: [] } });
		await fire("after_provider_response", { status: 200, headers: {} });
		await fire("message_start", {});
		this.#manager.appendMessage(answer(id, path) as never);
		await fire("tool_call", call);
		const content = [{ type: "text", text: text(n) }];
		await fire("tool_result", { ...call, content, isError: false });
		this.#manager.appendMessage({
			role: "toolResult",
			toolCallId: id,
			toolName: "read",
			content,
			isError: false,
		} as never);
		const [result] = (await fire("turn_end", { outcome: "completed", entries: [] })).filter(Boolean);
		for (const draft of (result as { entries?: Draft[] } | undefined)?.entries ?? []) {
			if (draft.type === "compaction")
				this.#manager.appendCompaction(draft.summary!, draft.firstKeptEntryId!, 0, draft.details);
		}
		return { ours, rest, stringify };
	}

	async end(): Promise<void> {
		await this.#fire("session_shutdown", { reason: "quit" });
	}

	#add(name: string, handler: Handler): void {
		this.#handlers.set(name, [...(this.#handlers.get(name) ?? []), handler]);
	}

	async #fire(name: string, event: object): Promise<unknown[]> {
		const answers: unknown[] = [];
		for (const handler of this.#handlers.get(name) ?? [])
			answers.push(await handler({ type: name, ...event }, this.#ctx));
		return answers;
	}
}

interface Draft {
	readonly type: string;
	readonly summary?: string;
	readonly firstKeptEntryId?: string;
	readonly details?: unknown;
}

function answer(id: string, path: string): object {
	return {
		role: "assistant",
		content: [{ type: "toolCall", id, name: "read", arguments: { path } }],
		api: "anthropic-messages",
		provider: "bench",
		model: "bench",
		stopReason: "toolUse",
		timestamp: Date.now(),
	};
}
