/**
 * A model on 127.0.0.1 that says what a script tells it and keeps every request byte for byte. It speaks OpenAI's chat
 * completions (`<url>/v1/chat/completions`) and responses (`<url>/v1/responses`), and Anthropic's messages (`<url>/v1/messages`). It accepts everything: what a
 * real provider would refuse is for the tests to check on the requests.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { zstdDecompressSync } from "node:zlib";
import type { ModelAnswer, ModelApi, ModelRequest, ModelScript } from "./answer.ts";
import { anthropicStream } from "./anthropic-stream.ts";
import { openaiStream } from "./openai-stream.ts";
import { responsesStream } from "./responses-stream.ts";

export interface ModelServer extends AsyncDisposable {
	readonly url: string;
	/** Every request, in the order in which they came. */
	readonly requests: readonly ModelRequest[];
	close(): Promise<void>;
}

export async function startModelServer(script: ModelScript): Promise<ModelServer> {
	const requests: ModelRequest[] = [];
	const server = createServer((incoming, response) => {
		serve(incoming, response, script, requests).catch((error) => {
			// 400, because hosts do not retry it: a broken script must end the run, not slow it down.
			if (!response.headersSent) response.writeHead(400, { "content-type": "application/json" });
			response.end(JSON.stringify({ error: { message: `scripted model: ${error}` } }));
		});
	});
	await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));

	const close = async () => {
		const closed = new Promise<void>((resolve) => server.close(() => resolve()));
		server.closeAllConnections();
		await closed;
	};
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		requests,
		close,
		[Symbol.asyncDispose]: close,
	};
}

async function serve(
	incoming: IncomingMessage,
	response: ServerResponse,
	script: ModelScript,
	requests: ModelRequest[],
) {
	const path = incoming.url ?? "/";
	const api = apiOf(path);
	if (incoming.method !== "POST" || api === undefined) {
		response.writeHead(404).end();
		return;
	}
	const bytes = await buffer(incoming);
	const body = (incoming.headers["content-encoding"] === "zstd" ? zstdDecompressSync(bytes) : bytes).toString("utf8");
	const index = requests.length;
	const request = { index, api, path, headers: headersOf(incoming), body, json: JSON.parse(body) };
	requests.push(request);

	const answer = await answerOf(script, request);
	if (answer.delayMs) await sleep(answer.delayMs);
	if (answer.error) {
		response.writeHead(answer.error.status, { "content-type": "application/json" });
		response.end(JSON.stringify(answer.error.body));
		return;
	}
	response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
	let isFirst = true;
	for (const chunk of STREAMS[api](answer, request)) {
		response.write(chunk);
		if (isFirst) await answer.midway?.();
		isFirst = false;
	}
	response.end();
}

const STREAMS: Readonly<Record<ModelApi, (answer: ModelAnswer, request: ModelRequest) => Iterable<string>>> = {
	"anthropic-messages": anthropicStream,
	"openai-completions": openaiStream,
	"openai-responses": responsesStream,
};

async function answerOf(script: ModelScript, request: ModelRequest): Promise<ModelAnswer> {
	if (typeof script === "function") return await script(request, request.index);
	const answer = script[request.index];
	if (answer === undefined)
		throw new Error(`the script has ${script.length} answers, this is request ${request.index + 1}`);
	return answer;
}

function apiOf(path: string): ModelApi | undefined {
	const { pathname } = new URL(path, "http://127.0.0.1");
	if (pathname.endsWith("/chat/completions")) return "openai-completions";
	if (pathname.endsWith("/messages")) return "anthropic-messages";
	if (pathname.endsWith("/responses")) return "openai-responses";
	return undefined;
}

/** Those that say something of the request; keys, host and connection are left out. */
function headersOf(incoming: IncomingMessage): Record<string, string> {
	const kept = Object.entries(incoming.headers).filter(
		([name]) => ["content-type", "accept", "chatgpt-account-id"].includes(name) || /^(?:anthropic|x)-/.test(name),
	);
	return Object.fromEntries(
		kept.filter(([name]) => name !== "x-api-key").map(([name, value]) => [name, String(value)]),
	);
}
