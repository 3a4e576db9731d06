/** A session of Claude Code by its hooks and its transcript, without the program: what the real one does is in e2e/agents. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ownVersion } from "../../base/file/package-file.ts";
import { memoryFolder, pathOf, sessionFile } from "../../state/memory/memory-files.ts";
import { addMemory } from "../../view/memory-edits.ts";
import { openAgentEngine } from "../live/agent-engine.ts";
import { seedOfferEvent } from "../live/seed-offer-event.ts";
import { ClaudeCodeLive } from "./live.ts";
import { CLAUDE_CODE_PORT } from "./port.ts";
import { seedParts } from "./seed-parts.ts";

type Fields = Readonly<Record<string, unknown>>;

function world(t: TestContext, home = "home", more: NodeJS.ProcessEnv = {}, time = at) {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "weft-live-")));
	t.after(() => rmSync(root, { recursive: true, force: true }));
	const cwd = join(root, "project");
	const transcript = join(root, "config/projects/p/s-1.jsonl");
	for (const folder of [join(cwd, ".git"), join(transcript, "..")]) mkdirSync(folder, { recursive: true });
	writeFileSync(join(root, "file"), "");
	const env = { CLAUDE_CODE_SESSION_ID: "s-1", CLAUDE_CONFIG_DIR: join(root, "config"), HOME: root, ...more };
	const opened = openAgentEngine({
		port: CLAUDE_CODE_PORT,
		cwd,
		env,
		home: join(root, home),
		warn: (notice) => live.notify(notice),
	});
	t.after(() => opened.close());
	const live: ClaudeCodeLive = new ClaudeCodeLive({ env, cwd, pid: process.pid, opened });
	let last: string | null = null;
	let lines = 0;
	const line = (role: "user" | "assistant", content: unknown, more: Fields = {}) => {
		const uuid = `u${++lines}`;
		const message = { role, content, ...(role === "assistant" && { id: `msg${lines}`, model: "claude-x" }) };
		const of = {
			type: role,
			uuid,
			parentUuid: last,
			sessionId: "s-1",
			cwd,
			timestamp: time(lines),
			isSidechain: false,
		};
		appendFileSync(transcript, `${JSON.stringify({ ...of, message, ...more })}\n`);
		last = uuid;
	};
	const hook = async (event: string, fields: Fields = {}) => {
		const texts = Object.entries(fields).map(([key, value]) => [
			key,
			typeof value === "string" ? value : JSON.stringify(value),
		]);
		const told = await live.hook({ event, session: "s-1", transcript, cwd, agent: "", ...Object.fromEntries(texts) });
		return event === "PreCompact" ? told : JSON.parse(told);
	};
	/** A call as the program makes it: the answer, the hooks, the result. */
	const call = async (tool: string, input: Fields, run: () => { response: unknown; text: string }) => {
		const id = `t${lines}`;
		line("assistant", [{ type: "tool_use", id, name: tool, input }]);
		const before = await hook("PreToolUse", { tool, call: id, input });
		if (before.hookSpecificOutput?.permissionDecision === "deny") return before.hookSpecificOutput;
		const { response, text } = run();
		const after = await hook("PostToolUse", { tool, call: id, input, response });
		line("user", [{ type: "tool_result", tool_use_id: id, content: text }], { toolUseResult: response });
		return after.hookSpecificOutput ?? {};
	};
	const read = (name: string) => {
		const content = readFileSync(join(cwd, name), "utf8");
		const numLines = content.split("\n").length;
		const file = { filePath: join(cwd, name), content, numLines, startLine: 1, totalLines: numLines };
		return call("Read", { file_path: join(cwd, name) }, () => ({ response: { type: "text", file }, text: content }));
	};
	const write = (name: string, content: string) =>
		call("Write", { file_path: join(cwd, name), content }, () => {
			writeFileSync(join(cwd, name), content);
			return { response: { type: "update", filePath: join(cwd, name), content }, text: "updated" };
		});
	return { live, hook, call, line, read, write, cwd, opened, transcript };
}

const at = (second: number) => new Date(Date.UTC(2026, 2, 1, 10, 0, second)).toISOString();

