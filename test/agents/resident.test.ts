/** The resident and its clients: one process answers, no other account can, and every hook gets an answer. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
	appendFileSync,
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { CodexLive } from "../../src/agent/codex/live.ts";
import { inFolder, type ResidentAddress, residentAddress } from "../../src/agent/resident/address.ts";
import { askResident, startResident } from "../../src/agent/resident/client.ts";
import type { HookRequest } from "../../src/agent/resident/hook-request.ts";
import { type ResidentAnswer, serveResident } from "../../src/agent/resident/server.ts";
import { ownPath } from "../../src/base/file/package-file.ts";
import { answerHook } from "../../src/show/cli/commands/resident.ts";
import { TemporaryProject } from "../rig/temporary-folder.ts";

const SCRIPT = ownPath("plugin", "weft-hook.sh");
const hasPerl = spawnSync("perl", ["-e", "0"]).status === 0;
const INPUT = Buffer.from('{"hook_event_name":"Stop"}');
const STAYS_MS = 3_600_000;

interface Scene {
	readonly project: TemporaryProject;
	readonly address: ResidentAddress;
	readonly got: HookRequest[];
	/** Resolves when the resident has ended; false: it was not the only one. */
	serve(more?: { answer?: (of: HookRequest) => Promise<ResidentAnswer>; isCurrent?: () => boolean; idleMs?: number }): {
		readonly ended: Promise<boolean>;
	};
	ask(): ReturnType<typeof askResident>;
	/** The hook as an agent runs it, in a subfolder. `hook`: the process that answers where no resident does. */
	hook(input: Buffer): Promise<{ readonly out: string; readonly code: number | null }>;
}

function scene(t: TestContext): Scene {
	const project = new TemporaryProject({ ".git/HEAD": "", "sub/a.txt": "a\n" });
	const address = residentAddress(project.home, project.folder)!;
	mkdirSync(address.folder, { recursive: true, mode: 0o700 });
	const got: HookRequest[] = [];
	const stopped = new AbortController();
	const running: Promise<unknown>[] = [];
	// Says how many bytes it was given.
	const program = join(project.root, "program");
	writeFileSync(program, "wc -c | tr -d ' \\n'\n");
	t.after(async () => {
		stopped.abort();
		await Promise.allSettled(running);
		project[Symbol.dispose]();
	});
	const answerText = async (request: HookRequest): Promise<ResidentAnswer> => {
		got.push(request);
		return { kind: "answered", text: `resident ${request.input.length}` };
	};
	return {
		project,
		address,
		got,
		serve: ({ answer = answerText, isCurrent = () => true, idleMs = STAYS_MS } = {}) => {
			const ended = serveResident({ address, answer, isCurrent, idleMs, signal: stopped.signal });
			running.push(ended);
			return { ended };
		},
		ask: () => askResident(address, { args: [program], env: {}, input: INPUT }),
		hook: async (input) => {
			const args = [SCRIPT, "/bin/sh", program, "--home", project.home, "hook", "codex"];
			const child = spawn("/bin/sh", args, { cwd: project.path("sub"), stdio: ["pipe", "pipe", "inherit"] });
			let out = "";
			child.stdout.on("data", (chunk) => {
				out += chunk;
			});
			child.stdin.end(input);
			const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
			return { out, code };
		},
	};
}

async function until(isSo: () => boolean): Promise<void> {
	while (!isSo()) await pause(2);
}

const hasSocket = ({ address }: Scene) => existsSync(join(address.folder, address.socket));

test("the client passes arguments, environment and a message of any size, and prints the answer", async (t) => {
	const of = scene(t);
	of.serve();
	await until(() => hasSocket(of));
	assert.deepEqual(await of.ask(), { kind: "answered", text: Buffer.from(`resident ${INPUT.length}`) });
	if (!hasPerl) return;
	const large = Buffer.from(JSON.stringify({ text: "é\n".repeat(3_000_000) }));
	assert.deepEqual(await of.hook(large), { out: `resident ${large.length}`, code: 0 });
	const { args, env, input } = of.got.at(-1)!;
	assert.deepEqual(args.slice(1), ["--home", of.project.home, "hook", "codex"]);
	assert.equal(env["PATH"], process.env["PATH"]);
	assert.ok(input.equals(large));
});

