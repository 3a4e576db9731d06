/** Sessions that end, go on, branch and run beside each other: the seals go with them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { formatKilo } from "../../src/base/text/bytes.ts";
import { ceilingTokens } from "../../src/context/seal/rule.ts";
import { openEngine } from "../../src/engine.ts";
import { verify } from "../../src/log/repair/verify.ts";
import { weighWire } from "../../src/message/weight.ts";
import { type ModelAnswer, type ModelRequest, overflow } from "../rig/answer.ts";
import { EARLY_CLOCK_EXTENSION, JUMP_EXTENSION, runPi, WEFT_EXTENSION } from "../rig/pi.ts";
import { type PiRpc, startPiRpc } from "../rig/pi-rpc.ts";
import { makePiWorkspace, type PiWorkspace } from "../rig/workspace.ts";
import { readLog } from "./log.ts";
import { allText, extendsRequest, messagesOf, textIn } from "./wire.ts";

const NAMES = [..."abcdefghijklmnopqrstuv"];
/** Each is read once: what stands in the conversation already is only pointed at. */
const FILES = Object.fromEntries(
	NAMES.map((name) => [
		`${name}.txt`,
		Array.from({ length: 80 }, (_, line) => `${name} line ${line}: ${"text ".repeat(10).trim()}`).join("\n"),
	]),
);
const EXTENSIONS = [WEFT_EXTENSION];
const SMALL = { compaction: { keepRecentTokens: 30 } };
const SEED = /The work so far, computed from the log/;

const read = (id: string, path: string): ModelAnswer => ({ toolCalls: [{ id, name: "read", args: { path } }] });
const edit = (id: string, path: string, oldText: string): ModelAnswer => ({
	toolCalls: [{ id, name: "edit", args: { path, edits: [{ oldText, newText: "changed:" }] } }],
});
const firstText = (request: ModelRequest) => textIn(messagesOf(request)[0]!.content);
const sealsIn = (workspace: PiWorkspace) => readLog(workspace, { types: ["Seal"] });

test("a request that is too large is sealed, sent again and answered, without a word from a summariser", async () => {
	using workspace = makePiWorkspace({ files: FILES, piSettings: SMALL });
	const script = ({ api }: ModelRequest, index: number): ModelAnswer => {
		if (index === 3) return overflow(api, 200_000);
		return [read("r1", "a.txt"), read("r2", "b.txt"), read("r3", "c.txt")][index] ?? { text: "All read." };
	};
	const run = await runPi({ workspace, script, prompts: ["Read all three."], extensions: EXTENSIONS });
	assert.deepEqual([run.stdout.trim(), run.stderr, run.requests.length], ["All read.", "", 5]);
	assert.match(firstText(run.requests[4]!), SEED);
	assert.ok(run.requests[4]!.body.length < run.requests[3]!.body.length);
	assert.ok(run.requests.every(({ json }) => "tools" in json));
	assert.deepEqual(
		sealsIn(workspace).map(({ payload }) => payload["why"]),
		["overflow"],
	);
});

test("with a model that speaks OpenAI's format seals come too, and each request extends the last one between them", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const script = [...NAMES.slice(0, 14).map((name) => read(name, `${name}.txt`)), { text: "All read." }];
	const options = { workspace, extensions: EXTENSIONS, contextWindow: 28_000, env: { WEFT_PROFILE: "thrifty" } };
	const run = await runPi({ ...options, api: "openai-completions", script, prompts: ["Read a few."] });
	assert.deepEqual([run.stdout.trim(), run.stderr], ["All read.", ""]);
	const lists = run.requests.map(({ json }) =>
		(json["messages"] as object[]).map((message) => JSON.stringify(message)),
	);
	const breaks = lists.filter((list, at) => at > 0 && !lists[at - 1]!.every((message, n) => message === list[n]));
	assert.equal(breaks.length, sealsIn(workspace).length);
	assert.ok(breaks.length >= 1);
	for (const list of breaks) assert.match(list[1]!, SEED);
});

