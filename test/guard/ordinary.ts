/** Ordinary work: nothing here may be blocked, and every tool must succeed. */
import { appendFileSync, chmodSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import type { EngineAgent } from "../rig/engine-agent.ts";

export interface Ordinary {
	readonly name: string;
	readonly files?: Readonly<Record<string, string>>;
	/** Starts with a commit of the files. */
	readonly git?: boolean;
	/** Where the session runs, inside the project. */
	readonly cwd?: string;
	/** All that a person who had watched would tell the model, in short; left out: nothing. */
	readonly notes?: readonly string[];
	/** Needs a process that stays from a call to its result. */
	readonly isHeld?: true;
	/** Needs the guard's remarks. */
	readonly isEnforced?: true;
	readonly play: (agent: EngineAgent) => void;
}

export const A = "alpha one\nbeta two\ngamma three\ndelta four\nepsilon five\nzeta six\neta seven\ntheta eight\n";
export const LONG = Array.from({ length: 300 }, (_, n) => `const value${n} = ${n};\n`).join("");

/** A program of the project, found by its name. */
export function program(agent: EngineAgent, name: string, script: string): void {
	agent.put(`bin/${name}`, `#!/bin/sh\n${script}\n`);
	chmodSync(agent.path(`bin/${name}`), 0o755);
}
export const withBin = (command: string) => `PATH="$PWD/bin:$PATH"; ${command}`;

export const read = (path: string) => ({ tool: "read", input: { path } });
export const bash = (command: string) => ({ tool: "bash", input: { command } });
export const edit = (path: string, oldText: string, newText: string) => ({
	tool: "edit",
	input: { path, edits: [{ oldText, newText }] },
});

const OWN: Ordinary[] = [
	{
		name: "a here-document makes a file, an edit follows",
		play: (a) => {
			a.bash("cat > n.ts <<'EOF'\nfirst line\nsecond line\nEOF");
			a.edit("n.ts", "second line", "2nd line");
		},
	},
	{
		name: "a here-document makes a file, a write follows",
		play: (a) => {
			a.bash("cat <<'EOF' > n.ts\nfirst line\nEOF");
			a.write("n.ts", "all new\n");
		},
	},
	{
		name: "a here-document rewrites a file that was read, then edit and write",
		notes: ["own a.ts"],
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.bash("cat > a.ts <<'EOF'\nall other\ntext here\nEOF");
			a.edit("a.ts", "text here", "TEXT");
			a.write("a.ts", "again\n");
		},
	},
	{
		name: "echo > makes a file",
		play: (a) => {
			a.bash("echo 'hello world' > n.txt");
			a.edit("n.txt", "hello", "bye");
			a.write("n.txt", "x\n");
		},
	},
	{
		name: ">> appends to a file that was read, then edit and write",
		notes: ["own a.ts +iota nine"],
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.bash("printf 'iota nine\\n' >> a.ts");
			a.edit("a.ts", "iota nine", "IOTA");
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "the output of a program goes to a known file, and is written over",
		notes: ["own out.json"],
		files: { "out.json": LONG },
		play: (a) => {
			a.read("out.json");
			a.bash("seq 1 400 > out.json");
			a.write("out.json", "{}\n");
		},
	},
	{
		name: "tee makes a file",
		play: (a) => {
			a.bash("echo 'some text' | tee n.txt > /dev/null");
			a.edit("n.txt", "some", "any");
		},
	},
	{
		name: "tee -a on a known file",
		notes: ["own a.ts +more"],
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.bash("echo more | tee -a a.ts");
			a.edit("a.ts", "alpha one", "ALPHA");
		},
	},
	{
		name: "a copy of a known file",
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.bash("cp a.ts b.ts");
			a.edit("b.ts", "beta two", "BETA");
			a.write("b.ts", "x\n");
		},
	},
	{
		name: "a copy of a file that nobody has read",
		files: { "template.ts": A },
		play: (a) => {
			a.bash("mkdir -p src && cp template.ts src/new.ts");
			a.edit("src/new.ts", "beta two", "BETA");
			a.write("src/new.ts", "x\n");
		},
	},
	{
		name: "a copy into a folder",
		files: { "a.ts": A },
		play: (a) => {
			a.bash("mkdir lib; cp a.ts lib");
			a.write("lib/a.ts", "x\n");
		},
	},
	{
		name: "a folder is copied, a file in the copy is edited",
		files: { "src/a.ts": A, "src/b.ts": "b\n" },
		play: (a) => {
			a.read("src/a.ts");
			a.bash("cp -r src lib");
			a.edit("lib/a.ts", "beta two", "BETA");
		},
	},
	{
		name: "a known file is moved, then edited and written",
		notes: ["own a.ts (deleted)"],
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.bash("mkdir lib && mv a.ts lib/b.ts");
			a.edit("lib/b.ts", "beta two", "BETA");
			a.write("lib/b.ts", "x\n");
		},
	},
	{
		name: "a folder is moved, a file in it is edited",
		notes: ["own src/deep/a.ts (deleted)"],
		files: { "src/deep/a.ts": A },
		play: (a) => {
			a.read("src/deep/a.ts");
			a.bash("mv src lib");
			a.edit("lib/deep/a.ts", "beta two", "BETA");
			a.write("lib/deep/a.ts", "x\n");
		},
	},
	{
		name: "git mv",
		notes: ["own a.ts (deleted)"],
		files: { "a.ts": A },
		git: true,
		play: (a) => {
			a.read("a.ts");
			a.bash("git mv a.ts b.ts");
			a.edit("b.ts", "beta two", "BETA");
		},
	},
	{
		name: "sed -i, then edit and write",
		notes: ["own a.ts -beta two +BETA two", "own a.ts -gamma three +GAMMA three"],
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.bash("sed -i s/beta/BETA/ a.ts");
			a.edit("a.ts", "BETA two", "beta 2");
			a.bash("sed -i.bak 's/gamma/GAMMA/' a.ts");
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "sed -i over a glob",
		notes: ["own src/b.ts -beta two +BETA two", "own src/a.ts -beta two +BETA two"],
		files: { "src/a.ts": A, "src/b.ts": A },
		play: (a) => {
			a.read("src/a.ts");
			a.read("src/b.ts");
			a.bash("sed -i s/beta/BETA/ src/*.ts");
			a.edit("src/a.ts", "BETA two", "b");
			a.write("src/b.ts", "x\n");
		},
	},
	{
		name: "a loop over files with sed -i",
		notes: ["own a.ts -beta two +BETA two", "unseen b.ts"],
		files: { "a.ts": A, "b.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.bash('for f in a.ts b.ts; do sed -i s/beta/BETA/ "$f"; done');
			a.edit("a.ts", "BETA two", "b");
			a.edit("b.ts", "BETA two", "b");
		},
	},
	{
		name: "find and xargs with sed -i",
		notes: ["maybe src/a.ts -beta two +BETA two"],
		files: { "src/a.ts": A },
		play: (a) => {
			a.read("src/a.ts");
			a.bash("grep -rl beta src | xargs sed -i s/beta/BETA/");
			a.edit("src/a.ts", "BETA two", "b");
			a.write("src/a.ts", "x\n");
		},
	},
	{
		name: "perl -pi",
		notes: ["own a.ts -beta two +BETA two"],
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.bash("perl -pi -e 's/beta/BETA/' a.ts");
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "a script of the agent's own changes a file",
		notes: ["own a.ts -beta two +BETA two"],
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.write("fix.sh", "sed s/beta/BETA/ a.ts > tmp && cat tmp > a.ts\n");
			a.bash("sh fix.sh");
			a.edit("a.ts", "BETA two", "b");
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "a script in the line makes a file",
		isHeld: true,
		play: (a) => {
			a.bash(`sh -s <<'E'\nf=made.txt; echo "made by script" > made.txt\nE`);
			a.edit("made.txt", "made by", "done by");
		},
	},
	{
		name: "a script that nobody can look into makes a file: an edit passes",
		files: { "gen.sh": "d=out; mkdir $d; printf 'generated text\\n' > $d/made.ts\n" },
		play: (a) => {
			a.bash("sh ./gen.sh");
			a.edit("out/made.ts", "generated text", "edited text");
		},
	},
	{
		name: "cd into a folder and write there",
		play: (a) => {
			a.bash("mkdir -p pkg/src && cd pkg && cat > src/n.ts <<'EOF'\nfirst line\nEOF");
			a.edit("pkg/src/n.ts", "first", "1st");
		},
	},
	{
		name: "a group of commands writes a file",
		play: (a) => {
			a.bash("{ echo 'one line'; echo 'two lines'; } > n.txt");
			a.write("n.txt", "x\n");
		},
	},
	{
		name: "bash -c writes a file",
		play: (a) => {
			a.bash("bash -c 'echo inner text > n.txt'");
			a.write("n.txt", "x\n");
		},
	},
	{
		name: "a file is emptied, then written",
		notes: ["own a.ts"],
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.bash(": > a.ts");
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "a file is removed, then written anew",
		notes: ["own a.ts (deleted)"],
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.bash("rm a.ts");
			a.write("a.ts", "x\n");
			a.edit("a.ts", "x", "y");
		},
	},
	{
		name: "write, edit, write of a new file",
		play: (a) => {
			a.write("n.ts", "first line\n");
			a.edit("n.ts", "first", "1st");
			a.write("n.ts", "x\n");
		},
	},
	{
		name: "a file of blank lines alone is written",
		files: { "n.py": "\n\n" },
		play: (a) => a.write("n.py", "all new\n"),
	},
	{
		name: "an empty file is written",
		files: { "empty.ts": "" },
		play: (a) => void a.write("empty.ts", "x\n"),
	},
];

