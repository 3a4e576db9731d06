import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { JsonObject } from "../../base/json/read.ts";
import { type Engine, openEngine } from "../../engine.ts";
import { MEMORY, MemoryFiles } from "../../state/memory/memory-files.ts";
import { answerOnce, CodexLive } from "./live.ts";

interface Place {
	readonly cwd: string;
	readonly engine: Engine;
	readonly transcript: string;
	hook(event: string, tool: string, command: string, more?: JsonObject): Promise<JsonObject | undefined>;
}

const PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-line two\n+line 2\n*** End Patch";
const SESSION = "019a0000-0000-7000-8000-000000000001";

function place(t: TestContext): Place {
	const folder = mkdtempSync(join(tmpdir(), "weft-codex-hook-"));
	const cwd = join(folder, "project");
	mkdirSync(cwd);
	writeFileSync(join(cwd, "a.txt"), "line one\nline two\nline three\n");
	const open = () => openEngine({ cwd, home: join(folder, "weft"), host: "codex", env: {} });
	const engine = open();
	t.after(() => {
		engine.close();
		rmSync(folder, { recursive: true, force: true });
	});
	const transcript = join(folder, `rollout-2026-01-01T00-00-00-${SESSION}.jsonl`);
	const line = (type: string, payload: JsonObject) =>
		`${JSON.stringify({ timestamp: new Date().toISOString(), type, payload })}\n`;
	const call = { type: "function_call", call_id: "c1", name: "exec_command", arguments: '{"cmd":"cat a.txt"}' };
	const text =
		"Chunk ID: 1\nWall time: 0.0000 seconds\nProcess exited with code 0\nOriginal token count: 9\nOutput:\nline one\nline two\nline three\n";
	writeFileSync(
		transcript,
		line("session_meta", { id: SESSION, cwd, cli_version: "0.166.0" }) +
			line("response_item", { type: "message", role: "user", content: [{ type: "input_text", text: "change it" }] }) +
			line("response_item", call) +
			line("event_msg", {
				type: "item_completed",
				item: {
					type: "CommandExecution",
					id: "c1",
					command: "cat a.txt",
					cwd,
					exit_code: 0,
					parsed_cmd: [{ type: "read", cmd: "cat a.txt", name: "a.txt", path: "a.txt" }],
				},
			}) +
			line("response_item", { type: "function_call_output", call_id: "c1", output: text }) +
			line("event_msg", { type: "task_complete" }),
	);
	const base = { session_id: SESSION, transcript_path: transcript, cwd };
	// A process of its own for each.
	const hook: Place["hook"] = async (hook_event_name, tool_name, command, more) => {
		const event = { ...base, hook_event_name, tool_name, tool_input: { command }, tool_use_id: "c2", ...more };
		return answerOnce(event, { env: {}, home: join(folder, "weft"), folder: cwd });
	};
	return { cwd, engine, transcript, hook };
}

test("an edit of a file that was changed behind the agent's back is refused with the difference", async (t) => {
	const { cwd, hook } = place(t);
	assert.equal(await hook("PreToolUse", "apply_patch", PATCH), undefined);
	writeFileSync(join(cwd, "a.txt"), "line one\nline two, as a person wants it\nline three\n");
	const answer = (await hook("PreToolUse", "apply_patch", PATCH)) as { hookSpecificOutput: JsonObject };
	assert.equal(answer.hookSpecificOutput["permissionDecision"], "deny");
	assert.match(String(answer.hookSpecificOutput["permissionDecisionReason"]), /as a person wants it/);
});

