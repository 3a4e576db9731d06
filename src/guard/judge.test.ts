import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { describe, test } from "node:test";
import { type AgentOptions, GuardedAgent, GuardedProject } from "../../test/rig/guarded-session.ts";
import { DiskFiles } from "./disk.ts";
import type { DiskLook, FilePort } from "./types.ts";

/** The disk as a new process sees it: no text of before is in memory. */
function forgetful(): DiskFiles {
	const files = new DiskFiles();
	files.remembered = () => undefined;
	return files;
}

/** A project with one file of three lines that the agent has read. */
function setUp(options: AgentOptions = {}): { project: GuardedProject; agent: GuardedAgent; [Symbol.dispose](): void } {
	const project = new GuardedProject();
	project.put("a.ts", "one\ntwo\nthree\n");
	const agent = new GuardedAgent(project, options);
	agent.read("a.ts");
	return { project, agent, [Symbol.dispose]: () => project[Symbol.dispose]() };
}

const sealFrom = (from: string) => ({
	from,
	why: "asked",
	arithmetic: { regret: 0, price: 0, floor: 0 },
	tokensBefore: 2,
	tokensAfter: 1,
	left: 1,
	sections: [],
});

describe("reading first", () => {
	test("an edit of a file that was never read is blocked and says what to do", () => {
		using at = setUp();
		at.project.put("b.ts", "x\n");
		const { action, text } = at.agent.edit("b.ts", "x", "y");
		assert.equal(action, "block");
		assert.equal(
			text,
			"b.ts has not been read in this session. Nothing was written. Read it first, then make the change again.",
		);
		assert.equal(at.project.text("b.ts"), "x\n");
		assert.deepEqual(at.project.verdicts(), ["block read-first b.ts"]);
	});

	test("a file that is not there, or is empty, may be written; what was written is known", () => {
		using at = setUp();
		at.project.put("empty.ts", "");
		assert.equal(at.agent.write("new.ts", "hello\n").action, "pass");
		assert.equal(at.agent.write("empty.ts", "hello\n").action, "pass");
		assert.equal(at.agent.edit("new.ts", "hello", "bye").action, "pass");
		assert.equal(at.agent.write("new.ts", "again\n").action, "pass");
		assert.deepEqual(at.project.verdicts(), []);
	});

	test("an overwrite of a file that was never read is blocked", () => {
		using at = setUp();
		at.project.put("b.ts", "x\n");
		assert.equal(at.agent.write("b.ts", "y\n").action, "block");
	});

	test("what another session has read does not count", () => {
		using at = setUp();
		assert.equal(new GuardedAgent(at.project).edit("a.ts", "two", "2").action, "block");
		assert.equal(at.agent.edit("a.ts", "two", "2").action, "pass");
	});

	test("a search or a command counts for the lines that it showed, and for no others", () => {
		using at = setUp();
		at.project.put("b.ts", "first line\nsecond line\n-\n-\n-\n-\n-\nlast line\n");
		at.agent.bash("wc -l b.ts; ls");
		assert.equal(at.agent.edit("b.ts", "second line", "y").action, "block");
		at.agent.call("grep", { pattern: "second", path: "b.ts" });
		assert.deepEqual(at.agent.edit("b.ts", "second line", "2nd line").notes, []);
		assert.match(at.agent.edit("b.ts", "last line", "end").notes.join(), /line 8, which had not been shown/);
	});

	test("every file of a patch is judged", () => {
		using at = setUp();
		at.project.put("b.ts", "x\n");
		const input =
			"*** Begin Patch\n*** Update File: a.ts\n@@\n-two\n+2\n*** Update File: b.ts\n@@\n-x\n+y\n*** End Patch";
		assert.equal(at.agent.call("apply_patch", { input }).action, "block");
		assert.deepEqual(at.project.verdicts(), ["block read-first b.ts"]);
	});

	test("a patch that moves a file onto another overwrites all of that one", () => {
		using at = setUp();
		at.project.put("b.ts", "x\ntwo\n");
		const moved = (to: string) =>
			`*** Begin Patch\n*** Update File: a.ts\n*** Move to: ${to}\n@@\n-two\n+2\n*** End Patch`;
		assert.equal(at.agent.call("apply_patch", { input: moved("b.ts") }).action, "block");
		assert.deepEqual(at.project.verdicts(), ["block read-first b.ts"]);
		for (const place of ["new.ts", "a.ts"])
			assert.equal(at.agent.call("apply_patch", { input: moved(place) }).action, "pass", place);
	});

	test("what is moved onto a file that was read and changed since is stopped, and says what it would undo", () => {
		using at = setUp();
		at.project.put("b.ts", "x\ntwo\n");
		at.agent.read("b.ts");
		at.project.put("b.ts", "x\ntwo\nby a person\n");
		const input = "*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@\n-two\n+2\n*** End Patch";
		const stopped = at.agent.call("apply_patch", { input });
		assert.equal(stopped.action, "block");
		assert.match(stopped.text, /by a person/);
		// As a write: the same bytes again would undo the same change.
		assert.equal(at.agent.call("apply_patch", { input }).action, "block");
	});

	test("is not asked for when it is turned off", () => {
		using project = new GuardedProject();
		project.put("a.ts", "x\n");
		const agent = new GuardedAgent(project, { settings: { requireReadBeforeWrite: false } });
		assert.equal(agent.edit("a.ts", "x", "y").action, "pass");
		assert.deepEqual(project.verdicts(), []);
	});
});

