/**
 * How long does the proxy delay the first byte of an answer? The same requests go in turn through `weft proxy` and a bare proxy
 * of twenty lines, each in its own process, to a local provider that answers at once. Also measures memory over many requests.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { JsonObject } from "../src/base/json/read.ts";
import { renderEvent } from "../src/message/dialect/dialect.ts";
import { median, type Ratio, timed } from "./measure.ts";
import { type AgentRequest, SEALED_AGENTS, type SealedAgent, sessionOf } from "./seal-answer.ts";

const BOUND = 1.15;
const MEMORY_BOUND = 1.3;
const SIZES = { "10 KB": 10_000, "500 KB": 500_000 } as const;
const ROUNDS = 200;
/** Each gives its own figure, which shows the spread. */
const PARTS = 5;
/** An agent runs a tool between two requests. */
const TOOL_MS = 40;
/** Each of 120 requests and 200,000 tokens. */
const SESSIONS = 5;
const SEAL_BOUND = 12;
const OURS = /"(?:msg_weft_seed|resp_weft_\w+)"/;
const MANY_REQUESTS = 1_000;

const BARE = `
const http = require("node:http"); const up = new URL(process.argv[1]); const agent = new http.Agent({ keepAlive: true });
http.createServer((request, response) => {
	const asked = http.request({ host: up.hostname, port: up.port, path: request.url, method: request.method, headers: request.headers, agent },
		(answer) => { response.writeHead(answer.statusCode, answer.headers); answer.pipe(response); });
	asked.on("error", () => response.destroy()); request.pipe(asked);
}).listen(0, "127.0.0.1", function () { console.log(JSON.stringify({ address: "http://127.0.0.1:" + this.address().port })); });`;

export async function runProxyBench({
	requests = MANY_REQUESTS,
	onProgress,
}: {
	readonly requests?: number | undefined;
	readonly onProgress: (what: string) => void;
}): Promise<{ readonly ratios: readonly Ratio[] }> {
	const folder = mkdtempSync(join(tmpdir(), "weft-bench-proxy-"));
	const provider = await startProvider();
	const children: ChildProcess[] = [];
	try {
		const upstream = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
		const bare = await started(children, spawn(process.execPath, ["-e", BARE, upstream], quiet({})));
		const main = join(import.meta.dirname, "..", "src", "show", "cli", "main.ts");
		const cwd = join(folder, "project");
		mkdirSync(cwd);
		const places = { CLAUDE_CONFIG_DIR: join(folder, "claude"), CODEX_HOME: join(folder, "codex") };
		const env = { HOME: folder, ...places, WEFT_HOME: join(folder, "weft") };
		const args = [main, "--json", "proxy", "--upstream", upstream];
		const ours = await started(children, spawn(process.execPath, args, { ...quiet(env), cwd }));
		const pid = children.at(-1)!.pid!;
		const session = new Session(folder, cwd);
		const ratios: Ratio[] = [];
		for (const [name, bytes] of Object.entries(SIZES)) {
			onProgress(`${name}: ${ROUNDS} requests through each`);
			const pairs: Pair[] = [];
			for (let round = -5; round < ROUNDS; round++) {
				const body = session.next(bytes);
				const pair = { ours: 0, bare: 0 };
				// In turn, so that a noisy machine disturbs both alike.
				for (const arm of round % 2 === 0 ? (["bare", "ours"] as const) : (["ours", "bare"] as const)) {
					pair[arm] = await firstByte(arm === "ours" ? ours : bare, session.id, body);
					await pause(TOOL_MS);
				}
				if (round >= 0) pairs.push(pair);
			}
			const ratio = pairedRatio(pairs);
			const parts = Array.from({ length: PARTS }, (_, n) => pairedRatio(pairs.filter((_pair, at) => at % PARTS === n)));
			const [one, other] = [median(pairs.map((pair) => pair.ours)), median(pairs.map((pair) => pair.bare))];
			const spread = `${Math.min(...parts).toFixed(2)} to ${Math.max(...parts).toFixed(2)} in ${PARTS} parts`;
			const detail = `${one.toFixed(2)} ms beside ${other.toFixed(2)} ms, medians of ${ROUNDS} pairs; ${spread}`;
			ratios.push({ name: `first byte, ${name}`, beside: "a bare proxy", ratio, bound: BOUND, detail });
		}
		onProgress(`${requests} requests of 100 KB`);
		const memory: number[] = [];
		for (let n = 0; n < requests; n++) {
			await firstByte(ours, session.id, session.next(100_000));
			if (n === Math.floor(requests / 5) || n === requests - 1) memory.push(residentMb(pid));
		}
		const [early = 1, late = 1] = memory;
		const detail = `${late.toFixed(0)} MB after ${requests}, ${early.toFixed(0)} MB after a fifth of them`;
		const beside = "a fifth of the requests";
		ratios.push({ name: "memory, many requests", beside, ratio: late / early, bound: MEMORY_BOUND, detail });
		for (const wire of SEALED_AGENTS) {
			onProgress(`${wire}: ${SESSIONS} sessions that end with a summary`);
			const sealing = [main, "--json", "proxy", "--for", wire, "--upstream", upstream];
			const origin = await started(children, spawn(process.execPath, sealing, { ...quiet(env), cwd }));
			ratios.push(await sealRatio(wire, origin, folder, cwd));
		}
		return { ratios };
	} finally {
		for (const child of children) child.kill("SIGTERM");
		provider.closeAllConnections();
		provider.close();
		await pause(500);
		rmSync(folder, { recursive: true, force: true });
	}
}

