/** `weft init claude --proxy`: the launcher in front of the real Claude Code, with weft there, gone and broken. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { AgentWorld, proxyOf, startedBy } from "./agent-world.ts";

test("the launcher starts Claude Code behind the proxy, and by itself where weft is gone; nothing is left behind", async (t) => {
	let pid = 0;
	let onTurn: (() => void) | undefined;
	const world = await AgentWorld.start("claude", ({ json }) => {
		const messages = JSON.stringify(json["messages"]);
		if (messages.includes("tool_result")) return { text: "Done." };
		onTurn?.();
		const command = "echo the address is $ANTHROPIC_BASE_URL";
		return { toolCalls: [{ id: `call_${Date.now()}`, name: "Bash", args: { command } }] };
	});
	t.after(() => world.close());
	// The proxy is then a process of its own.
	const env = world.claudeEnv({ WEFT_RESIDENT_SECONDS: "0" });
	const done = await world.weft(["init", "claude", "--proxy", "--status-line", "--yes"], env);
	assert.equal(done.code, 0, done.err);
	const launcher = join(world.home, "bin", "claude");
	const start = () => world.run(launcher, ["-p", "where are you", "--allowedTools", "Bash"], env, (id) => (pid = id));
	const address = () => /the address is (http:\/\/[\d.:]+)/.exec(world.requests.at(-1)!.body)?.[1];

	const behind = await start();
	assert.equal(behind.code, 0, behind.err);
	assert.match(behind.out, /Done\./);
	assert.match(address() ?? "", /^http:\/\/127\.0\.0\.1:\d+$/);
	assert.notEqual(address(), world.url, "the proxy stands between");

	// The launcher is ended without a chance to tidy up.
	let proxy: number | undefined;
	onTurn = () => {
		// Once: Claude Code may have asked for more before it died.
		onTurn = undefined;
		proxy = proxyOf(pid);
		const agents = startedBy(pid).filter((each) => each.pid !== proxy);
		for (const each of [pid, ...agents.map((agent) => agent.pid)]) process.kill(each, "SIGKILL");
	};
	await start();
	assert.ok(proxy !== undefined);
	for (let look = 0; look < 100 && isAlive(proxy); look++) await pause(100);
	assert.ok(!isAlive(proxy), "the proxy ends with it");

	const text = readFileSync(launcher, "utf8");
	writeFileSync(launcher, text.replaceAll("main.js", "gone.js"));
	const without = await start();
	assert.equal(without.code, 0, without.err);
	assert.equal(address(), world.url, "the provider is asked directly");
	writeFileSync(launcher, text);

	const undone = await world.weft(["init", "claude", "--undo"], env);
	assert.equal(undone.code, 0, undone.err);
	assert.ok(!existsSync(launcher));
});

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}