describe("the age of a read", () => {
	const sealed = (at: ReturnType<typeof setUp>, from: string) =>
		at.project.record([{ type: "Seal", session: at.agent.session, host: "pi", ts: 0, payload: sealFrom(from) }]);
	const LONG_AFTER = 2 * 3_600_000 + 60_000;

	test("does not count while the text stands in the context", () => {
		using at = setUp();
		at.agent.ahead = LONG_AFTER;
		assert.deepEqual(at.agent.edit("a.ts", "two", "2"), { action: "pass", text: "Successfully replaced.", notes: [] });
	});

	test("counts once the text has left the context: blocked, until it was read again", () => {
		using at = setUp();
		sealed(at, at.agent.user("Go on."));
		at.agent.ahead = LONG_AFTER - 120_000;
		assert.equal(at.agent.edit("a.ts", "one", "1").action, "pass");
		sealed(at, at.agent.user("Go on."));
		at.agent.ahead += LONG_AFTER;
		const { action, text } = at.agent.edit("a.ts", "two", "2");
		assert.equal(action, "block");
		assert.match(text, /last read 2h 1m ago; a read counts for 2h /);
		at.agent.read("a.ts");
		assert.equal(at.agent.edit("a.ts", "two", "2").action, "pass");
	});

	test("does not count for what a seal has left in the context", () => {
		using at = setUp();
		const from = at.agent.user("Go on.");
		at.agent.read("a.ts");
		sealed(at, from);
		at.agent.ahead = LONG_AFTER;
		assert.equal(at.agent.edit("a.ts", "two", "2").action, "pass");
	});

	test("counts in warp, where the context is made anew", () => {
		using at = setUp();
		const predicted = { read: 0, write: 0, input: 0 };
		const sent = { segments: [], kept: 0, items: [], reasons: [], difference: null, predicted };
		const payload = { request: "r", mode: "warp", ...sent };
		at.project.record([{ type: "Request", session: at.agent.session, host: "pi", ts: 0, payload }]);
		at.agent.ahead = LONG_AFTER;
		assert.equal(at.agent.edit("a.ts", "two", "2").action, "block");
	});

	test("0 means that a read never grows too old", () => {
		using project = new GuardedProject();
		project.put("a.ts", "x\n");
		const agent = new GuardedAgent(project, { settings: { maxReadAgeMs: 0 } });
		agent.read("a.ts");
		const from = agent.user("Go on.");
		project.record([{ type: "Seal", session: agent.session, host: "pi", ts: 0, payload: sealFrom(from) }]);
		agent.ahead = 1e12;
		assert.equal(agent.edit("a.ts", "x", "y").action, "pass");
	});
});

