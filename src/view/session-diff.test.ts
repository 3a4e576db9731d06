import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { READERS } from "../agent/agents.ts";
import { importFile } from "../agent/recorded/import.ts";
import { type Engine, openEngine } from "../engine.ts";
import { SessionRequests } from "./requests.ts";
import { diffRemarks, renderDiffStat, viewSessionDiff } from "./session-diff.ts";

const folder = temporaryFolder();
const session = { session: "3c1d9b70-6f0e-4a55-8b21-0d4e7fa96c38", host: "claude-code" };
const LAMP = Array.from({ length: 30 }, (_, at) => `row ${at + 1}\n`).join("");

/** Three runs: an edit and a new file; an edit of both; an edit that undoes the first one, and one of a file never shown. */
function* lines(): Generator<object> {
	let [parent, count]: [string | null, number] = [null, 0];
	const line = (of: object): object => {
		const uuid = `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
		const timestamp = new Date(Date.parse("2026-05-01T09:00:00Z") + count * 10_000).toISOString();
		const base = { parentUuid: parent, isSidechain: false, cwd: folder, sessionId: session.session, version: "2.1.0" };
		[parent, count] = [uuid, count + 1];
		return { ...base, uuid, timestamp, ...of };
	};
	const user = (content: unknown, more: object = {}) =>
		line({ type: "user", message: { role: "user", content }, ...more });
	let calls = 0;
	const call = function* (name: string, input: object, toolUseResult: object): Generator<object> {
		const id = `call_${calls++}`;
		const usage = { input_tokens: 4, cache_creation_input_tokens: 9, cache_read_input_tokens: 90, output_tokens: 4 };
		const message = { id: `msg_${id}`, type: "message", role: "assistant", model: "claude-opus-4-5-20251101", usage };
		yield line({ type: "assistant", message: { ...message, content: [{ type: "tool_use", id, name, input }] } });
		yield user([{ type: "tool_result", tool_use_id: id, content: "done" }], { toolUseResult });
	};
	const edit = (file: string, from: string, to: string, originalFile?: string) => {
		const input = { file_path: join(folder, file), old_string: from, new_string: to };
		const texts = { filePath: input.file_path, oldString: from, newString: to };
		return call("Edit", input, originalFile === undefined ? texts : { ...texts, originalFile });
	};
	yield user("Paint the lamp.");
	yield* edit("lamp.txt", "row 3\n", "red row 3\n", LAMP);
	const content = "The lamp is red.\nIt has 30 rows.";
	const path = join(folder, "notes/lamp note.md");
	yield* call("Write", { file_path: path, content }, { type: "create", filePath: path, content });
	yield user("Paint more.");
	yield* edit("lamp.txt", "row 28\n", "blue row 28\nrow 28 again\n");
	yield* edit("notes/lamp note.md", "30 rows", "31 rows");
	const plan = "/elsewhere/plans/lamp.md";
	yield* call("Write", { file_path: plan, content: "Red.\n" }, { type: "create", filePath: plan, content: "Red.\n" });
	yield user("Take the first one back.");
	yield* edit("lamp.txt", "red row 3\n", "row 3\n");
	yield* edit("door.txt", "closed", "open");
}

suite("the diff of a session", () => {
	let engine: Engine;
	before(async () => {
		const file = join(folder, "session.jsonl");
		writeFileSync(file, [...lines()].map((line) => `${JSON.stringify(line)}\n`).join(""));
		engine = openEngine({ cwd: folder, home: join(folder, "home"), host: "x", env: {} });
		await importFile(file, { readers: READERS, logFor: () => engine.log });
	});
	after(() => engine.close());

	const diff = (options = {}) =>
		viewSessionDiff(engine, new SessionRequests(engine.history, session), session, options);
	/** A folder with the lamp as it was, after 'git apply'. */
	const apply = (name: string, patch: string, lamp = LAMP): string => {
		const place = join(folder, name);
		mkdirSync(place);
		writeFileSync(join(place, "lamp.txt"), lamp);
		execFileSync("git", ["init", "-q"], { cwd: place });
		execFileSync("git", ["apply"], { cwd: place, input: patch });
		return place;
	};

	test("git takes it, and has the files as the session left them", () => {
		const { files } = diff();
		assert.deepEqual(
			files.map(({ path, kind, added, removed, changes, isWhole }) => [path, kind, added, removed, changes, isWhole]),
			[
				["lamp.txt", "changed", 2, 1, 3, true],
				["notes/lamp note.md", "created", 2, 0, 2, true],
				["door.txt", "changed", 1, 1, 1, false],
				["/elsewhere/plans/lamp.md", "created", 1, 0, 1, true],
			],
		);
		const whole = files.slice(0, 2).map(({ diff: text }) => text);
		const place = apply("all", whole.join(""));
		assert.equal(
			readFileSync(join(place, "lamp.txt"), "utf8"),
			LAMP.replace("row 28\n", "blue row 28\nrow 28 again\n"),
		);
		assert.equal(readFileSync(join(place, "notes/lamp note.md"), "utf8"), "The lamp is red.\nIt has 31 rows.");
		assert.match(
			[...diffRemarks(diff())].join("\n"),
			/^Step by step, .*: door\.txt\nOutside the project, .*: \/elsewhere\/plans\/lamp\.md$/,
		);
		assert.match([...renderDiffStat(diff())][0] ?? "", /^lamp\.txt +changed {2}\+2 −1 {2}3 changes$/);
	});

	test("a run, a stretch of requests and a file have their own", () => {
		const first = diff({ run: 1 });
		const place = apply("first", first.patch);
		assert.equal(readFileSync(join(place, "lamp.txt"), "utf8"), LAMP.replace("row 3\n", "red row 3\n"));
		assert.ok(existsSync(join(place, "notes/lamp note.md")));
		assert.deepEqual(
			diff({ run: 2, file: "lamp.txt" }).files.map(({ path, added, removed }) => [path, added, removed]),
			[["lamp.txt", 2, 1]],
		);
		assert.equal(diff({ from: 2, to: 5 }).patch, diff({ run: 2 }).patch);
		// git would write it into the project.
		const aside = diff({ run: 2 });
		assert.equal(aside.files.length, 3);
		assert.doesNotMatch(aside.patch, /elsewhere/);
		assert.match(diff({ run: 2, file: "/elsewhere/plans/lamp.md" }).patch, /\+Red\./);
		assert.deepEqual(diff({ from: 7 }).files, []);
		assert.equal(diff({ file: "notes/" }).files.length, 1);
		assert.throws(() => diff({ run: 4 }), /the session has 3 prompts/);
		assert.throws(() => diff({ to: 9 }), /the session has 7 requests/);
	});
});