test("a model that gives every call the same id: each call gets an id of its own on the wire, and seals come too", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const script = [...NAMES.slice(0, 14).map((name) => read("call_0", `${name}.txt`)), { text: "All read." }];
	const options = { workspace, extensions: EXTENSIONS, contextWindow: 28_000, env: { WEFT_PROFILE: "thrifty" } };
	const run = await runPi({ ...options, api: "openai-completions", script, prompts: ["Read a few."] });
	assert.deepEqual([run.stdout.trim(), run.stderr], ["All read.", ""]);
	for (const { json } of run.requests) {
		const calls = (json["messages"] as { tool_calls?: { id: string }[] }[]).flatMap((each) => each.tool_calls ?? []);
		assert.equal(new Set(calls.map(({ id }) => id)).size, calls.length);
	}
	assert.ok(sealsIn(workspace).length >= 1);
	assert.deepEqual(readLog(workspace, { types: ["Fault"] }), []);
});

test("a new process goes on where the old one ended: the same seed, byte for byte; and without weft the session opens too", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const steps = NAMES.slice(0, 16).map((name) => read(name, `${name}.txt`));
	const options = { workspace, extensions: EXTENSIONS, contextWindow: 28_000, env: { WEFT_PROFILE: "thrifty" } };
	const first = await runPi({ ...options, script: [...steps, { text: "read" }], prompts: ["Read a few."] });
	assert.equal(first.stderr, "");
	assert.ok(sealsIn(workspace).length >= 1);
	assert.match(firstText(first.requests.at(-1)!), SEED);

	const args = ["--session", first.sessionFile!];
	const second = await runPi({ ...options, script: [{ text: "gone on" }], prompts: ["Go on."], args });
	assert.equal(second.stdout.trim(), "gone on");
	assert.ok(extendsRequest(first.requests.at(-1)!, second.requests[0]!), "the request was not extended");

	const without = await runPi({ ...options, extensions: [], script: [{ text: "alone" }], prompts: ["And now?"], args });
	assert.equal(without.stdout.trim(), "alone");
	const [before, after] = [second.requests[0]!, without.requests[0]!].map((request) =>
		JSON.stringify(messagesOf(request)),
	);
	assert.ok(after!.startsWith(before!.slice(0, -1)), "without weft the history is another one");

	// Back with weft: what was said without it is caught up with.
	const again = await runPi({ ...options, script: [{ text: "back" }], prompts: ["Back?"], args });
	assert.equal(again.stderr, "");
	const entries = readFileSync(first.sessionFile!, "utf8").trimEnd().split("\n").length;
	const raws = readLog(workspace).filter(({ payload }) => "raw" in payload);
	assert.equal(raws.length, entries);
});

test("whoever comes back when the provider has forgotten everything begins with a seal: it costs nothing then", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	// What was read and not yet changed would be dear to hide.
	const steps = NAMES.flatMap((name) => [
		read(name, `${name}.txt`),
		edit(`${name}2`, `${name}.txt`, `${name} line 0:`),
	]);
	const options = { workspace, env: { WEFT_PROFILE: "thrifty" } };
	const script = [...steps, { text: "changed" }];
	const before = [EARLY_CLOCK_EXTENSION, WEFT_EXTENSION];
	const first = await runPi({ ...options, extensions: before, script, prompts: ["Change all."] });
	assert.deepEqual([first.stdout.trim(), first.stderr, sealsIn(workspace).length], ["changed", "", 0]);

	const args = ["--session", first.sessionFile!];
	const back = { ...options, extensions: EXTENSIONS, args };
	const second = await runPi({
		...back,
		script: [{ text: "here" }, { text: "still here" }],
		prompts: ["Back.", "And?"],
	});
	assert.deepEqual([second.stdout.trim(), second.stderr, second.requests.length], ["still here", "", 2]);
	assert.match(firstText(second.requests[0]!), SEED);
	assert.equal(textIn(messagesOf(second.requests[0]!).at(-1)!.content), "Back.");
	assert.ok(extendsRequest(second.requests[0]!, second.requests[1]!));
	assert.deepEqual(
		sealsIn(workspace).map(({ payload }) => payload["why"]),
		["cold-cache"],
	);
});