describe("a file that somebody else changed", () => {
	test("is blocked with the diff since the read", () => {
		using at = setUp();
		at.project.put("a.ts", "one\nTWO\nthree\n");
		const { action, text } = at.agent.edit("a.ts", "three", "3");
		assert.equal(action, "block");
		const seq = /#(\d+)/.exec(text)?.[1];
		assert.equal(
			text,
			`a.ts has changed on disk since you last saw it (#${seq}). Nothing was written. The changes since:
--- a/a.ts
+++ b/a.ts
@@ -1,3 +1,3 @@
 one
-two
+TWO
 three
Make the change again so that it fits this text; there is no need to read the file again.`,
		);
		assert.equal(at.project.text("a.ts"), "one\nTWO\nthree\n");
		const [change] = at.project.events("FileChanged");
		assert.deepEqual([change?.actor, change?.path, change?.added, change?.removed], ["other", "a.ts", 1, 1]);
	});

	test("one round trip suffices: another edit after the diff passes, without a new read", () => {
		using at = setUp();
		at.project.put("a.ts", "one\nTWO\nthree\n");
		assert.equal(at.agent.edit("a.ts", "two", "2").action, "block");
		assert.equal(at.agent.edit("a.ts", "TWO", "2").action, "pass");
		assert.equal(at.project.text("a.ts"), "one\n2\nthree\n");
	});

	test("the diff counts only for the bytes that it showed", () => {
		using at = setUp();
		at.project.put("a.ts", "one\nTWO\nthree\n");
		assert.equal(at.agent.edit("a.ts", "two", "2").action, "block");
		at.project.put("a.ts", "one\nTWO!\nthree\n");
		assert.equal(at.agent.edit("a.ts", "TWO", "2").action, "block");
	});

	test("the reason keeps its word: the same edit passes where its old text still fits once", () => {
		using at = setUp();
		at.project.put("a.ts", "one\nTWO\nthree\n");
		const edit = () => at.agent.edit("a.ts", "three", "3");
		const first = edit();
		assert.match(first.text, /there is no need to read the file again\.$/);
		assert.deepEqual([first.action, edit()], ["block", { action: "pass", text: "Successfully replaced.", notes: [] }]);
		assert.equal(at.project.text("a.ts"), "one\nTWO\n3\n");
	});

	test("the same whole text is refused twice, and passes the third time with a warning that says where the old text is", () => {
		using at = setUp();
		at.project.put("a.ts", "one\nTWO\nthree\n");
		const write = () => at.agent.write("a.ts", "one\ntwo\n3\n");
		const [first, second] = [write(), write()];
		assert.deepEqual([first.action, second.action], ["block", "block"]);
		assert.match(first.text, /\+TWO\n three\nWrite the file again with these changes in it; the same text once more/);
		assert.match(second.text, /^This is the text that was refused before: it would undo what was changed in a\.ts/);
		const third = write();
		assert.equal(third.action, "pass");
		const [, handle] = /^This call was let through the third time, .* lcm_expand\("b-(\w+)"\)\.$/.exec(
			third.notes.join(),
		)!;
		const blob = at.project.events("Verdict").find(({ verdict }) => verdict === "warn")?.blob;
		assert.ok(blob?.startsWith(handle!));
		assert.equal(at.project.log.getBlob(blob!)?.toString(), "one\nTWO\nthree\n");
		assert.deepEqual(at.project.verdicts(), ["block unchanged a.ts", "block unchanged a.ts", "warn unchanged a.ts"]);
		assert.equal(at.project.events("FileChanged").filter(({ actor }) => actor === "other").length, 1);
	});

	test("a block in between for another reason begins the count anew", () => {
		using at = setUp();
		at.project.put("a.ts", "one\nTWO\nthree\n");
		at.agent.write("a.ts", "3\n");
		at.project.put("a.ts", "one\nTWO!\nthree\n");
		at.agent.write("a.ts", "3\n");
		at.agent.write("a.ts", "3\n");
		assert.deepEqual(at.project.verdicts(), Array(3).fill("block unchanged a.ts"));
	});

	test("after own edits the diff is that since the last of them", () => {
		using at = setUp();
		at.agent.edit("a.ts", "one", "1");
		at.agent.edit("a.ts", "two", "2");
		at.project.put("a.ts", `${at.project.text("a.ts")}four\n`);
		const { text } = at.agent.edit("a.ts", "three", "3");
		assert.match(text, /\n 1\n 2\n three\n\+four\n/);
	});

	test("after an own write the diff is that since the write", () => {
		using at = setUp();
		at.agent.write("a.ts", "alpha\nbeta\n");
		at.project.put("a.ts", "alpha\nBETA\n");
		const { text } = at.agent.edit("a.ts", "alpha", "a");
		assert.match(text, /\n alpha\n-beta\n\+BETA\n/);
	});

	test("of a file read in part, the diff shows what changed in that part, by the numbers of the file", () => {
		using at = setUp({ files: forgetful() });
		const lines = Array.from({ length: 400 }, (_, i) => `line ${i + 1}`);
		at.project.put("long.ts", `${lines.join("\n")}\n`);
		at.agent.read("long.ts", { offset: 100, limit: 50 });
		lines[119] = "LINE 120";
		lines.unshift("new first line");
		at.project.put("long.ts", `${lines.join("\n")}\n`);
		const { text } = at.agent.edit("long.ts", "line 130", "x");
		assert.match(text, /@@ -117,7 \+118,7 @@\n line 117\n line 118\n line 119\n-line 120\n\+LINE 120\n line 121/);
		assert.doesNotMatch(text, /new first line|line 99|line 150/);
	});

	test("of a part far down in a long file as well", () => {
		using at = setUp();
		const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i + 1}`);
		at.project.put("long.ts", lines.join("\n"));
		at.agent.read("long.ts", { offset: 15_000, limit: 20 });
		lines[15_009] = "LINE 15010";
		at.project.put("long.ts", lines.join("\n"));
		assert.match(at.agent.edit("long.ts", "line 15012", "x").text, /\n-line 15010\n\+LINE 15010\n/);
	});

	test("where the last line of a part was replaced, what came instead is not sure, and a read is asked for", () => {
		using at = setUp({ files: forgetful() });
		const lines = Array.from({ length: 50 }, (_, i) => `line ${i + 1}`);
		at.project.put("long.ts", lines.join("\n"));
		at.agent.read("long.ts", { offset: 10, limit: 10 });
		lines[18] = "LINE 19";
		at.project.put("long.ts", lines.join("\n"));
		const { text } = at.agent.edit("long.ts", "line 15", "x");
		assert.match(text, /\n-line 19\n\+LINE 19\nRead it again, then/);
		assert.equal(at.agent.write("long.ts", "x").action, "block");
	});

	test("where what it was is not known, the reason says so", () => {
		using at = setUp();
		at.project.put("big.ts", "x\n".repeat(3));
		at.agent.read("big.ts");
		const other = "y\n".repeat(9_000);
		at.project.put("big.ts", other);
		const { action, text } = at.agent.edit("big.ts", "y", "z");
		assert.equal(action, "block");
		assert.match(text, /no diff can be shown\. Read it again/);
		assert.ok(text.length < 1_000);
	});

	test("a long diff is cut, says so, and does not stand for a read", () => {
		using at = setUp();
		const lines = Array.from({ length: 300 }, (_, i) => `line ${i}`);
		at.project.put("long.ts", lines.join("\n"));
		at.agent.read("long.ts");
		at.project.put("long.ts", lines.map((line) => `${line}!`).join("\n"));
		const { text } = at.agent.edit("long.ts", "line 7\n", "x\n");
		assert.match(text, /more lines of this diff are left out/);
		assert.ok(text.length < 7_000);
		const write = at.agent.write("long.ts", "x\n");
		assert.equal(write.action, "block");
		assert.match(write.text, /was changed in lines 1–300, and you have not seen that yet.*Read these lines/);
		assert.match(at.agent.edit("long.ts", "line 7!\n", "x\n").notes.join(), /The old text occurs once/);
		at.agent.read("long.ts", { limit: 200 });
		assert.match(
			at.agent.write("long.ts", "x\n").text,
			/changed in lines 201–300, .* as they are now:\n201\tline 200!\n/,
		);
		assert.equal(at.agent.write("long.ts", "x\n").action, "pass");
	});

	test("in report mode everything passes, silently, and is written down", () => {
		using project = new GuardedProject();
		project.put("a.ts", "one\ntwo\n");
		const agent = new GuardedAgent(project, { settings: { policyMode: "report" } });
		const unread = agent.edit("a.ts", "one", "1");
		agent.read("a.ts");
		project.put("a.ts", "1\nTWO\n");
		const stale = agent.edit("a.ts", "1", "one");
		assert.deepEqual([unread.action, unread.notes, stale.action, stale.notes], ["pass", [], "pass", []]);
		assert.deepEqual(project.verdicts(), ["block read-first a.ts", "block unchanged a.ts"]);
		assert.ok(project.events("Verdict").every(({ mode }) => mode === "report"));
	});

	test("another session of the project that wrote it is named", () => {
		using at = setUp();
		const other = new GuardedAgent(at.project);
		other.read("a.ts");
		assert.equal(other.edit("a.ts", "one", "1").action, "pass");
		const { action, text } = at.agent.edit("a.ts", "one", "uno");
		assert.equal(action, "block");
		assert.ok(text.includes(`by another session (pi ${other.session}, #`), text);
		assert.ok(text.includes("-one\n+1\n"), text);
	});
});

