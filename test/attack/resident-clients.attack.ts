/**
 * Broken programs of the own account at the resident's socket: messages that no hook sends, frames that stop half-way, clients
 * that never read, many at once. After each the next hook is answered, and a resident that ends lets go of its lease.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { residentAddress } from "../../src/agent/resident/address.ts";
import { askResident } from "../../src/agent/resident/client.ts";
import { writeHookRequest } from "../../src/agent/resident/hook-request.ts";
import { serveResident } from "../../src/agent/resident/server.ts";
import { TemporaryProject } from "../rig/temporary-folder.ts";
import { tellCount } from "./count.ts";

const HEAD = "POST / HTTP/1.1\r\nhost: x\r\n";
const request = (body: Buffer | string) =>
	Buffer.concat([Buffer.from(`${HEAD}content-length: ${Buffer.byteLength(body)}\r\n\r\n`), Buffer.from(body)]);
const UPGRADE = "GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade:";
const MESSAGES: Readonly<Record<string, Buffer | string>> = {
	"an empty line": "\r\n\r\n",
	"NUL bytes": Buffer.alloc(5_000),
	"invalid UTF-8": request(Buffer.from([0xff, 0xfe, 0, 0xed, 0xa0, 0x80])),
	"a lone surrogate": request('{"args":["\\ud800"],"env":{}}'),
	"deep JSON": request("[".repeat(5_000_000)),
	"a size below zero": `${HEAD}content-length: -1\r\n\r\n`,
	"two sizes": `${HEAD}content-length: 3\r\ncontent-length: 4\r\n\r\nabcd`,
	"a size and chunks": `${HEAD}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
	"a chunk that has no number": `${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n`,
	"an upgrade to something else": `${UPGRADE} h2c\r\n\r\n`,
	"an upgrade and rubbish": `${UPGRADE} weft-lines\r\n\r\n{]\n[[[[\n\u0000\n`,
	"an upgrade and half a line": `${UPGRADE} weft-lines\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"op`,
	"an upgrade of a relay and half of what it says first": `${UPGRADE} weft-relay\r\n\r\n1000\nmcp`,
	"a relay with a size that is none": `${UPGRADE} weft-relay\r\n\r\n-5\nmcp`,
	"a head of a megabyte": `${HEAD}x: ${"y".repeat(1_000_000)}`,
	"half a message": `${HEAD}content-length: 1000000\r\n\r\nabc`,
};
const PARALLEL = 200;
const LARGE = "x".repeat(30_000_000);

test("broken clients of a resident cost themselves, and none keeps its lease", async () => {
	using project = new TemporaryProject({ ".git/HEAD": "" });
	const address = residentAddress(project.home, project.folder) ?? assert.fail();
	mkdirSync(address.folder, { recursive: true, mode: 0o700 });
	const sockets: Socket[] = [];
	const serve = () => {
		const ended = new AbortController();
		const serving = serveResident({
			address,
			answer: async ({ args }) => ({ kind: "answered", text: args[0] === "large" ? LARGE : "own" }),
			connect: async () => undefined,
			isCurrent: () => true,
			idleMs: 600_000,
			graceMs: 100,
			signal: ended.signal,
		});
		return { ended, serving };
	};
	const first = serve();
	const path = join(address.folder, address.socket);
	const listens = async () => {
		while (!existsSync(path)) await pause(20);
	};
	await listens();
	const ask = async (args = ["hook"], input = Buffer.from("{}")) =>
		(await askResident(address, { args, env: {}, input })).kind;
	const send = async (bytes: Buffer | string): Promise<Socket> => {
		const socket = connect(path);
		sockets.push(socket);
		socket.on("error", () => {});
		await once(socket, "connect");
		socket.write(bytes);
		return socket;
	};
	for (const [name, bytes] of Object.entries(MESSAGES)) {
		(await send(bytes)).resume();
		assert.equal(await ask(), "answered", name);
	}
	const many = await Promise.all(Array.from({ length: PARALLEL }, () => ask()));
	assert.deepEqual([...new Set(many)], ["answered"]);
	assert.equal(await ask(["hook"], Buffer.alloc(60_000_000, "a")), "answered");
	assert.equal(await ask(["hook"], Buffer.alloc(80_000_000, "a")), "refused");
	const deaf = await send(request(writeHookRequest({ args: ["large"], env: {}, input: Buffer.from("{}") })));
	deaf.pause();
	assert.equal(await ask(), "answered", "beside a client that never reads");
	first.ended.abort();
	assert.equal(await first.serving, true, "half a message and a client that never reads do not keep it");
	const second = serve();
	await listens();
	assert.equal(await ask(), "answered", "another process is the resident");
	second.ended.abort();
	assert.equal(await second.serving, true);
	for (const socket of sockets) socket.destroy();
	tellCount("a resident with broken clients", { messages: Object.keys(MESSAGES).length, "at once": PARALLEL, fell: 0 });
});