test("a switch to a smaller model seals before its first request, which fits its window", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const steps = NAMES.slice(0, 14).map((name) => read(name, `${name}.txt`));
	const script = [...steps, { text: "read" }, read("again", "u.txt"), { text: "small" }, { text: "still small" }];
	const ceiling = ceilingTokens(24_000);
	// All of it is recent by Pi's own measure, so Pi would not compact.
	await using pi = await startPiRpc({ workspace, extensions: EXTENSIONS, script, smallWindow: 24_000 });
	await pi.prompt("Read a few.");
	assert.deepEqual(sealsIn(workspace), []);
	await pi.command("set_model", { provider: "scripted", modelId: "small" });
	await pi.prompt("And now?");
	await pi.prompt("And then?");
	const [before, first, ...rest] = pi.requests.slice(steps.length);
	const weigh = (request: ModelRequest) =>
		messagesOf(request).reduce((sum, message) => sum + weighWire(message, "anthropic"), 0);
	assert.ok(weigh(before!) > ceiling, `${weigh(before!)} tokens before`);
	assert.deepEqual([first!.json["model"], rest.length], ["small", 2]);
	assert.match(firstText(first!), SEED);
	assert.equal(textIn(messagesOf(first!).at(-1)!.content), "And now?");
	for (const [at, request] of [first!, ...rest].entries()) {
		assert.ok(weigh(request) <= ceiling, `${weigh(request)} tokens`);
		assert.ok(at === 0 || extendsRequest([first!, ...rest][at - 1]!, request));
	}
	assert.deepEqual(
		readLog(workspace, { types: ["Seal", "Fault"] }).map(({ payload }) => payload["why"]),
		["ceiling"],
	);
});

test("a jump to before a seal brings the raw history back, a jump behind it the seed; a fork takes the seed along", async () => {
	using workspace = makePiWorkspace({ files: FILES, piSettings: SMALL });
	const looks = ["r1", "l1", "l2"].map((id) => (id === "r1" ? read(id, "a.txt") : read(id, "c.txt")));
	const answers = [...looks, { text: "read a" }, read("r2", "b.txt"), { text: "read b" }];
	const script = (_request: ModelRequest, index: number): ModelAnswer =>
		answers[index] ?? { text: `${index}: ${"a long answer ".repeat(40)}` };
	await using rpc = await startPiRpc({ workspace, script, extensions: [WEFT_EXTENSION, JUMP_EXTENSION] });
	await rpc.prompt("Read a.");
	const early = await leafOf(rpc);
	await rpc.prompt("Read b.");
	await rpc.command("compact");
	await rpc.prompt("Sealed?");
	const late = await leafOf(rpc);
	await rpc.command("prompt", { message: `/jump ${early}` });
	await rpc.prompt("On another way.");
	await rpc.command("compact");
	await rpc.prompt("Sealed here too?");
	await rpc.command("prompt", { message: `/jump ${late}` });
	await rpc.prompt("And back.");
	const { messages } = (await rpc.command("get_fork_messages")) as { messages: { entryId: string; text: string }[] };
	await rpc.command("fork", { entryId: messages.find(({ text }) => text === "And back.")!.entryId });
	await rpc.prompt("In the fork.");
	await rpc.command("compact");
	await rpc.prompt("Sealed in the fork?");
	assert.deepEqual(await rpc.end(), { code: 0, stderr: "" });

	const [sealed, other, otherSealed, back, fork, forkSealed] = rpc.requests.slice(answers.length);
	assert.match(firstText(sealed!), SEED);
	assert.equal(firstText(other!), "Read a.");
	assert.match(allText(other!), /a line 79/);
	assert.match(firstText(otherSealed!), SEED);
	assert.equal(firstText(back!), firstText(sealed!));
	assert.equal(firstText(fork!), firstText(sealed!));
	assert.match(firstText(forkSealed!), SEED);
	assert.notEqual(firstText(forkSealed!), firstText(fork!));
	assert.equal(sealsIn(workspace).length, 3);
	assert.deepEqual(readLog(workspace, { types: ["Fault"] }), []);
});

