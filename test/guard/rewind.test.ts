/** Rewinding: every file comes back as it was, whoever changed it, and what is there now is kept first. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	linkSync,
	mkdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	statSync,
	symlinkSync,
	truncateSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { toolContext } from "../../src/agent/live/tool-context.ts";
import { momentsOf, openRewind } from "../../src/guard/rewind/request.ts";
import { renderSteps } from "../../src/guard/rewind/rewind.ts";
import { TOOLS } from "../../src/tool/catalogue.ts";
import { viewRewind } from "../../src/view/rewind.ts";
import { EngineAgent, EngineProject } from "../rig/engine-agent.ts";

class RewindProject extends EngineProject {
	readonly folderPath: string;
	readonly agent: EngineAgent;

	constructor({ isGit = true } = {}) {
		super();
		this.folderPath = this.folder();
		if (isGit) {
			this.git("init", "-q");
			this.put("committed.ts", "one\n");
			this.put("src/deep.ts", "deep\n");
			this.put(".gitignore", ".env\n");
			this.git("add", "-A");
			this.git("commit", "-qm", "one");
		}
		this.agent = new EngineAgent(this, this.folderPath);
	}

	path(name: string): string {
		return join(this.folderPath, name);
	}

	put(name: string, text: string): void {
		mkdirSync(dirname(this.path(name)), { recursive: true });
		writeFileSync(this.path(name), text);
	}

	text(name: string): string | undefined {
		return existsSync(this.path(name)) ? readFileSync(this.path(name), "utf8") : undefined;
	}

	git(...args: string[]): string {
		const identity = ["-c", "user.name=t", "-c", "user.email=t", "-c", "init.defaultBranch=main"];
		return execFileSync("git", [...identity, ...args], { cwd: this.folderPath, encoding: "utf8" });
	}

	rewind(request: { files?: string[]; to?: string; before?: string; isElsewhere?: boolean }) {
		const of = { cwd: this.folderPath, root: this.folderPath, now: Date.now() };
		return openRewind(this.engine.log, { ...of, ...request });
	}

	apply(request: { files?: string[]; to?: string; before?: string }): number {
		return this.rewind(request).apply({ maxBytes: 1e9, now: Date.now, command: "weft rewind" });
	}

	moments(file?: string): string[] {
		const request = {
			files: file === undefined ? [] : [file],
			cwd: this.folderPath,
			root: this.folderPath,
			now: Date.now(),
		};
		return momentsOf(this.engine.log, request, 30).map(({ what }) => what);
	}
}

test("the tool of the model lists, shows and proposes, and changes nothing", async () => {
	using project = new RewindProject();
	project.put("notes.txt", "mine\n");
	project.agent.bash("rm notes.txt");
	const { engine } = project;
	const tool = TOOLS.find(({ name }) => name === "rewind") ?? assert.fail();
	const context = toolContext(engine, { session: "s1", host: "test" });
	const newest = engine.log.newestSeq();
	const ask = async (args: Readonly<Record<string, unknown>>) => (await tool.run(context, args)).text;
	assert.match(
		await ask({ file: "p1/" }),
		/before: rm notes\.txt \(1 file kept\)\nweft rewind \[FILE \.\.\.\] --to NUMBER/,
	);
	const shown = await ask({ file: "p1/notes.txt", before: "rm notes" });
	assert.match(shown, /\+mine\n/);
	assert.match(shown, /To do it, the user runs: weft rewind p1\/notes\.txt --before 'rm notes' --yes$/);
	assert.match(await ask({ file: "../../etc/passwd", to: "1" }), /is outside the project/);
	assert.match(await ask({ file: "p1/", before: "make clean" }), /^No command with 'make clean'/);
	assert.match(await ask({ yes: true }), /^Unknown argument 'yes'/);
	assert.deepEqual([project.text("notes.txt"), engine.log.newestSeq()], [undefined, newest]);
});

test("where people share a project, the tool shows no commands", async () => {
	using project = new RewindProject();
	project.put("notes.txt", "mine\n");
	project.agent.bash("rm notes.txt");
	const session = { session: "agent:main:whatsapp:direct:alice", host: "openclaw" };
	const payload = { cwd: project.folderPath, raw: { sessionKey: session.session } };
	project.engine.record([{ type: "SessionStarted", ...session, payload }]);
	const tool = TOOLS.find(({ name }) => name === "rewind") ?? assert.fail();
	for (const each of [session, { session: "s1", host: "test" }]) {
		const { text, isError } = await tool.run(toolContext(project.engine, each), {});
		assert.deepEqual([text, isError], ["Files cannot be brought back from this conversation.", true]);
	}
});

test("brings the whole project back from before a script, and can be undone", () => {
	using project = new RewindProject();
	project.put("notes.txt", "mine\n");
	project.put(".env", "KEY=1\n");
	project.put("committed.ts", "one, changed by the user\n");
	project.put("run.sh", "#!/bin/sh\n");
	chmodSync(project.path("run.sh"), 0o755);
	symlinkSync("notes.txt", project.path("link"));
	project.agent.bash("git reset -q --hard; git clean -fdxq; rm -rf src; echo made > made.txt");
	assert.deepEqual([project.text("notes.txt"), project.text("src/deep.ts")], [undefined, undefined]);

	const { plan } = project.rewind({ before: "git reset" });
	const steps = plan.steps.map(({ how, path }) => `${how} ${path}`);
	assert.deepEqual(steps, [
		"write .env",
		"write committed.ts",
		"write link",
		"remove made.txt",
		"write notes.txt",
		"write run.sh",
		"write src/deep.ts",
	]);
	assert.equal(project.text("notes.txt"), undefined);

	const undo = project.apply({ before: "git reset" });
	assert.deepEqual(
		["notes.txt", ".env", "committed.ts", "src/deep.ts", "made.txt"].map((name) => project.text(name)),
		["mine\n", "KEY=1\n", "one, changed by the user\n", "deep\n", undefined],
	);
	assert.equal(statSync(project.path("run.sh")).mode & 0o777, 0o755);
	assert.equal(readlinkSync(project.path("link")), "notes.txt");
	assert.deepEqual(project.rewind({ before: "git reset" }).plan.steps, []);

	project.apply({ to: String(undo) });
	assert.deepEqual(
		["notes.txt", ".env", "committed.ts", "src/deep.ts", "made.txt"].map((name) => project.text(name)),
		[undefined, undefined, "one\n", undefined, "made\n"],
	);
});

test("the note's own line brings the file back", () => {
	using project = new RewindProject();
	project.put("notes.txt", "mine\n");
	const { text } = project.agent.bash("rm notes.txt");
	const to = /weft rewind notes\.txt --to (\d+) --yes/.exec(text)?.[1];
	assert.ok(to, text);
	project.apply({ files: ["notes.txt"], to });
	assert.equal(project.text("notes.txt"), "mine\n");
});

test("a file at each of an agent's edits, at a commit, and after somebody else's save", () => {
	using project = new RewindProject();
	project.agent.user("change it");
	project.agent.read("committed.ts");
	project.agent.edit("committed.ts", "one", "two");
	const two = String(project.engine.log.newestSeq());
	project.agent.edit("committed.ts", "two", "three");
	project.agent.bash("git commit -qam three");
	project.put("committed.ts", "four, by the user\n");
	project.agent.bash("make nothing");
	project.agent.bash("git checkout -q -- committed.ts");
	project.apply({ files: ["committed.ts"], to: two });
	assert.equal(project.text("committed.ts"), "two\n");
	project.apply({ files: ["committed.ts"], before: "git checkout" });
	assert.equal(project.text("committed.ts"), "four, by the user\n");
	project.apply({ files: ["committed.ts"], before: "git commit" });
	assert.equal(project.text("committed.ts"), "three\n");
	assert.ok(project.moments().some((what) => what === "before the run: change it"));
	assert.ok(project.moments("committed.ts").some((what) => what.startsWith("before: make nothing")));
});

test("a tree across commits and branches", () => {
	using project = new RewindProject();
	project.put("wip.ts", "wip\n");
	project.agent.bash("git checkout -qb other && git rm -q committed.ts && git commit -qm gone && rm wip.ts");
	project.apply({ before: "git checkout -qb other" });
	assert.deepEqual([project.text("committed.ts"), project.text("wip.ts")], ["one\n", "wip\n"]);
	assert.equal(project.git("branch", "--show-current").trim(), "other");
});

test("works in a folder without a repository", () => {
	using project = new RewindProject({ isGit: false });
	project.put("a/b.txt", "b\n");
	project.agent.bash("rm -rf a");
	project.apply({ before: "rm -rf" });
	assert.equal(project.text("a/b.txt"), "b\n");
});

test("never leaves the project, and never touches git's own files", () => {
	using project = new RewindProject();
	project.put("dir/x.txt", "x\n");
	project.agent.bash("rm -rf dir");
	const outside = join(project.root, "outside");
	mkdirSync(outside);
	symlinkSync(outside, project.path("dir"));
	assert.throws(() => project.apply({ files: ["dir/x.txt"], before: "rm -rf" }), /leads out of the project/);
	assert.equal(existsSync(join(outside, "x.txt")), false);
	assert.throws(() => project.rewind({ files: [".git/config"], before: "rm -rf" }), /belongs to git/);
	assert.throws(() => project.rewind({ files: ["../outside/y"], before: "rm -rf" }), /outside the project/);
});

test("leaves what it knows nothing of, and says why", () => {
	using project = new RewindProject();
	project.agent.bash("make nothing");
	rmSync(project.path("committed.ts"));
	project.put("committed.ts/.env", "SECRET=1\n");
	const { plan } = project.rewind({ files: ["committed.ts/"], before: "make" });
	const why = "a folder with other files is there now";
	assert.deepEqual(plan.steps, [{ path: "committed.ts", how: "leave", why }]);
});

test("a folder that became a file comes back, and so does a file that became a folder; both can be undone", () => {
	using project = new RewindProject();
	project.put("drafts/one.md", "one, by nobody\n");
	project.put("drafts/deep/two.md", "two\n");
	project.put("notes.txt", "mine\n");
	const done = project.agent.bash(
		"rm -rf drafts src; echo flat > drafts; echo flat > src; rm notes.txt; mkdir -p notes.txt/a; echo x > notes.txt/a/b",
	);
	for (const path of ["drafts/one.md", "drafts/deep/two.md", "notes.txt"])
		assert.match(done.notes.join(), new RegExp(`${path} \\(removed`), `the model hears of it: ${done.notes.join()}`);
	const isBack = () => [project.text("drafts/one.md"), project.text("drafts/deep/two.md"), project.text("src/deep.ts")];
	const undo = project.apply({ before: "rm -rf drafts" });
	assert.deepEqual([...isBack(), project.text("notes.txt")], ["one, by nobody\n", "two\n", "deep\n", "mine\n"]);
	project.apply({ to: String(undo) });
	assert.deepEqual(
		[project.text("drafts"), project.text("src"), project.text("notes.txt/a/b")],
		["flat\n", "flat\n", "x\n"],
	);
	project.apply({ files: ["drafts"], before: "rm -rf drafts" });
	project.apply({ files: ["notes.txt"], before: "rm -rf drafts" });
	assert.deepEqual([project.text("drafts/one.md"), project.text("notes.txt")], ["one, by nobody\n", "mine\n"]);
});

test("a command that only changes a mode is a moment", () => {
	using project = new RewindProject();
	project.put("run.sh", "true\n");
	project.agent.bash("chmod +x run.sh committed.ts");
	assert.match(project.moments().join(), /chmod/);
	project.apply({ before: "chmod" });
	for (const name of ["run.sh", "committed.ts"]) assert.equal(statSync(project.path(name)).mode & 0o111, 0, name);
});

test("writes into another folder", () => {
	using project = new RewindProject();
	project.put("notes.txt", "mine\n");
	project.agent.bash("rm notes.txt");
	const into = join(project.root, "then");
	project.rewind({ before: "rm notes", isElsewhere: true }).writeInto(into);
	assert.equal(readFileSync(join(into, "notes.txt"), "utf8"), "mine\n");
	assert.throws(() => project.rewind({ before: "rm notes" }).writeInto(into), /not empty/);
	symlinkSync(project.path(".git"), join(project.root, "link"));
	for (const inside of [project.path(".git/x"), join(project.root, "link/x")])
		assert.throws(() => project.rewind({ before: "rm notes" }).writeInto(inside), /belongs to git/);
});

test("at a command that was looked at for one file, the others stay unless their bytes are known", () => {
	using project = new RewindProject();
	project.put("named.txt", "named\n");
	project.put("draft.txt", "first\n");
	project.put("committed.ts", "one, changed by the user\n");
	project.agent.bash("echo x > named.txt");
	project.put("draft.txt", "second\n");
	project.put("committed.ts", "one, changed twice\n");
	const { plan } = project.rewind({ before: "echo x" });
	assert.deepEqual(
		plan.steps.filter(({ how }) => how !== "leave").map(({ path }) => path),
		["named.txt"],
	);
});

test("a file changed by the user just before a command that was looked at for another file stays", () => {
	using project = new RewindProject();
	project.put(".env", "KEY=1\n");
	project.agent.bash("make clean");
	project.put("other.txt", "other\n");
	project.put(".env", "KEY=2\n");
	project.agent.bash(": > other.txt");
	project.apply({ before: ": > other.txt" });
	assert.deepEqual([project.text(".env"), project.text("other.txt")], ["KEY=2\n", "other\n"]);
});

test("many committed files come back as a checkout writes them", () => {
	using project = new RewindProject();
	const names = Array.from({ length: 300 }, (_, n) => `many/${n}.txt`);
	const odd = [" blank.txt", "many/a b.txt", "many/new\nline.txt", "many/é.txt", "many/empty.txt"];
	project.put(".gitattributes", "*.txt text eol=crlf\n");
	for (const name of [...names, ...odd]) project.put(name, name.includes("empty") ? "" : `${name.length}\r\nend\r\n`);
	symlinkSync("0.txt", project.path("many/link"));
	project.git("add", "-A");
	project.git("commit", "-qm", "many");
	const before = [...names, ...odd].map((name) => project.text(name));
	project.agent.bash("rm -rf many ' blank.txt'");
	project.apply({ before: "rm -rf many" });
	assert.deepEqual(
		[...names, ...odd].map((name) => project.text(name)),
		before,
	);
	assert.equal(readlinkSync(project.path("many/link")), "0.txt");
});

test("a moment is an event: an edit within the same tick of the clock comes after it", () => {
	using project = new RewindProject();
	project.agent.bash("make nothing");
	project.agent.read("committed.ts");
	// The disk says that the edit was before it.
	project.ahead = 5_000;
	project.agent.user("go");
	const moment = String(project.engine.log.newestSeq());
	project.ahead = 0;
	project.agent.edit("committed.ts", "one", "two");
	project.apply({ files: ["committed.ts"], to: moment });
	assert.equal(project.text("committed.ts"), "one\n");
});

test("submodules and linked work trees come back with the files that their commits hold, also where their folder is gone", () => {
	const inside = ["module/committed.ts", "side/committed.ts", "side/src/deep.ts", "side/draft.txt"];
	const commands = [
		"rm -rf module side",
		"git worktree remove --force side; git submodule deinit -qf module",
		": > module/committed.ts; find side -type f -exec truncate -s 0 {} +",
	];
	for (const command of commands) {
		using project = new RewindProject();
		const origin = project.path("../origin");
		project.git("clone", "-q", project.folderPath, origin);
		project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", origin, "module");
		project.git("commit", "-qam", "module");
		project.git("worktree", "add", "-q", "-b", "side", "side");
		project.put("side/draft.txt", "mine\n");
		project.put("side/committed.ts", "one, changed there\n");
		const texts = () => inside.map((name) => project.text(name));
		const before = texts();
		assert.deepEqual(before, ["one\n", "one, changed there\n", "deep\n", "mine\n"]);
		project.agent.bash(command);
		assert.notDeepEqual(texts(), before, command);
		project.apply({ before: command });
		assert.deepEqual(texts(), before, command);
	}
});

test("a linked work tree outside the project comes back into another folder", () => {
	using project = new RewindProject();
	project.git("worktree", "add", "-q", "-b", "beside", "../beside");
	const command = "git worktree remove --force ../beside";
	project.agent.bash(command);
	const into = join(project.root, "then");
	project
		.rewind({ files: [project.path("../beside/src/deep.ts")], before: command, isElsewhere: true })
		.writeInto(into);
	assert.equal(readFileSync(join(into, "src/deep.ts"), "utf8"), "deep\n");
});

test("before a command that removes git's own files or drops its commits, committed files are kept too", () => {
	const committed = ["committed.ts", "src/deep.ts"];
	const commands = [
		"rm -rf .git ./*",
		"find . -delete",
		'cd .. && rm -rf "$OLDPWD"',
		"git reset -q --hard HEAD~1 && git reflog expire --expire=now --all && git gc -q --prune=now; rm -rf src",
	];
	for (const command of commands) {
		using project = new RewindProject();
		project.put("src/deep.ts", "deeper\n");
		project.git("commit", "-qam", "two");
		project.agent.bash(command);
		mkdirSync(project.folderPath, { recursive: true });
		project.apply({ before: command });
		assert.deepEqual(
			committed.map((name) => project.text(name)),
			["one\n", "deeper\n"],
			command,
		);
	}
});

test("after git's own files are gone, earlier commits come back too", () => {
	using project = new RewindProject();
	project.put(".gitattributes", "*.crlf text eol=crlf\n");
	project.put("lines.crlf", "one\r\ntwo\r\n");
	project.git("add", "-A");
	project.git("commit", "-qm", "two");
	project.agent.bash("make || true");
	for (const name of ["src/deep.ts", "lines.crlf"]) project.put(name, "later\n");
	project.git("commit", "-qam", "three");
	const command = "rm -rf .git ./* .gitattributes";
	project.agent.bash(command);
	project.apply({ before: "make" });
	const names = ["committed.ts", "src/deep.ts", "lines.crlf", ".git/HEAD"];
	assert.deepEqual(names.map(project.text.bind(project)), ["one\n", "deep\n", "one\r\ntwo\r\n", undefined]);
});

test("what the user removed before a moment stays removed, also if nobody looked at it then", () => {
	using project = new RewindProject();
	project.put("notes.txt", "mine\n");
	project.put("draft/a.txt", "mine\n");
	project.put("src/deep.ts", "changed\n");
	project.agent.bash("make || true");
	for (const name of ["notes.txt", "draft", "src/deep.ts"]) rmSync(project.path(name), { recursive: true });
	project.agent.bash("echo x > other.txt");
	const left = ["notes.txt", "draft/a.txt", "src/deep.ts"];
	project.apply({ before: "echo x" });
	assert.deepEqual(left.filter(project.text.bind(project)), []);
	rmSync(project.path("committed.ts"));
	const ts = Date.now() + 1_000;
	const { seqs } = project.engine.record([
		{ type: "UserIntent", session: "s1", host: "test", ts, payload: { text: "go" } },
	]);
	assert.deepEqual(
		project.rewind({ to: String(seqs[0]) }).plan.steps.filter(({ path }) => path === "committed.ts"),
		[],
	);
});

test("a committed file that the user had removed before a command that was looked at for one file stays removed", () => {
	using project = new RewindProject();
	project.put("src/kept.ts", "kept\n");
	project.git("add", "-A");
	project.git("commit", "-qm", "two");
	project.put("named.txt", "named\n");
	project.agent.bash("make || true");
	const names = ["committed.ts", "src/deep.ts", "src/kept.ts", "named.txt"];
	for (const name of names.slice(0, 2)) rmSync(project.path(name));
	project.agent.bash("echo x > named.txt");
	// New files, so the times of the folders say nothing.
	project.agent.bash("echo y > other.txt; echo y > src/other.txt");
	const why = "it may have been gone by then; name the file to bring it back";
	const stepsTo = () => project.rewind({ before: "echo x" }).plan.steps.filter(({ path }) => names.includes(path));
	assert.deepEqual(stepsTo(), [
		{ path: "committed.ts", how: "leave", why },
		{ path: "named.txt", how: "write", size: 6 },
		{ path: "src/deep.ts", how: "leave", why },
	]);
	// A look before this command sees what is still there.
	project.agent.bash("rm -rf src");
	project.put("third.txt", "third\n");
	project.apply({ before: "echo x" });
	assert.deepEqual(names.map(project.text.bind(project)), [undefined, undefined, "kept\n", "named\n"]);
	project.apply({ files: ["committed.ts"], before: "echo x" });
	assert.equal(project.text("committed.ts"), "one\n");
});

test("a file that was there at a later look comes back, also if a commit came first", () => {
	using project = new RewindProject();
	project.agent.bash("make || true");
	const moment = String(project.engine.log.newestSeq());
	project.agent.user("go");
	project.put("new.ts", "new\n");
	project.agent.bash("git add -A; git -c user.name=t -c user.email=t commit -qm two");
	project.agent.bash("rm -rf src committed.ts");
	project.agent.bash("echo x > other.txt");
	assert.equal(project.text("src/deep.ts"), undefined);
	project.apply({ to: moment });
	assert.deepEqual([project.text("committed.ts"), project.text("src/deep.ts")], ["one\n", "deep\n"]);
});

test("a large ignored folder does not take the room of a small one, and is never removed", () => {
	using project = new RewindProject();
	project.put(".gitignore", "data/\nprivate/\ndist/\n");
	for (let n = 0; n < 4_100; n++) project.put(`data/${n}.txt`, "");
	project.put("private/key.txt", "mine\n");
	project.put("dist/out.js", "built\n");
	project.git("add", ".gitignore");
	project.git("commit", "-qm", "two");
	project.agent.bash("make || true");
	const command = "rm -rf private; : > .gitignore";
	project.agent.bash(command);
	project.apply({ before: command });
	assert.equal(project.text("private/key.txt"), "mine\n");
	assert.deepEqual([project.text("dist/out.js"), existsSync(project.path("data/4099.txt"))], ["built\n", true]);
	const { left } = [...project.engine.log.read({ types: ["FilesKept"], limit: 1 })][0]?.payload ?? {};
	assert.deepEqual(left, [{ path: "data/", size: 0, why: "too many ignored files" }]);
});

test("of a large ignored folder, all that a command visibly takes is kept", () => {
	using project = new RewindProject();
	project.put(".gitignore", "data/\n");
	const names = Array.from({ length: 4_002 }, (_, n) => `data/${n % 2}/${n}.txt`);
	for (const name of names) project.put(name, "mine\n");
	for (const line of ["rm data/*/400*.txt", ": > data/1/4001.txt; make", "rm -rf data"]) {
		assert.equal(project.agent.bash(line).action, "pass", line);
		project.apply({ before: line });
		assert.deepEqual(
			names.filter((name) => project.text(name) !== "mine\n"),
			[],
			line,
		);
	}
});

