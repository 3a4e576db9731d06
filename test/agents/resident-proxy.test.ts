/** The proxy of `weft run` in the project's resident: this process keeps the port, and the resident answers what comes to it. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import http, { type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { residentAddress } from "../../src/agent/resident/address.ts";
import { ownPath } from "../../src/base/file/package-file.ts";
import { type KeptProxy, keepProxy } from "../../src/show/cli/kept-proxy.ts";
import { TemporaryProject } from "../rig/temporary-folder.ts";

const MAIN = ownPath("src", "show", "cli", "main.ts");
const never = { "x-never": "1" };

interface Scene {
	readonly home: string;
	/** Of requests that the provider has got, newest last. */
	readonly got: { readonly key: string | undefined; readonly bytes: number }[];
	/** Ends the answers that wait. */
	readonly finish: () => void;
	/** Resolves when it serves. */
	resident(env?: NodeJS.ProcessEnv): Promise<ChildProcess>;
	/** As `weft run` keeps one. `starts` counts how often it asked for a resident. */
	keep(env?: NodeJS.ProcessEnv): Promise<KeptProxy & { readonly starts: number }>;
}

function scene(t: TestContext): Scene {
	const project = new TemporaryProject({ ".git/HEAD": "" });
	const { home, folder: cwd } = project;
	const address = residentAddress(home, cwd)!;
	mkdirSync(address.folder, { recursive: true, mode: 0o700 });
	const got: Scene["got"] = [];
	const waiting: (() => void)[] = [];
	const provider = http.createServer(async (request, response) => {
		const body = await text(request);
		got.push({ key: request.headers["x-api-key"] as string | undefined, bytes: body.length });
		if (request.headers["x-never"] === undefined) return void response.end(`answer of ${body.length}`);
		response.write("the first half,");
		waiting.push(() => response.end(" the second"));
	});
	const listening = new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
	const children: ChildProcess[] = [];
	const kept: KeptProxy[] = [];
	t.after(async () => {
		for (const each of kept) await each.end();
		for (const child of children) child.kill("SIGKILL");
		await Promise.all(children.map(gone));
		provider.closeAllConnections();
		provider.close();
		project[Symbol.dispose]();
	});
	const clean = { ...process.env, WEFT_HOME: home, HOME: project.root, NODE_OPTIONS: "", NODE_EXTRA_CA_CERTS: "" };
	return {
		home,
		got,
		finish: () => {
			for (const each of waiting.splice(0)) each();
		},
		resident: async (env = {}) => {
			const args = [MAIN, "resident", "--home", home, "--project", cwd];
			const child = spawn(process.execPath, args, { cwd: "/", env: { ...clean, ...env }, stdio: "ignore" });
			children.push(child);
			while (!existsSync(join(address.folder, address.socket))) await new Promise(setImmediate);
			return child;
		},
		keep: async (env = {}) => {
			await listening;
			let starts = 0;
			const upstream = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
			const start = async () => {
				starts++;
				return false;
			};
			const proxy = await keepProxy({
				weft: [process.execPath, MAIN, "--home", home],
				args: ["--for", "claude", "--upstream", upstream],
				resident: { address, words: [MAIN, "--home", home], start },
				cwd,
				env: { ...clean, ...env },
			});
			kept.push(proxy);
			return {
				...proxy,
				get starts() {
					return starts;
				},
			};
		},
	};
}

function gone(child: ChildProcess): Promise<unknown> {
	if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
	return new Promise((resolve) => child.once("exit", resolve));
}

async function ask(
	address: string,
	body: string,
	{ headers = {}, agent = false }: { readonly headers?: object; readonly agent?: http.Agent | false } = {},
): Promise<IncomingMessage> {
	const given = { method: "POST", agent, headers: { "x-api-key": "sk-mine", ...headers } };
	const request = http.request(`${address}/v1/other`, given);
	request.end(body);
	return new Promise((resolve, reject) => request.once("response", resolve).once("error", reject));
}

const answered = async (address: string, body: string, agent?: http.Agent) =>
	text(await ask(address, body, agent && { agent }));

test("requests pass through the resident, on one connection or many, and no process of the proxy's own starts", async (t) => {
	const of = scene(t);
	await of.resident();
	const kept = await of.keep();
	const agent = new http.Agent({ keepAlive: true });
	t.after(() => agent.destroy());
	const large = "x".repeat(3_000_000);
	assert.equal(await answered(kept.address, large, agent), "answer of 3000000");
	assert.equal(await answered(kept.address, "again", agent), "answer of 5");
	const many = Array.from({ length: 20 }, (_, n) => answered(kept.address, "y".repeat(n)));
	assert.deepEqual(
		await Promise.all(many),
		many.map((_, n) => `answer of ${n}`),
	);
	assert.deepEqual(new Set(of.got.map(({ key }) => key)), new Set(["sk-mine"]));
	assert.equal(kept.starts, 0);
	const [secretless] = kept.address.split(/\/[^/]+$/);
	assert.equal((await ask(`${secretless}/${"s".repeat(32)}`, "")).statusCode, 403);
});

test("a resident that is killed costs the answer that it passes; the next request finds another proxy on the same port", async (t) => {
	const of = scene(t);
	const resident = await of.resident();
	const kept = await of.keep();
	const cut = await ask(kept.address, "half", { headers: never });
	await new Promise((resolve) => cut.once("data", resolve));
	resident.kill("SIGKILL");
	await assert.rejects(text(cut), { code: "ECONNRESET" });
	assert.equal(await answered(kept.address, "next"), "answer of 4", "by a process of its own");
	assert.equal(kept.starts, 1);
});

test("a resident that ends finishes the answer that it passes, while the next request finds another proxy", async (t) => {
	const of = scene(t);
	const resident = await of.resident();
	const kept = await of.keep();
	const agent = new http.Agent({ keepAlive: true });
	t.after(() => agent.destroy());
	assert.equal(await answered(kept.address, "kept", agent), "answer of 4");
	const long = await ask(kept.address, "half", { headers: never });
	await new Promise((resolve) => long.once("readable", resolve));
	resident.kill("SIGTERM");
	while (kept.starts === 0) await new Promise(setImmediate);
	assert.equal(await answered(kept.address, "meanwhile"), "answer of 9");
	assert.equal(resident.exitCode, null);
	of.finish();
	assert.equal(await text(long), "the first half, the second");
	await gone(resident);
	assert.equal(resident.exitCode, 0);
});

test("a resident that has other certificates is not asked to pass requests", async (t) => {
	const of = scene(t);
	await of.resident();
	const kept = await of.keep({ NODE_USE_SYSTEM_CA: "1" });
	assert.equal(await answered(kept.address, "by its own"), "answer of 10");
	assert.equal(kept.starts, 0, "another resident would be the same");
});

test("a resident that hangs is left, and the request that met it is answered", async (t) => {
	const of = scene(t);
	const resident = await of.resident();
	const kept = await of.keep();
	assert.equal(await answered(kept.address, "first"), "answer of 5");
	resident.kill("SIGSTOP");
	assert.equal(await answered(kept.address, "second"), "answer of 6");
	assert.equal(kept.starts, 0);
});