test("two agents in one project at once write one log, and each goes its own way", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	using other = makePiWorkspace({ files: { "unused.txt": "" } });
	const beside = { ...other, project: workspace.project, home: workspace.home };
	const script = NAMES.slice(0, 16).map((name) => read(name, `${name}.txt`));
	const runs = await Promise.all(
		[workspace, beside].map((each, n) =>
			runPi({
				workspace: each,
				script: [...script, { text: `done ${n}` }],
				prompts: [`I am ${n}.`],
				extensions: EXTENSIONS,
				contextWindow: 28_000,
				env: { WEFT_PROFILE: "thrifty" },
			}),
		),
	);
	assert.deepEqual(
		runs.map(({ stdout, stderr }) => [stdout.trim(), stderr]),
		[
			["done 0", ""],
			["done 1", ""],
		],
	);
	const sessions = Map.groupBy(readLog(workspace), ({ session }) => session);
	assert.equal(sessions.size, 2);
	for (const [n, run] of runs.entries()) {
		const entries = readFileSync(run.sessionFile!, "utf8").trimEnd().split("\n");
		const { id } = JSON.parse(entries[0]!) as { id: string };
		const events = sessions.get(id)!;
		assert.equal(events.filter(({ payload }) => "raw" in payload).length, entries.length);
		assert.ok(events.some(({ type }) => type === "Seal"));
		assert.equal(allText(run.requests.at(-1)!).includes(`I am ${1 - n}.`), false, "words of the other agent");
	}
	const engine = openEngine({ cwd: workspace.project, host: "test", home: workspace.home, env: {} });
	try {
		assert.deepEqual(verify(engine.log).problems, []);
	} finally {
		engine.close();
	}
});

async function leafOf(rpc: PiRpc): Promise<string> {
	const { entries } = (await rpc.command("get_entries")) as { entries: { id: string; message?: { role: string } }[] };
	return entries.findLast(({ message }) => message?.role === "assistant")!.id;
}

test("in a project that Pi does not trust, each ignored settings file is named once, with what it would have set", async () => {
	const files = {
		...FILES,
		".weft/config.json": JSON.stringify({ mode: "off", handlers: ["./h.mjs"] }),
		".pi/warp-engine/config.json": JSON.stringify({ maxReadLines: 5 }),
	};
	using workspace = makePiWorkspace({ files });
	const script: ModelAnswer[] = [{ text: "One." }, { text: "Two." }];
	const run = await runPi({ workspace, script, prompts: ["Say one.", "Say two."], extensions: EXTENSIONS });
	const way = "/trust in Pi, or 'pi --approve', lets it count.";
	assert.deepEqual(run.stderr.trimEnd().split("\n"), [
		`weft: .weft/config.json is ignored: Pi does not trust this project. It would set mode, handlers. ${way}`,
		`weft: .pi/warp-engine/config.json is ignored: Pi does not trust this project. It would set maxReadLines. ${way}`,
	]);
	assert.equal(readLog(workspace, { types: ["Request"] })[0]?.payload["mode"], "woven");
});

test("after Pi's own compaction no size is told until the next request", async () => {
	using workspace = makePiWorkspace({ files: FILES, piSettings: SMALL });
	const answers = [read("r1", "a.txt"), read("r2", "c.txt"), read("r3", "d.txt"), { text: "read" }];
	const script = (_request: ModelRequest, index: number): ModelAnswer => answers[index] ?? { text: "Yes." };
	await using rpc = await startPiRpc({ workspace, script, extensions: EXTENSIONS });
	const lineOf = () => String(rpc.records.findLast((record) => record["statusKey"] === "weft")?.["statusText"]);
	await rpc.prompt("Read three.");
	assert.match(lineOf(), /k tokens/);
	// The one turn is cut in the middle, which Pi alone can do.
	await rpc.command("compact");
	const notice = rpc.next((record) => record["method"] === "notify");
	await rpc.command("prompt", { message: "/weft" });
	assert.match(String((await notice)["message"]), /^context +known with the next request$/m);
	assert.doesNotMatch(lineOf(), /tokens/);
	await rpc.prompt("And now?");
	assert.match(lineOf(), /k tokens/);
	assert.deepEqual(await rpc.end(), { code: 0, stderr: "" });
});