test("the socket and its folder are the owner's alone; no client and no resident uses a folder that others can enter", async (t) => {
	const of = scene(t);
	of.serve();
	await until(() => hasSocket(of));
	assert.equal(lstatSync(join(of.address.folder, of.address.socket)).mode & 0o777, 0o600);
	chmodSync(of.address.folder, 0o755);
	assert.deepEqual(await of.ask(), { kind: "absent" });
	assert.deepEqual(await of.hook(INPUT), { out: String(INPUT.length), code: 0 });
	assert.equal(of.got.length, 0);
	assert.equal(await of.serve().ended, false);
	chmodSync(of.address.folder, 0o700);
	assert.equal((await of.ask()).kind, "answered");
});

test("there is one resident: a second one leaves, and the socket of a dead one is replaced", async (t) => {
	const of = scene(t);
	const dead = await listen(of.address, "dead", () => undefined);
	// As after kill -9: the file is there, and no process listens.
	renameSync(join(of.address.folder, "dead"), join(of.address.folder, of.address.socket));
	dead.close();
	assert.deepEqual(await of.ask(), { kind: "absent" });
	assert.deepEqual(await of.hook(INPUT), { out: String(INPUT.length), code: 0 });
	of.serve();
	for (let reply = await of.ask(); reply.kind !== "answered"; reply = await of.ask()) await pause(5);
	assert.equal(await of.serve().ended, false);
	assert.equal((await of.ask()).kind, "answered");
});

test("a resident that dies in the middle of a hook leaves the hook to its own process, with the whole message", async (t) => {
	const of = scene(t);
	const cut = "HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhalf";
	for (const said of ["", cut]) {
		const server = await listen(of.address, of.address.socket, (text) => (text.includes("Stop") ? said : undefined));
		assert.notEqual((await of.ask()).kind, "answered");
		assert.deepEqual(await of.hook(INPUT), { out: String(INPUT.length), code: 0 });
		server.close();
		rmSync(join(of.address.folder, of.address.socket));
	}
});

test("a resident whose program has changed answers nothing and ends; one that is idle ends too", async (t) => {
	const of = scene(t);
	let isCurrent = true;
	const outdated = of.serve({ isCurrent: () => isCurrent });
	await until(() => hasSocket(of));
	assert.equal((await of.ask()).kind, "answered");
	isCurrent = false;
	assert.deepEqual(await of.ask(), { kind: "absent" });
	assert.equal(await outdated.ended, true);
	assert.equal(hasSocket(of), false);
	assert.equal(await of.serve({ idleMs: 20 }).ended, true);
	assert.equal(hasSocket(of), false);
});

test("a resident that ends still answers the hook that it has", async (t) => {
	const of = scene(t);
	const asked = Promise.withResolvers<void>();
	const release = Promise.withResolvers<void>();
	let isCurrent = true;
	const { ended } = of.serve({
		isCurrent: () => isCurrent,
		answer: async () => {
			asked.resolve();
			await release.promise;
			return { kind: "answered", text: "late" };
		},
	});
	await until(() => hasSocket(of));
	const first = of.ask();
	await asked.promise;
	isCurrent = false;
	assert.deepEqual(await of.ask(), { kind: "absent" });
	release.resolve();
	assert.deepEqual(await first, { kind: "answered", text: Buffer.from("late") });
	assert.equal(await ended, true);
});

test("a start that fails is not tried again by each hook", async (t) => {
	const of = scene(t);
	const mark = join(of.project.root, "started");
	const command = ["-e", `require("node:fs").appendFileSync(${JSON.stringify(mark)}, "x")`];
	assert.equal(await startResident(of.address, { command, env: process.env }), false);
	assert.equal(await startResident(of.address, { command, env: process.env }), false);
	assert.equal(lstatSync(mark).size, 1);
});

test("nothing happens without the data home, without Node or without weft", async (t) => {
	const of = scene(t);
	const nowhere = residentAddress(join(of.project.root, "none"), of.project.folder)!;
	assert.equal(await startResident(nowhere, { command: ["-e", "0"], env: {} }), false);
	assert.equal(existsSync(dirname(nowhere.folder)), false);
	const run = (...args: string[]) => spawnSync("/bin/sh", args, { input: INPUT, encoding: "utf8", env: { PATH: "" } });
	for (const args of [
		[SCRIPT, "/no/node", SCRIPT, "hook", "codex"],
		[SCRIPT, "/bin/sh", "/no/weft/main.js", "hook", "codex"],
	]) {
		const { status, stdout, stderr } = run(...args);
		assert.deepEqual([status, stdout, stderr], [0, "", ""]);
	}
});

