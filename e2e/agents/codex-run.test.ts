/** `weft run codex` without an installed weft: hooks that come with the arguments, and a login with ChatGPT. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CodexWorld, outputOf } from "./codex-world.ts";

test("weft run codex guards one session, beside the user's own hooks, and leaves nothing in the settings", async (t) => {
	const world = await CodexWorld.start({ "rates.mjs": "export const rate = 1;\n" });
	const { base, env, script } = world;
	t.after(() => base.close());
	const mark = join(base.root, "mine");
	world.configureLab();
	const config = join(world.home, "config.toml");
	const own = `[[hooks.PreToolUse]]\nhooks = [{ type = "command", command = "echo ran >> ${mark}" }]\n`;
	writeFileSync(config, `${readFileSync(config, "utf8")}${own}`);
	assert.deepEqual(await world.trustHooks(), ["trusted"]);
	const before = readFileSync(config, "utf8");
	const patch = world.patch("rates.mjs", "export const rate = 1;", "export const rate = 2;");
	const again = world.patch("rates.mjs", "export const rate = 5;", "export const rate = 6;");
	script.add(
		{ toolCalls: [world.read("rates.mjs")] },
		() => {
			writeFileSync(world.path("rates.mjs"), "export const rate = 5;\n");
			return { toolCalls: [patch] };
		},
		{ toolCalls: [again] },
		{ text: "Done." },
	);
	const ran = await base.weft(["run", "codex", "--", ...world.exec("Raise it.")], env);
	assert.equal(ran.code, 0, ran.err);
	assert.match(outputOf(base.requests, patch), /has changed on disk since you last saw it/);
	assert.equal(readFileSync(world.path("rates.mjs"), "utf8"), "export const rate = 6;\n");
	assert.match(readFileSync(mark, "utf8"), /^(?:ran\n){3}$/);
	// Codex itself adds that it trusts the project.
	const after = readFileSync(config, "utf8");
	assert.ok(after.startsWith(before) && !after.slice(before.length).includes("hooks"), after);
	assert.ok(!existsSync(join(world.home, "hooks.json")));
	assert.equal(base.events("Verdict").filter(({ payload }) => payload["verdict"] === "block").length, 1);

	// Installed, and not trusted: a line says so, and nothing is judged twice.
	assert.equal((await base.weft(["init", "codex", "--yes"], env)).code, 0);
	script.add({ text: "Done." });
	const untrusted = await base.weft(["run", "codex", "--", ...world.exec("What now?")], env);
	assert.equal(untrusted.code, 0, untrusted.err);
	assert.match(untrusted.err, /weft: hooks are not trusted yet, so they do not run\. Start Codex: it asks\./);
});

test("with a ChatGPT login the proxy takes an address that the user has named, and no other", async (t) => {
	const world = await CodexWorld.start({ "a.txt": "one\n" });
	const { base, script } = world;
	t.after(() => base.close());
	const { CODEX_API_KEY, ...env } = world.env;
	const claims = { chatgpt_plan_type: "pro", chatgpt_user_id: "u", chatgpt_account_id: "acc-1" };
	const parts = [{ alg: "none" }, { email: "a@b.c", exp: 4_102_444_800, "https://api.openai.com/auth": claims }];
	const token = [...parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")), "x"].join(".");
	const tokens = { id_token: token, access_token: token, refresh_token: "r", account_id: "acc-1" };
	const login = { auth_mode: "chatgpt", OPENAI_API_KEY: null, tokens, last_refresh: new Date().toISOString() };
	writeFileSync(join(world.home, "auth.json"), JSON.stringify(login));
	world.configure([`openai_base_url = "${base.url}/v1"`]);
	script.add({ toolCalls: [world.read("a.txt")] }, { text: "Said." });
	const ran = await base.weft(["run", "codex", "--", ...world.exec("Read it.")], env);
	assert.equal(ran.code, 0, ran.out);
	assert.match(ran.err, /weft: built-in provider: recorded, not sealed/);
	assert.equal(world.turns.length, 2);
	// Codex compresses what it sends with this login.
	for (const { headers } of world.turns) assert.equal(headers["chatgpt-account-id"], "acc-1");
	assert.ok(base.events("Request").length >= 2, "what passed is recorded");
	assert.deepEqual(base.holding(token), []);
});
