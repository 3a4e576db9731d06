/** Connections that stay: an agent's process passes its calls to the resident, and answers by itself where none does. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { inFolder, type ResidentAddress, residentAddress } from "../../src/agent/resident/address.ts";
import type { AgentCalls } from "../../src/agent/resident/call-lines.ts";
import { askResident, markHung } from "../../src/agent/resident/client.ts";
import { PassedCalls } from "../../src/agent/resident/passed-calls.ts";
import { serveResident } from "../../src/agent/resident/server.ts";
import { ownPath } from "../../src/base/file/package-file.ts";
import type { JsonObject } from "../../src/base/json/read.ts";
import { TemporaryProject } from "../rig/temporary-folder.ts";

const STAYS_MS = 3_600_000;
const never = new AbortController().signal;

interface Scene {
	readonly project: TemporaryProject;
	readonly address: ResidentAddress;
	/** What happened at the resident and here, in order. */
	readonly seen: string[];
	/** A resident whose calls wait for `gate`. */
	serve(name: string, gate?: Promise<void>): { readonly stop: () => Promise<void> };
	calls(start?: () => Promise<boolean>): PassedCalls;
}

function scene(t: TestContext): Scene {
	const project = new TemporaryProject({ ".git/HEAD": "" });
	const address = residentAddress(project.home, project.folder)!;
	mkdirSync(address.folder, { recursive: true, mode: 0o700 });
	const seen: string[] = [];
	const stops: (() => Promise<void>)[] = [];
	t.after(async () => {
		for (const stop of stops) await stop();
		project[Symbol.dispose]();
	});
	const callsOf = (name: string, gate = Promise.resolve()): AgentCalls => ({
		answer: async (method, params) => {
			seen.push(`${name} got ${method}`);
			await gate;
			if (params["fail"]) throw new Error("It fails.");
			return { from: name };
		},
		end: async () => {
			seen.push(`${name} ended`);
		},
	});
	return {
		project,
		address,
		seen,
		serve: (name, gate) => {
			const stopped = new AbortController();
			const ended = serveResident({
				address,
				answer: async () => ({ kind: "answered" }),
				connect: async ({ pid }: JsonObject) => (pid === 7 ? callsOf(name, gate) : undefined),
				isCurrent: () => true,
				idleMs: STAYS_MS,
				signal: stopped.signal,
			});
			const stop = async () => {
				stopped.abort();
				await ended;
			};
			stops.push(stop);
			return { stop };
		},
		calls: (start = async () => false) =>
			new PassedCalls({
				address,
				start,
				process: { args: ["weft", "mcp"], env: {}, folder: project.folder, pid: 7 },
				load: async () => callsOf("here"),
			}),
	};
}

/** As a resident that was killed, or one that hangs. */
async function listen(
	t: TestContext,
	address: ResidentAddress,
	onConnect: (socket: Socket) => void,
): Promise<() => void> {
	const server = createServer(onConnect);
	await new Promise<void>((resolve) => inFolder(address.folder, () => server.listen(address.socket, resolve)));
	t.after(() => server.close());
	return () => {
		server.close();
		rmSync(join(address.folder, address.socket), { force: true });
	};
}

test("the resident answers the calls of a process, and ends its session when the process closes the connection", async (t) => {
	const of = scene(t);
	let starts = 0;
	const calls = of.calls(async () => {
		starts++;
		of.serve("resident");
		while (!existsSync(join(of.address.folder, of.address.socket))) await new Promise(setImmediate);
		return true;
	});
	const answers = ["a", "b"].map((method) => calls.answer(method, {}, never));
	assert.deepEqual(await Promise.all(answers), [{ from: "resident" }, { from: "resident" }]);
	await assert.rejects(calls.answer("c", { fail: true }, never), /It fails\./);
	assert.equal(starts, 1);
	await calls.end();
	while (!of.seen.includes("resident ended")) await new Promise(setImmediate);
	assert.deepEqual(of.seen, ["resident got a", "resident got b", "resident got c", "resident ended"]);
});