test("a hook of another project, data folder or weft is not answered", async (t) => {
	const of = scene(t);
	const live = new CodexLive({ stays: true });
	t.after(() => live.close());
	const { home, folder: root } = of.project;
	const served = { home, root, program: SCRIPT };
	const kindOf = async (args: string[], event: object, env: NodeJS.ProcessEnv = {}) => {
		const input = Buffer.from(JSON.stringify(event));
		const { kind } = await answerHook(live, { args, env: { HOME: of.project.root, ...env }, input }, served);
		return kind;
	};
	const own = [SCRIPT, "--home", home, "hook", "codex"];
	const event = { hook_event_name: "Stop", session_id: "s", cwd: of.project.path("sub") };
	assert.equal(await kindOf(own, event), "answered");
	assert.equal(await kindOf(own, { ...event, cwd: of.project.root }), "elsewhere");
	assert.equal(await kindOf([SCRIPT, "hook", "codex"], event), "elsewhere");
	assert.equal(await kindOf([SCRIPT, "hook", "codex"], event, { WEFT_HOME: home }), "answered");
	assert.equal(await kindOf([ownPath("package.json"), ...own.slice(1)], event), "outdated");
});

test("hooks share the guard's memory: a file that a program made or a link changed is not refused", async (t) => {
	const project = new TemporaryProject({ ".git/HEAD": "", "real/b.txt": "one\ntwo\n" });
	const live = new CodexLive({ stays: true });
	t.after(() => {
		live.close();
		project[Symbol.dispose]();
	});
	const { folder: cwd, home } = project;
	const thread = "019a0000-0000-7000-8000-000000000001";
	const transcript_path = join(project.root, `rollout-2026-01-01T00-00-00-${thread}.jsonl`);
	const line = (type: string, payload: object) =>
		appendFileSync(transcript_path, `${JSON.stringify({ timestamp: new Date().toISOString(), type, payload })}\n`);
	line("session_meta", { id: thread, cwd, cli_version: "0.166.0" });
	const hook = (hook_event_name: string, fields: object) => {
		const event = { session_id: thread, transcript_path, cwd, hook_event_name, ...fields };
		return live.answer(event, { env: { HOME: project.root }, home, folder: cwd });
	};
	let calls = 0;
	const call = async (tool_name: "Bash" | "apply_patch", command: string) => {
		const tool_use_id = `call_${++calls}`;
		const of = { tool_name, tool_input: { command }, tool_use_id };
		const [name, args] = tool_name === "Bash" ? ["exec_command", { cmd: command }] : [tool_name, { input: command }];
		line("response_item", { type: "function_call", call_id: tool_use_id, name, arguments: JSON.stringify(args) });
		const before = await hook("PreToolUse", of);
		if (before) return before;
		const { stdout: tool_response } =
			tool_name === "Bash" ? spawnSync("sh", ["-c", command], { cwd, encoding: "utf8" }) : { stdout: "Success." };
		await hook("PostToolUse", { ...of, tool_response });
		line("response_item", { type: "function_call_output", call_id: tool_use_id, output: `Output:\n${tool_response}` });
		return undefined;
	};
	const write = (path: string) => `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`;
	project.put("bin/npm", `#!/bin/sh\nprintf '{\\n}\\n' > package.json\n`);
	chmodSync(project.path("bin/npm"), 0o755);
	assert.equal(await call("Bash", 'PATH="$PWD/bin:$PATH"; npm init -y'), undefined);
	assert.equal(await call("apply_patch", write("package.json")), undefined);
	symlinkSync("real/b.txt", project.path("link.txt"));
	assert.equal(await call("Bash", "cat link.txt"), undefined);
	assert.equal(await call("Bash", "echo more >> link.txt"), undefined);
	assert.equal(await call("apply_patch", write("link.txt")), undefined);
});

/** A server on the socket that is no resident. It answers with what `say` gives, and closes. */
async function listen(
	{ folder }: ResidentAddress,
	name: string,
	say: (request: string) => string | undefined,
): Promise<Server> {
	const server = createServer((stream) => {
		let text = "";
		stream.on("error", () => {});
		stream.on("data", (chunk) => {
			text += chunk;
			const said = say(text);
			if (said !== undefined) stream.end(said);
		});
	});
	await new Promise<void>((resolve) => inFolder(folder, () => server.listen(name, resolve)));
	return server;
}