async function sealRatio(wire: SealedAgent, origin: string, folder: string, cwd: string): Promise<Ratio> {
	const took: number[] = [];
	const least: number[] = [];
	for (let n = 0; n < SESSIONS; n++) {
		const requests = sessionOf(wire, folder, cwd, n);
		for (let at = requests.next(); !at.done; ) {
			const { value: request } = at;
			at = requests.next();
			const isSummary = at.done === true;
			if (isSummary) least.push(timed(() => JSON.stringify(JSON.parse(request.body.toString("utf8")))));
			const { ms, text } = await ask(origin, request);
			if (isSummary && !OURS.test(text)) throw new Error(`The proxy did not answer the summary of ${wire}.`);
			if (isSummary) took.push(ms);
			await pause(TOOL_MS / 2);
		}
	}
	const [one, other] = [median(took), median(least)];
	const detail = `${one.toFixed(0)} ms beside ${other.toFixed(1)} ms, medians of ${SESSIONS} (${took.map((ms) => ms.toFixed(0)).join(", ")})`;
	return {
		name: `seal answered, ${wire}`,
		beside: "JSON read and written",
		ratio: one / other,
		bound: SEAL_BOUND,
		detail,
	};
}

interface Pair {
	readonly ours: number;
	readonly bare: number;
}

/** Within a pair the machine is in the same state, so slow changes over a run cancel out. */
function pairedRatio(pairs: readonly Pair[]): number {
	return median(pairs.map(({ ours, bare }) => ours / bare));
}

function quiet(env: NodeJS.ProcessEnv) {
	return {
		env: { PATH: process.env["PATH"], ...env },
		stdio: ["ignore", "pipe", "ignore"] as ["ignore", "pipe", "ignore"],
	};
}

async function started(children: ChildProcess[], child: ChildProcess): Promise<string> {
	children.push(child);
	let text = "";
	for await (const chunk of child.stdout!) {
		text += String(chunk);
		try {
			const { address } = JSON.parse(text) as { address: string };
			return address;
		} catch {
			// More is coming.
		}
	}
	throw new Error(`A proxy ended before it listened: ${text}`);
}

async function startProvider(): Promise<http.Server> {
	const server = http.createServer((request, response) => {
		let bytes = 0;
		request.on("data", (chunk: Buffer) => {
			bytes += chunk.length;
		});
		request.on("end", () => {
			const tokens = Math.round(bytes / 4);
			const [first, ...rest] = request.url?.endsWith("/responses") ? codexAnswer(tokens) : claudeAnswer(tokens);
			response.writeHead(200, { "content-type": "text/event-stream" });
			response.write(renderEvent(first));
			response.end(rest.map(renderEvent).join(""));
		});
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return server;
}

function claudeAnswer(tokens: number): [JsonObject, ...JsonObject[]] {
	const usage = {
		input_tokens: 10,
		cache_creation_input_tokens: 10,
		cache_read_input_tokens: tokens,
		output_tokens: 5,
	};
	const message = { id: "msg_1", type: "message", role: "assistant", model: "claude-x", content: [], usage };
	return [{ type: "message_start", message }, { type: "message_delta", delta: {}, usage }, { type: "message_stop" }];
}

function codexAnswer(tokens: number): [JsonObject, ...JsonObject[]] {
	const usage = { input_tokens: tokens, input_tokens_details: { cached_tokens: tokens }, output_tokens: 5 };
	const response = { id: "resp_1", object: "response", model: "gpt-5.5", status: "completed", output: [], usage };
	return [
		{ type: "response.created", response },
		{ type: "response.completed", response },
	];
}

const agent = new http.Agent({ keepAlive: true });

async function firstByte(origin: string, session: string, body: Buffer): Promise<number> {
	const headers = { "user-agent": "claude-cli/2.1.325 (external, cli)", "x-claude-code-session-id": session };
	return (await ask(origin, { path: "/v1/messages", headers, body })).ms;
}

/** `ms`: to the first byte of the answer. */
function ask(origin: string, { path, headers: own, body }: AgentRequest): Promise<{ ms: number; text: string }> {
	return new Promise((done, fail) => {
		const from = performance.now();
		let ms = 0;
		let text = "";
		const headers = { "content-type": "application/json", "content-length": body.length, ...own };
		const request = http.request(`${origin}${path}`, { method: "POST", headers, agent }, (response) => {
			response.once("data", () => {
				ms = performance.now() - from;
			});
			response.on("data", (chunk: Buffer) => {
				text += chunk.toString("utf8");
			});
			response.on("end", () => done({ ms, text }));
		});
		request.on("error", fail);
		request.end(body);
	});
}

/** A session with its transcript, which grows by a little with each request. */
class Session {
	readonly id = randomUUID();
	readonly #file: string;
	readonly #cwd: string;
	#tip: string | null = null;

	constructor(folder: string, cwd: string) {
		const place = join(folder, "claude", "projects", "-project");
		mkdirSync(place, { recursive: true });
		this.#file = join(place, `${this.id}.jsonl`);
		this.#cwd = cwd;
	}

	next(bytes: number): Buffer {
		const message = { role: "user", content: `one more thing ${randomUUID()}` };
		const uuid = randomUUID();
		const line = {
			type: "user",
			uuid,
			parentUuid: this.#tip,
			message,
			sessionId: this.id,
			cwd: this.#cwd,
			timestamp: new Date(),
		};
		appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
		this.#tip = uuid;
		const block = { role: "user", content: "words of a long history. ".repeat(40) };
		const messages = Array.from({ length: Math.ceil(bytes / JSON.stringify(block).length) }, () => block);
		return Buffer.from(JSON.stringify({ model: "claude-x", stream: true, tools: [{ name: "Bash" }], messages }));
	}
}

function residentMb(pid: number): number {
	return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
}