describe("no false block", () => {
	const edits = (at: { project: GuardedProject; agent: GuardedAgent }) => {
		const before = at.project.verdicts();
		assert.equal(at.agent.edit("a.ts", "two", "2").action, "pass");
		assert.deepEqual(at.project.verdicts(), before);
	};

	test("after a touch", () => {
		using at = setUp();
		utimesSync(at.project.path("a.ts"), new Date(), new Date());
		edits(at);
		assert.equal(at.project.events("Verdict").filter(({ why }) => why === "same").length, 1);
	});

	test("after a save without a change", () => {
		using at = setUp();
		at.project.put("a.ts", "one\ntwo\nthree\n");
		edits(at);
	});

	test("after an editor has written a new file and renamed it into place", () => {
		using at = setUp();
		at.project.put("a.ts.tmp", "one\ntwo\nthree\n");
		renameSync(at.project.path("a.ts.tmp"), at.project.path("a.ts"));
		edits(at);
	});

	test("after a checkout of another branch and back, and after git has written other line ends", () => {
		using at = setUp();
		const git = (...args: string[]) =>
			execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@localhost", ...args], {
				cwd: at.project.folder,
				stdio: "pipe",
				env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
			});
		git("init", "-q", "-b", "main");
		git("add", "a.ts");
		git("commit", "-q", "-m", "a");
		git("checkout", "-q", "-b", "other");
		at.project.put("a.ts", "something else\n");
		git("commit", "-q", "-a", "-m", "b");
		git("checkout", "-q", "main");
		edits(at);

		git("checkout", "-q", "a.ts");
		at.agent.read("a.ts");
		rmSync(at.project.path("a.ts"));
		git("-c", "core.autocrlf=true", "checkout", "-q", "a.ts");
		assert.equal(at.project.text("a.ts"), "one\r\ntwo\r\nthree\r\n");
		edits(at);
	});

	test("after an own edit, several in a row, and after our own command has changed it", () => {
		using at = setUp();
		assert.equal(at.agent.edit("a.ts", "one", "1").action, "pass");
		at.agent.bash("sed -i 's/three/drei/' a.ts");
		edits(at);
	});

	test("when the log gets the messages only at the end of the turn", () => {
		using project = new GuardedProject();
		project.put("a.ts", "one\ntwo\nthree\n");
		const agent = new GuardedAgent(project, { late: true });
		agent.read("a.ts");
		assert.equal(agent.edit("a.ts", "one", "1").action, "pass");
		assert.equal(agent.edit("a.ts", "1", "one").action, "pass");
		agent.hand();
		assert.equal(agent.edit("a.ts", "three", "3").action, "pass");
		assert.deepEqual(project.verdicts(), []);
	});

	test("when only the transcript tells: the lines that were shown still stand, or the file's times say so", () => {
		using project = new GuardedProject();
		project.put("a.ts", "one\r\ntwo\r\nthree\r\n");
		const recorded = new GuardedAgent(project, { files: BLIND });
		recorded.read("a.ts", { offset: 2, limit: 1 });
		project.put("a.ts", "ONE\r\ntwo\r\nthree\r\n");
		assert.equal(resumed(project, recorded).edit("a.ts", "two", "2").action, "pass");

		recorded.read("a.ts", { offset: 3, limit: 1 });
		project.put("a.ts", "ONE\r\n2\r\nTHREE\r\n");
		assert.equal(resumed(project, recorded).edit("a.ts", "2", "two").action, "block");

		recorded.read("a.ts");
		assert.equal(recorded.edit("a.ts", "2", "two").action, "pass");
		assert.equal(resumed(project, recorded).edit("a.ts", "two", "zwei").action, "pass");
	});

	test("after a restart", () => {
		using at = setUp();
		at.agent.edit("a.ts", "one", "1");
		assert.equal(resumed(at.project, at.agent).edit("a.ts", "two", "2").action, "pass");
	});
});