test("a file that a shell writes through a link is kept", () => {
	using project = new RewindProject();
	const outside = `${dirname(project.folderPath)}/outside.txt`;
	writeFileSync(outside, "theirs\n");
	project.put("notes.txt", "mine\n");
	symlinkSync("notes.txt", project.path("near"));
	symlinkSync(outside, project.path("far"));
	symlinkSync(dirname(outside), project.path("beside"));
	for (const [line, name, text] of [
		["echo x > near", project.path("notes.txt"), "mine\n"],
		["echo x > far", outside, "theirs\n"],
		["echo x > far; make || true", outside, "theirs\n"],
		["sed -i s/.*/gone/ beside/outside.txt", outside, "theirs\n"],
	] as const) {
		writeFileSync(name, text);
		// A person needs longer than a tick of the disk's clock.
		const later = Date.now() / 1_000 + 1;
		utimesSync(name, later, later);
		const notes = project.agent.bash(line).notes.join("\n");
		const [, command = ""] = /To bring it back: (weft rewind .*)$/m.exec(notes) ?? assert.fail(notes);
		const [, file = "", to = "", into] =
			/^weft rewind (\S+) --to (\d+)( --into "\$\(mktemp -d\)")? --yes$/.exec(command) ?? [];
		assert.equal(into === undefined, name !== outside, command);
		if (into === undefined) project.apply({ files: [file], to });
		const then = project.path(`../then-${to}`);
		if (into !== undefined) project.rewind({ files: [file], to, isElsewhere: true }).writeInto(then);
		assert.equal(readFileSync(into === undefined ? name : join(then, outside), "utf8"), text, line);
	}
});

