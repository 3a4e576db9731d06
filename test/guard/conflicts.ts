/** True conflicts: what somebody else wrote must not be lost. */
import { execFileSync } from "node:child_process";
import { renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import type { AgentTrait, HookedAgent } from "../rig/hooked-agent.ts";
import { A } from "./ordinary.ts";

/** What the user has written: it must be on disk at the end, or the model must have seen it before it wrote. */
export const USER = "by the user";

export interface Conflict {
	readonly name: string;
	readonly files?: Readonly<Record<string, string>>;
	readonly git?: boolean;
	readonly cwd?: string;
	/**
	 * waits: the call is blocked; told: it passes, and the model had the user's text in a result before; kept: it passes, and
	 * the note has the handle of what it overwrote.
	 */
	readonly how: "waits" | "told" | "kept";
	/** In agents that lack this, the call may pass, if nothing is lost. */
	readonly needs?: AgentTrait;
	readonly play: (agent: HookedAgent) => unknown;
}

const LONG = Array.from({ length: 300 }, (_, n) => `const value${n} = ${n};\n`).join("");
/** More than a note can show; the user's line is at its end. */
const SAVED_LONG = `${LONG.replaceAll(" = ", "=")}// ${USER}\n`;
const SAVED = A.replace("beta two", `beta two, ${USER}`);
const NEW = "all new\n";

const save = (a: HookedAgent, path = "a.ts", text = SAVED) => a.put(path, text);
const git = (a: HookedAgent, line: string) =>
	execFileSync("git", ["-c", "core.hooksPath=/dev/null", ...line.split(" ")], { cwd: a.path(".") });

const DURING: Conflict[] = [
	{
		name: "a save while the tests run: the note has it, then a write",
		files: { "a.ts": A },
		how: "told",
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("true", () => save(a));
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save while the tests run, larger than a note: a write waits",
		files: { "a.ts": LONG },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("true", () => save(a, "a.ts", SAVED_LONG));
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save while npm test runs, larger than a note: a write waits",
		files: { "a.ts": LONG },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("npm test 2>/dev/null; true", () => save(a, "a.ts", SAVED_LONG));
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save while a command writes another file",
		files: { "a.ts": LONG, "b.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("echo x > b.ts; sed -i s/x/y/ b.ts", () => save(a, "a.ts", SAVED_LONG));
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save while a script of the agent's own runs that does not name the file",
		files: { "a.ts": LONG, "fix.sh": "echo done > log.txt\n" },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("sh fix.sh", () => save(a, "a.ts", SAVED_LONG));
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save while the same command appends to the file: the diff has both",
		files: { "a.ts": A },
		how: "told",
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("echo more >> a.ts", () => save(a));
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save while sed -i runs on the file: the diff has both",
		files: { "a.ts": A },
		how: "told",
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("sed -i s/gamma/GAMMA/ a.ts", () => save(a));
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save while a formatter runs, together larger than a note",
		files: { "a.ts": LONG },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("./fmt a.ts 2>/dev/null; true", () => save(a, "a.ts", SAVED_LONG));
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save while a tool runs that nobody knows",
		files: { "a.ts": LONG },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			await a.call({ tool: "mystery", input: { query: "x" }, during: () => save(a, "a.ts", SAVED_LONG) });
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save while a subagent runs",
		files: { "a.ts": LONG },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			await a.call({ tool: "task", input: { prompt: "x" }, during: () => save(a, "a.ts", SAVED_LONG) });
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a new file of the user's while a command runs: a write waits",
		how: "waits",
		play: async (a) => {
			await a.bash("npm test 2>/dev/null; true", () => save(a, "notes.md", `# Notes\n${USER}\n`));
			await a.write("notes.md", NEW);
		},
	},
	{
		name: "a save between the check of an edit and the tool",
		files: { "a.ts": A },
		how: "told",
		play: async (a) => {
			await a.read("a.ts");
			const input = { path: "a.ts", edits: [{ oldText: "gamma three", newText: "GAMMA" }] };
			await a.call({ tool: "edit", input, during: () => save(a) });
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save right after the agent's write",
		files: { "a.ts": A },
		how: "told",
		play: async (a) => {
			await a.read("a.ts");
			const input = { path: "a.ts", content: "first\nsecond\n" };
			await a.call({ tool: "write", input, afterwards: () => save(a, "a.ts", `first\nsecond\n${USER}\n`) });
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save right after the agent's write, larger than a note",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			const input = { path: "a.ts", content: LONG };
			await a.call({ tool: "write", input, afterwards: () => save(a, "a.ts", SAVED_LONG) });
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save while the agent edits beside a command",
		files: { "a.ts": A, "b.ts": LONG },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			await a.read("b.ts");
			await a.batch([
				{ tool: "bash", input: { command: "true" }, during: () => save(a, "b.ts", SAVED_LONG) },
				{ tool: "edit", input: { path: "a.ts", edits: [{ oldText: "gamma three", newText: "G" }] } },
			]);
			await a.write("b.ts", NEW);
		},
	},
];

const BETWEEN: Conflict[] = [
	{
		name: "a save between read and write",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			save(a);
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "the same text once more, after the diff",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			save(a);
			await a.write("a.ts", NEW);
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save between read and edit of the same line",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			save(a, "a.ts", A.replace("beta two", `${USER}: two`));
			await a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "a save that makes the old text occur twice",
		needs: "edits pieces",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			save(a, "a.ts", `${A}beta two, ${USER}\n`);
			await a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "a save before an edit that replaces every occurrence",
		needs: "edits pieces",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			save(a, "a.ts", `${A}beta two, ${USER}\n`);
			const edits = [{ oldText: "beta two", newText: "BETA", replaceAll: true }];
			await a.call({ tool: "edit", input: { path: "a.ts", edits } });
		},
	},
	{
		name: "a save, an edit that still fits with the diff in its result, then a write",
		files: { "a.ts": A },
		how: "told",
		play: async (a) => {
			await a.read("a.ts");
			save(a);
			await a.edit("a.ts", "gamma three", "GAMMA");
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save larger than a note, an edit that still fits, then a write",
		files: { "a.ts": `${A}${LONG}` },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			save(a, "a.ts", `${A}${SAVED_LONG}`);
			await a.edit("a.ts", "gamma three", "GAMMA");
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a file that nobody has read is moved, then written over",
		files: { "draft.md": `${USER}\n` },
		how: "waits",
		play: async (a) => {
			await a.bash("mv draft.md old.md");
			await a.write("old.md", NEW);
		},
	},
	{
		name: "a file that nobody has read is moved by git, then written over",
		files: { "draft.md": `${USER}\n` },
		git: true,
		how: "waits",
		play: async (a) => {
			await a.bash("git mv draft.md old.md");
			await a.write("old.md", NEW);
		},
	},
	{
		name: "a file that nobody has read is moved over a known one, then written over",
		files: { "draft.md": `${LONG}${USER}\n`, "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("mv draft.md a.ts");
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a known link is turned to a file that nobody has read, then written through",
		files: { "a.ts": A, "draft.md": `${LONG}${USER}\n` },
		how: "waits",
		play: async (a) => {
			symlinkSync("a.ts", a.path("now"));
			await a.read("now");
			await a.bash("ln -sf draft.md now");
			await a.write("now", NEW);
		},
	},
	{
		name: "an edit of a Latin-1 file, which would lose its letters",
		how: "waits",
		play: async (a) => {
			writeFileSync(a.path("a.txt"), Buffer.from(`caf\xe9 ${USER}\ntea\n`, "latin1"));
			await a.read("a.txt");
			await a.edit("a.txt", "tea", "milk");
		},
	},
	{
		name: "an edit of a Latin-1 file, made all the same",
		how: "kept",
		play: async (a) => {
			writeFileSync(a.path("a.txt"), Buffer.from(`caf\xe9 ${USER}\ntea\n`, "latin1"));
			await a.read("a.txt");
			await a.edit("a.txt", "tea", "milk");
			await a.edit("a.txt", "tea", "milk");
		},
	},
	{
		name: "a write of a Latin-1 file with its letters already lost",
		how: "waits",
		play: async (a) => {
			writeFileSync(a.path("a.txt"), Buffer.from(`caf\xe9 ${USER}\ntea\n`, "latin1"));
			await a.read("a.txt");
			await a.write("a.txt", `caf\uFFFD ${USER}\nmilk\n`);
		},
	},
	{
		name: "an edit of a file with mixed line ends, which would lose them",
		needs: "unifies line ends",
		how: "waits",
		play: async (a) => {
			writeFileSync(a.path("a.txt"), `one\r\n${USER}\nthree\r\n`);
			await a.read("a.txt");
			await a.edit("a.txt", "three", "3");
		},
	},
	{
		name: "an edit of a file with mixed line ends, made all the same by a tool that makes them one",
		needs: "unifies line ends",
		how: "kept",
		play: async (a) => {
			writeFileSync(a.path("a.txt"), `one\r\n${USER}\nthree\r\n`);
			await a.read("a.txt");
			await a.edit("a.txt", "three", "3");
			const input = { path: "a.txt", edits: [{ oldText: "three", newText: "3" }] };
			await a.call({
				tool: "edit",
				input,
				afterwards: () => writeFileSync(a.path("a.txt"), a.text("a.txt").replaceAll(/\r?\n/g, "\r\n")),
			});
		},
	},
	{
		name: "a save between two edits",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			await a.edit("a.ts", "gamma three", "GAMMA");
			save(a, "a.ts", `${a.text("a.ts")}${USER}\n`);
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save after the agent's own write",
		how: "waits",
		play: async (a) => {
			await a.write("n.ts", "first\n");
			save(a, "n.ts", `first\n${USER}\n`);
			await a.write("n.ts", NEW);
		},
	},
	{
		name: "a save after a here-document of the agent's",
		how: "waits",
		play: async (a) => {
			await a.bash("cat > n.ts <<'EOF'\nfirst line\nEOF");
			save(a, "n.ts", `first line\n${USER}\n`);
			await a.write("n.ts", NEW);
		},
	},
	{
		name: "a here-document over a file that the user has changed",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			save(a);
			await a.bash("cat > a.ts <<'EOF'\nall new\nEOF");
		},
	},
	{
		name: "a save after cat",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.bash("cat a.ts");
			save(a);
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save after grep has shown a line",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.bash("grep -n gamma a.ts");
			save(a);
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save of the moved file",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("mv a.ts b.ts");
			save(a, "b.ts");
			await a.write("b.ts", NEW);
		},
	},
	{
		name: "a save that only the request before was told of",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			save(a);
			await a.request();
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save, then a read of another part",
		needs: "reads by a tool",
		files: { "a.ts": LONG },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			save(a, "a.ts", LONG.replace("value250 = 250", `value250 = "${USER}"`));
			await a.read("a.ts", { limit: 20 });
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a save in a part that was never read",
		files: { "a.ts": LONG },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts", { limit: 20 });
			save(a, "a.ts", LONG.replace("value250 = 250", `value250 = "${USER}"`));
			await a.edit("a.ts", "const value5 = 5;", "x");
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "two saves, the first one shown",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			a.put("a.ts", A.replace("alpha", "ALPHA"));
			await a.bash("true");
			save(a);
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "another agent of the same project",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			const other = await a.another();
			await a.read("a.ts");
			await other.read("a.ts");
			await other.edit("a.ts", "beta two", `beta two, ${USER}`);
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "the user takes the agent's change back",
		files: { "a.ts": SAVED },
		git: true,
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			await a.edit("a.ts", `, ${USER}`, "");
			git(a, "checkout -q -- a.ts");
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "the user switches the branch",
		files: { "a.ts": A },
		git: true,
		how: "waits",
		play: async (a) => {
			git(a, "checkout -q -b side");
			save(a);
			git(a, "commit -qam side");
			git(a, "checkout -q -");
			await a.read("a.ts");
			git(a, "checkout -q side");
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "the agent switches the branch, and more changes than a note can show",
		files: { "a.ts": LONG },
		git: true,
		how: "waits",
		play: async (a) => {
			git(a, "checkout -q -b side");
			save(a, "a.ts", SAVED_LONG);
			git(a, "commit -qam side");
			git(a, "checkout -q -");
			await a.read("a.ts");
			await a.bash("git checkout -q side");
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "the host is started again, and the user has saved",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			await a.restart();
			save(a);
			await a.write("a.ts", NEW);
		},
	},
];

const DISK: Conflict[] = [
	{
		name: "the user gives a file with the prompt and saves it again: a write waits",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.user(`<file name="${a.path("a.ts")}">\n${A}\n</file>\nMake it new.`);
			save(a);
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "the user only mentions a word of a file that nobody has read: an edit of it waits",
		files: { "a.ts": SAVED },
		how: "waits",
		play: async (a) => {
			await a.user("Make every alpha one in a.ts an alpha two.");
			await a.edit("a.ts", "pha one", "pha two");
		},
	},
	{
		name: "the user pastes a part of a file: a write of the whole waits",
		files: { "a.ts": SAVED },
		how: "waits",
		play: async (a) => {
			await a.user("alpha one");
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a file that nobody has read",
		files: { "a.ts": SAVED },
		how: "waits",
		play: (a) => a.write("a.ts", NEW),
	},
	{
		name: "read and write in one batch",
		files: { "a.ts": SAVED },
		how: "waits",
		play: (a) =>
			a.batch([
				{ tool: "read", input: { path: "a.ts" } },
				{ tool: "write", input: { path: "a.ts", content: NEW } },
			]),
	},
	{
		name: "the same size and the old times",
		files: { "a.ts": `${A}${"-".repeat(USER.length)}\n` },
		how: "waits",
		play: async (a) => {
			const { atime, mtime } = statSync(a.path("a.ts"));
			await a.read("a.ts");
			save(a, "a.ts", `${A}${USER}\n`);
			utimesSync(a.path("a.ts"), atime, mtime);
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a symlink that leads elsewhere now",
		files: { "one/a.ts": A, "two/a.ts": SAVED },
		how: "waits",
		play: async (a) => {
			symlinkSync("one", a.path("now"));
			await a.read("now/a.ts");
			rmSync(a.path("now"));
			symlinkSync("two", a.path("now"));
			await a.write("now/a.ts", NEW);
		},
	},
	{
		name: "an editor renames its new text into place",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			save(a, "a.ts~");
			renameSync(a.path("a.ts~"), a.path("a.ts"));
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "deleted and made anew by the user",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("rm a.ts");
			save(a);
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "line ends and a word",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			save(a, "a.ts", SAVED.replaceAll("\n", "\r\n"));
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "the real file behind a symlink",
		files: { "packages/shared/a.ts": A, "packages/app/index.ts": "x\n" },
		cwd: "packages/app",
		how: "waits",
		play: async (a) => {
			symlinkSync("../shared", a.path("shared"));
			await a.read("shared/a.ts");
			save(a, "../shared/a.ts");
			await a.write("shared/a.ts", NEW);
		},
	},
	{
		name: "one file of a patch",
		files: { "a.ts": A, "b.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			await a.read("b.ts");
			save(a, "b.ts");
			const input = "*** Begin Patch\n*** Update File: b.ts\n@@\n-beta two\n+b\n*** End Patch";
			await a.call({ tool: "apply_patch", input: { input } });
		},
	},
	{
		name: "a merge tool that nobody can check",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			await a.call({ tool: "edit", input: { path: "a.ts", edits: [{ oldText: "alpha one", newText: "ALPHA" }] } });
			save(a);
			await a.call({ tool: "morph_edit", input: { path: "a.ts", sketch: NEW } });
		},
	},
];

const WRITES: readonly [command: string, what: string][] = [
	["echo more >> n.md", "appends to it"],
	["touch n.md", "touches it"],
	["sed -i s/value1/VALUE1/ n.md", "changes a word of it"],
	["echo x >> n.md; git checkout -- n.md", "takes it back"],
	["for f in *.md; do echo more >> $f; done", "changes it in a loop"],
];
const OVER: readonly [command: string, what: string][] = [
	["echo 'all new' > a.ts", "overwrites it by >"],
	["cp b.ts a.ts", "copies over it"],
	["mv b.ts a.ts", "moves over it"],
	["echo x | tee a.ts", "overwrites it by tee"],
	["rm a.ts", "removes it"],
	["git checkout -- a.ts", "takes it back by git"],
	["git checkout .", "takes all back by git"],
	["git reset -q --hard", "resets the working tree"],
	["rm *.ts", "removes it by a glob"],
	["git checkout -q a.ts", "takes it back by git, without dashes"],
	["git checkout -qf", "takes all back by git checkout -f"],
	["git switch -q --discard-changes -c next && git switch -q --discard-changes -", "discards all by git switch"],
	["git stash -q && git stash drop -q", "stashes it, and drops the stash"],
	["find . -name '*.ts' -delete", "finds and deletes it"],
	["ls *.ts | xargs rm", "removes it by xargs"],
	["for f in *.ts; do rm $f; done", "removes it in a loop"],
	[
		"git show HEAD:a.ts > b.ts && tar cf b.tar b.ts && tar xf b.tar --transform s/b.ts/a.ts/",
		"unpacks an archive over it",
	],
];
const SAVE_MEANWHILE: readonly [command: string, text: string][] = [
	["cat > a.ts <<'EOF'\nfirst\nsecond\nEOF\nsleep 0", "first\nsecond\n"],
	["echo first > a.ts && sleep 0", "first\n"],
	["cp b.ts a.ts; sleep 0", "b\n"],
];

/** Lines that say little or nothing of the file that they overwrite. */
const UNSEEN_OVER: readonly [command: string, what: string][] = [
	["sort -o u.txt b.ts", "sort -o overwrites"],
	["split -l 1 b.ts u. && mv u.aa u.txt && true", "split and mv overwrite"],
	["split -b 9 --additional-suffix=.txt -a 1 --numeric-suffixes=1 b.ts u 2>&1; cp u1.txt u.txt", "split overwrites"],
	["cp b.ts ../u.txt && tar cf ../u.tar -C .. u.txt && tar xf ../u.tar", "tar overwrites"],
	[`awk '{ print > "u.txt" }' b.ts`, "awk overwrites"],
	["bash -c 'tee >(cat > u.txt) < b.ts; wait $!'", "a process substitution overwrites"],
	["sh write-env.sh", "a script overwrites an ignored file,"],
	["mv u.txt v.txt && rm v.txt", "mv away and rm remove"],
	["mv u.txt ../v.txt && rm ../v.txt", "mv out of the project and rm remove"],
];

/** What a command of the agent's does with a text that the agent does not know. */
const COMMANDS: Conflict[] = [
	...WRITES.map(
		([command, what]): Conflict => ({
			name: `a command ${what}, nobody has read it, and a write follows`,
			files: { "n.md": `${LONG}${USER}\n` },
			git: true,
			how: "waits",
			play: async (a) => {
				await a.bash(command);
				await a.write("n.md", NEW);
			},
		}),
	),
	...UNSEEN_OVER.map(
		([command, what]): Conflict => ({
			name: `${what} a text of the user's that nobody has read`,
			files: { "b.ts": "b\n", ".gitignore": ".env\n", "write-env.sh": "F=.env\necho KEY=new > $F\n" },
			git: true,
			how: "kept",
			play: async (a) => {
				const path = command.includes("env") ? ".env" : "u.txt";
				a.put(path, `${USER}, not committed\n`);
				await a.bash(command);
			},
		}),
	),
	...OVER.map(
		([command, what]): Conflict => ({
			name: `the user has saved a file, and a command ${what}`,
			files: { "a.ts": A, "b.ts": "b\n" },
			git: true,
			how: "kept",
			play: async (a) => {
				await a.read("a.ts");
				save(a);
				await a.bash(command);
			},
		}),
	),
	...SAVE_MEANWHILE.map(
		([command, text]): Conflict => ({
			name: `the user saves after the first part of: ${command.slice(0, 16).split("\n")[0]}`,
			files: { "a.ts": A, "b.ts": "b\n" },
			how: "told",
			play: async (a) => {
				await a.read("a.ts");
				await a.call({ tool: "bash", input: { command }, afterwards: () => save(a, "a.ts", `${text}${USER}\n`) });
				await a.write("a.ts", NEW);
			},
		}),
	),
	{
		name: "the user saves a file that a here-document has just made, while the tests run",
		how: "waits",
		play: async (a) => {
			const command = "cat > n.ts <<'EOF'\nfirst\nsecond\nEOF\nsleep 0";
			await a.call({ tool: "bash", input: { command }, afterwards: () => save(a, "n.ts", `first\nsecond\n${USER}\n`) });
			await a.write("n.ts", NEW);
		},
	},
	{
		name: "a here-document over a file that nobody has read",
		files: { "a.ts": SAVED },
		how: "waits",
		play: (a) => a.bash("cat > a.ts <<'EOF'\nall new\nEOF"),
	},
	{
		name: "tee with a here-document over a file that the user has changed",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			save(a);
			await a.bash("cat <<'EOF' | tee a.ts\nall new\nEOF");
		},
	},
	{
		name: "a here-document too long to parse, over a file that the user has changed",
		files: { "a.ts": A },
		how: "waits",
		play: async (a) => {
			await a.read("a.ts");
			save(a);
			await a.bash(`cat > a.ts <<'EOF'\n${LONG.repeat(4)}EOF\necho done`);
		},
	},
	{
		name: "a write over a file of which grep has shown one line",
		files: { "a.ts": `${LONG}${USER}\n` },
		how: "kept",
		play: async (a) => {
			await a.bash("grep -n 'value7 ' a.ts");
			await a.write("a.ts", NEW);
		},
	},
	{
		name: "a write over a file of which a read has given an outline alone",
		needs: "outlines reads",
		files: { "a.ts": `${LONG}${USER}\n` },
		how: "waits",
		play: async (a) => {
			const isKept = "It is kept whole as b-0123456789ab; this is its outline.]";
			const says = `[Large content of a.ts (text): 9 kB. ${isKept}\nL1 @0 const value0 = 0;`;
			await a.call({ tool: "read", input: { path: "a.ts" }, says });
			await a.write("a.ts", NEW);
		},
	},
	...[
		["a script in the line", `node -e "require('fs').writeFileSync('a.ts', 'all new')"`],
		["a script in a here-document", "node - <<'EOF'\nrequire('node:fs').writeFileSync('a.ts', 'all new');\nEOF"],
		["a script in a file", "node fix.cjs"],
	].map(
		([what, line]): Conflict => ({
			name: `${what} writes over a file that the user has changed`,
			files: { "a.ts": A, "fix.cjs": "require('node:fs').writeFileSync('./a.ts', 'all new');\n" },
			how: "kept",
			play: async (a) => {
				await a.read("a.ts");
				save(a);
				await a.bash(line!);
			},
		}),
	),
	{
		name: "the third write over a file that nobody has read",
		files: { "a.ts": SAVED },
		how: "kept",
		play: async (a) => {
			for (let n = 0; n < 3; n++) await a.write("a.ts", NEW);
		},
	},
];

/** Commands whose line does not say which files they take. */
const OPAQUE: readonly (readonly [line: string, files: Readonly<Record<string, string>>])[] = [
	["make reset", { Makefile: "reset:\n\tgit checkout -q -- .\n" }],
	["make clean", { Makefile: "clean:\n\trm -f *.ts\n" }],
	["sh reset.sh", { "reset.sh": "git reset -q --hard\n" }],
	["./reset", { reset: "#!/bin/sh\nrm -rf src a.ts\n" }],
	["npm run -s wipe", { "package.json": '{"scripts":{"wipe":"rm -f a.ts"}}' }],
	['for f in *.ts; do rm "$f"; done', {}],
	["f=$(echo a.ts); : > $f", {}],
	["ls *.ts | while read f; do echo new > $f; done", {}],
	["python3 -c \"import os; os.remove('a.' + 'ts')\"", {}],
	["find . -name 'a.*' -exec sh -c 'echo > $1' x {} \\;", {}],
];

/** Takes a file that the agent has never seen and git does not hold. */
const UNKNOWN: readonly (readonly [line: string, path: string])[] = [
	["git clean -fdq", "notes.txt"],
	["git clean -fdxq", ".env"],
	["rm notes.txt", "notes.txt"],
	["rm -rf drafts", "drafts/one/two.md"],
	["mv b.ts notes.txt", "notes.txt"],
	["cp b.ts notes.txt", "notes.txt"],
	["echo new > notes.txt", "notes.txt"],
	["git reset -q --hard", "a.ts"],
	["git checkout -q -- .", "a.ts"],
	["git stash -q", "a.ts"],
	["git restore a.ts", "a.ts"],
	["git add -A && git rm -rqf .", "a.ts"],
	["find . -name 'notes*' -delete", "notes.txt"],
	["rsync -a --delete empty/ drafts/ 2>/dev/null || rm -r drafts", "drafts/a.md"],
	["sh -c 'rm -rf drafts'", "drafts/a.md"],
	["cd drafts && rm -f *", "drafts/a.md"],
	["git diff --output=notes.txt", "notes.txt"],
	["f() { rm notes.txt; }; f", "notes.txt"],
	["for f in $(rm notes.txt); do :; done", "notes.txt"],
	["cd nowhere 2>/dev/null; echo x > notes.txt", "notes.txt"],
	["sed -n 's/alpha/x/Iw notes.txt' a.ts", "notes.txt"],
	["sh -c 'ls' > notes.txt", "notes.txt"],
	["GIT_PAGER='rm notes.txt; cat' git -p log > /dev/null; rm -f notes.txt", "notes.txt"],
];

const UNSEEN: readonly Conflict[] = [
	{
		name: "a file that the agent never saw is saved while the tests run, then put back by git",
		files: { "a.ts": A, "b.ts": "b\n" },
		git: true,
		how: "kept",
		play: async (a) => {
			await a.bash("true", () => save(a, "b.ts", `${USER}\n`));
			await a.bash("git checkout -q -- .");
		},
	},
	{
		name: "a file that the agent never saw is saved while the tests run, then removed",
		files: { "a.ts": A, "b.ts": "b\n" },
		git: true,
		how: "kept",
		play: async (a) => {
			await a.bash("true", () => save(a, "b.ts", `${USER}\n`));
			await a.bash("rm b.ts");
		},
	},
	...OPAQUE.map(
		([line, files]): Conflict => ({
			name: `the user has saved a file, and nothing in the line names it: ${line}`,
			files: { "a.ts": A, "src/c.ts": "c\n", ...files },
			git: true,
			how: "kept",
			play: async (a) => {
				if (files["reset"] !== undefined) await a.bash("chmod +x reset");
				await a.read("a.ts");
				save(a);
				await a.bash(line);
			},
		}),
	),
	...UNKNOWN.map(
		([line, path]): Conflict => ({
			name: `a file that the agent never saw: ${line}`,
			files: { "a.ts": A, "b.ts": "b\n", ".gitignore": ".env\n", "empty/.keep": "" },
			git: true,
			how: "kept",
			play: async (a) => {
				save(a, path, `${USER}\n`);
				await a.bash(line);
			},
		}),
	),
	{
		name: "git worktree remove --force takes a file that was never committed",
		files: { "a.ts": A },
		git: true,
		how: "kept",
		play: async (a) => {
			git(a, "worktree add -q ../side-tree -b side");
			a.put("../side-tree/notes.txt", `${USER}\n`);
			await a.bash("git worktree remove --force ../side-tree");
		},
	},
	{
		name: "rm through a link takes a file of a folder outside of the project",
		files: { "a.ts": A },
		git: true,
		how: "kept",
		play: async (a) => {
			a.put("../outside/notes.txt", `${USER}\n`);
			symlinkSync("../outside", a.path("out"));
			await a.bash("rm out/notes.txt");
		},
	},
	{
		name: "echo > through a link takes what it leads to, inside the project",
		files: { "notes.txt": `${USER}\n` },
		how: "kept",
		play: async (a) => {
			symlinkSync("notes.txt", a.path("link"));
			await a.bash("echo x > link");
		},
	},
	{
		name: "echo > through a link takes what it leads to, outside of the project",
		files: { "a.ts": A },
		git: true,
		how: "kept",
		play: async (a) => {
			a.put("../outside/notes.txt", `${USER}\n`);
			symlinkSync("../outside/notes.txt", a.path("link"));
			await a.bash("echo x > link");
		},
	},
	{
		name: "a file that was read through a link is saved, then a command writes it there",
		files: { "real.ts": A },
		how: "kept",
		play: async (a) => {
			symlinkSync("real.ts", a.path("link.ts"));
			await a.read("link.ts");
			save(a, "real.ts");
			await a.bash("echo x > link.ts");
		},
	},
	{
		name: "rm with a glob takes files of a folder outside of the project",
		files: { "a.ts": A },
		how: "kept",
		play: async (a) => {
			a.put("../outside/deep/notes.txt", `${USER}\n`);
			await a.bash("rm ../outside/*/*.txt");
		},
	},
	{
		name: "rm takes a folder without a repository",
		files: { "drafts/a.md": `${USER}\n` },
		how: "kept",
		play: (a) => a.bash("rm -rf drafts"),
	},
];

export const CONFLICTS: readonly Conflict[] = [...DURING, ...BETWEEN, ...DISK, ...COMMANDS, ...UNSEEN];
