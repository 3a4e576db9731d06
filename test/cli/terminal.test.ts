import assert from "node:assert/strict";
import { globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { ModuleName } from "../../src/show/cli/command-modules.ts";
import { Context } from "../../src/show/cli/context.ts";
import { runCommand } from "../../src/show/cli/frame.ts";
import { Output } from "../../src/show/cli/output.ts";
import { Sink } from "./sink.ts";

/** Sets the title, clears the screen, colours (also by C1), turns the line around, rings, returns to its start. */
const HOSTILE = "\u001b]0;owned\u0007\u001b[31mred\u001b[2J\u009b32mC1\u202eltr\u2066\u2069\u0007\u0090\rback";
const ESCAPE = "\u001b";
const SESSION = "0199c0de-0000-7000-8000-00000000abcd";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const DANGEROUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const folder = realpathSync(mkdtempSync(join(tmpdir(), "weft-terminal-")));
const project = join(folder, "project");
const sessions = join(folder, "sessions");
const file = join(sessions, `\u001b[31m${"name"}\u202e.jsonl`);

before(async () => {
	mkdirSync(join(project, ".git"), { recursive: true });
	mkdirSync(join(project, ".weft"));
	mkdirSync(sessions);
	writeFileSync(join(project, ".weft", "config.json"), JSON.stringify({ [`evil${HOSTILE}`]: 1, pruneDays: HOSTILE }));
	const path = `src/${HOSTILE}.ts`;
	const text = (value: string) => [{ type: "text", text: value }];
	const call = (id: string, name: string, args: object) => ({ type: "toolCall", id, name, arguments: args });
	const result = (toolCallId: string, toolName: string, value: string, isError = false) => ({
		role: "toolResult",
		toolCallId,
		toolName,
		content: text(value),
		isError,
	});
	const model = { provider: "p", model: `m${HOSTILE}`, stopReason: "stop" };
	const messages = [
		{ role: "user", content: text(`Look at ${HOSTILE} ${path}`) },
		{ role: "assistant", content: [call("c1", "read", { path })], ...model },
		result("c1", "read", `text ${HOSTILE}\n`.repeat(20)),
		{ role: "assistant", content: [call("c2", `tool${HOSTILE}`, { x: HOSTILE })], ...model },
		result("c2", `tool${HOSTILE}`, HOSTILE, true),
		{ role: "assistant", content: [call("c3", "bash", { command: `npm test ${HOSTILE}` })], ...model },
		result("c3", "bash", `1 failing ${HOSTILE}\n\nCommand exited with code 1`, true),
		{ role: "assistant", content: text(`Done ${HOSTILE}`), ...model },
	];
	const lines = [
		{ type: "session", version: 3, id: SESSION, timestamp: "2026-01-05T10:00:00.000Z", cwd: project },
		...messages.map((message, at) => ({
			type: "message",
			id: `e${at}`,
			parentId: at === 0 ? null : `e${at - 1}`,
			timestamp: `2026-01-05T10:00:0${at}.000Z`,
			message,
		})),
	];
	writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n{broken ${HOSTILE}\n`);
	await command(["import", sessions], {});
});
after(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
	readonly out: string;
	readonly err: string;
}

async function command(
	[name, ...args]: readonly string[],
	options: Readonly<Record<string, unknown>>,
	{ color = false, isTTY = true } = {},
): Promise<Ran> {
	const [out, err] = [new Sink({ isTTY }), new Sink({ isTTY })];
	const output = new Output({ json: options["json"] === true, color }, out.stream, err.stream);
	const env = { HOME: folder, WEFT_HOME: join(folder, "home") };
	const context = new Context({}, { env, cwd: project, out: output });
	try {
		await runCommand(name as ModuleName, context, args, options);
	} catch (error) {
		output.talk(`weft: ${(error as Error).message}`);
	}
	return { out: out.text, err: err.text };
}

const QUESTIONS: readonly (readonly [words: readonly string[], options?: Readonly<Record<string, unknown>>])[] = [
	[["status"]],
	[["import", file]],
	[["import", join(folder, `none${HOSTILE}`)]],
	[["log"]],
	[["log"], { file: `src/${HOSTILE}.ts` }],
	[["show", "2"]],
	[["show", "2"], { raw: true }],
	[["show", `m-${HOSTILE}`]],
	[["grep", "text"]],
	[["grep"], { regex: `(${HOSTILE}` }],
	[["state"]],
	[["context"]],
	[["context"], { why: true }],
	[["context"], { diff: true }],
	[["context"], { format: "md" }],
	[["why", `src/${HOSTILE}.ts`]],
	[["compact"], { keep: "10" }],
	[["tree"]],
	[["describe"]],
	[["describe", "recent"]],
	[["recover", file]],
	[["replay", file], { mode: "woven,host" }],
	[["stats"]],
	[["cache"]],
	[["export"], { format: "md" }],
	[["export"], { format: "jsonl" }],
	[["export"], { format: "pi" }],
	[["verify"]],
	[["prune"]],
	[["doctor"]],
	[["config"]],
	[["trust"]],
	[["config"], { origin: true }],
	[["doctor"]],
	[["trust"], { list: true }],
	[["trust"], { undo: true }],
];

test("no command lets an escape sequence, a control or a turned line reach the terminal", async () => {
	let shown = 0;
	for (const [words, options = {}] of QUESTIONS) {
		for (const json of [false, true]) {
			if (json && options["raw"]) continue;
			const { out, err } = await command(words, { ...options, json });
			const what = `${json ? "--json " : ""}${words[0]} ${JSON.stringify(options)}`;
			const bad = DANGEROUS.exec(out) ?? DANGEROUS.exec(err);
			assert.equal(bad, null, `${what}: ${JSON.stringify(bad?.input.slice(bad.index - 40, bad.index + 40))}`);
			shown += Number((out + err).includes("owned") || /red|C1|ltr/.test(out + err));
			if (json && out !== "" && words[0] !== "log" && words[0] !== "export") JSON.parse(out);
		}
	}
	assert.ok(shown > 30, `what was planted is among the answers: ${shown}`);
});

test("what a pipe gets is exact, and our own colours are the only ones that a terminal gets", async () => {
	const raw = await command(["show", "2"], { raw: true }, { isTTY: false });
	assert.equal(raw.out.trimEnd(), readFileSync(file, "utf8").split("\n")[1]);
	const { out } = await command(["log"], {}, { color: true });
	const sequences = new Set(out.match(new RegExp(`${ESCAPE}\\[[^m]*m`, "g")));
	assert.ok(sequences.size > 0 && !sequences.has("\u001b[31m"), [...sequences].map((each) => each.slice(1)).join());
	assert.equal(DANGEROUS.exec(out.replaceAll(new RegExp(`${ESCAPE}\\[\\d{1,2}m`, "g"), "")), null);
});

test("nothing of the command line writes to the terminal but by this door", () => {
	const src = join(import.meta.dirname, "..", "..", "src", "show", "cli");
	const others = globSync("**/*.ts", { cwd: src }).filter(
		(name) =>
			!name.endsWith(".test.ts") && /std(?:out|err)\.write|console\./.test(readFileSync(join(src, name), "utf8")),
	);
	// The version of Node is said before anything is loaded; an agent, not a terminal, reads the answers to its questions.
	assert.deepEqual(others.toSorted(), ["main.ts", "output.ts", "pass-to-resident.ts", "serve-questions.ts"]);
});

test("the context fits the screen: only a word that is wider stays whole", async () => {
	const { out } = await command(["context"], {});
	const wide = out.split("\n").filter((line) => line.length > 80 && line.trim().includes(" "));
	assert.deepEqual(wide, []);
	const pipe = await command(["context"], {}, { isTTY: false });
	assert.ok(pipe.out.split("\n").some((line) => line.length > 80));
});
