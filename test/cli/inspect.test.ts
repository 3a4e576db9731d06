/** `weft inspect` as a program and as started by agents' commands. e2e/page tests the pages in a browser. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../../src/agent/openclaw/plugin-commands.ts";
import { startInspector } from "../../src/agent/pi/commands/inspect.ts";
import { maskStrings } from "../../src/base/text/mask-strings.ts";
import { openEngine } from "../../src/engine.ts";
import { projectKey } from "../../src/log/home.ts";
import { refuseEvents } from "../../src/log/look-only.ts";
import { AccessGate, type Inspector, serve } from "../../src/show/inspector/server/serve.ts";

function place() {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "weft-inspect-test-")));
	const engine = engineWith("hello", { cwd: folder, home: join(folder, "home"), session: "one" });
	return { folder, engine, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function engineWith(text: string, of: { readonly cwd: string; readonly home: string; readonly session: string }) {
	const engine = openEngine({ ...of, host: "pi", env: {} });
	const message = { role: "user", content: [{ type: "text", text }] };
	const raw = { type: "message", id: "00000001", parentId: null, timestamp: "2026-01-01T00:00:00.000Z", message };
	engine.record([
		{ type: "SessionStarted", payload: { cwd: of.cwd } },
		{ type: "Message", entry: "00000001", payload: { role: "user", form: "pi", raw } },
	]);
	return engine;
}

test("a command of a host starts it once, on its session, and the address admits who has it", async () => {
	const { folder, engine, remove } = place();
	engine.close();
	const { child, address } = await startInspector({ home: join(folder, "home"), root: folder, session: "one" });
	try {
		const [, page = "", token] = /^(.*\/p\/[0-9a-f]{16}\/s\/one\/now)#token=([\w-]{49})$/.exec(address) ?? [];
		const shown = await fetch(page, { redirect: "manual" });
		assert.deepEqual([shown.status, shown.headers.get("set-cookie")], [200, null]);
		assert.equal((await shown.text()).includes(token ?? ""), false);
		const data = async (authorization: string) => (await fetch(`${page}.json`, { headers: { authorization } })).status;
		assert.deepEqual([await data(`Bearer ${token}`), await data("Bearer x")], [200, 401]);
		const again = await startInspector({ home: join(folder, "home"), root: folder, session: "two" });
		assert.equal(again.child, child);
		assert.match(again.address, /\/s\/two\/now#token=/);
	} finally {
		child.kill();
		remove();
	}
});

test("in a chat of OpenClaw it answers with the command, never with an address", async () => {
	const { folder, engine, remove } = place();
	engine.close();
	const said = await runCommand(
		"weft",
		{ home: join(folder, "home"), cwd: folder } as never,
		{ args: "inspect" } as never,
		{} as never,
	);
	remove();
	assert.match(said, /^weft inspect --home /m);
	assert.doesNotMatch(said, /http|token/);
});

test("who only looks can write no event, and what is derived is still brought up to date", () => {
	const { engine, remove } = place();
	refuseEvents(engine.log);
	assert.throws(() => engine.record([{ type: "Custom", payload: { name: "no" } }]), /only looks/);
	assert.equal(engine.log.newestSeq(), 2);
	assert.equal(engine.search({ text: "hello" }).hits.length, 1);
	engine.close();
	remove();
});

test("the door lets in who has the token, under our own name, and nobody else", () => {
	const door = new AccessGate(7000);
	const good = { host: "127.0.0.1:7000", authorization: `Bearer ${door.token}` };
	const status = (headers: Record<string, string>) =>
		(door.refuseStranger(headers) ?? door.refuseWithoutToken(headers))?.status ?? 200;
	const page = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" };
	assert.deepEqual(
		[status(good), status({ ...good, ...page }), status({ ...good, host: "localhost:7000" })],
		[200, 200, 200],
	);
	assert.equal(status({ host: good.host }), 401);
	for (const cookie of [door.token, `weft-7000=${door.token}`]) assert.equal(status({ host: good.host, cookie }), 401);
	for (const headers of [
		{ host: "evil.example:7000" },
		{ host: "127.0.0.1:7001" },
		{ origin: "https://evil.example" },
		{ origin: "http://127.0.0.1:7001" },
		{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
		{ "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" },
		{ "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" },
	]) {
		assert.equal(status({ ...good, ...headers }), 403, JSON.stringify(headers));
	}
});

test("secrets are masked wherever they stand in a document", async () => {
	const key = `sk-ant-api03-${"A1b2C3d4".repeat(11)}AA`;
	const value = {
		rows: [{ text: `key ${key} here`, n: 1 }],
		password: "hunter2hunter2",
		plain: "nothing to hide",
		[key]: true,
	};
	assert.deepEqual(await maskStrings(value), {
		rows: [{ text: "key [secret] here", n: 1 }],
		password: "[secret]",
		plain: "nothing to hide",
		"[secret]": true,
	});
	const cut = { one: "-----BEGIN RSA PRIVATE KEY-----\nMIIEow", two: "what follows stays" };
	assert.equal(((await maskStrings(cut)) as typeof cut).two, "what follows stays");
});

test("an address that names no page is not found, and a malformed one is refused with a sentence", async () => {
	const { folder, engine, remove } = place();
	engine.close();
	const home = join(folder, "home");
	const open = (root: string) => openEngine({ cwd: root, home, host: "inspector", env: {} });
	const inspector = await serve({ home, root: folder, open, port: 0, unmasked: false, version: "x", now: () => 0 });
	const headers = { authorization: `Bearer ${inspector.token}` };
	const base = `${inspector.origin}/p/${projectKey(folder)}/s/one`;
	const ask = async (page: string) => {
		const response = await fetch(`${base}/${page}`, { headers });
		const { error } = (await response.json()) as { error?: { message: string } };
		return [response.status, error?.message];
	};
	try {
		assert.deepEqual(await ask("now.json?window=4000"), [200, undefined]);
		for (const page of ["constructor", "__proto__", "toString", "nowhere"])
			assert.equal((await ask(`${page}.json`))[0], 404);
		for (const page of ["%ff", "%", "now/%", "request/%c0%80"]) assert.equal((await ask(`${page}.json`))[0], 404, page);
		assert.deepEqual(await ask("now.json?window=5"), [400, "window takes a whole number, at least 4000, not '5'."]);
		assert.deepEqual(await ask("vitals.json?window=x"), [400, "window takes a whole number, at least 4000, not 'x'."]);
		assert.deepEqual(await ask("request/NaN.json"), [400, "request takes a whole number, at least 1, not 'NaN'."]);
	} finally {
		await inspector.close();
		remove();
	}
});

test("no odd address is an error of the server, shows its insides or leads elsewhere", async () => {
	const { folder, engine, remove } = place();
	engine.close();
	const home = join(folder, "home");
	const open = (root: string) => openEngine({ cwd: root, home, host: "inspector", env: {} });
	const inspector = await serve({ home, root: folder, open, port: 0, unmasked: false, version: "x", now: () => 0 });
	const key = projectKey(folder);
	const odd = [
		"constructor",
		"__proto__",
		"toString",
		"%",
		"%ff",
		"%00",
		"..",
		"%2e%2e",
		"%2f%2fevil.com",
		"\\",
		"'",
		"<b>",
	];
	const paths = odd.flatMap((word) => [
		`/${word}`,
		`/${word}.json`,
		`/p/${word}`,
		`/p/${word}/s/-/now.json`,
		`/p/${key}/${word}.json`,
		`/p/${key}/s/${word}/now.json`,
		`/p/${key}/s/one/${word}`,
		`/p/${key}/s/one/${word}.json`,
		`/p/${key}/s/one/peek/${word}.json`,
		`/p/${key}/s/one/request/${word}.md`,
		`/p/${key}/s/one/timeline.json?type=${word}&tool=${word}&q=${word}`,
		`/p/${key}/s/one/now.json?mode=${word}`,
		`/p/${key}/sessions.json?order=${word}&scope=${word}`,
		`/replay/${word}.json`,
		`/p/${key}/s/${word}/export.html`,
	]);
	const counts = new Map<number, number>();
	try {
		for (const path of [...paths, "/.//evil.com", "//evil.com", "/..//evil.com/", "/%5cevil.com", "http://evil.com/"]) {
			for (const method of ["GET", "POST"]) {
				const { status, location, text } = await askRaw(inspector, method, path);
				assert.ok(status === 200 || (status >= 400 && status < 500), `${method} ${path}: ${status} ${text}`);
				assert.equal(location, undefined, path);
				assert.doesNotMatch(text, /node:internal|\.ts:\d+|at Object\./, path);
				counts.set(status, (counts.get(status) ?? 0) + 1);
			}
		}
		assert.ok((counts.get(404) ?? 0) > 150, JSON.stringify([...counts]));
		const elsewhere = ["//evil.com", "///evil.com", "//evil.com/p/", "/\\evil.com", "http://evil.com/", "*"];
		for (const path of elsewhere) assert.equal((await askRaw(inspector, "GET", path)).status, 404, path);
	} finally {
		await inspector.close();
		remove();
	}
});

test("the address of a project opens that project and no other", async () => {
	const { folder, engine, remove } = place();
	engine.close();
	const home = join(folder, "home");
	const open = (root: string) => openEngine({ cwd: root, home, host: "inspector", env: {} });
	const other = join(folder, "other");
	mkdirSync(join(other, ".git"), { recursive: true });
	engineWith("a plan of another project", { cwd: other, home, session: "theirs" }).close();
	const inspector = await serve({ home, root: folder, open, port: 0, unmasked: false, version: "x", now: () => 0 });
	const [own, foreign] = [projectKey(folder), projectKey(other)];
	const tokenOf = (page: string) => new URL(inspector.addressOf(page)).hash.replace("#token=", "");
	const token = tokenOf(`/p/${own}/s/-/now`);
	const read = async (path: string, given = token) => {
		const response = await fetch(`${inspector.origin}${path}`, { headers: { authorization: `Bearer ${given}` } });
		return { status: response.status, text: await response.text() };
	};
	try {
		const inReach = ["launch.json", `p/${own}/sessions.json?scope=all`, `p/${own}/s/-/search.json?q=plan&scope=all`];
		for (const path of [...inReach, "report.json", "projects.json", "replay.json"]) {
			const { status, text } = await read(`/${path}`);
			assert.equal(status, 200, `${path}: ${text}`);
			assert.doesNotMatch(text, /another project|theirs|other/, path);
			if (inReach.includes(path)) assert.match((await read(`/${path}`, inspector.token)).text, /other/, path);
		}
		const pages = ["s/-/now.json", "s/-/timeline.json", "live", "s/-/export.html", "menu.json"];
		for (const page of pages) {
			const { status, text } = await read(`/p/${foreign}/${page}`);
			assert.ok(status === 404 || text === '{"sessions":[]}\n', `${page}: ${status} ${text}`);
		}
		const body = { method: "POST", headers: { authorization: `Bearer ${token}` } };
		assert.equal((await fetch(`${inspector.origin}/replay?session=theirs&project=${foreign}`, body)).status, 404);
		// Neither another key before the same proof, nor the proof of another launch.
		const forged = [token.replace(own, foreign), `${foreign}-${"A".repeat(32)}`, own, `${token}x`];
		for (const given of forged) assert.equal((await read("/launch.json", given)).status, 401, given);
		assert.equal((await read(`/p/${foreign}/s/-/timeline.json`, tokenOf(`/p/${foreign}/s/-/now`))).status, 200);
	} finally {
		await inspector.close();
		remove();
	}
});

/** With the path as it is: fetch would clean it. */
function askRaw(inspector: Inspector, method: string, path: string) {
	return new Promise<{ status: number; location: string | undefined; text: string }>((done, fail) => {
		const headers = { authorization: `Bearer ${inspector.token}` };
		const asked = request(inspector.origin, { method, path, headers }, (response) => {
			response.toArray().then((parts) => {
				done({ status: response.statusCode ?? 0, location: response.headers.location, text: parts.join("") });
			}, fail);
		});
		asked.on("error", fail);
		asked.end();
	});
}