test("a whole-file write over what somebody else saved is denied with the difference, and passes once it was shown", async (t) => {
	const { line, read, write, cwd, opened } = world(t);
	line("user", "Keep the tide table");
	writeFileSync(join(cwd, "tide.txt"), "high 6\nlow 12\n");
	assert.deepEqual(await read("tide.txt"), {});
	writeFileSync(join(cwd, "tide.txt"), "high 7\nlow 12\n");
	const denied = await write("tide.txt", "high 6\nlow 13\n");
	assert.equal(denied.permissionDecision, "deny");
	assert.match(denied.permissionDecisionReason, /-high 6\n\+high 7/);
	assert.equal((await write("tide.txt", "high 7\nlow 13\n")).permissionDecision, undefined);
	const types = [...opened.engine()!.log.read()].map(({ type }) => type);
	assert.ok(types.includes("UserIntent") && types.includes("FileRead") && types.includes("Verdict"));
	assert.ok(!types.includes("Fault"));
});

test("a shell that goes to another folder takes no file away, and its commands count where they ran", async (t) => {
	const { line, hook, call, read, write, cwd } = world(t);
	const sub = join(cwd, "sub");
	const edit = { file_path: join(sub, "in.txt"), old_string: "inner", new_string: "outer" };
	const run = async (id: string, command: string, [from, to]: readonly [string, string]) => {
		const of = { tool: "Bash", call: id, input: { command } };
		await hook("PreToolUse", { ...of, cwd: from });
		execFileSync("sh", ["-c", command], { cwd: from });
		return hook("PostToolUse", { ...of, cwd: to, response: { stdout: "", stderr: "" } });
	};
	line("user", "Go below");
	writeFileSync(join(cwd, "a.txt"), "one\n");
	await read("a.txt");
	await write("b.txt", "two\n");
	assert.deepEqual(await run("c1", "mkdir -p sub && cd sub && echo inner > in.txt", [cwd, sub]), {});
	const below = await run("c2", "echo more > in.txt && echo inner >> in.txt", [sub, sub]);
	assert.match(below.hookSpecificOutput.additionalContext, /^\[weft\] Changed by this call: sub\/in\.txt \(\+1/);
	assert.deepEqual(await hook("PreToolUse", { tool: "Edit", call: "c3", input: edit, cwd: sub }), {});
	assert.deepEqual(await run("c4", "cd ..", [sub, cwd]), {});
	// What somebody else saves there is still seen.
	writeFileSync(join(sub, "in.txt"), "outer and more\n");
	const { hookSpecificOutput } = await hook("PreToolUse", { tool: "Edit", call: "c5", input: edit });
	assert.match(hookSpecificOutput.permissionDecisionReason, /sub\/in\.txt has changed/);
	const seen = await call("Bash", { command: "true" }, () => ({ response: { stdout: "", stderr: "" }, text: "" }));
	assert.doesNotMatch(JSON.stringify(seen), /deleted/);
});

test("long output is cut in its own shape and kept whole", async (t) => {
	const { line, call, opened } = world(t);
	line("user", "Count");
	const stdout = Array.from({ length: 5_000 }, (_, n) => `count ${n}`).join("\n");
	const response = { stdout, stderr: "", interrupted: false };
	const answer = await call("Bash", { command: "count" }, () => ({ response, text: stdout }));
	const { stdout: shown, ...rest } = answer.updatedToolOutput;
	assert.deepEqual(rest, { stderr: "", interrupted: false });
	assert.ok(shown.length < stdout.length / 2);
	const handle = /lcm_expand\("b-([0-9a-f]{12})"\)/.exec(shown)?.[1];
	const engine = opened.engine()!;
	const kept = [...engine.log.read({ types: ["Custom"] })].map(({ payload }) => payload["blob"] as string);
	assert.equal(kept.length, 1);
	assert.ok(kept[0]?.startsWith(handle!));
	assert.equal(engine.log.getBlob(kept[0]!)?.toString("utf8"), stdout);
});

test("the first read of a session waits for the answer that asks for it, and so gets the room that is left", async (t) => {
	const { line, hook, cwd, opened } = world(t);
	const file_path = join(cwd, "long.ts");
	writeFileSync(file_path, "export const tide = 6;\n".repeat(1_900));
	line("user", "Read the tides");
	const asked = hook("PreToolUse", { tool: "Read", call: "t1", input: { file_path } });
	const isRecorded = () => [...(opened.engine()?.log.read() ?? [])].some(({ type }) => type === "UserIntent");
	while (!isRecorded()) await new Promise(setImmediate);
	const content = [{ type: "tool_use", id: "t1", name: "Read", input: { file_path } }];
	const usage = { input_tokens: 12_000, output_tokens: 40 };
	line("assistant", content, {
		message: { role: "assistant", id: "m1", model: "claude-opus-4-6", stop_reason: "tool_use", content, usage },
	});
	assert.deepEqual(await asked, {});
});

test("a compaction right after an edit, while the provider's cache is warm, gets the seed and its account", async (t) => {
	const { line, hook, read, write, cwd, opened } = world(t, "home", {}, () => new Date().toISOString());
	writeFileSync(join(cwd, "a.txt"), "one\n");
	line("user", "Paint the quayside of Ostia");
	await read("a.txt");
	await write("a.txt", "two\n");
	await hook("PreCompact", { trigger: "auto" });
	const { hookSpecificOutput } = await hook("SessionStart", { part: "1" });
	assert.match(hookSpecificOutput?.additionalContext ?? "", /quayside of Ostia/);
	const { log } = opened.engine()!;
	assert.deepEqual([...log.read({ types: ["Fault"] })], []);
	assert.equal([...log.read({ types: ["Seal"] })].length, 1);
});

test("a compaction gets the seed in parts, once, and none where there is nothing to seal", async (t) => {
	const { line, hook, call, opened } = world(t);
	assert.equal(await hook("PreCompact", { trigger: "auto" }), "");
	assert.deepEqual(await hook("SessionStart", { part: "1" }), {});
	line("user", "Build the lighthouse of Ostia. Never use marble.");
	for (let n = 0; n < 6; n++)
		await call("Bash", { command: `echo ${n}` }, () => ({
			response: { stdout: `stone ${n}`, stderr: "" },
			text: `stone ${n}`,
		}));
	assert.match(String(await hook("PreCompact", { trigger: "auto" })), /at most eight sentences/);
	const parts = await Promise.all([1, 2, 3].map((part) => hook("SessionStart", { part: String(part) })));
	const said = parts.map((part) => part.hookSpecificOutput?.additionalContext ?? "").join("");
	assert.match(said, /lighthouse of Ostia/);
	assert.ok(parts.every((part) => (part.hookSpecificOutput?.additionalContext ?? "").length < 10_000));
	// The user hears of it once, with what left and the way back.
	const [notice, ...more] = parts.flatMap((part) => part.systemMessage ?? []);
	assert.match(
		notice,
		/^weft: sealed \(the host's own limit is reached\): \d+ messages left the context, [\d,]+ → [\d,]+ tokens; still in it: 1 rule\. To get them back: weft grep WORDS, or ask the model\.$/,
	);
	assert.deepEqual(more, []);
	assert.equal([...opened.engine()!.log.read({ types: ["Seal"] })].length, 1);
});

test("behind the proxy the seed is the proxy's, and the plugin gives one only where the proxy gave none", async (t) => {
	const { line, hook, call, opened } = world(t, "home", { WEFT_PROXY: "http://127.0.0.1:1" });
	line("user", "Build the lighthouse of Ostia");
	await call("Bash", { command: "echo" }, () => ({ response: { stdout: "stone", stderr: "" }, text: "stone" }));
	const engine = opened.engine()!;
	const compact = async (isAnswered: boolean) => {
		assert.equal(await hook("PreCompact", { trigger: "auto" }), "");
		if (isAnswered) engine.record([seedOfferEvent({ session: "s-1", host: "claude-code" })]);
		const parts = await Promise.all([1, 2].map((part) => hook("SessionStart", { part: String(part) })));
		return parts.map((part) => part.hookSpecificOutput?.additionalContext ?? "").join("");
	};
	const seals = () => [...engine.log.read({ types: ["Seal"] })].length;
	assert.equal(await compact(true), "");
	assert.equal(seals(), 0);
	assert.match(await compact(false), /lighthouse of Ostia/);
	assert.equal(seals(), 1);
});

for (const [where, env, way] of [
	[
		"by hooks alone",
		{},
		/\/compact first reads them once as well, and leaves about [\d,]+ tokens (?:\(~\$\d\.\d\d\) )?to each request after it\.$/,
	],
	[
		"behind the proxy",
		{ WEFT_PROXY: "http://127.0.0.1:1" },
		/With a seal first \(\/compact\) it would write about [\d,]+ tokens/,
	],
] as const) {
	test(`after a pause the user hears once what the next request writes again, ${where}`, async (t) => {
		const { line, hook } = world(t, "home", env);
		line("user", "Count the bricks of the lighthouse");
		assert.deepEqual(await hook("UserPromptSubmit", { prompt: "And?" }), {}, "there is little to write");
		line("assistant", [{ type: "text", text: "Brick upon brick upon brick. ".repeat(8_000) }]);
		line("user", "Thanks.");
		line("assistant", [{ type: "text", text: "Any time." }]);
		const { systemMessage } = await hook("UserPromptSubmit", { prompt: "And now?" });
		const begin =
			/^weft: the pause emptied the provider's cache, so the next request writes 7\d,\d{3} tokens again \(~\$0\.\d\d\)\. /;
		assert.match(systemMessage, begin);
		assert.match(systemMessage, way);
		assert.deepEqual(await hook("UserPromptSubmit", { prompt: "And then?" }), {}, "once");
	});
}

test("while the provider has the context, nothing is said of its size", async (t) => {
	const { line, hook } = world(t, "home", {}, () => new Date().toISOString());
	line("user", "Count the bricks of the lighthouse");
	line("assistant", [{ type: "text", text: "Brick upon brick upon brick. ".repeat(8_000) }]);
	assert.deepEqual(await hook("UserPromptSubmit", { prompt: "And now?" }), {});
});

test("what was written while no server ran is read in by the next look", async (t) => {
	const { line, live, opened } = world(t);
	line("user", "First");
	await live.catchUp();
	line("assistant", [{ type: "text", text: "Second" }]);
	line("user", "Third");
	await live.end();
	const said = [...opened.engine()!.log.read({ types: ["Message"] })].length;
	assert.equal(said, 3);
});

test("the first prompt comes with what the project remembers, and beside one that it bears on", async (t) => {
	const { line, hook, opened } = world(t);
	line("user", "Begin");
	const hand = { now: Date.UTC(2026, 1, 1), why: "command", by: { session: "cli", host: "cli" } } as const;
	const bullet = { text: "The sextant is calibrated with the polaris table, never by hand", section: "Preferences" };
	addMemory(opened.engine()!, bullet, hand);
	const { hookSpecificOutput } = await hook("UserPromptSubmit", {
		prompt: "How is the sextant calibrated, by the polaris table?",
	});
	assert.match(hookSpecificOutput.additionalContext, /never by hand/);
	assert.deepEqual(await hook("UserPromptSubmit", { prompt: "Thanks" }), {});
});

/** The program's own compaction, as its transcript has it. */
function compact({ line }: Pick<ReturnType<typeof world>, "line">): void {
	const boundary = { type: "system", subtype: "compact_boundary", content: "Conversation compacted", parentUuid: null };
	line("user", "", { ...boundary, message: undefined, compactMetadata: { trigger: "auto", preTokens: 1_000 } });
	line("user", "This session is being continued. Summary: the work so far.", { isCompactSummary: true });
}

test("recall brings words of the own session that a compaction took, unless the seed quotes them", async (t) => {
	const at = world(t);
	at.line("user", "The gannet colony of berth twelve is counted with the brass telescope at dusk.");
	at.line("assistant", [{ type: "text", text: "The tide gauge of Ostia reads in fathoms, as its dial says." }]);
	const ask = async (prompt: string) =>
		(await at.hook("UserPromptSubmit", { prompt })).hookSpecificOutput?.additionalContext as string | undefined;
	const [gauge, gannets] = [
		"In what unit does the tide gauge of Ostia read?",
		"How is the gannet colony counted at dusk?",
	];
	assert.equal(await ask(gauge), undefined, "the context holds it");
	await at.hook("PreCompact", { trigger: "auto" });
	compact(at);
	const { hookSpecificOutput } = await at.hook("SessionStart", { part: "1" });
	assert.match(hookSpecificOutput.additionalContext, /brass telescope at dusk/);
	assert.match((await ask(gauge)) ?? "", /reads in fathoms, as its dial says/);
	assert.equal(await ask(gauge), undefined, "it was given beside the last prompt");
	assert.equal(await ask(gannets), undefined, "the seed quotes it, and so does the line of HISTORY.md");
	compact(at);
	assert.match((await ask(gannets)) ?? "", /brass telescope at dusk/, "the seed has left too");
});

test("rules open a session, and come again after a compaction that took them", async (t) => {
	const at = world(t);
	at.line("user", "Begin");
	const hand = { now: Date.UTC(2026, 1, 1), why: "command", by: { session: "cli", host: "cli" } } as const;
	addMemory(at.opened.engine()!, { text: "Ask before a release", section: "Preferences" }, hand);
	const given = async (prompt: string) =>
		/Ask before a release/.test(JSON.stringify(await at.hook("UserPromptSubmit", { prompt })));
	assert.deepEqual([await given("Paint the mast."), await given("Paint the keel.")], [true, false]);
	compact(at);
	assert.deepEqual([await given("Paint the deck."), await given("Paint the oars.")], [true, false]);
});

test("SESSION.md tells of the session from its first answer on", async (t) => {
	const { line, hook, opened } = world(t);
	line("user", "Rig the mainsail of the brigantine");
	line("assistant", [{ type: "text", text: "It is rigged." }]);
	await hook("PreCompact");
	await hook("Stop");
	const engine = opened.engine()!;
	const file = pathOf(memoryFolder(engine.project.folder), sessionFile({ session: "s-1", host: "claude-code" }));
	assert.match(readFileSync(file, "utf8"), /mainsail/);
	assert.deepEqual([...engine.log.read({ types: ["Fault"] })], []);
});

test("a server that does not run is said once", async (t) => {
	const data = mkdtempSync(join(tmpdir(), "weft mark-"));
	t.after(() => rmSync(data, { recursive: true, force: true }));
	const script = join(import.meta.dirname, "../../../plugin/claude-code/weft/hooks/is-running.sh");
	const env = { PATH: process.env["PATH"], CLAUDE_PLUGIN_DATA: data, CLAUDE_CODE_SESSION_ID: "s-1" };
	const said = () => execFileSync("sh", [script], { env, encoding: "utf8" });
	assert.match(JSON.parse(said()).systemMessage, /does not run/);
	assert.equal(said(), "");
	const { hook, live } = world(t, "home", env);
	await hook("Stop");
	assert.equal(said(), "");
	await live.end();
	assert.match(said(), /does not run/, "it ended before the session did");
});

test("after /clear the same server goes on with the new session", async (t) => {
	const { line, hook, live, opened, transcript } = world(t);
	line("user", "Before");
	await hook("UserPromptSubmit", { prompt: "Before" });
	const next = transcript.replace("s-1", "s-2");
	writeFileSync(next, readFileSync(transcript, "utf8").replaceAll("s-1", "s-2").replaceAll("Before", "After"));
	await live.hook({ event: "UserPromptSubmit", session: "s-2", transcript: next, prompt: "After" });
	assert.equal(live.session()?.session, "s-2");
	const sessions = [...opened.engine()!.log.read({ types: ["Message"] })].map(({ session }) => session);
	assert.deepEqual(sessions, ["s-1", "s-2"]);
});

test("where there is no log every hook lets everything pass", async (t) => {
	const { line, hook, read, cwd } = world(t, "file/below");
	line("user", "Go on");
	writeFileSync(join(cwd, "a.txt"), "a\n");
	assert.deepEqual(await read("a.txt"), {});
	assert.equal(await hook("PreCompact"), "{}");
	assert.deepEqual(await hook("Nonsense", { input: "{ not json" }), {});
});

test("parts of a seed are cut between lines, say which they are, and lose nothing", () => {
	const seed = Array.from({ length: 900 }, (_, n) => `line ${n} ${"é".repeat(n % 30)}`).join("\n");
	const parts = seedParts(seed);
	assert.ok(parts.length > 1 && parts.every(({ length }) => length <= 9_800));
	assert.equal(parts.map((part) => part.slice(part.indexOf("\n") + 1)).join(""), seed);
	assert.match(parts[0]!, /^\[weft: part 1 of 3\]\n/);
	const endless = seedParts("x".repeat(200_000));
	assert.equal(endless.length, 8);
	assert.match(endless.at(-1)!, /There was more/);
	assert.deepEqual(seedParts("short"), ["short"]);
});

test("a plugin of another version is said once", async (t) => {
	const root = mkdtempSync(join(tmpdir(), "weft-plugin-"));
	t.after(() => rmSync(root, { recursive: true, force: true }));
	mkdirSync(join(root, ".claude-plugin"));
	const say = async (version: string) => {
		writeFileSync(join(root, ".claude-plugin/plugin.json"), JSON.stringify({ name: "weft", version }));
		const { hook } = world(t, "home", { CLAUDE_PLUGIN_ROOT: root });
		const prompt = async () => (await hook("UserPromptSubmit", { prompt: "Go on" })).systemMessage;
		return [await prompt(), await prompt()];
	};
	const [first, second] = await say("0.0.9");
	assert.match(first, /weft is \S+, and its plugin here is 0\.0\.9\. Run 'weft init claude', or update the plugin/);
	assert.equal(second, undefined);
	assert.deepEqual(await say(ownVersion()), [undefined, undefined]);
});
