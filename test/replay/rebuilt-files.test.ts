/** Files that are rebuilt from a log are what the agent saw next, or count as unknown. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runRewindBench } from "../../bench/rewind.ts";
import { sha256 } from "../../src/base/hash/sha256.ts";
import { FolderAt } from "../../src/guard/rewind/file-at.ts";
import { Log } from "../../src/log/log.ts";
import { temporaryFolder } from "../rig/temporary-folder.ts";

const CWD = "/home/dev/lamp";

/** A session in Claude Code's format. */
function recorded(calls: readonly (readonly [tool: string, input: object, details: object])[]): string {
	let [parent, count]: [string | null, number] = [null, 0];
	const line = (role: string, content: unknown, more: object = {}): string => {
		const uuid = `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
		const timestamp = new Date(Date.parse("2026-05-01T09:00:00Z") + count * 10_000).toISOString();
		const base = { parentUuid: parent, isSidechain: false, cwd: CWD, sessionId: "lamp", version: "2.1.0" };
		[parent, count] = [uuid, count + 1];
		return `${JSON.stringify({ ...base, uuid, timestamp, type: role, message: { role, content }, ...more })}\n`;
	};
	const lines = [line("user", "Light the lamp.")];
	for (const [at, [name, input, toolUseResult]] of calls.entries()) {
		lines.push(line("assistant", [{ type: "tool_use", id: `c${at}`, name, input }]));
		lines.push(line("user", [{ type: "tool_result", tool_use_id: `c${at}`, content: "done" }], { toolUseResult }));
	}
	return lines.join("");
}

const path = `${CWD}/lamp.txt`;
const write = (content: string) => ["Write", { file_path: path, content }, { type: "create", filePath: path }] as const;
const edit = (from: string, to: string) => {
	const input = { file_path: path, old_string: from, new_string: to };
	return ["Edit", input, { filePath: path, oldString: from, newString: to }] as const;
};
const read = (content: string, startLine: number) => {
	const file = { filePath: path, content, startLine, numLines: content.split("\n").length, totalLines: 4 };
	return ["Read", { file_path: path, offset: startLine }, { type: "text", file }] as const;
};
const bash = (command: string) => ["Bash", { command }, { stdout: "", stderr: "" }] as const;

test("each rebuilt file is compared with the next look at it", async () => {
	const folder = temporaryFolder();
	const calls = [
		write("one\ntwo\nthree\n"),
		edit("two", "2"),
		read("2\nthree", 2),
		edit("three", "3\nfour"),
		// Line 0 is the first one.
		read("one\n2", 0),
		edit("one", "1"),
		bash("make format"),
		read("1\ntwo", 1),
		["Edit", { file_path: `${CWD}/other.txt`, old_string: "a", new_string: "b" }, { filePath: `${CWD}/other.txt` }],
	] as const;
	writeFileSync(join(folder, "lamp.jsonl"), recorded(calls));
	const { changes, counts, disagreements } = await runRewindBench(folder, () => {});
	assert.equal(changes, 5);
	assert.deepEqual(counts.session, { agreed: 2, disagreed: 1, unknown: 0 });
	assert.equal(counts.changes.agreed + counts.changes.disagreed + counts.changes.unknown, 3);
	const [wrong] = disagreements.filter(({ from }) => from === "session");
	assert.deepEqual(
		[wrong?.path, wrong?.line, wrong?.rebuilt, wrong?.seen, wrong?.commands],
		["lamp.txt", 2, "2", "two", 1],
	);
});

test("each rebuilt file is compared with the commits that the session made", async () => {
	const folder = temporaryFolder();
	const calls = [
		write("one\ntwo\nthree\n"),
		edit("two", "2"),
		bash("git commit -am 'Light it'"),
		edit("three", "3"),
		bash("git commit -am 'Dim it'"),
	];
	writeFileSync(join(folder, "lamp.jsonl"), recorded(calls));
	const commit = (subject: string, hunk: string) =>
		JSON.stringify({
			subject,
			sessions: ["lamp.jsonl"],
			diff: `diff --git a/lamp.txt b/lamp.txt\n--- a/lamp.txt\n+++ b/lamp.txt\n${hunk}\n`,
		});
	const commits = join(folder, "commits");
	const hunks = ["@@ -1,2 +1,2 @@\n one\n-two\n+2", "@@ -3,1 +3,1 @@\n-three\n+three, by somebody else"];
	writeFileSync(commits, `${commit("Light it", hunks[0]!)}\n${commit("Dim it", hunks[1]!)}\n`);
	const { counts, disagreements } = await runRewindBench(folder, () => {}, commits);
	assert.deepEqual(counts.commits, { agreed: 1, disagreed: 1, unknown: 0 });
	const [wrong] = disagreements.filter(({ from }) => from === "commits");
	assert.deepEqual([wrong?.line, wrong?.rebuilt, wrong?.seen], [3, "3", "three, by somebody else"]);
});

test("a rebuilt text whose hash was recorded counts only if it has that hash", () => {
	const log = new Log({ folder: temporaryFolder(), origin: "here" });
	const change = (kind: "write" | "edit", diff: string, hash: string) => {
		const payload = { path: "lamp.txt", kind, added: 1, removed: 0, diff, hash, actor: "agent" } as const;
		return { type: "FileChanged", session: "s", host: "pi", ts: 1, payload } as const;
	};
	const made = "--- /dev/null\n+++ b/lamp.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n";
	const more = "--- a/lamp.txt\n+++ b/lamp.txt\n@@ -2,1 +2,2 @@\n two\n+three\n";
	log.append([change("write", made, sha256("one\ntwo\n")), change("edit", more, sha256("one\ntwo\nthree\n"))]);
	const kindNow = () => new FolderAt(log, CWD, log.newestSeq()).files(["lamp.txt"]).get("lamp.txt")?.kind;
	assert.equal(kindNow(), "file");
	// A command had changed the first line before.
	log.append([
		change("edit", more.replace(/two/, "three").replace("+three", "+four"), sha256("ONE\ntwo\nthree\nfour\n")),
	]);
	assert.equal(kindNow(), "unknown");
	log.close();
});
