/** What people type and what the model calls, in the real Pi: in print and json mode, and over rpc. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { PI_COMMANDS } from "../../src/agent/pi/commands/catalogue.ts";
import { completeArguments } from "../../src/agent/pi/commands/register.ts";
import { formatCount, formatKilo } from "../../src/base/text/bytes.ts";
import type { ModelAnswer, ModelRequest } from "../rig/answer.ts";
import { JUMP_EXTENSION, type PiRun, runPi, WEFT_EXTENSION } from "../rig/pi.ts";
import { type RpcRecord, startPiRpc } from "../rig/pi-rpc.ts";
import { makePiWorkspace, type PiWorkspace } from "../rig/workspace.ts";
import { ANSWERS, FILES, PROMPTS } from "./scenario.ts";

const EXTENSIONS = [WEFT_EXTENSION];

suite("commands without a screen", () => {
	let workspace: PiWorkspace;
	let session: string;

	before(async () => {
		workspace = makePiWorkspace({ files: FILES });
		const run = await runPi({ workspace, script: ANSWERS, prompts: PROMPTS, extensions: EXTENSIONS });
		assert.equal(run.stderr, "");
		session = run.sessionFile!;
	});
	after(() => workspace?.[Symbol.dispose]());

	/** Runs commands in the session; what they print comes before Pi's own last answer. */
	async function type(...commands: string[]): Promise<PiRun> {
		const entries = () => readFileSync(session, "utf8");
		const before = entries();
		const args = ["--session", session];
		const run = await runPi({ workspace, script: [], prompts: commands, extensions: EXTENSIONS, args });
		assert.equal(run.requests.length, 0, "a command asks no model");
		assert.equal(entries(), before, "what a command says is no part of the session");
		return run;
	}

	test("/warp shows the working set, what was resolved, and where the log is", async () => {
		const { stdout, stderr } = await type("/warp");
		assert.equal(stderr, "");
		assert.match(stdout, /^intent +ありがとう。/m);
		assert.match(
			stdout,
			/Working set \(4 of 4 files\)\n {2}src\/total\.sh\n {4}read .*, changed .* \(\+1\/-1\)\n {4}score /,
		);
		assert.match(stdout, /Open failures \(0\)/);
		assert.match(stdout, /Recently resolved \(1\)\n {2}FAIL total: expected 5, got -1/);
		assert.match(stdout, /Decisions \(0\)/);
		assert.ok(stdout.includes(`Log: ${workspace.home}/projects/`));
	});

	test("/weft inspect answers with the command where Pi ends with its answer", async () => {
		const { stdout } = await type("/weft inspect");
		assert.match(stdout, /^weft inspect --home \S+ --project \S+ --session \S+$/m);
		assert.doesNotMatch(stdout, /http|token/);
	});

	test("/warp-dump is JSON, /warp-context the computed context", async () => {
		const dumped = await type("/warp-dump");
		const json = dumped.stdout.slice(0, dumped.stdout.lastIndexOf("\n}") + 2);
		const state = JSON.parse(json) as { workingSet: { path: string }[]; failures: { resolved: unknown[] } };
		assert.equal(state.workingSet[0]?.path, "src/total.sh");
		assert.equal(state.failures.resolved.length, 1);

		const { stdout } = await type("/warp-context");
		assert.match(stdout, /^\[WARP ENGINE CONTEXT\]\n/);
		assert.match(stdout, /\|total\(\) \{ echo \$\(\(\$1 \+ \$2\)\); \}/);
	});

	test("snapshots are written and pruned, events are pruned only with --yes, the repository is mapped", async () => {
		const { stdout, stderr } = await type(
			"/warp-snapshot",
			"/warp-prune",
			"/warp-prune 0",
			"/warp-prune-events --days 0 --min-events 0 --dry-run --yes",
			"/warp-prune-events --days 0 --min-events 0 --gzip --vacuum --yes",
			"/warp-repo",
			"/warp-prune-events --day 3",
			"/warp-prune many",
		);
		const said = stdout.split("\n");
		const next = (pattern: RegExp) => {
			const at = said.findIndex((line) => pattern.test(line));
			assert.notEqual(at, -1, `${pattern} in\n${said.join("\n")}`);
			said.splice(0, at + 1);
		};
		next(/^State at event \d+ written to .*\.json/);
		next(/^0 snapshots removed, \d+ kept\.$/);
		next(/^\d+ snapshots? removed, 0 kept\.$/);
		next(/^\d+ events \(.* of JSON\) would leave for an archive:$/);
		next(/^\d+ events would stay\.$/);
		next(/^Nothing was changed\. Run it again with --yes to do it\.$/);
		next(/^\d+ events \(.* of JSON\) left for .*\.jsonl\.gz:$/);
		next(/^3 files at [0-9a-f]{40}, recorded as event \d+\.$/);
		assert.match(stderr, /^\/warp-prune-events: Unknown option '--day'\. It takes --days /m);
		assert.match(stderr, /^\/warp-prune: \/warp-prune takes a whole number, not 'many'\.$/m);
	});

	test("/lcm explains itself, counts, finds, exports, and compacts as far as there is something to compact", async () => {
		const { stdout, stderr } = await type(
			"/lcm",
			"/lcm stats",
			"/lcm search minus sign",
			"/lcm tree",
			"/lcm export",
			"/lcm export",
			"/lcm compact the names of the files",
		);
		assert.match(stdout, /^Lossless context management:\n {2}\/lcm stats /);
		assert.match(stdout, /^LCM: 18 msgs \| 0 summaries \(depth 0\) \| .*B$/m);
		assert.match(stdout, /^\[1\] m-[0-9a-f]{12} \(assistant, /m);
		assert.match(stdout, /^└─ 18 messages verbatim, from m-\S+ on$/m);
		const [, file] = /^Written to (.*\.md)$/m.exec(stdout)!;
		assert.match(readFileSync(file!, "utf8"), /# Session [\s\S]*The check fails\. Find out why and repair it\./);
		assert.match(stderr, /^\/lcm: .*\.md already exists\. Name another file: \/lcm export FILE$/m);
		assert.match(stdout, /^Nothing to summarise yet \(Nothing to compact/m);
	});

	test("/context tells what takes how much, and /context full shows it", async () => {
		const { stdout } = await type("/context");
		assert.match(stdout, /^anthropic-messages · mode woven · about [\d,]+ of 200,000 tokens \(\d\.\d %\)/);
		for (const category of ["System prompt", "System tools", "Messages", "Free space"]) {
			assert.match(stdout, new RegExp(`^\\S {2}${category} +[\\d,]+ +[\\d.]+ %$`, "m"));
		}
		assert.match(stdout, /^ +[\d,]+ {2}result of read \S+ +m-[0-9a-f]{12} +raw: nothing has been sealed yet$/m);
		assert.match(
			stdout,
			/^ +\d+ {2}(?:assistant|read|bash|edit)\b.* m-[0-9a-f]{12} +raw: nothing has been sealed yet$/m,
		);
		assert.match(stdout, /^Seals: none yet$/m);
		assert.match(stdout, /^Last break: /m);
		const full = await type("/context full");
		assert.match(full.stdout, /^# Context\n/);
	});

	test("/weft tells the state, changes the mode, and lists the settings with their origin", async () => {
		const { stdout, stderr } = await type(
			"/weft",
			"/weft mode warp",
			"/weft mode",
			"/weft settings",
			"/weft mode wovn",
			"/weft x",
		);
		assert.match(stdout, /^mode +woven: epochs/m);
		assert.match(stdout, /^seals +none yet$/m);
		assert.match(stdout, /^mode warp for this session: /m);
		assert.match(stdout, /^mode warp: a context computed again for each run$/m);
		assert.match(stdout, /^dbDir +\S+ +WEFT_HOME$/m);
		assert.match(stderr, /^\/weft: Unknown mode 'wovn'\. Did you mean 'woven'\?/m);
		assert.match(stderr, /^\/weft: Unknown command '\/weft x'\. Choose status, mode, settings or inspect\.$/m);
	});

	test("in json mode an answer is one JSON line among Pi's own", async () => {
		const args = ["--mode", "json", "--session", session];
		const { stdout } = await runPi({ workspace, script: [], prompts: ["/lcm stats"], extensions: EXTENSIONS, args });
		const lines = stdout
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line) as Record<string, string>);
		const answer = lines.find(({ type }) => type === "extension_output");
		assert.equal(answer?.["command"], "lcm");
		assert.match(answer?.["text"] ?? "", /^LCM: 18 msgs/);
	});
});