test("all names of a file are kept before a command that empties one of them", () => {
	using project = new RewindProject();
	project.put("draft.txt", "mine\n");
	linkSync(project.path("draft.txt"), project.path("also.txt"));
	project.agent.bash(": > draft.txt");
	project.apply({ before: ": > draft.txt" });
	assert.deepEqual([project.text("draft.txt"), project.text("also.txt")], ["mine\n", "mine\n"]);
});

test("the line of a note about many files brings back the folder that they are in", () => {
	using project = new RewindProject();
	for (let n = 0; n < 9; n++) project.put(`notes/deep/${n}.txt`, `mine ${n}\n`);
	const { notes } = project.agent.bash("rm -rf notes; echo made > made.ts");
	const { 1: folder = "", 2: to = "" } =
		/weft rewind (\S+) --to (\d+) --yes$/.exec(notes.join("\n")) ?? assert.fail(notes.join("\n"));
	project.apply({ files: [folder], to });
	assert.deepEqual([project.text("notes/deep/8.txt"), project.text("made.ts")], ["mine 8\n", "made\n"]);
	assert.match(folder, /^(?:p1\/)?notes\/deep\/$/);
});

test("the line of a note brings back the files that it names, and nothing else", () => {
	using project = new RewindProject();
	for (const name of ["-one.txt", "two\nlines.txt", "it's.txt"]) project.put(name, `${name}, mine\n`);
	project.put("committed.ts", "one\nmine\n");
	const { notes } = project.agent.bash("rm -f -- *.txt; echo made > made.ts; echo all > src/deep.ts");
	const [, line = ""] =
		/To bring them back: weft rewind (.*) --to \d+ --yes$/m.exec(notes.join("\n")) ?? assert.fail(notes.join("\n"));
	assert.equal(line, `./-one.txt 'it'\\''s.txt' $'two\\nlines.txt'`);
	const words = execFileSync("bash", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" })
		.split("\0")
		.slice(0, -1);
	project.apply({ files: words, before: "rm -f" });
	assert.deepEqual(
		["-one.txt", "two\nlines.txt", "it's.txt", "made.ts", "src/deep.ts"].map((name) => project.text(name)),
		["-one.txt, mine\n", "two\nlines.txt, mine\n", "it's.txt, mine\n", "made\n", "all\n"],
	);
});

test("all files of a large folder without a repository come back", () => {
	using project = new RewindProject({ isGit: false });
	const names = Array.from({ length: 5_300 }, (_, n) => `part${n % 50}/${n}.txt`);
	for (const [n, name] of names.entries()) project.put(name, `mine ${n % 9}\n`);
	project.agent.bash("find . -delete");
	assert.deepEqual(names.filter(project.text.bind(project)), []);
	project.apply({ before: "find . -delete" });
	assert.deepEqual(
		names.filter((name, n) => project.text(name) !== `mine ${n % 9}\n`),
		[],
	);
});

test("a command that was left running takes a file made since: it is kept before the next command, whatever that is", () => {
	using project = new RewindProject();
	project.agent.bash("(test -e go && cp committed.ts notes.txt) > /dev/null 2>&1 & true");
	project.put("notes.txt", "mine\n");
	// A person needs longer than a tick of the disk's clock.
	const later = Date.now() / 1_000 + 1;
	utimesSync(project.path("notes.txt"), later, later);
	const { notes } = project.agent.bash("ls", () => project.put("notes.txt", "one\n"));
	assert.match(notes.join("\n"), /left the disk: notes\.txt \(overwritten/);
	project.apply({ files: ["notes.txt"], before: "ls" });
	assert.equal(project.text("notes.txt"), "mine\n");
});

test("each command that takes files which could not be kept waits once, also after another one has waited", () => {
	using project = new RewindProject();
	project.put(".gitignore", "data/\nmore/\n");
	for (const folder of ["data", "more"]) {
		for (let n = 0; n < 9; n++) {
			project.put(`${folder}/${n}.bin`, "");
			truncateSync(project.path(`${folder}/${n}.bin`), 31 * 1024 * 1024);
		}
	}
	const verdictOf = (line: string) => project.agent.bash(line).action;
	const lines = ["rm -rf data", "rm -rf more", "rm -rf more", "rm -rf data"];
	assert.deepEqual(lines.map(verdictOf), ["block", "block", "pass", "pass"]);
});

test("a staged text that neither HEAD nor the file has is kept, listed, and comes back by handle or into a folder", () => {
	for (const line of ["git reset -q --hard", "git add committed.ts", "git checkout -q HEAD -- ."]) {
		using project = new RewindProject();
		project.put("committed.ts", "staged by the user\n");
		project.git("add", "committed.ts");
		project.put("committed.ts", "later, not staged\n");
		project.agent.bash(line);
		const { log } = project.engine;
		const request = { cwd: project.folderPath, root: project.folderPath, now: Date.now(), limit: 9, maxBytes: 1e9 };
		const listing = viewRewind(log, { ...request, yes: false }).lines.join("\n");
		assert.match(listing, /before: git .* \(1 file, 1 staged text kept\)/, line);
		const plan = viewRewind(log, { ...request, files: ["committed.ts"], before: line, yes: false }).lines.join("\n");
		const [, handle = ""] = /^staged {2}committed\.ts \(19 bytes\): b-([0-9a-f]{12})$/m.exec(plan) ?? [];
		const { staged } = project.rewind({ before: line }).plan;
		const name = staged[0]?.hash ?? assert.fail(plan);
		assert.deepEqual([name.slice(0, 12), String(log.getBlob(name))], [handle, "staged by the user\n"]);
		const into = join(dirname(project.folderPath), "then");
		project.rewind({ before: line }).writeInto(into);
		assert.equal(readFileSync(join(into, "committed.ts.staged"), "utf8"), "staged by the user\n");
		project.apply({ before: line });
		assert.equal(project.text("committed.ts"), "later, not staged\n");
	}
});

test("a staged text that is still in the index, in HEAD or in the file is not listed", () => {
	using project = new RewindProject();
	project.put("committed.ts", "staged\n");
	project.git("add", "-A");
	project.agent.bash("true; ./nothing");
	assert.deepEqual(project.rewind({ before: "nothing" }).plan.staged, []);
	project.put("committed.ts", "later\n");
	project.agent.bash("true; ./none");
	assert.deepEqual(project.rewind({ before: "none" }).plan.staged, []);
});

test("a dropped stash comes back by the line that the plan gives, also after git has pruned it", () => {
	for (const line of [
		"git stash drop -q",
		"git stash clear; git reflog expire --expire=now --all; git gc -q --prune=now",
	]) {
		using project = new RewindProject();
		project.put("committed.ts", "work of last week\n");
		project.put("new.txt", "untracked\n");
		project.git("stash", "push", "-qu", "-m", "it's mine");
		project.agent.bash(line);
		assert.equal(project.git("stash", "list"), "");
		const { plan } = project.rewind({ before: line });
		const shown = renderSteps(plan);
		const back = shown[shown.findIndex((each) => each.startsWith("stash ")) + 1] ?? assert.fail(shown.join("\n"));
		execFileSync("sh", ["-c", back], { cwd: project.folderPath });
		assert.match(project.git("stash", "list"), /On main: it's mine/);
		project.git("stash", "pop", "-q");
		assert.deepEqual([project.text("committed.ts"), project.text("new.txt")], ["work of last week\n", "untracked\n"]);
		assert.deepEqual(project.rewind({ before: line }).plan.stashes.length, 1);
	}
});

test("files that git was told to pass over are kept", () => {
	for (const flag of ["--assume-unchanged", "--skip-worktree"]) {
		using project = new RewindProject();
		project.git("update-index", flag, "committed.ts");
		project.put("committed.ts", "local settings\n");
		assert.equal(project.git("status", "--porcelain"), "");
		project.agent.bash("rm -rf ./*");
		project.apply({ before: "rm -rf" });
		assert.deepEqual([project.text("committed.ts"), project.text("src/deep.ts")], ["local settings\n", "deep\n"], flag);
		project.agent.bash(`git update-index ${flag.replace("--", "--no-")} committed.ts; git checkout -q .`);
		assert.equal(project.text("committed.ts"), "one\n");
		project.apply({ before: "git update-index" });
		assert.equal(project.text("committed.ts"), "local settings\n", flag);
	}
});