/** A guard that sees no disk: what it leaves in the log is what an import leaves. */
const BLIND: FilePort = {
	stat: () => ({ kind: "absent" }),
	read: () => ({ kind: "absent" }),
	digest: () => ({ kind: "absent" }),
	realpath: () => undefined,
};

/** The same session in a new process: nothing is known but what the log says. */
function resumed(project: GuardedProject, agent: GuardedAgent): GuardedAgent {
	const again = new GuardedAgent(project);
	Object.defineProperty(again, "session", { value: agent.session });
	return again;
}

/** A disk that keeps times to two seconds, as FAT does, and here not even those. */
class SlowClockDisk extends DiskFiles {
	override stat(path: string): DiskLook {
		const look = super.stat(path);
		if (look.kind !== "file") return look;
		const tick = `${Math.floor(look.stat.at / 1e6)}000000000000`;
		return { ...look, stat: { ...look.stat, mtimeNs: tick, ctimeNs: tick, at: Math.floor(look.stat.at / 1e6) * 1e6 } };
	}
}

describe("a change that hides", () => {
	test("same size and old modification time put back: noticed", () => {
		using at = setUp();
		const path = at.project.path("a.ts");
		const past = new Date(Date.now() - 86_400_000);
		utimesSync(path, past, past);
		at.agent.read("a.ts");
		at.project.put("a.ts", "one\nTWO\nthree\n");
		utimesSync(path, past, past);
		assert.equal(at.agent.edit("a.ts", "one", "1").action, "block");
	});

	test("a write within the same tick of the disk's clock as the read: noticed", () => {
		using project = new GuardedProject();
		project.put("a.ts", "one\ntwo\n");
		const agent = new GuardedAgent(project, { files: new SlowClockDisk() });
		agent.read("a.ts");
		project.put("a.ts", "one\nTWO\n");
		assert.equal(agent.edit("a.ts", "one", "1").action, "block");
	});

	test("a folder on the way that became a symlink: noticed", () => {
		using at = setUp();
		at.project.put("lib/b.ts", "x\n");
		at.project.put("other/b.ts", "y\n");
		at.agent.read("lib/b.ts");
		renameSync(at.project.path("lib"), at.project.path("lib.old"));
		symlinkSync("other", at.project.path("lib"));
		assert.equal(at.agent.edit("lib/b.ts", "y", "z").action, "block");
		assert.equal(at.project.text("other/b.ts"), "y\n");
	});
});