test("/weft inspect opens the inspector on the session at hand, and it ends with Pi", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const rpc = await startPiRpc({ workspace, extensions: EXTENSIONS, script: [{ text: "Yes." }] });
	await rpc.prompt("Is the harbour open?");
	const notice = rpc.next((record) => record["method"] === "notify" && /inspect/.test(String(record["message"])));
	await rpc.command("prompt", { message: "/weft inspect" });
	const said = String((await notice)["message"]);
	const [address = ""] = /http:\S+/.exec(said) ?? [];
	assert.match(said, /^The inspector: http:\/\/127\.0\.0\.1:\d+\/p\/[^/]+\/s\/[^/]+\/now#token=/);
	const { origin, pathname, hash } = new URL(address);
	const headers = { authorization: `Bearer ${hash.slice("#token=".length)}` };
	const now = (await (await fetch(`${origin}${pathname}.json`, { headers })).json()) as {
		items: { preview: string }[];
	};
	assert.ok(JSON.stringify(now.items).includes("Is the harbour open?"));
	assert.equal((await fetch(`${origin}${pathname}.json`)).status, 401);
	const { code } = await rpc.end();
	assert.equal(code, 0);
	await assert.rejects(async () => {
		for (;;) await (await fetch(`${origin}/launch.json`, { headers })).text();
	}, /fetch failed/);
});