test("the status line, /weft and /lcm tell the same after a seal, in a fork, after a switch back and a reload", async () => {
	using workspace = makePiWorkspace({ files: FILES, piSettings: SMALL });
	const reads = [read("r1", "a.txt"), read("r2", "c.txt"), read("r3", "d.txt"), { text: "read" }];
	const answers = [...reads, read("r4", "b.txt"), { text: "read b" }];
	const script = (_request: ModelRequest, index: number): ModelAnswer => answers[index] ?? { text: "Yes." };
	await using rpc = await startPiRpc({ workspace, script, extensions: [...EXTENSIONS, JUMP_EXTENSION] });
	const look = async () => {
		const ask = async (message: string) => {
			const notice = rpc.next((record) => record["method"] === "notify");
			await rpc.command("prompt", { message });
			return String((await notice)["message"]);
		};
		const [report, stats] = [await ask("/weft"), await ask("/lcm stats")];
		const line = rpc.records.findLast((record) => record["statusKey"] === "weft")?.["statusText"];
		return {
			tokens: /^context +([\d,]+) of/m.exec(report)?.[1]?.replace(",", ""),
			sealed: /^seals +(\d+), the last from [\d,]+ to ([\d,]+)/m.exec(report)?.slice(1),
			summaries: [/^history +(\d+) summar/m, /\| (\d+) summar/, / · (\d+) nodes? /].map(
				(pattern, at) => pattern.exec([report, stats, String(line)][at] ?? "")?.[1],
			),
			short: / · ([\d.]+k)\//.exec(String(line))?.[1],
		};
	};
	await rpc.prompt("Read three.");
	await rpc.prompt("Read b.");
	await rpc.command("compact");
	const sealed = await look();
	const [nodes] = sealed.summaries;
	assert.ok(Number(nodes) >= 1);
	assert.deepEqual(sealed.summaries, [nodes, nodes, nodes]);
	assert.equal(sealed.sealed?.[0], "1");
	assert.equal(sealed.sealed?.[1]?.replace(",", ""), sealed.tokens, "what the next request sends");
	assert.equal(sealed.short, formatKilo(Number(sealed.tokens)));
	await rpc.prompt("Sealed?");
	const parent = await look();
	const { sessionFile } = (await rpc.command("get_state")) as { sessionFile: string };
	const { messages } = (await rpc.command("get_fork_messages")) as { messages: { entryId: string; text: string }[] };
	await rpc.command("fork", { entryId: messages.find(({ text }) => text === "Sealed?")!.entryId });
	await rpc.prompt("In the fork.");
	const fork = await look();
	assert.deepEqual([fork.summaries, fork.sealed?.[0]], [[nodes, nodes, nodes], "1"]);
	const forked = (await rpc.command("get_state")) as { sessionFile: string };
	await rpc.command("switch_session", { sessionPath: sessionFile });
	// The size is that of the last request of this process: after a switch, none of the three has one. What the seal left is estimated
	// by what the provider reported since, so its tokens may change.
	const counted = ({ sealed: [seals] = [], ...rest }: typeof parent) => ({ ...rest, seals });
	const unsent = { ...counted(parent), tokens: undefined, short: undefined };
	assert.deepEqual(counted(await look()), unsent, "after a switch back");
	await rpc.command("prompt", { message: "/again" });
	assert.deepEqual(counted(await look()), unsent, "after a reload");
	await rpc.prompt("Back?");
	const back = await look();
	assert.deepEqual([back.summaries, back.sealed?.[0]], [parent.summaries, "1"]);
	assert.equal(back.short, formatKilo(Number(back.tokens)));
	assert.deepEqual(await rpc.end(), { code: 0, stderr: "" });
	// Over rpc /context is Markdown; without a screen it has the seals, of the fork too.
	for (const file of [sessionFile, forked.sessionFile]) {
		const args = ["--session", file];
		const { stdout } = await runPi({ workspace, script: [], prompts: ["/context"], extensions: EXTENSIONS, args });
		assert.match(stdout, /^Seals: 1, the last ones:\n {2}[^\n:]+: [\d,]+ → [\d,]+ tokens \(e-[0-9a-f]{12}\)$/m);
	}
});