OWN.push(
	{
		name: "a here-document to a path with a variable",
		play: (a) => {
			a.bash('D="$PWD"; cat > "$D/n.ts" <<EOF\nfirst line\nsecond line\nEOF');
			a.edit("n.ts", "first line", "FIRST");
			a.bash('D="$PWD"; cat > "$D/m.ts" <<EOF\nfirst line\nsecond line\nEOF');
			a.write("m.ts", "new\n");
		},
	},
	{
		name: "a long here-document makes a file, the tests run, edit and write",
		play: (a) => {
			a.bash(`cat > n.ts <<'EOF'\n${LONG.repeat(4)}last line\nEOF\nsleep 0`);
			a.edit("n.ts", "last line", "LAST");
			a.write("n.ts", "new\n");
		},
	},
	{
		name: "eighty files are changed by sed, and the oldest is edited",
		notes: [
			"own f71.ts, f70.ts, f69.ts, f68.ts, f67.ts, f66.ts, f65.ts, f64.ts, 64 more.",
			"own f79.ts -alpha one +ALPHA one",
			"own f78.ts -alpha one +ALPHA one",
			"own f77.ts -alpha one +ALPHA one",
			"own f76.ts -alpha one +ALPHA one",
			"own f75.ts -alpha one +ALPHA one",
			"own f74.ts -alpha one +ALPHA one",
			"own f73.ts -alpha one +ALPHA one",
			"own f72.ts -alpha one +ALPHA one",
			"unseen f0.ts",
		],
		files: Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`f${n}.ts`, `${A}${n}\n`])),
		play: (a) => {
			for (let n = 0; n < 80; n++) a.read(`f${n}.ts`);
			a.bash("sed -i s/alpha/ALPHA/ *.ts");
			a.edit("f0.ts", "beta two", "BETA");
		},
	},
	{
		name: "sed -i on a file that nobody has read, then an edit",
		notes: ["unseen a.ts"],
		files: { "a.ts": A },
		play: (a) => {
			a.bash("sed -i s/alpha/ALPHA/ a.ts");
			a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "a file is made by >, the tests run, a write follows",
		play: (a) => {
			a.bash("printf 'a\\nb\\n' > n.ts; sleep 0");
			a.write("n.ts", "new\n");
		},
	},
	{
		name: "a here-document with a variable in its text makes a file, the tests run, a write follows",
		play: (a) => {
			a.bash("V=1; cat > n.ts <<EOF\nvalue $V\nother\nEOF\nsleep 0");
			a.write("n.ts", "new\n");
		},
	},
	{
		name: "a here-document over a scratch file outside of the project",
		notes: ["taken tmp/try.sh (overwritten)"],
		files: { "tmp/try.sh": "echo old\n", "app/a.ts": A },
		cwd: "app",
		play: (a) => void a.bash("cat > ../tmp/try.sh <<'EOF'\necho new\nEOF\nsh ../tmp/try.sh"),
	},
	{
		name: "a write of what the user has just saved",
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.put("a.ts", "the same\n");
			a.write("a.ts", "the same\n");
		},
	},
	{
		name: "a log is written again and again",
		isHeld: true,
		notes: [
			"own out.log",
			"own out.log 116 lines",
			"taken out.log (overwritten)",
			"own out.log",
			"own out.log 116 lines",
			"taken out.log (overwritten)",
			"own out.log",
		],
		play: (a) => {
			for (let n = 0; n < 3; n++) {
				a.bash(`seq ${n + 200} > out.log; sleep 0; tail -1 out.log`);
				a.bash("rm out.log; echo again > out.log");
			}
		},
	},
);

