import assert from "node:assert/strict";
import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { type RunningProxy, startProxy } from "./proxy.ts";
import { unpackBody } from "./request-encoding.ts";
import { SignScan } from "./sign-scan.ts";
import type { MetRequest, Visit, Watch } from "./watch.ts";

type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

async function provider(handler: Handler) {
	const server = http.createServer({ maxHeaderSize: 100_000 }, (request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => handler(request, response, Buffer.concat(chunks)));
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	return {
		address: `http://127.0.0.1:${port}`,
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			server.close();
		},
	};
}

async function proxyTo(upstream: string, watch?: Watch): Promise<RunningProxy & AsyncDisposable> {
	const proxy = await startProxy({ upstream, watch });
	return { ...proxy, [Symbol.asyncDispose]: () => proxy.close() };
}

interface Answer {
	readonly status: number | undefined;
	readonly headers: http.IncomingHttpHeaders;
	readonly body: Buffer;
	readonly isWhole: boolean;
}

function ask(address: string, options: http.RequestOptions, body?: Buffer | string): Promise<Answer> {
	return new Promise((done, fail) => {
		const path = new URL(address).pathname + (options.path ?? "");
		const request = http.request(address, { ...options, path }, (response) => {
			const chunks: Buffer[] = [];
			const end = () =>
				done({
					status: response.statusCode,
					headers: response.headers,
					body: Buffer.concat(chunks),
					isWhole: response.complete,
				});
			response.on("data", (chunk: Buffer) => chunks.push(chunk));
			response.on("end", end);
			response.on("error", end);
		});
		request.on("error", fail);
		request.end(body);
	});
}

const watching = (over: Partial<Watch> = {}): Watch => ({
	meet: () => visit(async () => ({ kind: "pass" })),
	fail: () => {},
	...over,
});

const visit = (decide: Visit["decide"], wanted: Visit["wanted"] = "whole"): Visit => ({ wanted, decide });

test("passes method, path, headers and bytes as they came, both ways", async () => {
	const seen: { method?: string; url?: string; headers: string[]; body: string }[] = [];
	await using upstream = await provider((request, response, body) => {
		seen.push({
			method: request.method!,
			url: request.url!,
			headers: request.rawHeaders,
			body: body.toString("base64"),
		});
		response.writeHead(
			207,
			"Fine",
			[
				["x-twice", "a"],
				["x-twice", "b"],
				["request-id", "r1"],
			].flat(),
		);
		response.end(body);
	});
	const packed = gzipSync('{"not":"touched"}');
	for (const watch of [undefined, watching(), watching({ meet: () => undefined })]) {
		await using proxy = await proxyTo(`${upstream.address}/base/`, watch);
		const headers = { "X-Api-Key": "k", "content-encoding": "gzip", connection: "close, x-hop", "x-hop": "1" };
		const answer = await ask(proxy.address, { method: "PUT", path: "/v1/x?beta=true", headers }, packed);
		assert.deepEqual(answer.body, packed);
		assert.equal(answer.status, 207);
		assert.equal(answer.headers["x-twice"], "a, b");
		const [last] = seen.slice(-1);
		assert.equal(`${last!.method} ${last!.url}`, "PUT /base/v1/x?beta=true");
		assert.equal(last!.body, packed.toString("base64"));
		assert.ok(last!.headers.includes("X-Api-Key") && last!.headers.includes("gzip"));
		assert.ok(!last!.headers.includes("x-hop"), "what speaks of the connection stays");
		assert.equal(last!.headers[last!.headers.indexOf("host") + 1], new URL(upstream.address).host);
	}
});

test("headers may be as long as the provider takes them", async () => {
	await using upstream = await provider((request, response) => {
		response.writeHead(200, { "x-long": "b".repeat(40_000) });
		response.end(request.headers["x-long"]);
	});
	await using proxy = await proxyTo(upstream.address);
	const headers = { "x-long": "a".repeat(40_000) };
	const answer = await ask(proxy.address, { method: "POST", headers, maxHeaderSize: 100_000 });
	assert.equal(answer.body.length, 40_000);
	assert.equal(answer.headers["x-long"]?.length, 40_000);
});

