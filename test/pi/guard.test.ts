/** The guard and the bounds on the wire: what the model is told, and what it gets back whole. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withoutNotes } from "../../src/message/note.ts";
import type { ModelAnswer, ModelRequest } from "../rig/answer.ts";
import { runPi, WEFT_EXTENSION } from "../rig/pi.ts";
import { startPiRpc } from "../rig/pi-rpc.ts";
import { makePiWorkspace } from "../rig/workspace.ts";
import { readLog } from "./log.ts";
import { marksOf, messagesOf, resultsIn, textIn } from "./wire.ts";

const FILES = {
	"a.txt": "one\ntwo\nthree\n",
	"check.sh": 'grep -q four a.txt || { echo "FAIL a: four is missing" >&2; exit 2; }\necho "ok a"\n',
};
const EXTENSIONS = [WEFT_EXTENSION];
const call = (id: string, name: string, args: Readonly<Record<string, unknown>>): ModelAnswer => ({
	toolCalls: [{ id, name, args }],
});
const edit = (id: string, oldText: string, newText: string) =>
	call(id, "edit", { path: "a.txt", edits: [{ oldText, newText }] });

test("a file that changed behind the agent's back is not edited where the old text is gone, and the reason says what changed", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const file = join(workspace.project, "a.txt");
	const script = (_request: ModelRequest, index: number): ModelAnswer => {
		if (index === 1) writeFileSync(file, "one\nTWO, by somebody else\nthree\n");
		const steps = [
			call("read_1", "read", { path: "a.txt" }),
			edit("edit_1", "two\nthree", "two\nfour"),
			call("read_2", "read", { path: "a.txt" }),
			edit("edit_2", "three", "four"),
			{ text: "done" },
		];
		return steps[index]!;
	};
	const run = await runPi({ workspace, script, prompts: ["Make three four."], extensions: EXTENSIONS });
	assert.deepEqual([run.stdout.trim(), run.stderr], ["done", ""]);
	const results = resultsIn(run.requests[4]!);
	assert.match(results.get("edit_1")!, /a\.txt/);
	assert.match(results.get("edit_1")!, /^-two$/m);
	assert.match(results.get("edit_1")!, /^\+TWO, by somebody else$/m);
	assert.match(results.get("read_2")!, /TWO, by somebody else/);
	assert.match(results.get("edit_2")!, /^Successfully|^Edited|replaced/i);
	assert.equal(readFileSync(file, "utf8"), "one\nTWO, by somebody else\nfour\n");
	const blocks = readLog(workspace, { types: ["Verdict"] }).filter(({ payload }) => payload["verdict"] === "block");
	assert.deepEqual(
		blocks.map(({ payload }) => [payload["rule"], payload["path"], payload["callId"]]),
		[["unchanged", "a.txt", "edit_1"]],
	);
});

test("a file that was never read is not edited, in report mode it is", async () => {
	for (const [policy, expected] of [
		["enforce", "one\ntwo\nthree\n"],
		["report", "one\ntwo\nfour\n"],
	] as const) {
		using workspace = makePiWorkspace({ files: FILES });
		const script = [edit("edit_1", "two\nthree", "two\nfour"), { text: "done" }];
		const env = { WEFT_POLICY_MODE: policy };
		const run = await runPi({ workspace, script, prompts: ["Make three four."], extensions: EXTENSIONS, env });
		assert.equal(run.stdout.trim(), "done");
		assert.equal(readFileSync(join(workspace.project, "a.txt"), "utf8"), expected);
		const verdicts = readLog(workspace, { types: ["Verdict"] }).map(({ payload }) => payload);
		assert.deepEqual(
			verdicts.filter(({ rule }) => rule === "read-first").map(({ verdict, mode }) => [verdict, mode]),
			[["block", policy]],
		);
	}
});

test("a long read is cut to the limit that the user set, and says how to read on", async () => {
	const long = Array.from({ length: 900 }, (_, line) => `line ${line + 1}`).join("\n");
	using workspace = makePiWorkspace({ files: { "long.txt": `${long}\n` } });
	const script = [call("read_1", "read", { path: "long.txt" }), { text: "done" }];
	const env = { WEFT_MAX_READ_LINES: "500" };
	const run = await runPi({ workspace, script, prompts: ["Read."], extensions: EXTENSIONS, env });
	const shown = resultsIn(run.requests[1]!).get("read_1")!;
	assert.match(shown, /^line 500$/m);
	assert.doesNotMatch(shown, /^line 501$/m);
	assert.match(shown, /\[weft\] .*"offset":501/);
	const [read] = readLog(workspace, { types: ["FileRead"] });
	assert.deepEqual([read!.payload["from"], read!.payload["to"]], [1, 500]);
});

test("300 KB of output are bounded on the wire, and the model gets them whole by their handle", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const command = `node -e 'for (let n = 0; n < 12000; n++) console.log("output line", String(n).padStart(12, "0")); process.exitCode = 3'`;
	const whole = Array.from({ length: 12_000 }, (_, n) => `output line ${String(n).padStart(12, "0")}\n`).join("");
	const pages: string[] = [];
	let handle = "";
	const script = (request: ModelRequest, index: number): ModelAnswer => {
		if (index === 0) return call("long", "bash", { command });
		const results = resultsIn(request);
		if (index === 1) handle = /lcm_expand\("(b-[0-9a-f]+)"\)/.exec(results.get("long")!)![1]!;
		const page = withoutNotes(results.get(`page_${index - 1}`) ?? "");
		const more = /"offset": (\d+)\}\)\]$/.exec(page);
		if (page) pages.push(page.slice(page.indexOf("\n") + 1, page.lastIndexOf("\n")));
		if (page && !more) return { text: "done" };
		return call(`page_${index}`, "lcm_expand", {
			summary_id: handle,
			offset: Number(more?.[1] ?? 0),
			max_tokens: 8_000,
		});
	};
	const run = await runPi({ workspace, script, prompts: ["Run it."], extensions: EXTENSIONS });
	assert.equal(run.stdout.trim(), "done");
	const shown = withoutNotes(resultsIn(run.requests[1]!).get("long")!);
	assert.ok(shown.length <= 50_100, `${shown.length} characters`);
	assert.match(shown, /^output line 000000000000\n/);
	assert.match(shown, /output line 000000011999\n\n\nCommand exited with code 3$/);
	assert.equal(pages.join(""), whole);
	const [result] = readLog(workspace, { types: ["ToolResult"] });
	assert.match(String(result!.payload["blob"]), new RegExp(`^${handle.slice(2)}`));
	const [ran] = readLog(workspace, { types: ["CommandRun"] });
	assert.equal(ran!.payload["exit"], 3);
});

test("a file pasted into the prompt enters as an outline between the words around it, and comes back whole", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const pasted = Array.from({ length: 4_000 }, (_, n) => `export const value${n} = ${n};`).join("\n");
	const prompt = `What is odd in this file?\n${pasted}\nAnswer in one line.`;
	const run = await runPi({ workspace, script: [{ text: "done" }], prompts: [prompt], extensions: EXTENSIONS });
	assert.equal(run.stdout.trim(), "done");
	assert.match(run.stderr, /^weft: your message of \d+,\d+ characters is large: the model gets .* an outline/);
	assert.ok(run.requests[0]!.body.length < 60_000, `${run.requests[0]!.body.length} characters`);
	const wire = run.requests[0]!.body;
	assert.match(wire, /What is odd in this file\?/);
	assert.match(wire, /Answer in one line\./);
	const [, digits] = /lcm_expand\(.{0,30}b-([0-9a-f]+)/.exec(wire)!;
	const [event] = readLog(workspace, { types: ["Custom"] });
	const hash = String(event!.payload["blob"]);
	assert.ok(hash.startsWith(digits!));
	assert.equal(hash, createHash("sha256").update(prompt).digest("hex"));
});

test("the same failing command twice, then mended: the seeds tell of the attempts, and then that it is resolved", async () => {
	using workspace = makePiWorkspace({ files: FILES, piSettings: { compaction: { keepRecentTokens: 30 } } });
	const check = (id: string) => call(id, "bash", { command: "sh check.sh" });
	const steps = [
		check("check_1"),
		check("check_2"),
		call("read", "read", { path: "a.txt" }),
		edit("try", "two", "deux"),
		check("check_3"),
		{ text: "It still fails." },
		edit("mend", "three", "four"),
		check("check_4"),
		{ text: "Mended." },
		{ text: "Yes." },
	];
	await using rpc = await startPiRpc({ workspace, script: steps, extensions: EXTENSIONS });
	await rpc.prompt("Run the check.");
	await rpc.command("compact");
	await rpc.prompt("Mend it.");
	await rpc.command("compact");
	await rpc.prompt("Does it pass now?");
	assert.equal((await rpc.end()).stderr, "");
	assert.equal(rpc.requests.length, steps.length);
	const seed = (index: number) => textIn(messagesOf(rpc.requests[index]!)[0]!.content);
	assert.match(
		seed(6),
		/Open Failures \(1\)\nbash:sh check\.sh:\S+ — exit 2 \(attempt 3, 1 without a change before\)\n {2}.*FAIL a: four is missing/,
	);
	assert.match(seed(9), /Recently Resolved\n- .*sh check\.sh/);
	const seals = readLog(workspace, { types: ["Seal"] });
	assert.deepEqual(
		seals.map(({ payload }) => payload["why"]),
		["asked", "asked"],
	);
});

test("what somebody else changed between two prompts is said last, once, outside of what is cached", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const steps = [
		call("read_1", "read", { path: "a.txt" }),
		{ text: "read" },
		call("ls", "bash", { command: "ls" }),
		{ text: "done" },
	];
	await using rpc = await startPiRpc({ workspace, script: steps, extensions: EXTENSIONS });
	await rpc.prompt("Read a.txt.");
	writeFileSync(join(workspace.project, "a.txt"), "one\ntwo\nthree\nby a person\n");
	await rpc.prompt("Go on.");
	assert.equal((await rpc.end()).stderr, "");
	const [, , third, fourth] = rpc.requests.map(messagesOf);
	assert.match(third!.at(-1)!.content[0]!.text!, /^\[weft\] Changed on disk .*a\.txt \(\+1\/−0\)/);
	const end = third!.length - 1;
	assert.deepEqual(marksOf(rpc.requests[2]!), ["system", "tools", `messages.${end - 1}`]);
	// In the next request it is gone, and all before it is as it was.
	assert.deepEqual(fourth!.slice(0, end), third!.slice(0, end));
	assert.equal(JSON.stringify(fourth).includes("[weft] Changed on disk"), false);
	const changes = readLog(workspace, { types: ["FileChanged"] });
	assert.deepEqual(
		changes.map(({ payload }) => [payload["path"], payload["actor"]]),
		[["a.txt", "other"]],
	);
});

test("ordinary work passes, a save during a command is told with its diff, and a write has its diff", async () => {
	const long = Array.from({ length: 120 }, (_, n) => `value ${n} is ${n}\n`).join("");
	using workspace = makePiWorkspace({
		files: { ...FILES, "b.txt": "alpha\nbeta\ngamma\n", "d.txt": long, "e.txt": "x\ny\n" },
	});
	const { project, userHome } = workspace;
	const [begun, saved] = [join(userHome, "begun"), join(userHome, "saved")];
	const editOf = (path: string, oldText: string, newText: string) => ({ path, edits: [{ oldText, newText }] });
	const steps: ModelAnswer[] = [
		call("read_a", "read", { path: "a.txt" }),
		call("run", "bash", { command: `touch ${begun}; until test -e ${saved}; do sleep 0.05; done` }),
		edit("edit_a", "three", "four"),
		call("cat_b", "bash", { command: "cat b.txt" }),
		call("edit_b", "edit", editOf("b.txt", "beta", "BETA")),
		call("here", "bash", { command: "cat > c.txt <<'EOF'\nfirst line\nEOF" }),
		call("write_c", "write", { path: "c.txt", content: "second line\n" }),
		{
			toolCalls: [
				{ id: "read_d", name: "read", args: { path: "d.txt" } },
				{ id: "edit_d", name: "edit", args: editOf("d.txt", "value 7 is 7", "value 7 is seven") },
			],
		},
		call("wrong_d", "edit", editOf("d.txt", "value 80 is eighty", "x")),
		call("right_d", "edit", editOf("d.txt", "value 80 is 80", "value 80")),
		call("read_e", "read", { path: "e.txt" }),
		call("write_e", "write", { path: "e.txt", content: "x\nz\nw\n" }),
		call("write_f", "write", { path: "f.txt", content: "new\n" }),
		{ text: "done" },
	];
	// While the command runs, somebody saves a file; then the command ends.
	const saveMeanwhile = () => {
		if (existsSync(begun)) {
			writeFileSync(join(project, "a.txt"), "one\nTWO\nthree\n");
			writeFileSync(saved, "");
		} else setTimeout(saveMeanwhile, 20);
	};
	const script = (_request: ModelRequest, index: number): ModelAnswer => {
		if (index === 1) saveMeanwhile();
		return steps[index]!;
	};
	const run = await runPi({ workspace, script, prompts: ["Go on."], extensions: EXTENSIONS });
	assert.deepEqual([run.stdout.trim(), run.stderr], ["done", ""]);
	const results = resultsIn(run.requests.at(-1)!);
	assert.match(
		results.get("run")!,
		/\[weft\] Changed on disk by somebody else: a\.txt \(\+1\/−1\)\.\n--- a\/a\.txt(?:.|\n)*?\n-two\n\+TWO\n/,
	);
	assert.match(results.get("wrong_d")!, /The old text is not in d\.txt\. [^\n]*:\n(?:.|\n)*?\n81\tvalue 80 is 80\n/);
	const blocks = readLog(workspace, { types: ["Verdict"] }).filter(({ payload }) => payload["verdict"] === "block");
	assert.deepEqual(blocks, []);
	const text = (name: string) => readFileSync(join(project, name), "utf8");
	assert.equal(text("a.txt"), "one\nTWO\nfour\n");
	assert.equal(text("b.txt"), "alpha\nBETA\ngamma\n");
	assert.match(text("d.txt"), /value 7 is seven\n(?:.|\n)*?\nvalue 80\nvalue 81/);
	const changed = readLog(workspace, { types: ["FileChanged"] }).map(({ payload }) => payload);
	const told = new Map(changed.map(({ path, actor, added, removed }) => [path, [actor, added, removed]]));
	assert.deepEqual(
		[told.get("c.txt"), told.get("e.txt"), told.get("f.txt")],
		[
			["agent", 1, 1],
			["agent", 2, 1],
			["agent", 1, 0],
		],
	);
});

test("what a run says of a failure stands in the result of that run", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const steps = [
		call("check_1", "bash", { command: "sh check.sh" }),
		call("read", "read", { path: "a.txt" }),
		edit("try", "two", "deux"),
		call("check_2", "bash", { command: "sh check.sh" }),
		edit("mend", "three", "four"),
		call("check_3", "bash", { command: "sh check.sh" }),
		{ text: "done" },
	];
	const run = await runPi({ workspace, script: steps, prompts: ["Mend it."], extensions: EXTENSIONS });
	assert.deepEqual([run.stdout.trim(), run.stderr], ["done", ""]);
	const results = resultsIn(run.requests.at(-1)!);
	const notes = [...results].map(([id, text]) => [id, /\[weft\] ([^:,]+)/.exec(text)?.[1]]);
	assert.deepEqual(notes, [
		["check_1", "new failure"],
		["read", undefined],
		["try", undefined],
		["check_2", "still failing"],
		["mend", undefined],
		["check_3", "resolved"],
	]);
});
