/** Providers and agents that do not keep to the protocol: the proxy lives, and passes what can be passed. */
import assert from "node:assert/strict";
import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { test } from "node:test";
import { startProxy } from "./proxy.ts";
import type { Tap, Watch } from "./watch.ts";

/** Gives these bytes once the head of a request is there, and keeps what it got. */
async function rawProvider(answer: string) {
	const got: string[] = [];
	const open = new Set<Socket>();
	const server: Server = createServer((socket) => {
		open.add(socket);
		let text = "";
		socket.on("error", () => {});
		socket.on("close", () => open.delete(socket));
		socket.on("data", (chunk: Buffer) => {
			text += chunk.toString("latin1");
			got[0] = text;
			if (/^[A-Z]+ \S+ HTTP\//.test(chunk.toString("latin1"))) socket.write(answer);
		});
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const close = () => {
		for (const socket of open) socket.destroy();
		server.close();
	};
	return { upstream, got, open, close };
}

function ask(
	address: string,
	method = "POST",
	body?: string,
): Promise<{ readonly status: number; readonly body: string }> {
	return new Promise((done, fail) => {
		const request = http.request(`${address}/v1/x`, { method }, (response) => {
			response.toArray().then((parts) => done({ status: response.statusCode ?? 0, body: parts.join("") }), fail);
		});
		request.on("error", fail);
		request.end(body);
	});
}

const tap = (broken: () => void): Tap => ({
	changes: false,
	held: Buffer.alloc(0),
	start: () => {},
	pass: (chunk) => chunk,
	end: () => Buffer.alloc(0),
	broken,
});
const watching = (over: Partial<Tap> = {}): Watch => ({
	meet: () => ({ wanted: "whole", decide: () => ({ kind: "pass", tap: { ...tap(() => {}), ...over } }) }),
	fail: () => {},
});

const LENGTH = "content-length: 2\r\n\r\nhi";
for (const [what, answer, status, body] of [
	["a status that does not exist", `HTTP/1.1 099 No\r\n${LENGTH}`, 502, undefined],
	["a reason that nobody can send", `HTTP/1.1 200 O\x01K\r\n${LENGTH}`, 200, "hi"],
	["stray bytes after an answer without a body", "HTTP/1.1 204 None\r\n\r\nstray", 204, ""],
	["more bytes than it told", `HTTP/1.1 200 OK\r\n${LENGTH} and more`, 200, "hi"],
] as const) {
	test(`${what} does not end the proxy, nor the answer`, async () => {
		for (const watch of [undefined, watching()]) {
			const provider = await rawProvider(answer);
			const proxy = await startProxy({ upstream: provider.upstream, watch });
			try {
				const first = await ask(proxy.address, "POST", "hello");
				assert.equal(first.status, status);
				if (body !== undefined) assert.equal(first.body, body);
				assert.equal((await ask(proxy.address, "POST", "hello")).status, status, "it still answers");
			} finally {
				await proxy.close();
				provider.close();
			}
		}
	});
}

test("a body without a length keeps its frame, also with a method that has none as a rule", async () => {
	for (const method of ["GET", "DELETE", "OPTIONS", "POST"]) {
		const provider = await rawProvider(`HTTP/1.1 200 OK\r\n${LENGTH}`);
		const proxy = await startProxy({ upstream: provider.upstream, watch: watching() });
		try {
			const socket = connect(proxy.port, "127.0.0.1");
			const inner = "GET /inner HTTP/1.1\r\n\r\n";
			const frame = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
			socket.write(
				`${method} ${new URL(proxy.address).pathname}/v1/x HTTP/1.1\r\nhost: 127.0.0.1:${proxy.port}\r\ntransfer-encoding: chunked\r\n\r\n${frame}`,
			);
			await once(socket, "data");
			socket.destroy();
			const text = provider.got[0]!;
			const head = text.slice(0, text.indexOf("\r\n\r\n"));
			assert.match(head, /transfer-encoding: chunked|content-length: 23/i, method);
		} finally {
			await proxy.close();
			provider.close();
		}
	}
});

test("an agent that leaves while it is decided is told to the look, and a provider that answered early is let go of", async () => {
	const provider = await rawProvider(`HTTP/1.1 413 Large\r\n${LENGTH}`);
	const asked = Promise.withResolvers<void>();
	const decided = Promise.withResolvers<void>();
	const broken = Promise.withResolvers<void>();
	const left: Watch = {
		meet: () => ({
			wanted: "whole",
			decide: async () => {
				asked.resolve();
				await decided.promise;
				return { kind: "pass", tap: tap(() => broken.resolve()) };
			},
		}),
		fail: () => {},
	};
	const proxy = await startProxy({ upstream: provider.upstream, watch: left });
	const ahead = await startProxy({
		upstream: provider.upstream,
		watch: { meet: () => ({ wanted: "ahead", decide: () => ({ kind: "pass" }) }), fail: () => {} },
	});
	try {
		const request = http.request(`${proxy.address}/v1/x`, { method: "POST" });
		request.on("error", () => {});
		request.end("hello");
		await asked.promise;
		request.destroy();
		await new Promise((done) => setTimeout(done, 50));
		decided.resolve();
		await broken.promise;

		const early = http.request(`${ahead.address}/v1/x`, { method: "POST", headers: { "content-length": "200000" } });
		early.on("error", () => {});
		early.write("x".repeat(100_000));
		const [response] = (await once(early, "response")) as [IncomingMessage];
		assert.equal(response.statusCode, 413);
		await response.toArray();
		early.destroy();
		while (provider.open.size > 0) await new Promise((done) => setTimeout(done, 10));
	} finally {
		await proxy.close();
		await ahead.close();
		provider.close();
	}
});