test("turned off, Pi has no command of ours", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const env = { WEFT_ENABLED: "false" };
	await using rpc = await startPiRpc({ workspace, extensions: EXTENSIONS, script: [], env });
	const { commands } = (await rpc.command("get_commands")) as { commands: { name: string }[] };
	const ours = new Set(PI_COMMANDS.map(({ name }) => name));
	assert.deepEqual(
		commands.filter(({ name }) => ours.has(name)),
		[],
	);
});

test("over rpc commands answer by notices, /context gives Markdown, and the status line is kept up", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const extensions = [...EXTENSIONS, JUMP_EXTENSION];
	await using rpc = await startPiRpc({ workspace, extensions, script: [...ANSWERS.slice(0, 5), { text: "Yes." }] });
	await rpc.prompt(PROMPTS[0]!);
	const isStatus = (record: RpcRecord) => record["method"] === "setStatus" && record["statusKey"] === "weft";
	const first = rpc.records.findIndex(isStatus);
	assert.ok(first !== -1 && first < rpc.records.findIndex(({ type }) => type === "agent_start"), "from the start");
	assert.match(String(rpc.records[first]!["statusText"]), /^weft woven · 0 msgs · 0 nodes/);
	const answerTo = async (message: string): Promise<string> => {
		const notice = rpc.next((record) => record.type === "extension_ui_request" && record["method"] === "notify");
		await rpc.command("prompt", { message });
		return String((await notice)["message"]);
	};
	assert.match(await answerTo("/warp"), /^intent +The check fails\./m);
	assert.match(await answerTo("/context"), /^# Context\n/);
	assert.match(await answerTo("/lcm stats"), /^LCM: 14 msgs \|/);
	assert.match(await answerTo("/weft mode nope"), /^\/weft: Unknown mode 'nope'/);

	const { commands } = (await rpc.command("get_commands")) as { commands: { name: string; source: string }[] };
	const ours = commands.filter(({ source }) => source === "extension").map(({ name }) => name);
	assert.deepEqual(
		PI_COMMANDS.map(({ name }) => name).filter((name) => !ours.includes(name)),
		[],
	);
	const statuses = rpc.records.filter(isStatus);
	const line = String(statuses.at(-1)?.["statusText"]);
	assert.match(
		line,
		/^weft woven · [\d.]+k\/(?:9|10)\d\.\dk tokens · 14 msgs · 0 nodes \(depth 0\) · \d[\d.]*\d [kM]B$/,
	);
	// One number everywhere: Pi's own, the status line's and that of /weft.
	const stats = (await rpc.command("get_session_stats")) as { contextUsage: { tokens: number } };
	const { tokens } = stats.contextUsage;
	assert.ok(line.includes(` ${formatKilo(tokens)}/`), `${tokens}: ${line}`);
	assert.ok((await answerTo("/weft")).includes(`${formatCount(tokens)} of at most `));
	assert.ok(statuses.length >= 5, "after each turn");

	await answerTo("/weft mode lossless");
	const footer = /^LCM: (\d+) msgs \| 0 summaries \(depth 0\) \| \d[\d.]*\d [kM]B$/;
	assert.equal(footer.exec(String(rpc.records.findLast(isStatus)?.["statusText"]))?.[1], "14");
	const before = rpc.records.length;
	await rpc.prompt("One more.");
	const counts = rpc.records
		.slice(before)
		.filter(isStatus)
		.map(({ statusText }) => footer.exec(String(statusText))?.[1]);
	assert.deepEqual([...new Set(counts)], ["14", "15", "16"], "after every message");
	const again = rpc.next(isStatus);
	await rpc.command("prompt", { message: "/again" });
	assert.match(String((await again)["statusText"]), /^weft woven · .*16 msgs/);
});