const SHOWN: Ordinary[] = [
	{
		name: "cat, then edit and write",
		files: { "a.ts": A },
		play: (a) => {
			a.bash("cat a.ts");
			a.edit("a.ts", "beta two", "BETA");
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "cat among other commands",
		files: { "a.ts": A },
		play: (a) => {
			a.bash("pwd; ls -la; echo ---; cat a.ts; echo ---");
			a.edit("a.ts", "eta seven\n", "ETA\n");
		},
	},
	{
		name: "head, then an edit there",
		files: { "a.ts": A },
		play: (a) => {
			a.bash("head -n 3 a.ts");
			a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "tail, then an edit there",
		files: { "a.ts": A },
		play: (a) => {
			a.bash("tail -2 a.ts");
			a.edit("a.ts", "theta eight", "THETA");
		},
	},
	{
		name: "sed -n with a range",
		files: { "a.ts": A },
		play: (a) => {
			a.bash("sed -n '2,4p' a.ts");
			a.edit("a.ts", "gamma three", "GAMMA");
		},
	},
	{
		name: "awk with line numbers",
		files: { "a.ts": A },
		play: (a) => {
			a.bash("awk 'NR>=2 && NR<=4 {print}' a.ts");
			a.edit("a.ts", "delta four", "DELTA");
		},
	},
	{
		name: "grep -n of one file",
		files: { "a.ts": A },
		play: (a) => {
			a.bash("grep -n gamma a.ts");
			a.edit("a.ts", "gamma three", "GAMMA");
		},
	},
	{
		name: "grep -rn with context over a folder",
		files: { "src/a.ts": A, "src/b.ts": "other\n" },
		play: (a) => {
			a.bash("grep -rn -C1 gamma src");
			a.edit("src/a.ts", "beta two", "BETA");
		},
	},
	{
		name: "the host's own grep",
		files: { "a.ts": A },
		play: (a) => {
			a.call({ tool: "grep", input: { pattern: "gamma", path: "a.ts" } });
			a.edit("a.ts", "gamma three", "GAMMA");
		},
	},
	{
		name: "cat -n and nl",
		files: { "a.ts": A, "b.ts": A.replace("alpha", "ALPHA") },
		play: (a) => {
			a.bash("cat -n a.ts");
			a.edit("a.ts", "gamma three", "GAMMA");
			a.bash("nl -ba b.ts");
			a.write("b.ts", "x\n");
		},
	},
	{
		name: "head of several files",
		files: { "a.ts": A, "src/b.ts": "one thing\nother thing\n" },
		play: (a) => {
			a.bash("head -5 a.ts src/b.ts");
			a.edit("src/b.ts", "other thing", "x");
		},
	},
	{
		name: "cat of a glob",
		files: { "src/a.ts": A, "src/b.ts": "one thing\nother thing\n" },
		play: (a) => {
			a.bash("cat src/*.ts");
			a.edit("src/b.ts", "other thing", "x");
			a.write("src/a.ts", "x\n");
		},
	},
	{
		name: "a loop that prints files",
		files: { "a.ts": A, "b.ts": "one thing\nother thing\n" },
		play: (a) => {
			a.bash('for f in a.ts b.ts; do echo "== $f"; cat $f; done');
			a.edit("b.ts", "other thing", "x");
		},
	},
	{
		name: "cat through a pipe",
		files: { "a.ts": A },
		play: (a) => {
			a.bash("cat a.ts | head -4 | tail -2");
			a.edit("a.ts", "gamma three", "GAMMA");
		},
	},
	{
		name: "git diff shows the lines around a change",
		files: { "a.ts": A },
		git: true,
		play: (a) => {
			a.put("a.ts", A.replace("delta four", "delta 4"));
			a.bash("git diff");
			a.edit("a.ts", "delta 4", "DELTA");
		},
	},
	{
		name: "git show of a file as it is",
		files: { "a.ts": A },
		git: true,
		play: (a) => {
			a.bash("git show HEAD:a.ts");
			a.edit("a.ts", "gamma three", "GAMMA");
		},
	},
	{
		name: "read in two parts, then a write of the whole",
		files: { "a.ts": LONG },
		play: (a) => {
			a.read("a.ts", { limit: 150 });
			a.read("a.ts", { offset: 151 });
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "the user pastes lines of a file, an edit there follows",
		files: { "a.ts": A },
		play: (a) => {
			a.user("In a.ts it says:\n```\nbeta two\ngamma three\n```\nMake it 2.");
			a.edit("a.ts", "beta two\ngamma three", "beta 2\ngamma three");
		},
	},
	{
		name: "the user gives a whole file with the prompt, edit and write follow",
		files: { "a.ts": A, "b.ts": A.replaceAll("\n", "\r\n") },
		play: (a) => {
			a.user(`<file name="${a.path("a.ts")}">\n${a.text("a.ts")}\n</file>\nMake it new.`);
			a.edit("a.ts", "beta two", "beta 2");
			a.write("b.ts", "all new\n");
		},
	},
	{
		name: "an edit that fails shows the place, and the next one fits",
		isEnforced: true,
		files: { "a.ts": LONG },
		play: (a) => {
			a.bash("wc -l a.ts");
			a.read("a.ts", { limit: 20 });
			const failed = a.edit("a.ts", "const value200 = 'two hundred';", "x");
			if (!failed.notes.join().includes("201\tconst value200 = 200;")) throw new Error(failed.text);
			a.got.pop();
			a.edit("a.ts", "const value200 = 200;", "const value200 = 0;");
		},
	},
];

const PRINTED: readonly [command: string, what: string][] = [
	["find src -name '*.ts' | xargs cat", "find and xargs with cat"],
	["grep -r beta src", "grep without line numbers"],
	["grep --color=always -n beta src/a.ts", "grep in colours"],
	["python3 -c \"print(open('src/'+'a.ts').read())\"", "a program that prints it"],
];
SHOWN.push(
	...PRINTED.map(
		([command, what]): Ordinary => ({
			name: `${what}, then an edit there`,
			files: { "src/a.ts": A },
			play: (a) => {
				a.bash(command);
				a.edit("src/a.ts", "beta two", "BETA");
			},
		}),
	),
);

const PROGRAMS: Ordinary[] = [
	{
		name: "a formatter that names the file",
		notes: ["own a.ts 16 lines"],
		files: { "a.ts": A },
		play: (a) => {
			program(a, "prettier", 'sed -i "s/ / · /" "$2"');
			a.read("a.ts");
			a.bash(withBin("prettier --write a.ts"));
			a.edit("a.ts", "beta · two", "BETA");
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "a formatter behind npm run, then an edit",
		notes: ["maybe src/a.ts 16 lines"],
		files: { "src/a.ts": A, "src/b.ts": A },
		play: (a) => {
			program(a, "npm", "sed -i 's/ / · /' src/*.ts");
			a.read("src/a.ts");
			a.bash(withBin("npm run format"));
			a.edit("src/a.ts", "beta · two", "BETA");
			a.write("src/a.ts", "x\n");
		},
	},
	{
		name: "a formatter changes more than can be shown: an edit passes",
		notes: ["maybe a.ts 116 lines", "unseen a.ts"],
		files: { "a.ts": LONG },
		play: (a) => {
			program(a, "npm", "sed -i 's/ = /=/' a.ts");
			a.read("a.ts");
			a.bash(withBin("npm run format"));
			a.edit("a.ts", "const value250=250;", "x");
		},
	},
	{
		name: "an edit, a formatter on save, the next edit",
		notes: ["beside a.ts -theta eight +theta  eight"],
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			const format = () => writeFileSync(a.path("a.ts"), a.text("a.ts").replace("theta eight", "theta  eight"));
			a.call({ ...edit("a.ts", "beta two", "BETA"), afterwards: format });
			a.edit("a.ts", "theta  eight", "THETA");
		},
	},
	{
		name: "a write, a formatter on save, the next write",
		notes: ["beside n.ts +// formatted"],
		play: (a) => {
			const format = () => appendFileSync(a.path("n.ts"), "// formatted\n");
			a.call({ tool: "write", input: { path: "n.ts", content: "first\nsecond\n" }, afterwards: format });
			a.write("n.ts", "x\n");
		},
	},
	{
		name: "a code generator renews a known file",
		notes: ["maybe gen/api.ts -alpha one +alpha generated"],
		files: { "gen/api.ts": A },
		play: (a) => {
			program(a, "make", "sed -i 's/alpha one/alpha generated/' gen/api.ts");
			a.read("gen/api.ts");
			a.bash(withBin("make generate"));
			a.edit("gen/api.ts", "alpha generated", "x");
			a.write("gen/api.ts", "x\n");
		},
	},
	{
		name: "snapshots are renewed by a test run",
		notes: ["maybe a.snap -alpha one +alpha 1"],
		files: { "a.snap": A },
		play: (a) => {
			program(a, "npx", "sed -i 's/one/1/' a.snap");
			a.read("a.snap");
			a.bash(withBin("npx vitest -u"));
			a.edit("a.snap", "alpha 1", "x");
		},
	},
	{
		name: "a package manager changes its files",
		isHeld: true,
		notes: ["own package.json", "own package-lock.json 116 lines", "unseen package.json"],
		files: { "package.json": '{\n  "name": "x",\n  "version": "1.0.0"\n}\n', "package-lock.json": LONG },
		play: (a) => {
			program(a, "npm", `sed -i 's/1.0.0/1.0.1/' package.json; seq 1 900 > package-lock.json`);
			a.read("package.json");
			a.read("package-lock.json", { limit: 10 });
			a.bash(withBin("npm install left-pad"));
			a.edit("package.json", '"1.0.1"', '"2.0.0"');
			a.write("package.json", "{}\n");
		},
	},
	{
		name: "npm init, then a write of package.json",
		isHeld: true,
		play: (a) => {
			program(a, "npm", "printf '{\\n}\\n' > package.json");
			a.bash(withBin("npm init -y"));
			a.write("package.json", "{}\n");
		},
	},
	{
		name: "a generator makes a project, its files are written",
		play: (a) => {
			program(a, "cargo", 'mkdir -p "$2/src"; printf "fn main() {}\\n" > "$2/src/main.rs"');
			a.bash(withBin("cargo new app"));
			a.write("app/src/main.rs", "fn main() { run() }\n");
		},
	},
	{
		name: "a notebook is run, then a cell is edited",
		notes: ['maybe n.ipynb -  {"source": ["1 + 1"], "outputs": []} +  {"source": ["1 + 1"], "outputs": [2]}'],
		files: { "n.ipynb": '{\n "cells": [\n  {"source": ["1 + 1"], "outputs": []}\n ]\n}\n' },
		play: (a) => {
			program(a, "jupyter", `sed -i 's/"outputs": \\[\\]/"outputs": [2]/' n.ipynb`);
			a.read("n.ipynb");
			a.bash(withBin("jupyter nbconvert --execute --inplace n.ipynb"));
			a.edit("n.ipynb", '"1 + 1"', '"1 + 2"');
		},
	},
	{
		name: "a build that writes elsewhere",
		files: { "a.ts": A },
		play: (a) => {
			program(a, "make", "mkdir -p dist; cp a.ts dist/a.js");
			a.read("a.ts");
			a.bash(withBin("make"));
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "a program that nobody knows changes the file that it is given",
		notes: ["own a.ts -beta two +BETA two"],
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.call({ tool: "refactor", input: { target: "a.ts" }, during: () => a.put("a.ts", A.replace("beta", "BETA")) });
			a.edit("a.ts", "BETA two", "b");
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "a subagent changes a file",
		notes: ["maybe a.ts -beta two +BETA two"],
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.call({ tool: "task", input: { prompt: "x" }, during: () => a.put("a.ts", A.replace("beta", "BETA")) });
			a.edit("a.ts", "BETA two", "b");
		},
	},
];

const GIT: Ordinary[] = [
	{
		name: "another branch and back",
		notes: ["own a.ts +side", "own a.ts -side"],
		files: { "a.ts": A },
		git: true,
		play: (a) => {
			a.bash("git checkout -q -b side; echo side >> a.ts; git commit -qam side; git checkout -q -");
			a.read("a.ts");
			a.bash("git checkout -q side");
			a.bash("git checkout -q -");
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "another branch, then an edit that fits there",
		notes: ["own a.ts +side"],
		files: { "a.ts": A },
		git: true,
		play: (a) => {
			a.bash("git checkout -q -b side; echo side >> a.ts; git commit -qam side; git checkout -q -");
			a.read("a.ts");
			a.bash("git checkout -q side");
			a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "a file that another branch does not have comes back",
		notes: ["own a.ts (deleted)"],
		files: { "a.ts": A, "b.ts": "b\n" },
		git: true,
		play: (a) => {
			a.bash("git checkout -q -b side; git rm -q a.ts; git commit -qm gone; git checkout -q -");
			a.read("a.ts");
			a.bash("git checkout -q side");
			a.bash("git checkout -q -");
			a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "stash and pop",
		files: { "a.ts": A },
		git: true,
		play: (a) => {
			a.read("a.ts");
			a.edit("a.ts", "beta two", "BETA");
			a.bash("git stash -q && git stash pop -q");
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "own changes are taken back by git, then edit and write",
		notes: ["own a.ts -BETA +beta two", "own a.ts -b +beta two"],
		files: { "a.ts": A },
		git: true,
		play: (a) => {
			a.read("a.ts");
			a.edit("a.ts", "beta two", "BETA");
			a.bash("git checkout -- a.ts");
			a.edit("a.ts", "beta two", "b");
			a.bash("git restore a.ts");
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "a commit, a tag and a log",
		files: { "a.ts": A },
		git: true,
		play: (a) => {
			a.read("a.ts");
			a.edit("a.ts", "beta two", "BETA");
			a.bash("git add -A && git commit -qm work && git tag t && git log --oneline");
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "a merge that adds lines elsewhere",
		notes: ["own a.ts +side"],
		files: { "a.ts": A },
		git: true,
		play: (a) => {
			a.bash("git checkout -q -b side; echo side >> a.ts; git commit -qam side; git checkout -q -");
			a.read("a.ts");
			a.bash("git merge -q side");
			a.edit("a.ts", "beta two", "BETA");
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "a patch in the line is applied",
		notes: ["own a.ts -alpha one +ALPHA"],
		files: { "a.ts": A },
		git: true,
		play: (a) => {
			a.read("a.ts");
			a.bash("git apply <<'E'\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n-alpha one\n+ALPHA\n beta two\nE");
			a.edit("a.ts", "ALPHA", "alpha");
			a.write("a.ts", "x\n");
		},
	},
];

const DISK: Ordinary[] = [
	{
		name: "a watcher rewrites the file, the host asks before the request, an edit follows",
		notes: ["unseen a.ts"],
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.put("a.ts", A.replace("alpha one", "alpha generated"));
			a.request();
			a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "a touch, a save without a change, a file renamed into place",
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			utimesSync(a.path("a.ts"), new Date(), new Date());
			a.edit("a.ts", "beta two", "BETA");
			a.put("a.ts", a.text("a.ts"));
			a.write("a.ts", A);
			a.put("a.ts.tmp", A);
			renameSync(a.path("a.ts.tmp"), a.path("a.ts"));
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "somebody changes lines that were never shown, an edit elsewhere follows",
		isHeld: true,
		files: { "a.ts": LONG },
		play: (a) => {
			a.read("a.ts", { limit: 20 });
			a.put("a.ts", LONG.replace("value250 = 250", "value250 = 0"));
			a.edit("a.ts", "const value5 = 5;", "x");
		},
	},
	{
		name: "a file with CRLF, read and edited",
		files: { "a.ts": A.replaceAll("\n", "\r\n") },
		play: (a) => {
			a.read("a.ts");
			a.edit("a.ts", "beta two", "BETA");
			a.bash("cat a.ts");
			a.write("a.ts", "x\r\n");
		},
	},
	{
		name: "line ends become CRLF",
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.put("a.ts", A.replaceAll("\n", "\r\n"));
			a.edit("a.ts", "beta two", "BETA");
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "a CRLF file that only cat has shown",
		files: { "a.ts": A.replaceAll("\n", "\r\n") },
		play: (a) => {
			a.bash("cat a.ts");
			a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "read by a symlink, edited by its real name, written by the shell through the link",
		isHeld: true,
		notes: ["own real/a.ts +more"],
		files: { "real/a.ts": A },
		play: (a) => {
			symlinkSync("real/a.ts", a.path("link.ts"));
			a.read("link.ts");
			a.edit("real/a.ts", "beta two", "BETA");
			a.bash("echo more >> link.ts");
			a.edit("real/a.ts", "gamma three", "GAMMA");
			a.write("link.ts", "x\n");
		},
	},
	{
		name: "two files whose names differ in case",
		files: { "Readme.md": A, "README.md": "other text\n" },
		play: (a) => {
			a.read("Readme.md");
			a.read("README.md");
			a.edit("Readme.md", "beta two", "BETA");
			a.write("README.md", "x\n");
		},
	},
	{
		name: "a monorepo: from one package into another",
		notes: ["own packages/shared/util.ts -gamma three +GAMMA three"],
		files: { "packages/a/index.ts": A, "packages/shared/util.ts": A.replace("alpha", "util") },
		cwd: "packages/a",
		play: (a) => {
			a.read("../shared/util.ts");
			a.edit(a.path("../shared/util.ts"), "beta two", "BETA");
			a.bash("cd ../shared && sed -i s/gamma/GAMMA/ util.ts");
			a.write("../shared/util.ts", "x\n");
			a.bash("cat index.ts");
			a.edit("./index.ts", "beta two", "BETA");
		},
	},
	{
		name: "a name with spaces and other letters",
		notes: ["own my docs/名前 one.md -beta two +BETA two"],
		files: { "my docs/名前 one.md": A },
		play: (a) => {
			a.read("my docs/名前 one.md");
			a.bash("sed -i s/beta/BETA/ 'my docs/名前 one.md'");
			a.write("my docs/名前 one.md", "x\n");
		},
	},
	{
		name: "three hours later, with the text still in the context",
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.project.ahead += 3 * 3_600_000;
			a.edit("a.ts", "beta two", "BETA");
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "the host is started again",
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.edit("a.ts", "beta two", "BETA");
			a.bash("cat > b.ts <<'EOF'\nfirst line\nEOF");
			a.project.restart();
			a.write("a.ts", "x\n");
			a.edit("b.ts", "first", "1st");
		},
	},
];

const BATCHES: Ordinary[] = [
	{
		name: "cat and edit in one batch",
		files: { "a.ts": A },
		play: (a) => void a.batch([bash("cat a.ts"), edit("a.ts", "beta two", "BETA")]),
	},
	{
		name: "grep and edit in one batch",
		files: { "a.ts": A },
		play: (a) =>
			void a.batch([{ tool: "grep", input: { pattern: "beta", path: "a.ts" } }, edit("a.ts", "beta two", "BETA")]),
	},
	{
		name: "read and edit in one batch",
		files: { "a.ts": A },
		play: (a) => void a.batch([read("a.ts"), edit("a.ts", "beta two", "BETA")]),
	},
	{
		name: "read and edit in one batch, the edit is done first; another edit follows",
		files: { "a.ts": A },
		play: (a) => {
			a.batch([read("a.ts"), edit("a.ts", "beta two", "BETA")], [1, 0]);
			a.edit("a.ts", "gamma three", "GAMMA");
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "two edits of one file in one batch, and a write after them",
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.batch([edit("a.ts", "beta two", "BETA"), edit("a.ts", "gamma three", "GAMMA")]);
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "an edit beside a command that takes longer",
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.batch([bash("true"), edit("a.ts", "beta two", "BETA")], [0, 1]);
			a.write("a.ts", "x\n");
		},
	},
	{
		name: "two commands in one batch, one of them writes",
		notes: ["own a.ts -beta two +BETA two"],
		files: { "a.ts": A },
		play: (a) => {
			a.read("a.ts");
			a.batch([bash("ls"), bash("sed -i s/beta/BETA/ a.ts")], [0, 1]);
			a.edit("a.ts", "BETA two", "b");
		},
	},
	{
		name: "many reads in one batch, then edits in one batch",
		files: { "a.ts": A, "b.ts": LONG },
		play: (a) => {
			a.batch([read("a.ts"), read("b.ts")]);
			a.batch([edit("a.ts", "beta two", "BETA"), edit("b.ts", "value7 = 7", "value7 = 0")]);
		},
	},
];

export const ORDINARY: readonly Ordinary[] = [...OWN, ...SHOWN, ...PROGRAMS, ...GIT, ...DISK, ...BATCHES];
