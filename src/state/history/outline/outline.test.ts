import assert from "node:assert/strict";
import { test } from "node:test";
import { processorMs } from "../../../../test/rig/processor-time.ts";
import { kindOf } from "./kind.ts";
import { outline } from "./outline.ts";

/** The outline without its offsets, each of which is checked: reading begins with the line. */
function lines(text: string, path: string): string[] {
	return outline(text, { maxTokens: 500, path }).lines.map((line) => {
		const offset = / @(\d+) /.exec(line);
		if (!offset) return line;
		const shown = line.slice(offset.index + offset[0].length).trim();
		const there = Buffer.from(text).subarray(Number(offset[1])).toString().split("\n", 1)[0]!;
		assert.ok(there.includes(shown), `${line} begins at: ${there}`);
		return line.replace(offset[0], " ");
	});
}

test("TypeScript: declarations with line and offset, methods, no statements", () => {
	const text = [
		'import { a } from "../../summary/outline/a.ts";',
		"export interface Shape {",
		"\tarea(): number;",
		"}",
		"export const LIMIT = 3;",
		"export class Square implements Shape {",
		"\tconstructor(side: number) {",
		"\t\tif (side < 0) {",
		"\t\t\tconst inner = 1;",
		"\t\t}",
		"\t}",
		"\tprivate async area(scale: number): Promise<number> {",
		"\t}",
		"}",
		"async function main() {",
		"}",
	].join("\n");
	assert.deepEqual(lines(text, "src/shape.ts"), [
		"L2 export interface Shape",
		"L5 export const LIMIT = 3;",
		"L6 export class Square implements Shape",
		"L7   constructor(side: number)",
		"L12   private async area(scale: number): Promise<number>",
		"L15 async function main()",
	]);
});

test("Python, Go and Rust", () => {
	assert.deepEqual(
		lines("import os\n\nclass A(B):\n    async def run(self):\n        pass\n\ndef main():\n    pass\n", "a.py"),
		["L3 class A(B)", "L4     async def run(self)", "L7 def main()"],
	);
	assert.deepEqual(lines("package main\n\ntype T struct {\n}\n\nfunc (t *T) Run() error {\n\tx := 1\n}\n", "a.go"), [
		"L1 package main",
		"L3 type T struct",
		"L6 func (t *T) Run() error",
	]);
	assert.deepEqual(lines("use std::io;\npub(crate) struct S;\nimpl S {\n    pub async fn go(&self) {}\n}\n", "a.rs"), [
		"L2 pub(crate) struct S;",
		"L3 impl S",
		"L4     pub async fn go(&self) {}",
	]);
});

test("offsets are bytes, so that reading can begin there", () => {
	assert.deepEqual(lines("# 日本\n\n本文\n\n## 二\n", "a.md"), ["L1 # 日本", "L5 ## 二"]);
});

test("JSON keys with their sizes; JSON lines by shape; YAML keys without block texts", () => {
	assert.deepEqual(lines('{"name":"x","list":[{"id":1,"tags":["a"]},2],"deep":{"a":{"b":{"c":1}}}}', "a.json"), [
		'name: "x"',
		"list: 2 items",
		"list[0]: 2 keys",
		"list[0].id: 1",
		"list[0].tags: 1 item",
		"deep: 1 key",
		"deep.a: 1 key",
		"deep.a.b: 1 key",
	]);
	assert.deepEqual(lines('{"a":1,"b":2}\n{"a":2,"b":1}\n{"c":1}\n', "a.jsonl"), ["3 records", "2× {a, b}", "1× {c}"]);
	assert.deepEqual(lines("name: ci\nrun: |\n  echo: no key\n  more\njobs:\n  build:\n    steps: 3\n", "a.yml"), [
		"L1 name: ci",
		"L2 run: |",
		"L5 jobs",
		"L6   build",
		"L7     steps: 3",
	]);
});

test("CSV columns with an example; quotes may hold commas and line breaks", () => {
	assert.deepEqual(lines('id,name,"full, text"\n1,Ada,"a\nb"\n2,Bob,c\n', "a.csv"), [
		"2 rows, 3 columns",
		"id (for example 1)",
		"name (for example Ada)",
		"full, text (for example a b)",
	]);
});

test("Markdown headings, not those in code; log levels, times and the first errors", () => {
	assert.deepEqual(lines("# One\n```sh\n# no heading\n```\n## Two\n", "a.md"), ["L1 # One", "L5 ## Two"]);
	const log = "2026-01-05 10:00:00 INFO start\n2026-01-05 10:00:01 ERROR boom at x\n2026-01-05 10:00:02 INFO end\n";
	assert.deepEqual(lines(log, "a.log"), [
		"from 2026-01-05 10:00:00 to 2026-01-05 10:00:02",
		"INFO: 2",
		"ERROR: 1",
		"L2 2026-01-05 10:00:01 ERROR boom at x",
	]);
});

test("without a name the kind is told from the text", () => {
	const kinds = {
		typescript: "import x from 'y';\nexport function a() {\n}\nconst b = 1;\n",
		python: "import os\ndef main():\n    return 1\n",
		go: "package main\nfunc main() {\n\tx := 1\n}\n",
		rust: "use std::io;\nfn main() {\n    let mut x = 1;\n}\n",
		json: '{\n  "a": 1\n}\n',
		jsonl: '{"a":1}\n{"a":2}\n{"a":3}\n',
		yaml: "name: x\nlist:\n  - a: 1\n    b: 2\nother: 3\n",
		csv: "a,b,c\n1,2,3\n4,5,6\n7,8,9\n",
		markdown: "# Title\n\nSome words here.\n\n- a point\n",
		log: "2026-01-05T10:00:00 INFO a\n2026-01-05T10:00:01 WARN b\n2026-01-05T10:00:02 INFO c\n",
		text: "just some words\nthat say nothing\nin particular\n",
	};
	for (const [kind, text] of Object.entries(kinds)) assert.equal(kindOf(text), kind);
});

test("lines that a tool has numbered keep their numbers", () => {
	const text = ["   41→import a from 'a';", "   42→", "   43→export function late() {", "   44→}", "   45→"].join("\n");
	assert.deepEqual(lines(text, "a.ts"), ["L43 export function late()"]);
});

test("an outline is bounded and says how much is missing", () => {
	const text = Array.from({ length: 500 }, (_, n) => `export function name${n}() {}`).join("\n");
	const { lines } = outline(text, { path: "a.ts", maxTokens: 100 });
	assert.ok(lines.length < 15);
	assert.match(lines.at(-1)!, /^\+4\d\d more lines$/);
});

test("no text takes more than linear time", () => {
	const start = processorMs();
	for (const path of [
		"a.ts",
		"a.py",
		"a.go",
		"a.rs",
		"a.json",
		"a.jsonl",
		"a.yaml",
		"a.csv",
		"a.md",
		"a.log",
		undefined,
	]) {
		for (const text of [
			"(".repeat(400_000),
			"a,".repeat(200_000),
			`${" ".repeat(399)}\n`.repeat(1_000),
			'{"'.repeat(150_000),
			"x: ".repeat(100_000),
			"\n".repeat(300_000),
			`"${"\\".repeat(300_000)}`,
			"- ".repeat(200_000),
		]) {
			outline(text, { maxTokens: 100, ...(path ? { path } : {}) });
		}
	}
	assert.ok(processorMs() - start < 30_000);
});
