/** Every command, over a recorded session, as a person sees it in a terminal: nothing is too wide, said twice, or in the language of tools. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { EngineError } from "../../src/base/error/engine-error.ts";
import { textWidth } from "../../src/base/text/cut.ts";
import { COMMANDS } from "../../src/show/cli/catalogue.ts";
import type { ModuleName } from "../../src/show/cli/command-modules.ts";
import { Context } from "../../src/show/cli/context.ts";
import { runCommand } from "../../src/show/cli/frame.ts";
import { Output } from "../../src/show/cli/output.ts";
import { buildProgram } from "../../src/show/cli/run.ts";

const SESSION = fileURLToPath(new URL("../../demo/session.jsonl", import.meta.url));
const folder = realpathSync(mkdtempSync(join(tmpdir(), "weft-views-")));
const project = join(folder, "project");
after(() => rmSync(folder, { recursive: true, force: true }));

/** Words of the tools' own interface, and of ours that no user knows. */
const TOOL_WORDS = /\blcm_\w+|summary_id|\bby_id\b|max_tokens|isError|\[object /;

/** The arguments for each command. Those in `VERBATIM` show a model's or a program's bytes. */
const ASKED: Readonly<Record<string, readonly (readonly string[])[]>> = {
	status: [[]],
	sessions: [[]],
	cost: [[], ["--by", "session"], ["--by", "model"]],
	import: [[SESSION]],
	log: [["--limit", "0"]],
	"log add": [["note"]],
	show: [["5"]],
	grep: [
		["test", "--limit", "5"],
		["--regex", "\\w+\\.js", "--limit", "5"],
	],
	ask: [["what", "was", "decided"], ["which", "files", "changed"], ["where were we?"]],
	state: [[]],
	thread: [[], ["--all"]],
	"thread pin": [["task-"]],
	"thread strike": [["rule-000000"]],
	"thread clear": [["task-"]],
	handover: [[]],
	diff: [[], ["--stat"]],
	read: [[], ["--all"], ["--prompt", "1", "--full"]],
	context: [[], ["--why"], ["--diff"], ["--mode", "lossless", "--why"]],
	request: [[], ["2"]],
	why: [["src/quote.js"]],
	"memory add": [[`the tests need a running database and ${"many more words about it ".repeat(8)}`], ["short"]],
	memory: [[]],
	"memory show": [[]],
	"memory search": [["database"]],
	"memory edit": [["f-00000000", "other words"]],
	"memory forget": [["f-00000000"]],
	"memory why": [["f-"]],
	"memory history": [[]],
	"memory import": [[]],
	"memory recall": [["which database do the tests need?"]],
	conformance: [["./no-engine.mjs"]],
	repo: [[]],
	skills: [[]],
	snapshot: [[]],
	compact: [["--keep", "1000"]],
	tree: [[]],
	describe: [[], ["recent"], ["earliest"], ["ID"]],
	expand: [["ID"]],
	repair: [[]],
	recover: [[SESSION]],
	replay: [
		[SESSION, "--mode", "woven,host"],
		[SESSION, "--mode", "woven,host", "--table"],
	],
	prices: [[], ["--model", "opus"], ["--model", "nothing-like-it"]],
	stats: [[]],
	report: [[], ["--since", "30d"]],
	rewind: [[], ["src/tides.ts", "--to", "1"]],
	cache: [[]],
	export: [["--format", "md"]],
	verify: [[]],
	prune: [[], ["--snapshots", "0"]],
	forget: [["--all"]],
	rebuild: [[]],
	doctor: [[]],
	init: [["--undo"]],
	config: [[], ["--origin"]],
	"config set": [["mode", "warp"]],
	completion: [["bash"]],
	trial: [["--report"]],
	trust: [[], ["--list"]],
};
const VERBATIM = new Set(["show", "expand", "export", "context", "handover", "completion", "diff"]);
/** They start other programs, or serve one. */
const ELSEWHERE = new Set(["inspect", "run", "mcp", "proxy", "hook", "resident"]);
/** Those of a fleet need its server: e2e/fleet/command-line.test.ts. */
const IN_A_FLEET = /^(?:sync|fleet)(?: |$)/;

class Screen {
	text = "";
	readonly isTTY = true;
	readonly columns: number;

	constructor(columns: number) {
		this.columns = columns;
	}

	write(text: string, done?: (error?: Error) => void): boolean {
		this.text += text;
		done?.();
		return true;
	}

	getColorDepth(): number {
		return 1;
	}

	hasColors(): boolean {
		return false;
	}
}

const ERASED = "\r\u001b[2K";
let summary = "";

/** The text that a person reads, on both streams. */
async function see(name: string, args: readonly string[], columns: number): Promise<string> {
	const screen = new Screen(columns) as unknown as NodeJS.WriteStream & Screen;
	const given = args.map((arg) => (arg === "ID" ? summary : arg));
	const out = new Output({ json: false, color: false }, screen, screen);
	const env = { HOME: folder, XDG_CONFIG_HOME: join(folder, "config"), PATH: process.env["PATH"] };
	const surroundings = { env, cwd: project, out };
	const [operands, options] = parse(name, given);
	const home = join(folder, "home");
	try {
		const context = new Context({ home, project, noColor: true }, surroundings);
		await runCommand(name as ModuleName, context, operands, options);
	} catch (error) {
		if (!(error instanceof EngineError)) throw error;
		out.talk(`weft: ${error.message}`);
	}
	// A line that was drawn and taken away again is not there.
	return screen.text
		.split("\n")
		.map((line) => line.slice(line.lastIndexOf(ERASED) + 1).replace(ERASED.slice(1), ""))
		.join("\n");
}

/** As the command line itself reads them. */
function parse(name: string, args: readonly string[]): [readonly string[], Record<string, unknown>] {
	let command = buildProgram(() => {});
	for (const word of name.split(" ")) command = command.commands.find((each) => each.name() === word)!;
	const { operands, unknown } = command.parseOptions([...args]);
	return [[...operands, ...unknown], command.opts()];
}

before(async () => {
	mkdirSync(join(project, ".git"), { recursive: true });
	await see("import", [SESSION], 80);
	await see("compact", ["--keep", "1000"], 80);
	summary = /s-[0-9a-f]{10}/.exec(await see("tree", [], 80))![0];
});

test("every command of the catalogue is looked at", () => {
	const names = COMMANDS.map(({ name }) => name).filter((name) => !ELSEWHERE.has(name) && !IN_A_FLEET.test(name));
	assert.deepEqual(Object.keys(ASKED).sort(), names.toSorted());
});

for (const columns of [80, 160]) {
	test(`in a terminal of ${columns} columns nothing is too wide, said twice, or in the language of tools`, async () => {
		for (const [name, calls] of Object.entries(ASKED)) {
			for (const args of calls) {
				const asked = `weft ${[name, ...args].join(" ")}`;
				const text = await see(name, args, columns);
				assert.notEqual(text.trim(), "", asked);
				if (VERBATIM.has(name) && !args.includes("--why")) continue;
				assert.doesNotMatch(text, TOOL_WORDS, asked);
				checkLines(asked, text.split("\n"), columns);
			}
		}
	});
}

function checkLines(asked: string, lines: readonly string[], columns: number): void {
	const heads = new Map<string, number>();
	for (const [at, line] of lines.entries()) {
		const isOneWord = !line.trim().includes(" ");
		assert.ok(textWidth(line) <= columns || isOneWord, `${asked}: ${textWidth(line)} columns: ${line}`);
		assert.doesNotMatch(line, /\bundefined\b|\bNaN\b/, asked);
		assert.doesNotMatch(line, /─ ─|^ +─{3}/, `${asked}: a table was broken to fit`);
		// A table has a rule under its titles: the same titles must not come twice in a row.
		if (!/^─+(?: +─+)+$/.test(line)) continue;
		const head = lines[at - 1] ?? "";
		const before = heads.get(head);
		assert.ok(before === undefined || before < at - 2, `${asked}: the same titles twice: ${head}`);
		heads.set(head, at);
	}
	for (const [at, line] of lines.entries()) {
		const isTwice = line.trim() !== "" && line === lines[at + 1] && /[A-Za-z]{4}/.test(line) && !line.includes("  ");
		assert.ok(!isTwice, `${asked}: said twice: ${line}`);
	}
}