test("over rpc /lcm compact passes what matters to the summariser, and the tree, the status and /weft tell of it", async () => {
	using workspace = makePiWorkspace({ files: FILES, piSettings: { compaction: { keepRecentTokens: 30 } } });
	const long = "The harbour crane lifts forty tonnes, its twin thirty. ".repeat(60);
	const asked: string[] = [];
	await using rpc = await startPiRpc({
		workspace,
		extensions: EXTENSIONS,
		script: ({ body }, index) => {
			if (body.includes("the cranes")) asked.push(body);
			return { text: `${index}: ${long}` };
		},
	});
	for (let turn = 0; turn < 8; turn++) await rpc.prompt(`Question ${turn}`);
	const answerTo = async (message: string): Promise<string> => {
		const notice = rpc.next(
			(record) => record["method"] === "notify" && /summar|Compacted|mode /.test(String(record["message"])),
		);
		await rpc.command("prompt", { message });
		return String((await notice)["message"]);
	};
	assert.match(
		await answerTo("/lcm compact the cranes"),
		/^Compacted: [1-9]\d* new summar(y|ies), \d+ in all \(depth 1\)\.$/,
	);
	assert.equal(asked.length, 1, "the words reached a model, in one call");
	const note = rpc.records.findLast((record) => record["widgetKey"] === "weft-seal");
	const sealed = /^weft sealed \(as you asked\): \d+ messages left the context, ([\d,]+) → ([\d,]+) tokens/;
	const [, before, after] = sealed.exec(String(note?.["widgetLines"])) ?? [];
	const said = await answerTo("/weft");
	assert.match(said, new RegExp(`^seals +1, the last from ${before} to ${after} tokens \\(as you asked\\)$`, "m"));
	// In the tokens that Pi counts, with system prompt and tools.
	await rpc.prompt("And now?");
	const { contextUsage } = (await rpc.command("get_session_stats")) as { contextUsage: { tokens: number } };
	const more = contextUsage.tokens - Number(after!.replaceAll(",", ""));
	assert.ok(more > 0 && more < 1_500, `${after} tokens after the seal, ${contextUsage.tokens} after one more answer`);
	const tree = rpc.next((record) => record["method"] === "notify" && String(record["message"]).includes("verbatim"));
	await rpc.command("prompt", { message: "/lcm tree" });
	assert.match(String((await tree)["message"]), /^├─ s-\w+/m);
});

test("over rpc a block of the guard is a note above the editor, until the next run begins", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const edit = { path: "check.sh", edits: [{ oldText: "expected 5", newText: "expected five" }] };
	await using rpc = await startPiRpc({
		workspace,
		extensions: EXTENSIONS,
		script: [{ toolCalls: [{ id: "c1", name: "edit", args: edit }] }, { text: "Blocked." }, { text: "Again." }],
	});
	const widgets = () => rpc.records.filter((record) => record["method"] === "setWidget");
	await rpc.prompt("Change it without a look");
	assert.match(JSON.stringify(widgets().at(-1)?.["widgetLines"]), /weft blocked edit check\.sh: /);
	await rpc.prompt("And now?");
	assert.equal(widgets().at(-1)?.["widgetLines"], undefined);
	assert.equal(widgets().length, 2);
});

