import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../rig/temporary-folder.ts";
import { DEMO_SESSION } from "./demo-log.ts";
import { checkLedger, compareLedgers } from "./ledger-check.ts";
import { readRawLedger } from "./raw-ledger.ts";

const root = temporaryFolder();

test("the ledger of the shipped session holds what its raw lines say, and nothing else", async () => {
	const check = await checkLedger(DEMO_SESSION);
	assert.deepEqual(
		{ ...check, events: 0 },
		{ events: 0, read: 3, changed: 4, commands: 9, missing: [], unfounded: [], wrongCommands: [] },
	);
});

test("the raw count sees what is there", async () => {
	const raw = await readRawLedger(DEMO_SESSION);
	assert.deepEqual([...raw.read].sort(), ["README.md", "src/tides.ts", "test/tides.test.ts"]);
	assert.deepEqual([...raw.changed].sort(), ["CHANGELOG.md", "README.md", "src/locale/ja.ts", "src/tides.ts"]);
	assert.deepEqual(
		raw.commands.filter(([, exit]) => exit !== 0).map(([command]) => command),
		["npm test --silent", "npm test --silent", "node bench/year.ts"],
	);
});

test("every difference is named", () => {
	const raw = {
		read: new Set(["a", "b"]),
		changed: new Set(["c"]),
		commands: [
			["ls", 0],
			["make", 2],
		],
	} as const;
	const known = {
		read: new Set(["b", "x"]),
		changed: new Set<string>(),
		commands: [
			["ls", 0],
			["make", null],
			["make", 0],
		],
	} as const;
	assert.deepEqual(compareLedgers(raw, known), {
		read: 2,
		changed: 0,
		commands: 3,
		missing: ["read a", "changed c"],
		unfounded: ["read x"],
		wrongCommands: [
			"#2: 'make' with exit 2 in the file, 'make' with exit unknown in the log",
			"#3: nothing in the file, 'make' with exit 0 in the log",
		],
	});
});

test("a session of Claude Code is counted too", async () => {
	const path = join(root, "claude.jsonl");
	const cwd = "/home/dev/app";
	const line = (uuid: string, parentUuid: string | null, role: string, content: object[], more: object = {}) => ({
		type: role,
		uuid,
		parentUuid,
		sessionId: "11111111-2222-4333-8444-555555555555",
		cwd,
		timestamp: "2026-03-01T10:00:00.000Z",
		message: { role, content },
		...more,
	});
	const use = (id: string, name: string, input: object) => [{ type: "tool_use", id, name, input }];
	const result = (id: string, content: string, more: object = {}) => [
		{ type: "tool_result", tool_use_id: id, content, ...more },
	];
	const lines = [
		line("u1", null, "user", [{ type: "text", text: "go" }]),
		line("u2", "u1", "assistant", use("t1", "Read", { file_path: `${cwd}/a.go` })),
		line("u3", "u2", "user", result("t1", "     1→package a"), {
			toolUseResult: {
				type: "text",
				file: { filePath: `${cwd}/a.go`, content: "package a", numLines: 1, startLine: 1, totalLines: 1 },
			},
		}),
		line("u4", "u3", "assistant", use("t2", "Bash", { command: "go vet ./..." })),
		line("u5", "u4", "user", result("t2", "Exit code 2\nvet: broken", { is_error: true }), {
			toolUseResult: "Error: Exit code 2",
		}),
		line("u6", "u5", "assistant", use("t3", "Write", { file_path: "/elsewhere/b.go", content: "package b\n" })),
		line("u7", "u6", "user", result("t3", "File created"), {
			toolUseResult: { type: "create", filePath: "/elsewhere/b.go", content: "package b\n", structuredPatch: [] },
		}),
	];
	writeFileSync(path, lines.map((each) => `${JSON.stringify(each)}\n`).join(""));
	const check = await checkLedger(path);
	assert.deepEqual(
		{ ...check, events: 0 },
		{ events: 0, read: 1, changed: 1, commands: 1, missing: [], unfounded: [], wrongCommands: [] },
	);
	assert.deepEqual((await readRawLedger(path)).commands, [["go vet ./...", 2]]);
});
