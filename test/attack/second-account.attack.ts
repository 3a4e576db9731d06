/** What another account of the machine can do to weft's local servers: a real one, `nobody`. */
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
	chmodSync,
	constants,
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
} from "node:fs";
import http, { type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { READERS } from "../../src/agent/agents.ts";
import { serveProxy } from "../../src/agent/proxy/serve.ts";
import { residentAddress } from "../../src/agent/resident/address.ts";
import { askResident } from "../../src/agent/resident/client.ts";
import { serveResident } from "../../src/agent/resident/server.ts";
import { openEngine } from "../../src/engine.ts";
import { projectKey } from "../../src/log/home.ts";
import { keepProxy } from "../../src/show/cli/kept-proxy.ts";
import { serve } from "../../src/show/inspector/server/serve.ts";
import { tellCount } from "./count.ts";
import { rounds } from "./time.ts";

const account = nobody();
const skip = account === undefined ? "a second account needs root and the account 'nobody'" : false;
const folder = realpathSync(mkdtempSync(join(tmpdir(), "weft-attack-account-")));
const [cwd, home] = [join(folder, "project"), join(folder, "home")];
const [node, stranger] = [join(folder, "node"), join(folder, "stranger.mjs")];
let provider: http.Server;
let upstream = "";
let reached = 0;

function nobody(): number | undefined {
	if (process.getuid?.() !== 0) return undefined;
	try {
		return Number(execFileSync("id", ["-u", "nobody"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
	} catch {
		return undefined;
	}
}

before(async () => {
	mkdirSync(cwd);
	chmodSync(folder, 0o755);
	// The account may not be able to reach this checkout.
	copyFileSync(process.execPath, node, constants.COPYFILE_FICLONE);
	copyFileSync(join(import.meta.dirname, "stranger.mjs"), stranger);
	chmodSync(node, 0o755);
	chmodSync(stranger, 0o644);
	provider = http.createServer((request, response) => {
		reached++;
		request.resume().on("end", () => response.end(JSON.stringify({ content: [], key: request.headers["x-api-key"] })));
	});
	provider.listen(0, "127.0.0.1");
	await once(provider, "listening");
	upstream = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
});
after(() => {
	provider.closeAllConnections();
	provider.close();
	rmSync(folder, { recursive: true, force: true });
});

const SHARED = { readers: READERS, env: { HOME: folder }, cwd, home, onNotice: () => {} };
const KEPT = {
	weft: [process.execPath, join(import.meta.dirname, "..", "..", "src", "show", "cli", "main.ts")],
	cwd,
	env: { ...process.env, HOME: folder, WEFT_HOME: home },
} as const;

/** An inspector of a project with a session. */
async function inspect() {
	const engine = openEngine({ cwd, home, host: "pi", session: "s", env: {} });
	engine.record([{ type: "SessionStarted", payload: { cwd } }]);
	engine.close();
	const open = (root: string) => openEngine({ cwd: root, home, host: "inspector", env: {} });
	return serve({ home, root: cwd, open, port: 0, unmasked: false, version: "x", now: () => 0 });
}

/** Runs a job as the other account. */
async function asNobody<Result>(job: object): Promise<Result> {
	const { stdout } = await promisify(execFile)(node, [stranger, JSON.stringify(job)], {
		uid: account,
		gid: account,
		cwd: "/",
		env: {},
		maxBuffer: 1 << 26,
	});
	return JSON.parse(stdout) as Result;
}

type Answers = readonly (readonly [status: number | string, body: string])[];

function ask(
	address: string,
	body: string | Buffer,
	headers: http.OutgoingHttpHeaders = {},
): Promise<number | undefined> {
	return new Promise((done, fail) => {
		const request = http.request(
			`${address}/v1/messages`,
			{ method: "POST", headers, agent: false },
			(response: IncomingMessage) => {
				response.resume().on("end", () => done(response.statusCode));
			},
		);
		request.setTimeout(30_000, () => request.destroy(new Error("no answer in 30 s")));
		request.on("error", fail);
		request.end(body);
	});
}

const MESSAGE = JSON.stringify({
	model: "m",
	max_tokens: 5,
	messages: [{ role: "user", content: "written by nobody" }],
});

/** Claude Code's words for a compaction, with a session's id. */
const COMPACTION = JSON.stringify({
	model: "claude-x",
	stream: true,
	messages: [
		{
			role: "user",
			content: [
				{
					type: "text",
					text: "CRITICAL: Respond with TEXT ONLY. Your task is to create a detailed summary of the conversation so far",
				},
			],
		},
	],
});

test("a stranger gets no seed, writes nothing into the log, and fills no memory", { skip }, async () => {
	const [claude, other] = [
		await serveProxy({ ...SHARED, upstream, agent: "claude" }),
		await serveProxy({ ...SHARED, upstream, agent: "other" }),
	];
	try {
		const headers = {
			"content-type": "application/json",
			"x-claude-code-session-id": "0199f2c4-0000-7000-8000-000000000000",
			"user-agent": "claude-cli/2.1.325 (external, cli)",
		};
		const guesses = ["", "/x", `/${"A".repeat(32)}`, "/..", "/%2e"].flatMap((start) =>
			[COMPACTION, MESSAGE].map((body) => ({ path: `${start}/v1/messages`, headers, body })),
		);
		let answered = 0;
		for (const { port, address } of [claude, other]) {
			// The last one knows the whole address, as from an agent's arguments.
			const known = { path: `${new URL(address).pathname}/v1/messages`, headers, body: MESSAGE };
			const answers = await asNobody<Answers>({ kind: "ask", port, requests: [...guesses, known] });
			assert.deepEqual([...new Set(answers.map(([status]) => status))], ["ECONNRESET"]);
			answered += answers.length;
		}
		assert.equal(reached, 0);
		await other.settle();
		const engine = openEngine({ cwd, home, host: "pi", env: SHARED.env });
		assert.equal(engine.log.newestSeq(), 0, "the log has nothing of it");
		engine.close();
		const before = process.memoryUsage().rss;
		const held = asNobody({
			kind: "hold",
			port: other.port,
			path: "/v1/messages",
			count: 24,
			bytes: 60 << 20,
			ms: 6_000,
		});
		await pause(4_000);
		const grown = Math.round((process.memoryUsage().rss - before) / 1e6);
		assert.ok(grown < 150, `${grown} MB`);
		assert.equal(await ask(other.address, MESSAGE), 200, "the agent is served meanwhile");
		await held;
		tellCount("a proxy asked by another account", { "refused requests": answered, "MB held": Math.max(0, grown) });
	} finally {
		await claude.close();
		await other.close();
	}
});

test("brackets and unfinished requests of the agent itself stay within bounds", async () => {
	const proxy = await serveProxy({ ...SHARED, upstream, agent: "other" });
	try {
		const before = process.memoryUsage().rss;
		const start = performance.now();
		for (const bytes of [60 << 20, 30 << 20]) assert.equal(await ask(proxy.address, Buffer.alloc(bytes, "[")), 200);
		const seconds = Math.round((performance.now() - start) / 1_000);
		const grown = Math.round((process.memoryUsage().rss - before) / 1e6);
		assert.ok(grown < 600, `${grown} MB`);
		tellCount("90 MB of brackets", { seconds, MB: Math.max(0, grown) });
	} finally {
		await proxy.close();
	}
});

test("the port of weft run is never free, and serves its own account alone", { skip }, async () => {
	const kept = await keepProxy({ ...KEPT, args: ["--for", "other", "--upstream", upstream] });
	try {
		const { port, pathname } = new URL(kept.address);
		// As read from the arguments of an agent.
		const requests = [{ path: `${pathname}/v1/messages`, headers: {}, body: MESSAGE }];
		const reachedBefore = reached;
		const [[status] = []] = await asNobody<Answers>({ kind: "ask", port, requests });
		assert.equal(status, "ECONNRESET", "with the whole address");
		const head = `POST ${pathname}/v1/messages HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: ${MESSAGE.length}`;
		await asNobody({ kind: "leave", port, text: `${head}\r\n\r\n${MESSAGE}`, count: 20 });
		assert.equal(await ask(kept.address, MESSAGE), 200);
		assert.equal(reached, reachedBefore + 1, "what it sent and left");
		const kills = rounds(4);
		const taking = asNobody<{ tries: number; taken: number }>({ kind: "bind", port, ms: kills * 2_500 });
		let served = 0;
		for (let kill = 0; kill < kills; kill++) {
			const found = execFileSync("pgrep", ["-P", String(process.pid), "-f", "proxy --until-eof --handed"], {
				encoding: "utf8",
			});
			process.kill(Number(found.trim().split("\n")[0]), "SIGKILL");
			await pause(50);
			if ((await ask(kept.address, MESSAGE, { "x-api-key": "sk-secret" })) === 200) served++;
		}
		const { tries, taken } = await taking;
		assert.deepEqual([taken, served], [0, kills]);
		tellCount("a proxy that is killed", { kills, served, "tries to take its port": tries, taken });
	} finally {
		await kept.end();
	}
});

test("a crowd of another account's connections is closed, and the owner is served", { skip }, async () => {
	const kept = await keepProxy({ ...KEPT, args: ["--for", "other", "--upstream", upstream] });
	const proxy = await serveProxy({ ...SHARED, upstream, agent: "other" });
	const inspector = await inspect();
	const headers = { authorization: `Bearer ${inspector.token}` };
	const servers = [
		[kept.address, () => ask(kept.address, MESSAGE)],
		[proxy.address, () => ask(proxy.address, MESSAGE)],
		[inspector.origin, async () => (await fetch(`${inspector.origin}/launch.json`, { headers })).status],
	] as const;
	try {
		const told = { served: 0, "connections closed": 0, "ms at most": 0 };
		for (const [address, served] of servers) {
			const { port } = new URL(address);
			const text = `POST /x HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 9\r\n\r\n`;
			const crowd = asNobody<{ opened: number; closed: number }>({ kind: "crowd", port, count: 800, ms: 1_500, text });
			await pause(400);
			for (let n = 0; n < 10; n++) {
				const start = performance.now();
				assert.equal(await served(), 200);
				told.served++;
				told["ms at most"] = Math.max(told["ms at most"], Math.round(performance.now() - start));
			}
			const { opened, closed } = await crowd;
			assert.ok(opened >= 800 && closed === opened, `${closed} of ${opened}`);
			told["connections closed"] += closed;
		}
		tellCount("a crowd of 800 connections at each server", told);
	} finally {
		await kept.end();
		await proxy.close();
		await inspector.close();
	}
});

test("the inspector answers the account that started it, with the token or without", { skip }, async () => {
	const inspector = await inspect();
	try {
		const authorization = `Bearer ${inspector.token}`;
		const paths = ["/", "/launch.json", `/p/${projectKey(cwd)}/s/-/timeline.json`, "/page.js"];
		const requests = paths.flatMap((path) => [
			{ path, method: "GET", headers: { authorization } },
			{ path, method: "GET", headers: {} },
		]);
		const { port } = new URL(inspector.origin);
		const answers: Answers[number][] = [...(await asNobody<Answers>({ kind: "ask", port, requests }))];
		// From the port of a connection of the owner, at another address of this machine.
		await using owner = connect(Number(port), "127.0.0.1");
		await once(owner, "connect");
		for (const localAddress of ["127.0.0.2", "127.1.2.3", "127.255.255.254"]) {
			const from = { localAddress, localPort: owner.localPort };
			answers.push(...(await asNobody<Answers>({ kind: "ask", port, requests: requests.slice(0, 1), ...from })));
		}
		assert.deepEqual([...new Set(answers.map(([status]) => status))], ["ECONNRESET"]);
		assert.equal((await fetch(`${inspector.origin}/launch.json`, { headers: { authorization } })).status, 200);
		tellCount("an inspector asked by another account", { "refused requests": answers.length });
	} finally {
		await inspector.close();
	}
});

test("the resident's socket is out of reach, and one that is planted in its place is not used", { skip }, async () => {
	const root = mkdtempSync(join(folder, "served-"));
	const address = residentAddress(home, root) ?? assert.fail();
	const request = { args: ["hook"], env: {}, input: Buffer.from("{}") };
	const ended = new AbortController();
	mkdirSync(address.folder, { recursive: true, mode: 0o700 });
	// However open the folders above it are.
	chmodSync(home, 0o777);
	const answer = async () => ({ kind: "answered", text: "own" }) as const;
	const options = { address, answer, isCurrent: () => true, idleMs: 60_000, signal: ended.signal };
	const serving = serveResident(options);
	try {
		while (!existsSync(join(address.folder, address.socket))) await pause(20);
		const tried = await asNobody<string[]>({ kind: "reach", folder: address.folder, socket: address.socket });
		assert.deepEqual([...new Set(tried)], ["EACCES"]);
		assert.equal((await askResident(address, request)).kind, "answered");
		ended.abort();
		assert.equal(await serving, true);
		// A folder that others can enter has no resident, and no client trusts a socket in it.
		chmodSync(address.folder, 0o777);
		const planted = asNobody<{ came: number }>({
			kind: "plant",
			path: join(address.folder, address.socket),
			ms: 1_500,
		});
		while (!existsSync(join(address.folder, address.socket))) await pause(20);
		assert.deepEqual(await askResident(address, request), { kind: "absent" });
		assert.equal(await serveResident(options), false);
		// Nor one of another account in a folder that is closed again.
		chmodSync(address.folder, 0o700);
		assert.deepEqual(await askResident(address, request), { kind: "absent" });
		assert.deepEqual(await planted, { came: 0 });
		tellCount("a resident asked by another account", { "refused attempts": tried.length, "clients misled": 0 });
	} finally {
		ended.abort();
		chmodSync(home, 0o700);
		rmSync(address.folder, { recursive: true, force: true });
	}
});

test("weft mcp listens nowhere, and its streams, memory and folder are out of reach", { skip }, async () => {
	openEngine({ cwd, home, host: "pi", session: "s", env: {} }).close();
	const [weft, main] = KEPT.weft;
	const server = spawn(weft, [main, "mcp"], { cwd, env: KEPT.env, stdio: ["pipe", "pipe", "ignore"] });
	const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
	const call = async (id: number, method: string, params: object) => {
		server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
		const { id: answered, result } = JSON.parse((await lines.next()).value ?? "{}") as { id: number; result: object };
		assert.deepEqual([answered, typeof result], [id, "object"], method);
	};
	try {
		const clientInfo = { name: "x", version: "1" };
		await call(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
		assert.deepEqual(listeningSockets(server.pid ?? 0), []);
		assert.ok(listeningSockets(process.pid).length > 0, "the provider of this test is found");
		const tried = await asNobody<string[]>({ kind: "meddle", pid: server.pid, paths: [home, join(home, "projects")] });
		assert.deepEqual([...new Set(tried)].sort(), ["EACCES", "EPERM"]);
		await call(2, "tools/list", {});
		tellCount("weft mcp beside another account", { "refused attempts": tried.length, "sockets that listen": 0 });
	} finally {
		server.stdin.end();
		await once(server, "exit");
	}
});

/** The inodes of a process's sockets that take connections, of the network or of the file system. */
function listeningSockets(pid: number): string[] {
	// One of them may be the folder that is being listed, and be closed by now.
	const files = readdirSync(`/proc/${pid}/fd`).map((fd) =>
		statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false }),
	);
	const own = new Set(files.flatMap((file) => (file?.isSocket() ? [String(file.ino)] : [])));
	const rows = ["tcp", "tcp6", "unix"].flatMap((list) => readFileSync(`/proc/net/${list}`, "utf8").split("\n"));
	return rows.flatMap((row) => {
		const cells = row.trim().split(/ +/);
		// A state of 0A, or the flag of a listening socket.
		const inode = cells[3] === "0A" ? cells[9] : cells[3] === "00010000" ? cells[6] : undefined;
		return inode !== undefined && own.has(inode) ? [inode] : [];
	});
}