describe("one file by several names", () => {
	test("a symlink, a symlinked folder and a way round lead to the same record", () => {
		using at = setUp();
		mkdirSync(at.project.path("deep"));
		symlinkSync("../a.ts", at.project.path("deep/link.ts"));
		symlinkSync(".", at.project.path("here"));
		assert.equal(at.agent.edit("deep/link.ts", "one", "1").action, "pass");
		assert.equal(at.agent.edit("here/a.ts", "two", "2").action, "pass");
		assert.equal(at.agent.edit("deep/../a.ts", "three", "3").action, "pass");
		assert.equal(at.agent.edit(at.project.path("a.ts"), "3", "three").action, "pass");
		assert.deepEqual(at.project.verdicts(), []);
	});

	test("a read by another name that only the transcript tells of is found", () => {
		using project = new GuardedProject();
		project.put("a.ts", "one\n");
		symlinkSync("a.ts", project.path("link.ts"));
		const recorded = new GuardedAgent(project, { files: BLIND });
		recorded.read("link.ts");
		assert.equal(resumed(project, recorded).edit("a.ts", "one", "1").action, "pass");
	});

	test("a path with the @ of a mention leads to the file, where none has that name", () => {
		using at = setUp();
		at.project.put("@b.ts", "x\n");
		at.project.put("b.ts", "x\n");
		at.project.put("c.ts", "x\n");
		assert.equal(at.agent.edit("@c.ts", "x", "y").action, "block");
		at.agent.read("b.ts");
		assert.equal(at.agent.edit("@b.ts", "x", "y").action, "block");
	});

	test("a symlink out of the project is a file like any other", () => {
		using at = setUp();
		using outside = new GuardedProject();
		outside.put("o.ts", "x\n");
		symlinkSync(outside.path("o.ts"), at.project.path("o.ts"));
		assert.equal(at.agent.edit("o.ts", "x", "y").action, "block");
		at.agent.read("o.ts");
		assert.equal(at.agent.edit("o.ts", "x", "y").action, "pass");
		assert.equal(outside.text("o.ts"), "y\n");
	});

	test("where the disk does not tell cases apart, neither does the guard", () => {
		using project = new GuardedProject();
		project.put("a.ts", "one\n");
		// A second name for the same file is what such a disk shows.
		linkSync(project.path("a.ts"), project.path("A.TS"));
		const agent = new GuardedAgent(project, { files: new DiskFiles({ platform: "darwin" }) });
		agent.read("a.ts");
		assert.equal(agent.edit("A.TS", "one", "two").action, "pass");
		const strict = new GuardedAgent(project, { files: new DiskFiles({ platform: "linux" }) });
		strict.read("a.ts");
		assert.equal(strict.edit("A.TS", "two", "one").action, "block");
	});
});

