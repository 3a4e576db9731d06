/**
 * A project's first session and three resumes of it, in each real agent: tools, system prompt and everything sent before are the
 * same bytes, from the first to the last. The first session leaves a memory behind, which once added a tool. Also what weft adds
 * to the head, in bytes.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelRequest } from "../../test/rig/answer.ts";
import { ClaudeWorld } from "./claude-world.ts";
import { CodexWorld } from "./codex-world.ts";
import { OpencodeWorld } from "./opencode-world.ts";

const RESUMES = 3;
const FILES = { "rates.mjs": "export const rate = 7;\n" };
const LONG = { timeout: 400_000 };

/** The parts of a request that a provider's cache is made of, in its order, without the marks of the cache. */
function cachedPart({ json }: ModelRequest): string {
	const { tools, instructions, system, messages, input } = json;
	const list = (messages ?? input) as readonly unknown[];
	const text = JSON.stringify([withoutMarks([tools, instructions ?? null, system ?? null])]);
	return `${text}\n${list.map((item) => `${JSON.stringify(withoutMarks(item))}\n`).join("")}`;
}

/** A text that carries a mark is a block. */
function withoutMarks(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutMarks);
	if (value === null || typeof value !== "object") return value;
	const entries = Object.entries(value).flatMap(([key, each]) => {
		if (key === "cache_control") return [];
		if (key === "content" && typeof each === "string") return [[key, [{ type: "text", text: each }]] as const];
		return [[key, withoutMarks(each)] as const];
	});
	return Object.fromEntries(entries);
}

function assertOneHead(requests: readonly ModelRequest[]): void {
	assert.ok(requests.length >= 2 * (RESUMES + 1), `${requests.length} requests`);
	const texts = requests.map(cachedPart);
	for (const [at, text] of texts.slice(1).entries()) {
		const before = texts[at]!;
		if (text.startsWith(before)) continue;
		let byte = 0;
		while (before[byte] === text[byte]) byte++;
		const around = (of: string) => of.slice(Math.max(0, byte - 100), byte + 200);
		assert.fail(`request ${at + 1} differs at ${byte} of ${before.length}:\n${around(before)}\n---\n${around(text)}`);
	}
}

/** Bytes that weft adds to the first request of a session, beyond what the agent sends by itself. */
function tellAdded(agent: string, bare: ModelRequest, woven: ModelRequest): void {
	const size = (request: ModelRequest) => Buffer.byteLength(cachedPart(request));
	const added = size(woven) - size(bare);
	console.log(
		`head: ${agent}: ${size(bare)} bytes alone, ${added} more with weft, about ${Math.round(added / 3.9)} tokens`,
	);
	assert.ok(added > 0 && added < 5_400, `${agent}: ${added} bytes`);
}

test("Claude Code", LONG, async (t) => {
	const world = await ClaudeWorld.start(FILES);
	t.after(() => world.close());
	const { script } = world;
	const read = () => ({ toolCalls: [script.call("Read", { file_path: world.path("rates.mjs") })] });
	let session: string | undefined;
	for (let n = 0; n <= RESUMES; n++) {
		script.add(read(), { text: `Rate ${n} it is.` });
		const claude = world.open({ resume: session });
		const said = await claude.turn(`Look at the rates, time ${n}. Never use cents.`);
		assert.equal(said.result, `Rate ${n} it is.`, claude.told);
		session = said.session_id;
		assert.equal(await claude.end(), 0);
	}
	assertOneHead(world.requests.filter(({ index }) => script.kinds[index] === "step"));
	const woven = world.requests[0]!;
	const from = world.requests.length;
	script.add({ text: "Alone." });
	const alone = world.open({ weft: false });
	await alone.turn("Look at the rates, time 0. Never use cents.");
	await alone.end();
	tellAdded("Claude Code", world.requests[from]!, woven);
});

test("Codex", LONG, async (t) => {
	const world = await CodexWorld.start(FILES);
	t.after(() => world.base.close());
	const { base, env, script } = world;
	world.configureLab();
	script.add({ text: "Alone." });
	await base.run("codex", world.exec("Look at the rates, time 0."), env);
	const bare = world.turns[0]!;
	const init = await base.weft(["init", "codex", "--yes"], env);
	assert.equal(init.code, 0, init.err);
	await world.trustHooks();
	const from = world.turns.length;
	let session: string | undefined;
	for (let n = 0; n <= RESUMES; n++) {
		script.add({ toolCalls: [world.read("rates.mjs")] }, { text: `Rate ${n} it is.` });
		const { code, out, err } = await base.run("codex", world.exec(`Look at the rates, time ${n}.`, session), env);
		assert.equal(code, 0, err);
		session ??= /"thread_id":"([^"]+)"/.exec(out)?.[1];
		assert.ok(session);
	}
	assertOneHead(world.turns.slice(from));
	tellAdded("Codex", bare, world.turns[from]!);
});

test("opencode", LONG, async (t) => {
	const world = await OpencodeWorld.start(FILES);
	t.after(() => world.base.close());
	const { base, env, script } = world;
	const init = await base.weft(["init", "opencode", "--yes"], env);
	assert.equal(init.code, 0, init.err);
	let session: string | undefined;
	for (let n = 0; n <= RESUMES; n++) {
		script.add({ toolCalls: [world.read("rates.mjs")] }, { text: `Rate ${n} it is.` });
		const { code, out, err } = await base.run("opencode", world.run(`Look at the rates, time ${n}.`, session), env);
		assert.equal(code, 0, err);
		session ??= /"sessionID":"([^"]+)"/.exec(out)?.[1];
		assert.ok(session);
	}
	const woven = world.turns[0]!;
	assertOneHead(world.turns);
	const undone = await base.weft(["init", "opencode", "--undo"], env);
	assert.equal(undone.code, 0, undone.err);
	const from = base.requests.length;
	await base.run("opencode", world.run("Look at the rates, time 0."), env);
	const bare = base.requests.slice(from).find(({ json }) => ((json["tools"] as unknown[]) ?? []).length > 0);
	tellAdded("opencode", bare!, woven);
});
