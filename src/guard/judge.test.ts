import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { describe, test } from "node:test";
import { call, edit, event, ran, read, seal, user, write } from "../../test/rig/events.ts";
import {
	afterTool,
	agent,
	blocked,
	by,
	check,
	during,
	file,
	given,
	handOver,
	later,
	noted,
	onDisk,
	passed,
	recorded,
	resumed,
	unnoted,
	verdicts,
} from "../../test/rig/guard-specification.ts";
import type { GuardedProject } from "../../test/rig/guarded-session.ts";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { DiskFiles } from "./disk.ts";
import type { DiskLook, FilePort } from "./types.ts";

/** A file of three lines that the agent has read. */
const SEEN = [file("a.ts", "one\ntwo\nthree\n"), read("a.ts")];

const patch = (...lines: readonly string[]) =>
	call("apply_patch", { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}`);

/** The disk as a new process sees it: no text of before is in memory. */
function forgetful(): DiskFiles {
	const files = new DiskFiles();
	files.remembered = () => undefined;
	return files;
}

describe("reading first", () => {
	test("an edit of a file that was never read is blocked and says what to do", () => {
		given(file("b.ts", "x\n"))
			.when(edit("b.ts", "x", "y"))
			.then(
				blocked(
					"b.ts has not been read in this session. Nothing was written. Read it first, then make the change again.",
				),
				file("b.ts", "x\n"),
				verdicts("block read-first b.ts"),
			);
	});

	test("a file that is not there, or is empty, may be written; what was written is known", () => {
		given(file("empty.ts", ""))
			.when(
				write("new.ts", "hello\n"),
				write("empty.ts", "hello\n"),
				edit("new.ts", "hello", "bye"),
				write("new.ts", "again\n"),
			)
			.then(passed(), passed(), passed(), passed(), verdicts());
	});

	test("an overwrite of a file that was never read is blocked", () => {
		given(file("b.ts", "x\n")).when(write("b.ts", "y\n")).then(blocked());
	});

	test("what another session has read does not count", () => {
		given(...SEEN)
			.when(by("other", edit("a.ts", "two", "2")), edit("a.ts", "two", "2"))
			.then(blocked(), passed());
	});

	test("a search or a command counts for the lines that it showed, and for no others", () => {
		given(file("b.ts", "first line\nsecond line\n-\n-\n-\n-\n-\nlast line\n"))
			.when(
				ran("wc -l b.ts; ls"),
				edit("b.ts", "second line", "y"),
				call("grep", { pattern: "second", path: "b.ts" }),
				edit("b.ts", "second line", "2nd line"),
				edit("b.ts", "last line", "end"),
			)
			.then(passed(), blocked(), passed(), unnoted, noted(/line 8, which had not been shown/));
	});

	test("every file of a patch is judged", () => {
		given(...SEEN, file("b.ts", "x\n"))
			.when(patch("*** Update File: a.ts", "@@", "-two", "+2", "*** Update File: b.ts", "@@", "-x", "+y"))
			.then(blocked(), verdicts("block read-first b.ts"));
	});

	const moved = (to: string) => patch("*** Update File: a.ts", `*** Move to: ${to}`, "@@", "-two", "+2");

	test("a patch that moves a file onto another overwrites all of that one", () => {
		given(...SEEN, file("b.ts", "x\ntwo\n"))
			.when(moved("b.ts"), moved("new.ts"), moved("a.ts"))
			.then(blocked(), passed(), passed(), verdicts("block read-first b.ts"));
	});

	test("what is moved onto a file that was read and changed since is stopped, and says what it would undo", () => {
		given(...SEEN, file("b.ts", "x\ntwo\n"), read("b.ts"), file("b.ts", "x\ntwo\nby a person\n"))
			// As a write: the same bytes again would undo the same change.
			.when(moved("b.ts"), moved("b.ts"))
			.then(blocked(/by a person/), blocked());
	});

	test("is not asked for when it is turned off", () => {
		given(agent({ settings: { requireReadBeforeWrite: false } }), file("a.ts", "x\n"))
			.when(edit("a.ts", "x", "y"))
			.then(passed(), verdicts());
	});
});

describe("the age of a read", () => {
	const LONG_AFTER = 2 * 3_600_000 + 60_000;

	test("does not count while the text stands in the context", () => {
		given(...SEEN, later(LONG_AFTER))
			.when(edit("a.ts", "two", "2"))
			.then({ ...unnoted, texts: ["Successfully replaced."] });
	});

	test("counts once the text has left the context: blocked, until it was read again", () => {
		given(...SEEN, user("Go on."), seal("Go on."), later(LONG_AFTER - 120_000))
			.when(
				edit("a.ts", "one", "1"),
				user("And on."),
				seal("And on."),
				later(LONG_AFTER),
				edit("a.ts", "two", "2"),
				read("a.ts"),
				edit("a.ts", "two", "2"),
			)
			.then(passed(), blocked(/last read 2h 1m ago; a read counts for 2h /), passed(), passed());
	});

	test("does not count for what a seal has left in the context", () => {
		given(...SEEN, user("Go on."), read("a.ts"), seal("Go on."), later(LONG_AFTER))
			.when(edit("a.ts", "two", "2"))
			.then(passed());
	});

	test("counts in warp, where the context is made anew", () => {
		given(...SEEN, event("Request", { mode: "warp" }), later(LONG_AFTER))
			.when(edit("a.ts", "two", "2"))
			.then(blocked());
	});

	test("0 means that a read never grows too old", () => {
		given(agent({ settings: { maxReadAgeMs: 0 } }), ...SEEN, user("Go on."), seal("Go on."), later(1e12))
			.when(edit("a.ts", "two", "2"))
			.then(passed());
	});
});

describe("a file that somebody else changed", () => {
	const CHANGED = [...SEEN, file("a.ts", "one\nTWO\nthree\n")];

	test("is blocked with the diff since the read, where the old text is gone", () => {
		given(...CHANGED)
			.when(edit("a.ts", "two", "2"))
			.then(
				blocked(
					/^a\.ts has changed on disk since you last saw it \(#\d+\)\. Nothing was written\. The changes since:\n--- a\/a\.ts\n\+\+\+ b\/a\.ts\n@@ -1,3 \+1,3 @@\n one\n-two\n\+TWO\n three\nMake the change again so that it fits this text; there is no need to read the file again\.$/,
				),
				file("a.ts", "one\nTWO\nthree\n"),
				recorded("FileChanged", { actor: "other", path: "a.ts", added: 1, removed: 1 }),
			);
	});

	test("one round trip suffices: another edit after the diff passes, without a new read", () => {
		given(...CHANGED)
			.when(edit("a.ts", "two", "2"), edit("a.ts", "TWO", "2"))
			.then(blocked(), passed(), file("a.ts", "one\n2\nthree\n"));
	});

	test("the diff counts only for the bytes that it showed", () => {
		given(...CHANGED)
			.when(edit("a.ts", "two", "2"), file("a.ts", "one\nTwo!\nthree\n"), edit("a.ts", "TWO", "2"))
			.then(blocked(), blocked());
	});

	test("an edit whose old text still fits once passes, with the diff of what else changed", () => {
		given(...CHANGED)
			.when(edit("a.ts", "three", "3"), edit("a.ts", "one", "1"))
			.then(
				noted(
					/^a\.ts has changed on disk since you last saw it \(#\d+\)\. Your old text still occurs once, so the call was let through\. The changes since:\n.*\n one\n-two\n\+TWO\n three$/s,
				),
				passed(),
				file("a.ts", "1\nTWO\n3\n"),
				verdicts("warn unchanged a.ts"),
			);
	});

	test("the same whole text is refused twice, and passes the third time with a warning that says where the old text is", () => {
		const again = write("a.ts", "one\ntwo\n3\n");
		given(...CHANGED)
			.when(again, again, again)
			.then(
				blocked(/\+TWO\n three\nWrite the file again with these changes in it; the same text once more/),
				blocked(/^This is the text that was refused before: it would undo what was changed in a\.ts/),
				noted(/^This call was let through this time, .* lcm_expand\("b-\w+"\)\.$/),
				verdicts("block unchanged a.ts", "block unchanged a.ts", "warn unchanged a.ts"),
				check((project, results) => {
					const handle = /lcm_expand\("b-(\w+)"\)/.exec(results[2]!.notes.join())![1]!;
					const blob = project.events("Verdict").find(({ verdict }) => verdict === "warn")?.blob;
					assert.ok(blob?.startsWith(handle));
					assert.equal(project.log.getBlob(blob!)?.toString(), "one\nTWO\nthree\n");
					assert.equal(changesByOthers(project), 1);
				}),
			);
	});

	test("a block in between for another reason begins the count anew", () => {
		const again = write("a.ts", "3\n");
		given(...CHANGED)
			.when(again, file("a.ts", "one\nTWO!\nthree\n"), again, again)
			.then(verdicts(...Array<string>(3).fill("block unchanged a.ts")));
	});

	test("after own edits the diff is that since the last of them", () => {
		given(...SEEN, edit("a.ts", "one", "1"), edit("a.ts", "two", "2"), file("a.ts", "1\n2\nthree\nfour\n"))
			.when(edit("a.ts", "three", "3"))
			.then(noted(/\n 1\n 2\n three\n\+four$/));
	});

	test("after an own write the diff is that since the write", () => {
		given(...SEEN, write("a.ts", "alpha\nbeta\n"), file("a.ts", "alpha\nBETA\n"))
			.when(edit("a.ts", "alpha", "a"))
			.then(noted(/\n alpha\n-beta\n\+BETA$/));
	});

	test("of a file read in part, the diff shows what changed in that part, by the numbers of the file", () => {
		const lines = numbered(400);
		given(
			agent({ files: forgetful() }),
			file("long.ts", `${lines.join("\n")}\n`),
			read("long.ts", { offset: 100, limit: 50 }),
			file("long.ts", `${["new first line", ...lines.with(119, "LINE 120")].join("\n")}\n`),
		)
			.when(edit("long.ts", "line 130", "x"))
			.then(noted(/@@ -117,7 \+118,7 @@\n line 117\n line 118\n line 119\n-line 120\n\+LINE 120\n line 121/));
	});

	test("of a part far down in a long file as well", () => {
		const lines = numbered(20_000);
		given(
			file("long.ts", lines.join("\n")),
			read("long.ts", { offset: 15_000, limit: 20 }),
			file("long.ts", lines.with(15_009, "LINE 15010").join("\n")),
		)
			.when(edit("long.ts", "line 15012", "x"))
			.then(noted(/\n-line 15010\n\+LINE 15010\n/));
	});

	test("where the last line of a part was replaced, what came instead is not sure, and a read is asked for", () => {
		const lines = numbered(50);
		given(
			agent({ files: forgetful() }),
			file("long.ts", lines.join("\n")),
			read("long.ts", { offset: 10, limit: 10 }),
			file("long.ts", lines.with(18, "LINE 19").join("\n")),
		)
			.when(edit("long.ts", "line 15", "x"), write("long.ts", "x"))
			.then(noted(/\n-line 19\n\+LINE 19\nRead it again before you write it/), blocked());
	});

	test("where what it was is not known, the reason says so", () => {
		given(file("big.ts", "x\n".repeat(3)), read("big.ts"), file("big.ts", "y\n".repeat(9_000)))
			.when(edit("big.ts", "y", "z"))
			.then(blocked(/no diff can be shown\. Read it again/, /^.{0,999}$/s));
	});

	test("a long diff is cut, says so, and does not stand for a read", () => {
		const lines = numbered(300);
		given(
			file("long.ts", lines.join("\n")),
			read("long.ts"),
			file("long.ts", lines.map((line) => `${line}!`).join("\n")),
		)
			.when(
				edit("long.ts", "line 8\n", "x\n"),
				write("long.ts", "x\n"),
				edit("long.ts", "line 8!\n", "x\n"),
				read("long.ts", { limit: 200 }),
				write("long.ts", "x\n"),
				write("long.ts", "x\n"),
			)
			.then(
				blocked(/more lines of this diff are left out/, /^.{0,6999}$/s),
				blocked(/was changed in lines 1–300, and you have not seen that yet.*Read these lines/),
				noted(/The old text occurs once/),
				passed(),
				blocked(/changed in lines 201–300, .* as they are now:\n201\tline 201!\n/),
				passed(),
			);
	});

	test("in report mode everything passes, silently, and is written down", () => {
		given(agent({ settings: { policyMode: "report" } }), file("a.ts", "one\ntwo\n"))
			.when(edit("a.ts", "one", "1"), read("a.ts"), file("a.ts", "1\nTWO\n"), edit("a.ts", "1", "one"))
			.then(
				unnoted,
				passed(),
				unnoted,
				verdicts("block read-first a.ts", "warn unchanged a.ts"),
				check((project) => assert.ok(project.events("Verdict").every(({ mode }) => mode === "report"))),
			);
	});

	test("another session of the project that wrote it is named", () => {
		given(...SEEN, by("other", agent({ session: "other" }), read("a.ts")))
			.when(by("other", edit("a.ts", "one", "1")), edit("a.ts", "one", "uno"))
			.then(passed(), blocked(/by another session \(pi other, #/, /-one\n\+1\n/));
	});
});

describe("no false block", () => {
	const now = () => new Date();
	const own = edit("a.ts", "two", "2");

	test("after a touch", () => {
		given(
			...SEEN,
			onDisk(({ path }) => utimesSync(path("a.ts"), now(), now())),
		)
			.when(own)
			.then(
				passed(),
				verdicts(),
				check((project) => {
					assert.equal(project.events("Verdict").filter(({ why }) => why === "same").length, 1);
				}),
			);
	});

	test("after a save without a change", () => {
		given(...SEEN, file("a.ts", "one\ntwo\nthree\n"))
			.when(own)
			.then(passed(), verdicts());
	});

	test("after an editor has written a new file and renamed it into place", () => {
		given(
			...SEEN,
			file("a.ts.tmp", "one\ntwo\nthree\n"),
			onDisk(({ path }) => renameSync(path("a.ts.tmp"), path("a.ts"))),
		)
			.when(own)
			.then(passed(), verdicts());
	});

	const git = (...args: readonly string[]) =>
		onDisk(({ folder }) => {
			execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@localhost", ...args], {
				cwd: folder,
				stdio: "pipe",
				env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
			});
		});
	const BRANCHES = [
		...SEEN,
		git("init", "-q", "-b", "main"),
		git("add", "a.ts"),
		git("commit", "-q", "-m", "a"),
		git("checkout", "-q", "-b", "other"),
		file("a.ts", "something else\n"),
		git("commit", "-q", "-a", "-m", "b"),
		git("checkout", "-q", "main"),
	];

	test("after a checkout of another branch and back, and after git has written other line ends", () => {
		given(...BRANCHES)
			.when(
				own,
				git("checkout", "-q", "a.ts"),
				read("a.ts"),
				onDisk(({ path }) => rmSync(path("a.ts"))),
				git("-c", "core.autocrlf=true", "checkout", "-q", "a.ts"),
				onDisk(({ text }) => assert.equal(text("a.ts"), "one\r\ntwo\r\nthree\r\n")),
				own,
			)
			.then(passed(), passed(), passed(), verdicts());
	});

	test("after an own edit, several in a row, and after our own command has changed it", () => {
		given(...SEEN)
			.when(edit("a.ts", "one", "1"), ran("sed -i 's/three/drei/' a.ts"), own)
			.then(passed(), passed(), passed(), verdicts());
	});

	test("when the log gets the messages only at the end of the turn", () => {
		given(agent({ late: true }), ...SEEN)
			.when(edit("a.ts", "one", "1"), edit("a.ts", "1", "one"), handOver, edit("a.ts", "three", "3"))
			.then(passed(), passed(), passed(), verdicts());
	});

	test("when only the transcript tells: the lines that were shown still stand, or the file's times say so", () => {
		given(agent({ files: BLIND }), file("a.ts", "one\r\ntwo\r\nthree\r\n"))
			.when(
				read("a.ts", { offset: 2, limit: 1 }),
				file("a.ts", "ONE\r\ntwo\r\nthree\r\n"),
				resumed(edit("a.ts", "two", "2")),
				read("a.ts", { offset: 3, limit: 1 }),
				file("a.ts", "ONE\r\n2\r\nTHREE\r\n"),
				resumed(edit("a.ts", "2", "two")),
				read("a.ts"),
				edit("a.ts", "2", "two"),
				resumed(edit("a.ts", "two", "zwei")),
			)
			.then(
				passed(),
				passed(),
				passed(),
				noted(/no diff can be shown|The changes since/),
				passed(),
				passed(),
				passed(),
			);
	});

	test("after a restart", () => {
		given(...SEEN, edit("a.ts", "one", "1"))
			.when(resumed(own))
			.then(passed());
	});
});

/** A guard that sees no disk: what it leaves in the log is what an import leaves. */
const BLIND: FilePort = {
	stat: () => ({ kind: "absent" }),
	read: () => ({ kind: "absent" }),
	digest: () => ({ kind: "absent" }),
	realpath: () => undefined,
};

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
		const past = new Date(Date.now() - 86_400_000);
		const putBack = onDisk(({ path }) => utimesSync(path("a.ts"), past, past));
		given(...SEEN, putBack, read("a.ts"), file("a.ts", "one\nTWO\nthree\n"), putBack)
			.when(edit("a.ts", "two", "2"))
			.then(blocked());
	});

	test("a write within the same tick of the disk's clock as the read: noticed", () => {
		given(agent({ files: new SlowClockDisk() }), ...SEEN, file("a.ts", "one\nTWO\nthree\n"))
			.when(edit("a.ts", "two", "2"))
			.then(blocked());
	});

	test("a folder on the way that became a symlink: noticed", () => {
		given(
			file("lib/b.ts", "x\n"),
			file("other/b.ts", "y\n"),
			read("lib/b.ts"),
			onDisk(({ path }) => {
				renameSync(path("lib"), path("lib.old"));
				symlinkSync("other", path("lib"));
			}),
		)
			.when(edit("lib/b.ts", "y", "z"))
			.then(blocked(), file("other/b.ts", "y\n"));
	});
});

describe("one file by several names", () => {
	test("a symlink, a symlinked folder and a way round lead to the same record", () => {
		given(
			...SEEN,
			onDisk(({ path }) => {
				mkdirSync(path("deep"));
				symlinkSync("../a.ts", path("deep/link.ts"));
				symlinkSync(".", path("here"));
			}),
		)
			.when(
				edit("deep/link.ts", "one", "1"),
				edit("here/a.ts", "two", "2"),
				edit("deep/../a.ts", "three", "3"),
				(project) => edit(project.path("a.ts"), "3", "three"),
			)
			.then(passed(), passed(), passed(), passed(), verdicts());
	});

	test("a read by another name that only the transcript tells of is found", () => {
		given(
			agent({ files: BLIND }),
			file("a.ts", "one\n"),
			onDisk(({ path }) => symlinkSync("a.ts", path("link.ts"))),
			read("link.ts"),
		)
			.when(resumed(edit("a.ts", "one", "1")))
			.then(passed());
	});

	test("a path with the @ of a mention leads to the file, where none has that name", () => {
		given(file("@b.ts", "x\n"), file("b.ts", "x\n"), file("c.ts", "x\n"))
			.when(edit("@c.ts", "x", "y"), read("b.ts"), edit("@b.ts", "x", "y"))
			.then(blocked(), passed(), blocked());
	});

	test("a symlink out of the project is a file like any other", () => {
		const outside = `${temporaryFolder()}/o.ts`;
		given(
			file(outside, "x\n"),
			onDisk(({ path }) => symlinkSync(outside, path("o.ts"))),
		)
			.when(edit("o.ts", "x", "y"), read("o.ts"), edit("o.ts", "x", "y"))
			.then(blocked(), passed(), passed(), file(outside, "y\n"));
	});

	test("where the disk does not tell cases apart, neither does the guard", () => {
		const on = (platform: NodeJS.Platform) => agent({ files: new DiskFiles({ platform }) });
		given(
			file("a.ts", "one\n"),
			// A second name for the same file is what such a disk shows.
			onDisk(({ path }) => linkSync(path("a.ts"), path("A.TS"))),
		)
			.when(
				by("on a Mac", on("darwin"), read("a.ts"), edit("A.TS", "one", "two")),
				by("on Linux", on("linux"), read("a.ts"), edit("A.TS", "two", "one")),
			)
			.then(passed(), passed(), passed(), blocked());
	});
});

describe("lines that were never shown", () => {
	const long = numbered(900).join("\n");
	const START = [file("long.ts", long), read("long.ts", { limit: 100 })];

	test("an edit there passes with a remark where its old text occurs once", () => {
		given(...START)
			.when(
				edit("long.ts", "line 700\nline 701", "x"),
				edit("long.ts", "line 50\n", "fifty\n"),
				edit("long.ts", "x\n", "y\n"),
			)
			.then(noted(/long\.ts is in lines 700–701, which had not been shown/), unnoted, unnoted);
	});

	test("replacing every occurrence is blocked when some were never shown", () => {
		given(file("long.ts", `let v = 1;\n${long}\nuse(v);\n`), read("long.ts", { limit: 100 }))
			.when(call("Edit", { file_path: "long.ts", old_string: "v", new_string: "w", replace_all: true }))
			.then(blocked(/would change line 902, which/));
	});

	test("an old text that occurs several times is left to the tool, which refuses it", () => {
		given(file("long.ts", `${long}\nsame\nsame\n`), read("long.ts", { limit: 100 }))
			.when(edit("long.ts", "same", "x"))
			.then(passed("oldText must occur once."), verdicts());
	});

	test("lines shown of other bytes do not count after a new read of a part", () => {
		const changed = file("long.ts", long.replace("line 50\n", "LINE 50\n"));
		given(...START, changed, read("long.ts", { offset: 200, limit: 20 }))
			.when(edit("long.ts", "LINE 50\n", "x\n"))
			.then(noted(/changed in line 50, and you have not seen that/));
	});

	test("an overwrite after a partial read gets a remark", () => {
		given(...START)
			.when(write("long.ts", "new\n"))
			.then(noted(/its lines 101–900 had not been shown/));
	});

	test("two reads that together show all are a whole read", () => {
		given(file("long.ts", long), read("long.ts", { limit: 450 }), read("long.ts", { offset: 451 }))
			.when(edit("long.ts", "line 700\n", "x\n"), write("long.ts", "new\n"))
			.then(unnoted, unnoted);
	});
});

describe("two writers at once", () => {
	test("an edit during which somebody else wrote is told", () => {
		given(...SEEN)
			.when(during(edit("a.ts", "two", "2"), file("a.ts", "one\ntwo\nTHREE\n")))
			.then(
				noted(/somebody else, changed a\.ts too \(\+1\/−1\)\.\n.*-three\n\+THREE$/s),
				check((project) => assert.equal(changesByOthers(project), 1)),
			);
	});

	test("an edit that was alone is told nothing", () => {
		given(...SEEN)
			.when(edit("a.ts", "two", "2"), write("a.ts", "x\r\ny"))
			.then(unnoted, unnoted);
	});
});

describe("a read during which somebody else wrote", () => {
	test("before the tool read: what was shown is what is there", () => {
		given(...SEEN, during(read("a.ts"), file("a.ts", "other\n")))
			.when(edit("a.ts", "other", "x"))
			.then(passed());
	});

	test("after the tool read: what was shown is gone, and an edit is blocked", () => {
		given(...SEEN, afterTool(read("a.ts"), file("a.ts", "other\n")))
			.when(edit("a.ts", "one", "x"))
			.then(blocked(/-one\n-two\n-three\n\+other/));
	});

	test("a picture, shown in words of the host's own, counts as read while its stat is the same", () => {
		given(file("p.png", "\0picture"), read("p.png")).when(write("p.png", "another")).then(passed());
	});
});

describe("a failure of the guard", () => {
	test("lets the call pass and is written down", () => {
		const broken = new DiskFiles();
		broken.stat = () => {
			throw new TypeError("no such disk");
		};
		given(agent({ files: broken }), file("a.ts", "x\n"))
			.when(edit("a.ts", "x", "y"))
			.then(
				passed(),
				file("a.ts", "y\n"),
				check((project) => {
					const [fault] = project.events("Fault");
					assert.deepEqual(fault, { where: "guard.judge", code: "TypeError", message: "no such disk" });
				}),
			);
	});
});

function changesByOthers(project: GuardedProject): number {
	return project.events("FileChanged").filter(({ actor }) => actor === "other").length;
}
