/** `weft inspect` as a program and as started by agents' commands. e2e/page tests the pages in a browser. */
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../../src/agent/openclaw/plugin-commands.ts";
import { startInspector } from "../../src/agent/pi/commands/inspect.ts";
import { maskStrings } from "../../src/base/text/mask-strings.ts";
import { openEngine } from "../../src/engine.ts";
import { projectKey } from "../../src/log/home.ts";
import { refuseEvents } from "../../src/log/look-only.ts";
import { AccessGate, serve } from "../../src/show/inspector/server/serve.ts";

function place() {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "weft-inspect-test-")));
	const engine = openEngine({ cwd: folder, home: join(folder, "home"), host: "pi", session: "one", env: {} });
	const message = { role: "user", content: [{ type: "text", text: "hello" }] };
	const raw = { type: "message", id: "00000001", parentId: null, timestamp: "2026-01-01T00:00:00.000Z", message };
	engine.record([
		{ type: "SessionStarted", payload: { cwd: folder } },
		{ type: "Message", entry: "00000001", payload: { role: "user", form: "pi", raw } },
	]);
	return { folder, engine, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

test("a command of a host starts it once, on its session, and the address admits who has it", async () => {
	const { folder, engine, remove } = place();
	engine.close();
	const { child, address } = await startInspector(
		{ home: join(folder, "home"), root: folder, session: "one" },
		{ open: false },
	);
	try {
		const welcome = await fetch(address, { redirect: "manual" });
		assert.equal(welcome.status, 303);
		assert.match(welcome.headers.get("location")!, /^\/p\/[0-9a-f]{16}\/s\/one\/now$/);
		assert.match(welcome.headers.get("set-cookie")!, /HttpOnly; SameSite=Strict/);
		const again = await startInspector({ home: join(folder, "home"), root: folder, session: "two" }, { open: false });
		assert.equal(again.child, child);
		assert.match(again.address, /\/s\/two\/now\?token=/);
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
	const ask = (headers: Record<string, string>, address = "/p/x/s/y/now") =>
		door.admit("GET", new URL(address, "http://127.0.0.1"), { host: "127.0.0.1:7000", ...headers });
	assert.equal(ask({}).kind, "refused");
	assert.equal(ask({ authorization: `Bearer ${door.token}` }).kind, "in");
	assert.equal(ask({ cookie: `weft-7000=${door.token}` }).kind, "in");
	assert.equal(ask({ cookie: `weft-7001=${door.token}` }).kind, "refused");
	assert.equal(ask({ authorization: `Bearer ${door.token}`, host: "evil.example:7000" }).kind, "refused");
	assert.equal(ask({ authorization: `Bearer ${door.token}`, origin: "https://evil.example" }).kind, "refused");
	assert.equal(
		ask({ authorization: `Bearer ${door.token}`, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }).kind,
		"refused",
	);
	assert.deepEqual(ask({}, `/p/x/s/y/now?item=a&token=${door.token}`), {
		kind: "welcome",
		to: "/p/x/s/y/now?item=a",
		cookie: `weft-7000=${door.token}; Path=/; HttpOnly; SameSite=Strict`,
	});
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
	const headers = { authorization: `Bearer ${new URL(inspector.address).searchParams.get("token")}` };
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
		assert.deepEqual(await ask("%ff.json"), [400, "The address is malformed at '%ff'."]);
		assert.deepEqual(await ask("now.json?window=5"), [400, "window takes a whole number, at least 4000, not '5'."]);
		assert.deepEqual(await ask("vitals.json?window=x"), [400, "window takes a whole number, at least 4000, not 'x'."]);
		assert.deepEqual(await ask("request/NaN.json"), [400, "request takes a whole number, at least 1, not 'NaN'."]);
	} finally {
		await inspector.close();
		remove();
	}
});