describe("lines that were never shown", () => {
	const long = Array.from({ length: 900 }, (_, i) => `line ${i + 1}`).join("\n");

	test("an edit there passes with a remark where its old text occurs once", () => {
		using at = setUp();
		at.project.put("long.ts", long);
		at.agent.read("long.ts", { limit: 100 });
		const { action, notes } = at.agent.edit("long.ts", "line 700\nline 701", "x");
		assert.equal(action, "pass");
		assert.match(notes.join(), /long\.ts is in lines 700–701, which had not been shown/);
		assert.deepEqual(at.agent.edit("long.ts", "line 50\n", "fifty\n").notes, []);
		assert.deepEqual(at.agent.edit("long.ts", "x\n", "y\n").notes, []);
	});

	test("replacing every occurrence is blocked when some were never shown", () => {
		using at = setUp();
		at.project.put("long.ts", `let v = 1;\n${long}\nuse(v);\n`);
		at.agent.read("long.ts", { limit: 100 });
		const input = { file_path: "long.ts", old_string: "v", new_string: "w", replace_all: true };
		const { action, text } = at.agent.call("Edit", input);
		assert.equal(action, "block");
		assert.match(text, /would change line 902, which/);
	});

	test("an old text that occurs several times is left to the tool, which refuses it", () => {
		using at = setUp();
		at.project.put("long.ts", `${long}\nsame\nsame\n`);
		at.agent.read("long.ts", { limit: 100 });
		const { action, text } = at.agent.edit("long.ts", "same", "x");
		assert.deepEqual([action, text], ["pass", "oldText must occur once."]);
		assert.deepEqual(at.project.verdicts(), []);
	});

	test("lines shown of other bytes do not count after a new read of a part", () => {
		using at = setUp();
		at.project.put("long.ts", long);
		at.agent.read("long.ts", { limit: 100 });
		at.project.put("long.ts", long.replace("line 50\n", "LINE 50\n"));
		at.agent.read("long.ts", { offset: 200, limit: 20 });
		assert.match(
			at.agent.edit("long.ts", "LINE 50\n", "x\n").notes.join(),
			/changed in line 50, and you have not seen that/,
		);
	});

	test("an overwrite after a partial read gets a remark", () => {
		using at = setUp();
		at.project.put("long.ts", long);
		at.agent.read("long.ts", { limit: 100 });
		assert.match(at.agent.write("long.ts", "new\n").notes.join(), /its lines 101–900 had not been shown/);
	});

	test("two reads that together show all are a whole read", () => {
		using at = setUp();
		at.project.put("long.ts", long);
		at.agent.read("long.ts", { limit: 450 });
		at.agent.read("long.ts", { offset: 451 });
		assert.deepEqual(at.agent.edit("long.ts", "line 700\n", "x\n").notes, []);
		assert.deepEqual(at.agent.write("long.ts", "new\n").notes, []);
	});
});

