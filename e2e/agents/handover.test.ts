/**
 * A session made in the real Claude Code, handed to the real Codex and to the real Pi in the same project, and one of Codex handed to
 * Claude Code: the first request of each holds the task, the rule and what is next.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { startModelServer } from "../../test/rig/model-server.ts";
import { exitOf, spawnPi } from "../../test/rig/pi.ts";
import { makePiWorkspace } from "../../test/rig/workspace.ts";
import { ClaudeWorld } from "./claude-world.ts";
import { CodexWorld } from "./codex-world.ts";

const TASK =
	"Build the tide table of the harbour: read the gauges from gauges.csv, compute high and low water for each day, and write it to tides.json.";
const RULE = "Never touch README.md.";
const NEXT = "Next, I will write tides.json with one entry per day.";
const HELD = [TASK, RULE, NEXT];

describe("a session of Claude Code, handed over", () => {
	let claude: ClaudeWorld;
	let env: NodeJS.ProcessEnv;

	before(async () => {
		claude = await ClaudeWorld.start({ "gauges.csv": "day,height\n1,3.9\n", "README.md": "# Tides\n" });
		const read = claude.script.call("Read", { file_path: claude.path("gauges.csv") });
		claude.script.add({ toolCalls: [read] }, { text: "The gauges are read." }, { text: `Understood. ${NEXT}` });
		const process = claude.open();
		await process.turn(TASK);
		await process.turn(RULE);
		await process.end();
		env = { WEFT_HOME: claude.home, HOME: claude.user };
	});
	after(() => claude?.close());

	test("Codex starts with the task, the rule and what is next", async () => {
		const codex = await CodexWorld.start();
		try {
			codex.configureLab();
			codex.script.add({ text: "I write tides.json." });
			const [node, main] = claude.weft;
			// The command that the first line of a handover names.
			const line = `"${node}" "${main}" handover --to codex | codex exec --skip-git-repo-check --json -`;
			const child = spawn("sh", ["-c", line], { cwd: claude.project, env: { ...codex.env, ...env }, stdio: "pipe" });
			child.stdin.end();
			let told = "";
			for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (told += String(data)));
			assert.equal(await exitOf(child), 0, told);
			const [first] = codex.turns;
			assert.ok(first, told);
			assertHolds(first.json["input"]);
		} finally {
			await codex.base.close();
		}
	});

	test("Pi starts with the task, the rule and what is next", async () => {
		const text = await handover("pi");
		assert.match(text, /^Handover of session [0-9a-f-]+ \(claude-code\) in project, written by weft for pi\./);
		using workspace = makePiWorkspace({ files: { "a.txt": "a\n" } });
		await using model = await startModelServer([{ text: "I write tides.json." }]);
		const child = spawnPi({ workspace, script: [], cwd: claude.project }, model.url, ["-p"]);
		child.stdin?.end(text);
		assert.equal(await exitOf(child), 0);
		assertHolds(model.requests[0]?.json["messages"]);
	});

	async function handover(to: string): Promise<string> {
		const [node = "", main = ""] = claude.weft;
		const child = spawn(node, [main, "handover", "--to", to], { cwd: claude.project, env: { ...process.env, ...env } });
		let text = "";
		child.stdout.on("data", (data) => (text += String(data)));
		assert.equal(await exitOf(child), 0);
		return text;
	}
});

test("a session of Codex, handed over: Claude Code starts with the task, the rule and what is next", async () => {
	const codex = await CodexWorld.start({ "gauges.csv": "day,height\n1,3.9\n" });
	const claude = await ClaudeWorld.start({ "gauges.csv": "day,height\n1,3.9\n" });
	try {
		codex.configureLab();
		codex.script.add({ toolCalls: [codex.read("gauges.csv")] }, { text: `The gauges are read. ${NEXT}` });
		const ran = await codex.base.weft(["run", "codex", "--", ...codex.exec(`${TASK} ${RULE}`)], codex.env);
		assert.equal(ran.code, 0, ran.err);
		const { out, err, code } = await codex.base.weft(["handover", "--to", "claude"], codex.env);
		assert.equal(code, 0, err);
		assert.match(out, /^Handover of session [0-9a-f-]+ \(codex\) in project, written by weft for claude\./);
		claude.script.add({ text: "I write tides.json." });
		const process = claude.open();
		await process.turn(out);
		await process.end();
		const [first] = claude.requests.filter(({ index }) => claude.script.kinds[index] === "step");
		assertHolds(first?.json["messages"]);
	} finally {
		await codex.base.close();
		await claude.close();
	}
});

function assertHolds(messages: unknown): void {
	const sent = JSON.stringify(messages);
	for (const words of HELD) assert.ok(sent.includes(JSON.stringify(words).slice(1, -1)), words);
}