test("a patch whose lines are not in the file gets the lines most like them; one that Codex reads loosely does not", async (t) => {
	const { hook } = place(t);
	const patch = (...hunks: string[]) => `*** Begin Patch\n*** Update File: a.txt\n${hunks.join("\n")}\n*** End Patch`;
	const lines = async (text: string) => {
		const answer = (await hook("PreToolUse", "apply_patch", text)) as { hookSpecificOutput: JsonObject } | undefined;
		assert.equal(answer?.hookSpecificOutput["permissionDecision"], undefined, "Codex itself refuses it");
		return answer?.hookSpecificOutput["additionalContext"];
	};
	assert.match(
		String(await lines(patch("@@", " line one", "-line two, as it was", "+line 2"))),
		/old text is not in a\.txt\. The lines that are most like it now[\s\S]*2\tline two/,
	);
	assert.equal(await lines(patch("@@", "-  line  two", "+line 2")), undefined);
	assert.equal(await lines(patch("@@", "+line zero")), undefined);
	const twice = patch("@@", "-line two", "+line 2", "*** Update File: a.txt", "@@", "-line 2", "+line II");
	assert.equal(await lines(twice), undefined);
	assert.equal(await lines(patch("@@", "-nothing of the kind", "+x")), undefined);
});

test("a command that runs in another folder takes no file away, and is read into the log of its session", async (t) => {
	const { cwd, hook, transcript } = place(t);
	assert.equal(
		await hook("PostToolUse", "Bash", "cat a.txt", { tool_response: "line one\nline two\nline three\n" }),
		undefined,
	);
	const sub = join(cwd, "sub");
	mkdirSync(sub);
	writeFileSync(join(sub, "in.txt"), "one\n");
	const elsewhere = { cwd: sub, tool_use_id: "c3", tool_response: "" };
	assert.equal(await hook("PostToolUse", "Bash", "echo one > in.txt", elsewhere), undefined);
	assert.equal(await hook("PostToolUse", "Bash", "true", { tool_use_id: "c4", tool_response: "" }), undefined);
	const event = { transcript_path: transcript, cwd: tmpdir() };
	const live = new CodexLive({ stays: false });
	assert.equal(await live.folderOf(event, "/"), cwd);
	assert.equal(await live.folderOf({ ...event, transcript_path: null }, "/"), tmpdir());
	assert.equal(await live.folderOf({}, "/"), "/");
});

test("a patch through the shell of another folder names its file from the session's folder", async (t) => {
	const { cwd, hook, engine } = place(t);
	mkdirSync(join(cwd, "sub"));
	const patch = "*** Begin Patch\n*** Add File: new.txt\n+inner\n*** End Patch";
	const command = `cd sub && apply_patch <<'EOF'\n${patch}\nEOF`;
	assert.equal(await hook("PreToolUse", "Bash", command), undefined);
	writeFileSync(join(cwd, "sub/new.txt"), "inner\n");
	assert.equal(await hook("PostToolUse", "Bash", command, { tool_response: "Success." }), undefined);
	const named = [...engine.log.read({ types: ["Verdict"] })].map(({ payload }) => payload["path"]);
	assert.deepEqual(named, ["sub/new.txt"]);
	const more = { tool_use_id: "c3", tool_response: "" };
	assert.equal(await hook("PostToolUse", "Bash", "true", more), undefined);
});

test("a patch through the shell is judged like one of the tool", async (t) => {
	const commands = [
		() => `apply_patch <<'EOF'\n${PATCH}\nEOF`,
		(cwd: string) => `cd ${cwd} && apply_patch <<EOF\n${PATCH}\nEOF\n`,
		() => `apply_patch '${PATCH}'`,
	];
	for (const write of commands) {
		const { cwd, hook } = place(t);
		const command = write(cwd);
		assert.equal(await hook("PreToolUse", "Bash", command), undefined);
		writeFileSync(join(cwd, "a.txt"), "line 1\nline 2\nline three, changed by a person\n");
		assert.match(JSON.stringify(await hook("PreToolUse", "Bash", command)), /changed by a person/, command);
	}
});

test("a sub-agent is judged by what it has read itself", async (t) => {
	const { cwd, engine, transcript, hook } = place(t);
	const child = "019a0000-0000-7000-8000-000000000002";
	const own = transcript.replace(SESSION, child);
	const text = readFileSync(transcript, "utf8").replace(
		`"id":"${SESSION}"`,
		`"session_id":"${SESSION}","parent_thread_id":"${SESSION}","id":"${child}"`,
	);
	writeFileSync(own, text);
	const more = { transcript_path: own };
	assert.equal(await hook("PreToolUse", "apply_patch", PATCH, more), undefined);
	writeFileSync(join(cwd, "a.txt"), "line 1\nline 2\nline three, by a person\n");
	assert.match(JSON.stringify(await hook("PreToolUse", "apply_patch", PATCH, more)), /by a person/);
	const [verdict] = engine.log.read({ types: ["Verdict"], order: "newest", limit: 1 });
	assert.equal(verdict?.session, `${SESSION}/${child}`);
});

