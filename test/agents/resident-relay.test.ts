/** plugin/weft-start.sh and plugin/weft-mcp.pl: an agent's MCP server that only passes lines to the resident, or becomes weft itself. */
import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { inFolder, type ResidentAddress, residentAddress } from "../../src/agent/resident/address.ts";
import { serveResident } from "../../src/agent/resident/server.ts";
import { ownPath } from "../../src/base/file/package-file.ts";
import type { JsonObject } from "../../src/base/json/read.ts";
import { TemporaryProject } from "../rig/temporary-folder.ts";

const STAYS_MS = 3_600_000;
const skip = spawnSync("perl", ["-e", "0"]).status !== 0 && "no Perl";

interface Scene {
	readonly project: TemporaryProject;
	readonly address: ResidentAddress;
	readonly seen: string[];
	serve(connects?: boolean): Promise<{ readonly stop: () => Promise<void> }>;
	/** As an agent starts it. Its own program prints "own", and everything that it is given. */
	start(home?: string, env?: NodeJS.ProcessEnv): Relay;
}

interface Relay {
	readonly child: ChildProcessWithoutNullStreams;
	/** Waits for output with this text. */
	said(text: string): Promise<string>;
	/** Everything it said. */
	readonly ended: Promise<string>;
}

function scene(t: TestContext): Scene {
	const project = new TemporaryProject({ ".git/HEAD": "", "sub/a": "" });
	const address = residentAddress(project.home, project.folder)!;
	mkdirSync(address.folder, { recursive: true, mode: 0o700 });
	const program = join(project.root, "own/dist/show/cli/main.js");
	mkdirSync(join(program, ".."), { recursive: true });
	mkdirSync(join(project.root, "own/plugin"));
	for (const name of ["weft-mcp.pl", "weft-socket.pl"])
		writeFileSync(join(project.root, "own/plugin", name), `do "${ownPath("plugin", name)}"; die $@ if $@; 1;\n`);
	writeFileSync(program, 'echo own\n[ -z "$WEFT_FIRST_INPUT" ] || eval "cat <&$WEFT_FIRST_INPUT"\ncat\n');
	const seen: string[] = [];
	const open = async ({ args, folder, env }: JsonObject) => {
		seen.push(`${(args as string[]).slice(1).join(" ").replace(project.home, "HOME")} in ${folder}`);
		assert.equal((env as NodeJS.ProcessEnv)["MARK"], "a\nb");
		return {
			answer: async (_method: string, { name, stays }: JsonObject) => {
				seen.push(`call ${name}`);
				if (stays) await new Promise(() => {});
				return { name };
			},
			end: async () => void seen.push("end"),
		};
	};
	const stops: (() => Promise<void>)[] = [];
	t.after(async () => {
		for (const stop of stops) await stop();
		project[Symbol.dispose]();
	});
	return {
		project,
		address,
		seen,
		serve: async (connects = true) => {
			const stopped = new AbortController();
			const ended = serveResident({
				address,
				answer: async () => ({ kind: "answered" }),
				connect: connects ? open : async () => undefined,
				isCurrent: () => true,
				idleMs: STAYS_MS,
				graceMs: 10,
				signal: stopped.signal,
			});
			const stop = async () => {
				stopped.abort();
				await ended;
			};
			stops.push(stop);
			while (!existsSync(join(address.folder, address.socket))) await new Promise(setImmediate);
			return { stop };
		},
		start: (home = project.home, more = {}) => {
			const args = [ownPath("plugin", "weft-start.sh"), "/bin/sh", program, "--home", home, "mcp"];
			const env = { ...process.env, MARK: "a\nb", CLAUDE_CODE_SESSION_ID: "", WEFT_RESIDENT_SECONDS: "", ...more };
			const child = spawn("/bin/sh", args, { cwd: join(project.folder, "sub"), env });
			t.after(() => child.kill("SIGKILL"));
			let out = "";
			let err = "";
			let heard = () => {};
			child.stdout.on("data", (chunk) => {
				out += chunk;
				heard();
			});
			child.stderr.on("data", (chunk) => {
				err += chunk;
			});
			child.stdin.on("error", () => {});
			const ended = new Promise<string>((resolve) => child.once("close", () => resolve(out + err)));
			const said = async (text: string) => {
				while (!out.includes(text)) await new Promise<void>((resolve) => (heard = resolve));
				return out;
			};
			return { child, said, ended };
		},
	};
}

/** As a resident that was killed, or one that hangs. */
async function listen(t: TestContext, address: ResidentAddress, onConnect: (socket: Socket) => void): Promise<void> {
	const server = createServer((socket) => {
		socket.on("error", () => {});
		t.after(() => socket.destroy());
		onConnect(socket);
	});
	await new Promise<void>((resolve) => inFolder(address.folder, () => server.listen(address.socket, resolve)));
	t.after(() => server.close());
}

const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const call = (id: number, more: object = {}) =>
	line({ id, method: "tools/call", params: { name: `tool ${id}`, ...more } });
const answer = (id: number) => line({ id, result: { name: `tool ${id}` } });