test("streams an answer: its first bytes come before its last are made", async () => {
	let finish: (() => void) | undefined;
	await using upstream = await provider((_request, response) => {
		response.writeHead(200, { "content-type": "text/event-stream" });
		response.write("event: ping\n\n");
		finish = () => response.end("event: done\n\n");
	});
	await using proxy = await proxyTo(upstream.address, watching());
	const request = http.request(proxy.address, { method: "POST" }).end("{}");
	const [response] = (await once(request, "response")) as [IncomingMessage];
	const [first] = (await once(response, "data")) as [Buffer];
	assert.equal(first.toString(), "event: ping\n\n");
	finish!();
	const [second] = (await once(response, "data")) as [Buffer];
	assert.equal(second.toString(), "event: done\n\n");
});

test("an agent that goes away ends the request at the provider", async () => {
	const gone = Promise.withResolvers<void>();
	await using upstream = await provider((_request, response) => {
		response.write("begun");
		response.on("close", () => gone.resolve());
	});
	await using proxy = await proxyTo(upstream.address, watching());
	const request = http.request(proxy.address, { method: "POST" }).end("{}");
	const [response] = (await once(request, "response")) as [IncomingMessage];
	response.on("error", () => {});
	await once(response, "data");
	request.destroy();
	await gone.promise;
});

test("an answer that breaks off does not look whole", async () => {
	await using upstream = await provider((_request, response) => {
		response.writeHead(200);
		response.write("half", () => response.destroy());
	});
	for (const watch of [undefined, watching()]) {
		await using proxy = await proxyTo(upstream.address, watch);
		const { isWhole, body } = await ask(proxy.address, { method: "POST" }, "{}");
		assert.deepEqual([isWhole, body.toString()], [false, "half"]);
	}
});

test("a watch that fails changes nothing, and what a tap held is not lost", async () => {
	await using upstream = await provider((_request, response, body) => response.end(`one ${body.toString()} two`));
	const failed: string[] = [];
	const fail = (where: string) => failed.push(where);
	const boom = () => {
		throw new Error("boom");
	};
	let held: Buffer = Buffer.alloc(0);
	const tap = {
		changes: true,
		get held() {
			return held;
		},
		start: boom,
		pass: (chunk: Buffer) => {
			held = chunk;
			return Buffer.alloc(0);
		},
		end: boom,
		broken: () => {},
	};
	const watches = [
		watching({ meet: boom, fail }),
		watching({ meet: () => visit(boom), fail }),
		watching({ meet: () => visit(async () => boom()), fail }),
		watching({ meet: () => visit(() => ({ kind: "pass", tap: { ...tap, changes: false, held, pass: boom } })), fail }),
		watching({ meet: () => visit(async () => ({ kind: "pass", tap })), fail }),
	];
	for (const watch of watches) {
		await using proxy = await proxyTo(upstream.address, watch);
		const { status, body } = await ask(proxy.address, { method: "POST" }, "body");
		assert.deepEqual([status, body.toString()], [200, "one body two"]);
	}
	assert.deepEqual(failed, ["meet", "decide", "decide", "tap", "start", "tap"]);
});

test("a watch may answer by itself, and may put other bytes in a request's place", async () => {
	const seen: { body: string; headers: http.IncomingHttpHeaders }[] = [];
	await using upstream = await provider((request, response, body) => {
		seen.push({ body: body.toString(), headers: request.headers });
		response.end("from the provider");
	});
	const meet = ({ path }: MetRequest) =>
		visit(() =>
			path === "/own"
				? { kind: "answer", type: "text/event-stream", body: "from here" }
				: { kind: "replace", body: Buffer.from("other") },
		);
	await using proxy = await proxyTo(upstream.address, watching({ meet }));
	const own = await ask(proxy.address, { method: "POST", path: "/own" }, "{}");
	assert.deepEqual([own.body.toString(), own.headers["content-type"]], ["from here", "text/event-stream"]);
	assert.equal(seen.length, 0);
	const headers = { "content-encoding": "gzip" };
	await ask(proxy.address, { method: "POST", headers }, gzipSync("long text in the beginning"));
	assert.equal(seen[0]!.body, "other");
	assert.deepEqual([seen[0]!.headers["content-encoding"], seen[0]!.headers["content-length"]], [undefined, "5"]);
});