describe("two writers at once", () => {
	test("an edit during which somebody else wrote is told", () => {
		using at = setUp();
		const edits = [{ oldText: "two", newText: "2" }];
		const { notes } = at.agent.call("edit", { path: "a.ts", edits }, () => at.project.put("a.ts", "one\ntwo\nTHREE\n"));
		assert.match(notes.join(), /somebody else changed a\.ts too \(\+1\/−1\)\.\n.*-three\n\+THREE$/s);
		assert.equal(at.project.events("FileChanged").filter(({ actor }) => actor === "other").length, 1);
	});

	test("an edit that was alone is told nothing", () => {
		using at = setUp();
		assert.deepEqual(at.agent.edit("a.ts", "two", "2").notes, []);
		assert.deepEqual(at.agent.write("a.ts", "x\r\ny").notes, []);
	});
});

describe("a read during which somebody else wrote", () => {
	test("before the tool read: what was shown is what is there", () => {
		using at = setUp();
		at.agent.call("read", { path: "a.ts" }, () => at.project.put("a.ts", "other\n"));
		assert.equal(at.agent.edit("a.ts", "other", "x").action, "pass");
	});

	test("after the tool read: what was shown is gone, and an edit is blocked", () => {
		using at = setUp();
		const change = () => at.project.put("a.ts", "other\n");
		at.agent.call("read", { path: "a.ts" }, undefined, change);
		const { action, text } = at.agent.edit("a.ts", "one", "x");
		assert.equal(action, "block");
		assert.match(text, /-one\n-two\n-three\n\+other/);
	});

	test("a picture, shown in words of the host's own, counts as read while its stat is the same", () => {
		using at = setUp();
		at.project.put("p.png", "\0picture");
		at.agent.read("p.png");
		assert.equal(at.agent.write("p.png", "another").action, "pass");
	});
});

describe("a failure of the guard", () => {
	test("lets the call pass and is written down", () => {
		using project = new GuardedProject();
		project.put("a.ts", "x\n");
		const broken = new DiskFiles();
		broken.stat = () => {
			throw new TypeError("no such disk");
		};
		const agent = new GuardedAgent(project, { files: broken });
		assert.equal(agent.edit("a.ts", "x", "y").action, "pass");
		assert.equal(project.text("a.ts"), "y\n");
		const faults = project.events("Fault");
		assert.deepEqual(faults[0], { where: "guard.judge", code: "TypeError", message: "no such disk" });
	});
});