test("an agent's lines are answered by the resident, and its session ends with them", { skip }, async (t) => {
	const of = scene(t);
	await of.serve();
	const { child, ended } = of.start();
	child.stdin.write(line({ id: 0, method: "ping" }) + line({ method: "notifications/initialized" }));
	const large = "x".repeat(3_000_000);
	child.stdin.write(`${call(1)}\nno json\n${call(2, { large })}`);
	child.stdin.end(call(3).trimEnd());
	const out = await ended;
	const lines = out.split(/(?<=\n)/);
	const answered = [line({ id: 0, result: {} }), answer(1), answer(2), answer(3)];
	assert.deepEqual(lines.filter((each) => !each.includes("is not JSON")).sort(), answered.sort());
	assert.equal(lines.length, 5);
	assert.equal(of.seen[0], `--home HOME mcp in ${join(of.project.folder, "sub")}`);
	assert.equal(of.seen.at(-1), "end");
});

test("what a dead resident has not answered goes to weft itself, once, with all that follows", { skip }, async (t) => {
	const of = scene(t);
	await listen(t, of.address, (socket) => {
		let got = "";
		socket.once("data", () => socket.write("0\n\n"));
		socket.on("data", (chunk) => {
			got += chunk;
			// The second call is answered, the first one is not; of the third the resident has only a part.
			if (got.includes('"tool 2"')) socket.write(`2 ${answer(2)}`, () => socket.destroy());
		});
	});
	// A number that another process has left there means nothing.
	const { child, said, ended } = of.start(undefined, { WEFT_FIRST_INPUT: "77" });
	// More than a pipe holds.
	const first = call(1, { large: "x".repeat(300_000) });
	child.stdin.write(first + call(2) + call(3).slice(0, 20));
	await said("own");
	child.stdin.end(call(3).slice(20) + call(4));
	assert.equal(await ended, `${answer(2)}own\n${first}${call(3)}${call(4)}`);
});

test("a user's settings for Perl change nothing", { skip }, async (t) => {
	const of = scene(t);
	await of.serve();
	const home = join(of.project.root, "dätä");
	symlinkSync(of.project.home, home);
	const { child, ended } = of.start(home, { PERL_UNICODE: "SDA", PERL5OPT: "-MNo::Such", PERLIO: ":crlf" });
	const said = call(1, { ü: "€" });
	child.stdin.end(said);
	assert.equal(await ended, answer(1));
	assert.equal(of.seen[0], `--home ${home} mcp in ${join(of.project.folder, "sub")}`);
});

test("a line above Node's limit goes to Node, which answers it without keeping it", { skip }, async (t) => {
	const of = scene(t);
	await of.serve();
	const { child, said, ended } = of.start();
	const piece = "x".repeat(8 << 20);
	for (let count = 0; count < 9; count++) child.stdin.write(piece);
	await said("own");
	child.stdin.end("\n");
	assert.equal((await ended).length, "own\n".length + 9 * piece.length + 1);
	assert.equal(of.seen.at(-1)?.startsWith("call"), false);
});

test("weft itself, with lines that a dead resident left, ends by a signal as ever", { skip }, async (t) => {
	const of = scene(t);
	const program = join(of.project.root, "own/dist/show/cli/main.js");
	writeFileSync(program, `exec '${process.execPath}' '${ownPath("src", "show", "cli", "main.ts")}' "$@"\n`);
	await listen(t, of.address, (socket) => {
		socket.once("data", () => socket.write("0\n"));
		socket.on("data", (text) => String(text).includes("ping") && socket.destroy());
	});
	const { child, said, ended } = of.start();
	child.stdin.write(line({ id: 1, method: "ping" }) + line({ id: 2, method: "ping" }).slice(0, 20));
	await said('"id":1');
	child.stdin.write(line({ id: 2, method: "ping" }).slice(20));
	await said('"id":2');
	child.kill("SIGINT");
	assert.equal(await ended, line({ id: 1, result: {} }) + line({ id: 2, result: {} }));
});

test("a resident that hangs, refuses or ends leaves the agent to weft itself", { skip }, async (t) => {
	const hanging = scene(t);
	await listen(t, hanging.address, (socket) => void socket.once("data", () => socket.write("0\n")));
	const hung = hanging.start();
	hung.child.stdin.write(call(1));
	await hung.said("own");
	hung.child.stdin.end();
	assert.equal(await hung.ended, `own\n${call(1)}`);
	assert.ok(existsSync(hanging.address.hung));
	// The next one does not wait for it.
	const next = hanging.start();
	next.child.stdin.end(call(1));
	assert.equal(await next.ended, `own\n${call(1)}`);

	const refusing = scene(t);
	await refusing.serve(false);
	const refused = refusing.start();
	refused.child.stdin.end(call(1));
	assert.equal(await refused.ended, `own\n${call(1)}`);

	const ending = scene(t);
	const { stop } = await ending.serve();
	const left = ending.start();
	left.child.stdin.write(call(1));
	await left.said("tool 1");
	await stop();
	left.child.stdin.end(call(2));
	assert.equal(await left.ended, `${answer(1)}own\n${call(2)}`);

	const none = scene(t);
	const alone = none.start();
	alone.child.stdin.end(call(1));
	assert.equal(await alone.ended, `own\n${call(1)}`);
});

test("an agent that stops its server in the middle of a call gets its session recorded", { skip }, async (t) => {
	const of = scene(t);
	await of.serve();
	const { child, ended, said } = of.start();
	child.stdin.write(call(1));
	await said("tool 1");
	child.kill("SIGINT");
	assert.equal(await ended, answer(1));
	assert.equal(of.seen.at(-1), "end");
});

test("without weft's own files the command is started as it is", (t) => {
	const of = scene(t);
	rmSync(join(of.project.root, "own/plugin"), { recursive: true });
	const { child, ended } = of.start();
	child.stdin.end(call(1));
	return ended.then((out) => assert.equal(out, `own\n${call(1)}`));
});