test("refuses pages of a browser and foreign names", async () => {
	await using upstream = await provider((_request, response) => response.end("secret"));
	await using proxy = await proxyTo(upstream.address);
	const cases: Record<string, string>[] = [
		{ host: "evil.example" },
		{ origin: "https://evil.example" },
		{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
		{ "sec-fetch-site": "none" },
		{ "sec-fetch-dest": "document" },
	];
	for (const headers of cases) {
		const { status, body } = await ask(proxy.address, { headers });
		assert.equal(status, 403);
		assert.ok(!body.includes("secret"));
	}
	assert.equal((await ask(proxy.address, { headers: { host: `localhost:${proxy.port}` } })).status, 200);
	assert.equal((await fetch(proxy.address)).status, 200, "Node's own fetch is no browser");
});

test("answers nobody without the secret of the launch, and passes the path without it", async () => {
	await using upstream = await provider((request, response) => response.end(request.url));
	let met = 0;
	const watch = watching({
		meet: () => {
			met++;
			return undefined;
		},
	});
	await using proxy = await proxyTo(upstream.address, watch);
	const secret = new URL(proxy.address).pathname.slice(1);
	const origin = `http://127.0.0.1:${proxy.port}`;
	const others = [
		"",
		"x",
		secret.slice(1),
		`${secret}x`,
		secret.toLowerCase(),
		`x/${secret}`,
		`%2F${secret}`,
		`/${secret}`,
	];
	for (const other of others) {
		const { status, body } = await ask(`${origin}/`, { path: `${other}/v1/messages`, method: "POST" }, "{}");
		assert.deepEqual([status, body.includes(secret)], [403, false], other);
	}
	assert.equal(met, 0, "no watch sees them");
	for (const path of ["/v1/messages?beta=true", "", "?x=1", "//two"]) {
		const { body } = await ask(proxy.address, { path });
		assert.equal(body.toString(), path.startsWith("/") ? path : `/${path}`);
	}
	await using other = await proxyTo(upstream.address);
	assert.notEqual(secret, new URL(other.address).pathname.slice(1));
	await assert.rejects(startProxy({ upstream: upstream.address, secret: "short" }), /16 letters/);
});

test("strangers who hold connections do not keep the agent out", async (t) => {
	await using upstream = await provider((_request, response) => response.end("served"));
	await using proxy = await proxyTo(upstream.address);
	const strangers = Array.from({ length: 200 }, () => connect(proxy.port, "127.0.0.1"));
	t.after(() => strangers.map((socket) => socket.destroy()));
	let closed = 0;
	for (const socket of strangers) {
		socket.on("error", () => {});
		socket.on("close", () => closed++);
		socket.write("POST / HTTP/1.1\r\n");
		socket.resume();
	}
	assert.equal((await ask(proxy.address, {})).body.toString(), "served");
	while (closed < 130) await new Promise((done) => setTimeout(done, 20));
	assert.ok(closed < 200);
	assert.equal((await ask(proxy.address, {})).body.toString(), "served");
});

test("all requests together hold a bounded number of bytes; what finds no room passes unseen", async () => {
	let got = 0;
	await using upstream = await provider((_request, response, body) => {
		got += body.length;
		response.end("served");
	});
	let decided = 0;
	const visit: Visit = {
		wanted: "whole",
		decide: () => {
			decided++;
			return { kind: "pass" };
		},
	};
	await using proxy = await proxyTo(upstream.address, watching({ meet: () => visit }));
	const part = Buffer.alloc(30 * 1024 * 1024, "x");
	const requests = Array.from({ length: 8 }, () => {
		const request = http.request(proxy.address, { method: "POST" });
		const answered = once(request, "response").then(([response]) => (response as IncomingMessage).toArray());
		const written = new Promise((done) => request.write(part, done));
		return { request, written, answered };
	});
	await Promise.all(requests.map(({ written }) => written));
	for (const { request } of requests) request.end();
	await Promise.all(requests.map(({ answered }) => answered));
	assert.equal(got, 8 * part.length, "none is lost");
	assert.ok(decided >= 3 && decided < 8, String(decided));
	assert.equal((await ask(proxy.address, { method: "POST" }, part)).body.toString(), "served");
	assert.ok(decided >= 4, "there is room again");
});

test("refuses a websocket with 426", async () => {
	await using proxy = await proxyTo("http://127.0.0.1:9");
	const socket = connect(proxy.port, "127.0.0.1");
	socket.write(
		`GET /v1/responses HTTP/1.1\r\nhost: 127.0.0.1:${proxy.port}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n`,
	);
	const [data] = (await once(socket, "data")) as [Buffer];
	assert.match(data.toString(), /^HTTP\/1\.1 426 /);
	socket.destroy();
});

test("says that the provider cannot be reached as an answer that is tried again", async () => {
	const dead = await provider(() => {});
	const { address } = dead;
	await dead[Symbol.asyncDispose]();
	await using proxy = await proxyTo(address, watching());
	const { status, body } = await ask(
		proxy.address,
		{ method: "POST", headers: { authorization: "Bearer s3cret" } },
		"{}",
	);
	assert.equal(status, 502);
	assert.match(JSON.parse(body.toString()).error.message, /cannot reach 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/);
	assert.ok(!body.includes("s3cret"));
});

test("an address that is none is refused with what to do", async () => {
	await assert.rejects(startProxy({ upstream: "api.example" }), /Give one like https:/);
});

test("a long request leaves as it comes, all but its end; what is answered here never becomes whole at the provider", async () => {
	const whole: string[] = [];
	const begun = Promise.withResolvers<void>();
	const broken = Promise.withResolvers<void>();
	const server = http.createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => {
			chunks.push(chunk);
			begun.resolve();
		});
		request.on("error", () => broken.resolve());
		request.on("end", () => {
			whole.push(Buffer.concat(chunks).toString());
			response.end("from the provider");
		});
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const parts: number[] = [];
	const meet = ({ path }: MetRequest): Visit => ({
		wanted: "ahead",
		take: ({ length }) => parts.push(length),
		decide: async (body) => {
			if (path === "/own") return { kind: "answer", type: "text/plain", body: "from here" };
			if (path === "/other") return { kind: "replace", body: Buffer.from("other") };
			assert.equal(body.whole().length, 300_000);
			return { kind: "pass" };
		},
	});
	const proxy = await startProxy({ upstream: address, watch: watching({ meet }) });
	try {
		const text = "x".repeat(300_000);
		const headers = { "content-length": String(text.length) };
		const request = http.request(`${proxy.address}/own`, { method: "POST", headers });
		request.write(text.slice(0, 200_000));
		await begun.promise;
		request.end(text.slice(200_000));
		const [response] = (await once(request, "response")) as [IncomingMessage];
		assert.equal(String(await response.toArray()), "from here");
		await broken.promise;
		assert.equal(whole.length, 0);
		const passed = await ask(proxy.address, { method: "POST", path: "/pass", headers }, text);
		assert.equal(passed.body.toString(), "from the provider");
		const other = await ask(proxy.address, { method: "POST", path: "/other", headers }, text);
		assert.equal(other.body.toString(), "from the provider");
		assert.deepEqual(whole, [text, "other"]);
		const seen = parts.reduce((sum, length) => sum + length, 0);
		assert.equal(seen, 3 * text.length, "every part was looked at");
	} finally {
		await proxy.close();
		server.closeAllConnections();
		server.close();
	}
});

test("what is packed too tightly is not looked at", async () => {
	assert.equal((await unpackBody(gzipSync("abc"), "gzip"))?.toString(), "abc");
	assert.equal(await unpackBody(gzipSync(Buffer.alloc(64 * 1024 * 1024 + 1)), "gzip"), undefined);
});

test("a sign is found wherever it is cut between two parts", () => {
	const bytes = Buffer.from("abc SIGN def");
	const isFound = (...parts: readonly Buffer[]) => {
		const scan = new SignScan([Buffer.from("SIGN"), Buffer.from("LONGER SIGN")]);
		for (const part of parts) scan.take(part);
		return scan.isFound;
	};
	for (let at = 0; at <= bytes.length; at++) assert.ok(isFound(bytes.subarray(0, at), bytes.subarray(at)), `at ${at}`);
	const single = [...bytes].map((byte) => Buffer.from([byte]));
	assert.ok(isFound(...single));
	assert.ok(!isFound(Buffer.from("SIG"), Buffer.from(" N"), Buffer.from("SIG")));
});