test("the model finds an early message, reads it by its handle, and its decisions hold until it replaces them", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const call = (id: string, name: string, args: object): ModelAnswer => ({
		toolCalls: [{ id, name, args: args as Record<string, unknown> }],
	});
	const run = await runPi({
		workspace,
		extensions: EXTENSIONS,
		prompts: ["The tide table is due at nine.", "/warp"],
		script: (request, index) => {
			const said = lastResult(request);
			const handle = /(m-[0-9a-f]{12}) \(user/.exec(said)?.[1] ?? "none";
			const decision = /decision (e-[0-9a-f]{12})/.exec(said)?.[1] ?? "none";
			const steps: readonly (() => ModelAnswer)[] = [
				() => call("c1", "lcm_grep", { query: "tide table" }),
				() => call("c2", "lcm_expand", { summary_id: handle }),
				() => call("c3", "decide", { decision: "Heights are in metres", rationale: "the chart's unit" }),
				() => call("c4", "decide", { decision: "Heights are in feet", supersedes: decision }),
				() => call("c5", "decide", { decision: "Again", supersedes: "#9999" }),
				() => call("c6", "lcm_describe", { section: "overview" }),
				() => ({ text: "Done." }),
			];
			return steps[index]!();
		},
	});
	assert.equal(run.stderr, "");
	const results = run.requests.slice(1).map(lastResult);
	assert.match(results[0]!, /\] m-[0-9a-f]{12} \(user, .*\n {2}The tide table is due at nine\./);
	assert.match(results[1]!, /The tide table is due at nine\./);
	assert.match(results[2]!, /^Recorded as decision e-[0-9a-f]{12}\.$/);
	assert.match(results[3]!, /^Recorded as decision e-[0-9a-f]{12}, in place of e-[0-9a-f]{12}\.$/);
	assert.match(
		results[4]!,
		/^There is no decision '#9999' that still holds\. Those that hold:\ne-[0-9a-f]{12} Heights are in feet$/,
	);
	assert.match(results[5]!, /Nothing has been summarised yet/);
	assert.match(run.stdout, /Decisions \(1\)\n {2}e-[0-9a-f]{12} Heights are in feet\n/);
});

test("completions offer what fits, flags one after the other", () => {
	const of = (name: string, prefix: string) =>
		completeArguments(PI_COMMANDS.find((command) => command.name === name)!, prefix)?.map(({ value }) => value) ?? null;
	assert.deepEqual(of("weft", "mode w"), ["mode woven", "mode warp"]);
	assert.deepEqual(of("lcm", "s"), ["stats", "search"]);
	assert.deepEqual(of("warp-prune-events", "--days 3 --d"), ["--days 3 --dry-run"]);
	assert.equal(of("warp", ""), null);
});

/** The text of the newest tool result on the wire. */
function lastResult({ json }: ModelRequest): string {
	const messages = json["messages"] as { content: string | { type: string; content?: unknown }[] }[];
	const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
	const result = blocks.findLast(({ type }) => type === "tool_result")?.content;
	if (typeof result === "string") return result;
	return ((result ?? []) as { text?: string }[]).map(({ text }) => text ?? "").join("");
}

test("/thread lists what holds and is next, pins and strikes, and the model's tool says the same", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const run = await runPi({
		workspace,
		extensions: EXTENSIONS,
		prompts: [
			"Never touch check.sh. Write the tide table to tides.txt.",
			"/thread",
			"/thread pin rule-",
			"/thread",
			"/thread pni",
		],
		script: [
			{ text: "Understood. Next, I will write tides.txt.", toolCalls: [{ id: "c1", name: "thread", args: {} }] },
			{ text: "Next, I will write tides.txt." },
		],
	});
	assert.equal(run.stderr, "");
	const answer = lastResult(run.requests[1]!);
	assert.match(answer, /^Thread of session .* \(pi\), 1 request\n/);
	assert.match(answer, /\nHolds\n {2}rule-[0-9a-f]{6} Never touch check\.sh\. \[m-[0-9a-f]{12}\]\n/);
	assert.match(run.stdout, /\nNext\n {2}next-[0-9a-f]{6} Next, I will write tides\.txt\.? \[m-/);
	assert.match(run.stdout, /Pinned rule-[0-9a-f]{6}: Never touch check\.sh\.\nIt stays in every context\.\n/);
	assert.match(run.stdout, /rule-[0-9a-f]{6} \(pinned\) Never touch check\.sh\./);
	assert.match(run.stdout, /Unknown command '\/thread pni'\.\n {2}\/thread show/);
});
