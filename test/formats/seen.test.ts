/** The table of docs/formats/README.md: what is seen in the sessions of each agent, and which text is known afterwards. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, describe, test } from "node:test";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { TableFolds } from "../../src/log/fold/table-folds.ts";
import { Log } from "../../src/log/log.ts";
import { readUsage, usageFold } from "../../src/state/session/usage-fold.ts";
import { threadIn } from "../../src/state/thread/thread.ts";
import { threadFold } from "../../src/state/thread/thread-fold.ts";
import { recordedFiles } from "../../src/state/work/recorded-files.ts";
import { FORMATS, writeFormat } from "./formats.ts";
import type { Act, PlannedItem, Script } from "./script.ts";

const home = mkdtempSync(join(tmpdir(), "weft-seen-"));
after(() => rmSync(home, { recursive: true, force: true }));
let folders = 0;

const step = (...acts: readonly Act[]) => ({ answer: "So.", acts, tokens: { input: 90, read: 10, output: 5 } });
const planned = (content: string, status: PlannedItem["status"]): PlannedItem => ({ content, status });
const PRINTED: Script = [
	{ user: "Look at the loom" },
	step({ do: "run", command: "sed -n '4,5p' reed.txt", output: "four\nfive", exit: 0 }),
	step({ do: "run", command: "nl -ba heddle.txt | head -2", output: "     1\tone\n     2\ttwo", exit: 0 }),
	step({ do: "run", command: "rg -n warp beam.txt", output: "7:warp", exit: 0 }),
	step({ do: "read", file: "loom.txt", text: "warp\nweft\nselvage\n" }),
	step({ do: "create", file: "notes.md", text: "mended\n" }),
	step({ do: "plan", items: [planned("Wind the warp", "completed"), planned("Throw the weft", "in_progress")] }),
	step({ do: "plan", items: [planned("Throw the weft", "completed"), planned("Cut it off", "pending")] }),
	{ answer: "Seen.", acts: [], tokens: { input: 60, read: 100, output: 9 } },
];

async function imported(format: (typeof FORMATS)[number]): Promise<Log> {
	const path = writeFormat(format, mkdtempSync(join(home, "written-")), PRINTED);
	const projection = () => new TableFolds([usageFold]);
	const log = new Log({ folder: join(home, `log-${++folders}`), origin: "test", projection });
	await importFile(path, { readers: READERS, logFor: () => log });
	log.foldMissing();
	return log;
}

/** Cline wraps the outputs of several commands in one JSON text; Continue keeps a file's text in a form of its own. */
const NOT_READ = new Set(["cline", "continue"]);

for (const format of FORMATS.filter(({ agent }) => !NOT_READ.has(agent))) {
	describe(`${format.agent} ${basename(format.path)}`, () => {
		test("commands that print files are reads, with their lines", async () => {
			using log = await imported(format);
			const reads = [...log.read({ types: ["FileRead"] })].map(
				({ payload: { path, from, to } }) => `${path} ${from}-${to}`,
			);
			assert.deepEqual(reads.slice(0, 2), ["reed.txt 4-5", "heddle.txt 1-2"]);
			const runs = [...log.read({ types: ["CommandRun"] })].map(({ payload }) => payload["command"]);
			assert.deepEqual(
				PRINTED.flatMap((each) => ("acts" in each ? each.acts : [])).filter(
					(act) => act.do === "run" && !runs.includes(act.command),
				),
				[],
			);
		});

		test("the text of everything shown is known, and every call is paid", async () => {
			using log = await imported(format);
			const files = recordedFiles(log, log.newestSeq());
			const text = (path: string) => {
				const file = files.read(path);
				const parts = file.kind === "text" ? [{ from: 1, lines: file.text.trimEnd().split("\n") }] : [];
				return (file.kind === "partial" ? file.parts : parts).map(({ from, lines }) => `${from}: ${lines.join("|")}`);
			};
			assert.deepEqual(text("reed.txt"), ["4: four|five"]);
			assert.deepEqual(text("heddle.txt"), ["1: one|two"]);
			assert.deepEqual(text("beam.txt"), ["7: warp"]);
			assert.deepEqual(text("loom.txt"), ["1: warp|weft|selvage"]);
			assert.deepEqual(text("notes.md"), ["1: mended"]);
			const output = [...readUsage(log)].reduce((sum, row) => sum + row.output, 0);
			assert.ok(output === 44 || format.isOld, `${output}`);
		});
	});
}

for (const format of FORMATS) {
	test(`the newest list of a plan is known: ${format.agent} ${basename(format.path)}`, async () => {
		using log = await imported(format);
		let state = threadFold.initial();
		for (const record of log.read({})) state = threadFold.step(state, record) ?? state;
		const plans = [...log.read({ types: ["SessionStarted"] })].map(
			({ session }) => threadIn(state, session)?.plan ?? [],
		);
		assert.deepEqual(
			plans.flat().map(({ text, state }) => `${state}: ${text}`),
			["done: Throw the weft", "open: Cut it off"],
		);
	});
}