test("a call that a dead resident has not answered goes to the next one; without one this process answers", async (t) => {
	const of = scene(t);
	const close = await listen(t, of.address, (socket) => {
		socket.on("error", () => {});
		socket.on("data", (text) => {
			if (String(text).includes('"open"')) socket.write('{"id":1,"result":{}}\n');
			if (!String(text).includes('"look"')) return;
			close();
			socket.destroy();
		});
	});
	const calls = of.calls(async () => {
		of.serve("next");
		while (!existsSync(join(of.address.folder, of.address.socket))) await new Promise(setImmediate);
		return true;
	});
	assert.deepEqual(await calls.answer("look", {}, never), { from: "next" });
	await calls.end();
	const alone = scene(t);
	const own = alone.calls();
	assert.deepEqual(await own.answer("look", {}, never), { from: "here" });
	await own.end();
	assert.deepEqual(alone.seen, ["here got look", "here ended"]);
});

test("a resident that hangs costs one call two seconds; then processes and hooks answer by themselves until it works", async (t) => {
	const of = scene(t);
	let connections = 0;
	const held: Socket[] = [];
	const close = await listen(t, of.address, (socket) => {
		// Others only look whether it is dead.
		socket.once("data", () => connections++);
		held.push(socket);
		socket.on("error", () => {});
	});
	const calls = of.calls();
	assert.deepEqual(await calls.answer("a", {}, never), { from: "here" });
	assert.deepEqual(await calls.answer("b", {}, never), { from: "here" });
	assert.deepEqual(await of.calls().answer("c", {}, never), { from: "here" });
	assert.equal(connections, 1);
	if (spawnSync("perl", ["-e", "0"]).status === 0) {
		rmSync(of.address.hung);
		assert.equal(await hook(of.project), "7");
		assert.equal(await hook(of.project), "7");
		assert.equal(connections, 2);
	}
	for (const socket of held) socket.destroy();
	close();
	of.serve("next");
	while (existsSync(of.address.hung)) await new Promise(setImmediate);
	assert.deepEqual(await of.calls().answer("d", {}, never), { from: "next" });
});

test("a resident that hung and then died is followed by another one", async (t) => {
	const of = scene(t);
	const request = { args: ["hook"], env: {}, input: Buffer.from("{}") };
	markHung(of.address);
	assert.equal((await askResident(of.address, request)).kind, "absent");
	const calls = of.calls(async () => {
		of.serve("next");
		while (!existsSync(join(of.address.folder, of.address.socket))) await new Promise(setImmediate);
		return true;
	});
	assert.deepEqual(await calls.answer("a", {}, never), { from: "next" });
	assert.equal((await askResident(of.address, request)).kind, "answered");
});

/** A hook as an agent runs it. Its own program prints how many bytes it was given. */
async function hook(project: TemporaryProject): Promise<string> {
	const program = join(project.root, "program");
	writeFileSync(program, "wc -c | tr -d ' \\n'\n");
	const args = [ownPath("plugin", "weft-hook.sh"), "/bin/sh", program, "--home", project.home, "hook", "codex"];
	const child = spawn("/bin/sh", args, { cwd: project.folder, stdio: ["pipe", "pipe", "inherit"] });
	child.stdin.end('{"a":1}');
	let out = "";
	for await (const chunk of child.stdout) out += chunk;
	return out;
}

test("a resident that must not answer a process leaves it to the process", async (t) => {
	const of = scene(t);
	of.serve("resident");
	while (!existsSync(join(of.address.folder, of.address.socket))) await new Promise(setImmediate);
	const calls = new PassedCalls({
		address: of.address,
		start: async () => false,
		process: { args: ["other", "mcp"], env: {}, folder: of.project.folder, pid: 8 },
		load: async () => ({ answer: async () => "here", end: async () => {} }),
	});
	assert.equal(await calls.answer("look", {}, never), "here");
});