test("the user hears of a seal of the proxy's once, when Codex has taken it, however often a hook asks", async (t) => {
	const { engine, hook } = place(t);
	const ref = { session: SESSION, host: "codex" };
	assert.equal(await hook("Stop", "", ""), undefined);
	const held = { rules: 1, decisions: 0, open: 2 };
	const seal = { left: 7, tokensBefore: 60_000, tokensAfter: 9_000, decision: { why: "asked" }, held };
	engine.record([{ ...ref, type: "Custom", payload: { name: "seed-offered", data: { seal } } }]);
	assert.equal(await hook("Stop", "", ""), undefined, "Codex has not taken it yet");
	const arithmetic = { regret: 0, price: 0, floor: 0 };
	const payload = {
		from: "x",
		why: "asked",
		arithmetic,
		tokensBefore: 60_000,
		tokensAfter: 9_000,
		left: 7,
		sections: [],
	};
	engine.record([{ ...ref, type: "Seal", payload }]);
	assert.equal(await hook("PreCompact", "", ""), undefined, "Codex shows no message of this hook");
	const heard = await hook("Stop", "", "");
	assert.match(
		String(heard?.["systemMessage"]),
		/^weft sealed \(as you asked\): 7 messages left the context, .+; still in it: 1 rule, 2 open items\. To get them back: weft grep WORDS/,
	);
	for (const event of ["UserPromptSubmit", "Stop"])
		assert.doesNotMatch(JSON.stringify(await hook(event, "", "")) ?? "", /sealed/);
});

test("output that is too long is replaced, and the whole of it is in the log", async (t) => {
	const { engine, hook } = place(t);
	assert.equal(await hook("PostToolUse", "Bash", "echo hi", { tool_response: "hi\n" }), undefined);
	const long = Array.from({ length: 20_000 }, (_, at) => `row ${at} of a very long output`).join("\n");
	const answer = (await hook("PostToolUse", "Bash", "cat big", { tool_response: long }))!;
	assert.equal(answer["decision"], "block");
	assert.ok(String(answer["reason"]).length < long.length / 4);
	const kept = [...engine.log.read({ types: ["Custom"] })].find(({ payload }) => payload["name"] === "bounded");
	assert.equal(engine.log.getBlob(String(kept!.payload["blob"]))?.toString("utf8"), long);
});

test("a session file that cannot be read costs a hook neither its recall nor its verdict", async (t) => {
	const { cwd, engine, hook } = place(t);
	await hook("PreToolUse", "apply_patch", PATCH);
	writeFileSync(join(cwd, "a.txt"), "line one\nline two, as a person wants it\nline three\n");
	const of = { session: SESSION, host: "codex" };
	new MemoryFiles({ log: engine.log }).write({
		file: MEMORY,
		why: "consolidation",
		session: of,
		ts: Date.now(),
		build: () => [{ op: "add", section: "Constraints", text: "The sextant needs the polaris table", by: "user" }],
	});
	// Same name, so that the session is the same.
	const folder = join(cwd, "elsewhere", `rollout-2026-01-01T00-00-00-${SESSION}.jsonl`);
	mkdirSync(folder, { recursive: true });
	const more = { transcript_path: folder };
	const recalled = await hook("UserPromptSubmit", "", "", {
		...more,
		prompt: "Does the sextant need the polaris table?",
	});
	assert.match(JSON.stringify(recalled), /needs the polaris table/);
	const judged = await hook("PreToolUse", "apply_patch", PATCH, { ...more, tool_use_id: "c3" });
	assert.match(JSON.stringify(judged), /"permissionDecision":"deny".*as a person wants it/);
});
