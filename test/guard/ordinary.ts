/** Ordinary work: nothing here may be blocked, and every tool must succeed. */
import { appendFileSync, chmodSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import type { AgentTrait, HookedAgent } from "../rig/hooked-agent.ts";

export interface Ordinary {
	readonly name: string;
	readonly files?: Readonly<Record<string, string>>;
	/** Starts with a commit of the files. */
	readonly git?: boolean;
	/** Where the session runs, inside the project. */
	readonly cwd?: string;
	/** All that a person who had watched would tell the model, in short; left out: nothing. */
	readonly notes?: readonly string[];
	/** The notes in agents that lack this. `waits`: the last call is blocked there. */
	readonly without?: {
		readonly trait: AgentTrait;
		readonly notes?: readonly string[];
		readonly waits?: true;
	};
	/** Needs a process that stays from a call to its result. */
	readonly isHeld?: true;
	/** Needs the guard's remarks. */
	readonly isEnforced?: true;
	readonly play: (agent: HookedAgent) => unknown;
}

export const A = "alpha one\nbeta two\ngamma three\ndelta four\nepsilon five\nzeta six\neta seven\ntheta eight\n";
export const LONG = Array.from({ length: 300 }, (_, n) => `const value${n} = ${n};\n`).join("");

/** A program of the project, found by its name. */
export function program(agent: HookedAgent, name: string, script: string): void {
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
		play: async (a) => {
			await a.bash("cat > n.ts <<'EOF'\nfirst line\nsecond line\nEOF");
			await a.edit("n.ts", "second line", "2nd line");
		},
	},
	{
		name: "a here-document makes a file, a write follows",
		play: async (a) => {
			await a.bash("cat <<'EOF' > n.ts\nfirst line\nEOF");
			await a.write("n.ts", "all new\n");
		},
	},
	{
		name: "a here-document rewrites a file that was read, then edit and write",
		notes: ["own a.ts"],
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("cat > a.ts <<'EOF'\nall other\ntext here\nEOF");
			await a.edit("a.ts", "text here", "TEXT");
			await a.write("a.ts", "again\n");
		},
	},
	{
		name: "echo > makes a file",
		play: async (a) => {
			await a.bash("echo 'hello world' > n.txt");
			await a.edit("n.txt", "hello", "bye");
			await a.write("n.txt", "x\n");
		},
	},
	{
		name: ">> appends to a file that was read, then edit and write",
		notes: ["own a.ts +iota nine"],
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("printf 'iota nine\\n' >> a.ts");
			await a.edit("a.ts", "iota nine", "IOTA");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "the output of a program goes to a known file, and is written over",
		notes: ["own out.json"],
		files: { "out.json": LONG },
		play: async (a) => {
			await a.read("out.json");
			await a.bash("seq 1 400 > out.json");
			await a.write("out.json", "{}\n");
		},
	},
	{
		name: "tee makes a file",
		play: async (a) => {
			await a.bash("echo 'some text' | tee n.txt > /dev/null");
			await a.edit("n.txt", "some", "any");
		},
	},
	{
		name: "tee -a on a known file",
		notes: ["own a.ts +more"],
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("echo more | tee -a a.ts");
			await a.edit("a.ts", "alpha one", "ALPHA");
		},
	},
	{
		name: "a copy of a known file",
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("cp a.ts b.ts");
			await a.edit("b.ts", "beta two", "BETA");
			await a.write("b.ts", "x\n");
		},
	},
	{
		name: "a copy of a file that nobody has read",
		files: { "template.ts": A },
		play: async (a) => {
			await a.bash("mkdir -p src && cp template.ts src/new.ts");
			await a.edit("src/new.ts", "beta two", "BETA");
			await a.write("src/new.ts", "x\n");
		},
	},
	{
		name: "a copy into a folder",
		files: { "a.ts": A },
		play: async (a) => {
			await a.bash("mkdir lib; cp a.ts lib");
			await a.write("lib/a.ts", "x\n");
		},
	},
	{
		name: "a folder is copied, a file in the copy is edited",
		files: { "src/a.ts": A, "src/b.ts": "b\n" },
		play: async (a) => {
			await a.read("src/a.ts");
			await a.bash("cp -r src lib");
			await a.edit("lib/a.ts", "beta two", "BETA");
		},
	},
	{
		name: "a known file is moved, then edited and written",
		notes: ["own a.ts (deleted)"],
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("mkdir lib && mv a.ts lib/b.ts");
			await a.edit("lib/b.ts", "beta two", "BETA");
			await a.write("lib/b.ts", "x\n");
		},
	},
	{
		name: "a folder is moved, a file in it is edited",
		notes: ["own src/deep/a.ts (deleted)"],
		files: { "src/deep/a.ts": A },
		play: async (a) => {
			await a.read("src/deep/a.ts");
			await a.bash("mv src lib");
			await a.edit("lib/deep/a.ts", "beta two", "BETA");
			await a.write("lib/deep/a.ts", "x\n");
		},
	},
	{
		name: "git mv",
		notes: ["own a.ts (deleted)"],
		files: { "a.ts": A },
		git: true,
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("git mv a.ts b.ts");
			await a.edit("b.ts", "beta two", "BETA");
		},
	},
	{
		name: "sed -i, then edit and write",
		notes: ["own a.ts -beta two +BETA two", "own a.ts -gamma three +GAMMA three"],
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("sed -i s/beta/BETA/ a.ts");
			await a.edit("a.ts", "BETA two", "beta 2");
			await a.bash("sed -i.bak 's/gamma/GAMMA/' a.ts");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "sed -i over a glob",
		notes: ["own src/b.ts -beta two +BETA two", "own src/a.ts -beta two +BETA two"],
		files: { "src/a.ts": A, "src/b.ts": A },
		play: async (a) => {
			await a.read("src/a.ts");
			await a.read("src/b.ts");
			await a.bash("sed -i s/beta/BETA/ src/*.ts");
			await a.edit("src/a.ts", "BETA two", "b");
			await a.write("src/b.ts", "x\n");
		},
	},
	{
		name: "a loop over files with sed -i",
		notes: ["own a.ts -beta two +BETA two", "unseen b.ts"],
		files: { "a.ts": A, "b.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.bash('for f in a.ts b.ts; do sed -i s/beta/BETA/ "$f"; done');
			await a.edit("a.ts", "BETA two", "b");
			await a.edit("b.ts", "BETA two", "b");
		},
	},
	{
		name: "find and xargs with sed -i",
		notes: ["maybe src/a.ts -beta two +BETA two"],
		files: { "src/a.ts": A },
		play: async (a) => {
			await a.read("src/a.ts");
			await a.bash("grep -rl beta src | xargs sed -i s/beta/BETA/");
			await a.edit("src/a.ts", "BETA two", "b");
			await a.write("src/a.ts", "x\n");
		},
	},
	{
		name: "perl -pi",
		notes: ["own a.ts -beta two +BETA two"],
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("perl -pi -e 's/beta/BETA/' a.ts");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "a script of the agent's own changes a file",
		notes: ["own a.ts -beta two +BETA two"],
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.write("fix.sh", "sed s/beta/BETA/ a.ts > tmp && cat tmp > a.ts\n");
			await a.bash("sh fix.sh");
			await a.edit("a.ts", "BETA two", "b");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "a script in the line makes a file",
		isHeld: true,
		play: async (a) => {
			await a.bash(`sh -s <<'E'\nf=made.txt; echo "made by script" > made.txt\nE`);
			await a.edit("made.txt", "made by", "done by");
		},
	},
	{
		name: "a script that nobody can look into makes a file: an edit passes",
		files: { "gen.sh": "d=out; mkdir $d; printf 'generated text\\n' > $d/made.ts\n" },
		play: async (a) => {
			await a.bash("sh ./gen.sh");
			await a.edit("out/made.ts", "generated text", "edited text");
		},
	},
	{
		name: "cd into a folder and write there",
		play: async (a) => {
			await a.bash("mkdir -p pkg/src && cd pkg && cat > src/n.ts <<'EOF'\nfirst line\nEOF");
			await a.edit("pkg/src/n.ts", "first", "1st");
		},
	},
	{
		name: "a group of commands writes a file",
		play: async (a) => {
			await a.bash("{ echo 'one line'; echo 'two lines'; } > n.txt");
			await a.write("n.txt", "x\n");
		},
	},
	{
		name: "bash -c writes a file",
		play: async (a) => {
			await a.bash("bash -c 'echo inner text > n.txt'");
			await a.write("n.txt", "x\n");
		},
	},
	{
		name: "a file is emptied, then written",
		notes: ["own a.ts"],
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.bash(": > a.ts");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "a file is removed, then written anew",
		notes: ["own a.ts (deleted)"],
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("rm a.ts");
			await a.write("a.ts", "x\n");
			await a.edit("a.ts", "x", "y");
		},
	},
	{
		name: "write, edit, write of a new file",
		play: async (a) => {
			await a.write("n.ts", "first line\n");
			await a.edit("n.ts", "first", "1st");
			await a.write("n.ts", "x\n");
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
		play: (a) => a.write("empty.ts", "x\n"),
	},
];

OWN.push(
	{
		name: "a here-document to a path with a variable",
		play: async (a) => {
			await a.bash('D="$PWD"; cat > "$D/n.ts" <<EOF\nfirst line\nsecond line\nEOF');
			await a.edit("n.ts", "first line", "FIRST");
			await a.bash('D="$PWD"; cat > "$D/m.ts" <<EOF\nfirst line\nsecond line\nEOF');
			await a.write("m.ts", "new\n");
		},
	},
	{
		name: "a long here-document makes a file, the tests run, edit and write",
		play: async (a) => {
			await a.bash(`cat > n.ts <<'EOF'\n${LONG.repeat(4)}last line\nEOF\nsleep 0`);
			await a.edit("n.ts", "last line", "LAST");
			await a.write("n.ts", "new\n");
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
		play: async (a) => {
			for (let n = 0; n < 80; n++) await a.read(`f${n}.ts`);
			await a.bash("sed -i s/alpha/ALPHA/ *.ts");
			await a.edit("f0.ts", "beta two", "BETA");
		},
	},
	{
		name: "sed -i on a file that nobody has read, then an edit",
		notes: ["unseen a.ts"],
		files: { "a.ts": A },
		play: async (a) => {
			await a.bash("sed -i s/alpha/ALPHA/ a.ts");
			await a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "a file is made by >, the tests run, a write follows",
		play: async (a) => {
			await a.bash("printf 'a\\nb\\n' > n.ts; sleep 0");
			await a.write("n.ts", "new\n");
		},
	},
	{
		name: "a here-document with a variable in its text makes a file, the tests run, a write follows",
		play: async (a) => {
			await a.bash("V=1; cat > n.ts <<EOF\nvalue $V\nother\nEOF\nsleep 0");
			await a.write("n.ts", "new\n");
		},
	},
	{
		name: "a here-document over a scratch file outside of the project",
		notes: ["taken tmp/try.sh (overwritten)"],
		files: { "tmp/try.sh": "echo old\n", "app/a.ts": A },
		cwd: "app",
		play: (a) => a.bash("cat > ../tmp/try.sh <<'EOF'\necho new\nEOF\nsh ../tmp/try.sh"),
	},
	{
		name: "a write of what the user has just saved",
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			a.put("a.ts", "the same\n");
			await a.write("a.ts", "the same\n");
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
		without: {
			trait: "remembers texts",
			notes: [
				"own out.log.",
				"own out.log.",
				"taken out.log (overwritten)",
				"own out.log.",
				"own out.log.",
				"taken out.log (overwritten)",
				"own out.log.",
			],
		},
		play: async (a) => {
			for (let n = 0; n < 3; n++) {
				await a.bash(`seq ${n + 200} > out.log; sleep 0; tail -1 out.log`);
				await a.bash("rm out.log; echo again > out.log");
			}
		},
	},
);

const SHOWN: Ordinary[] = [
	{
		name: "cat, then edit and write",
		files: { "a.ts": A },
		play: async (a) => {
			await a.bash("cat a.ts");
			await a.edit("a.ts", "beta two", "BETA");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "cat among other commands",
		files: { "a.ts": A },
		play: async (a) => {
			await a.bash("pwd; ls -la; echo ---; cat a.ts; echo ---");
			await a.edit("a.ts", "eta seven\n", "ETA\n");
		},
	},
	{
		name: "head, then an edit there",
		files: { "a.ts": A },
		play: async (a) => {
			await a.bash("head -n 3 a.ts");
			await a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "tail, then an edit there",
		files: { "a.ts": A },
		play: async (a) => {
			await a.bash("tail -2 a.ts");
			await a.edit("a.ts", "theta eight", "THETA");
		},
	},
	{
		name: "sed -n with a range",
		files: { "a.ts": A },
		play: async (a) => {
			await a.bash("sed -n '2,4p' a.ts");
			await a.edit("a.ts", "gamma three", "GAMMA");
		},
	},
	{
		name: "awk with line numbers",
		files: { "a.ts": A },
		play: async (a) => {
			await a.bash("awk 'NR>=2 && NR<=4 {print}' a.ts");
			await a.edit("a.ts", "delta four", "DELTA");
		},
	},
	{
		name: "grep -n of one file",
		files: { "a.ts": A },
		play: async (a) => {
			await a.bash("grep -n gamma a.ts");
			await a.edit("a.ts", "gamma three", "GAMMA");
		},
	},
	{
		name: "grep -rn with context over a folder",
		files: { "src/a.ts": A, "src/b.ts": "other\n" },
		play: async (a) => {
			await a.bash("grep -rn -C1 gamma src");
			await a.edit("src/a.ts", "beta two", "BETA");
		},
	},
	{
		name: "the host's own grep",
		files: { "a.ts": A },
		play: async (a) => {
			await a.call({ tool: "grep", input: { pattern: "gamma", path: "a.ts" } });
			await a.edit("a.ts", "gamma three", "GAMMA");
		},
	},
	{
		name: "cat -n and nl",
		files: { "a.ts": A, "b.ts": A.replace("alpha", "ALPHA") },
		play: async (a) => {
			await a.bash("cat -n a.ts");
			await a.edit("a.ts", "gamma three", "GAMMA");
			await a.bash("nl -ba b.ts");
			await a.write("b.ts", "x\n");
		},
	},
	{
		name: "head of several files",
		files: { "a.ts": A, "src/b.ts": "one thing\nother thing\n" },
		play: async (a) => {
			await a.bash("head -5 a.ts src/b.ts");
			await a.edit("src/b.ts", "other thing", "x");
		},
	},
	{
		name: "cat of a glob",
		files: { "src/a.ts": A, "src/b.ts": "one thing\nother thing\n" },
		play: async (a) => {
			await a.bash("cat src/*.ts");
			await a.edit("src/b.ts", "other thing", "x");
			await a.write("src/a.ts", "x\n");
		},
	},
	{
		name: "a loop that prints files",
		files: { "a.ts": A, "b.ts": "one thing\nother thing\n" },
		play: async (a) => {
			await a.bash('for f in a.ts b.ts; do echo "== $f"; cat $f; done');
			await a.edit("b.ts", "other thing", "x");
		},
	},
	{
		name: "cat through a pipe",
		files: { "a.ts": A },
		play: async (a) => {
			await a.bash("cat a.ts | head -4 | tail -2");
			await a.edit("a.ts", "gamma three", "GAMMA");
		},
	},
	{
		name: "git diff shows the lines around a change",
		files: { "a.ts": A },
		git: true,
		play: async (a) => {
			a.put("a.ts", A.replace("delta four", "delta 4"));
			await a.bash("git diff");
			await a.edit("a.ts", "delta 4", "DELTA");
		},
	},
	{
		name: "git show of a file as it is",
		files: { "a.ts": A },
		git: true,
		play: async (a) => {
			await a.bash("git show HEAD:a.ts");
			await a.edit("a.ts", "gamma three", "GAMMA");
		},
	},
	{
		name: "read in two parts, then a write of the whole",
		files: { "a.ts": LONG },
		play: async (a) => {
			await a.read("a.ts", { limit: 150 });
			await a.read("a.ts", { offset: 151 });
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "the user pastes lines of a file, an edit there follows",
		files: { "a.ts": A },
		play: async (a) => {
			await a.user("In a.ts it says:\n```\nbeta two\ngamma three\n```\nMake it 2.");
			await a.edit("a.ts", "beta two\ngamma three", "beta 2\ngamma three");
		},
	},
	{
		name: "the user gives a whole file with the prompt, edit and write follow",
		files: { "a.ts": A, "b.ts": A.replaceAll("\n", "\r\n") },
		play: async (a) => {
			await a.user(`<file name="${a.path("a.ts")}">\n${a.text("a.ts")}\n</file>\nMake it new.`);
			await a.edit("a.ts", "beta two", "beta 2");
			await a.write("b.ts", "all new\n");
		},
	},
	{
		name: "an edit that fails shows the place, and the next one fits",
		without: { trait: "shows failed edits", notes: ["unseen a.ts"] },
		isEnforced: true,
		files: { "a.ts": LONG },
		play: async (a) => {
			await a.bash("wc -l a.ts");
			await a.read("a.ts", { limit: 20 });
			const failed = await a.edit("a.ts", "const value200 = 'two hundred';", "x");
			const isShown = failed.notes.join().includes("201\tconst value200 = 200;");
			if (a.traits.has("shows failed edits") && !isShown) throw new Error(failed.text);
			a.got.pop();
			await a.edit("a.ts", "const value200 = 200;", "const value200 = 0;");
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
			play: async (a) => {
				await a.bash(command);
				await a.edit("src/a.ts", "beta two", "BETA");
			},
		}),
	),
);

const PROGRAMS: Ordinary[] = [
	{
		name: "a formatter that names the file",
		notes: ["own a.ts 16 lines"],
		files: { "a.ts": A },
		play: async (a) => {
			program(a, "prettier", 'sed -i "s/ / · /" "$2"');
			await a.read("a.ts");
			await a.bash(withBin("prettier --write a.ts"));
			await a.edit("a.ts", "beta · two", "BETA");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "a formatter behind npm run, then an edit",
		notes: ["maybe src/a.ts 16 lines"],
		files: { "src/a.ts": A, "src/b.ts": A },
		play: async (a) => {
			program(a, "npm", "sed -i 's/ / · /' src/*.ts");
			await a.read("src/a.ts");
			await a.bash(withBin("npm run format"));
			await a.edit("src/a.ts", "beta · two", "BETA");
			await a.write("src/a.ts", "x\n");
		},
	},
	{
		name: "a formatter changes more than can be shown: an edit passes",
		notes: ["maybe a.ts 116 lines", "unseen a.ts"],
		files: { "a.ts": LONG },
		play: async (a) => {
			program(a, "npm", "sed -i 's/ = /=/' a.ts");
			await a.read("a.ts");
			await a.bash(withBin("npm run format"));
			await a.edit("a.ts", "const value250=250;", "x");
		},
	},
	{
		name: "an edit, a formatter on save, the next edit",
		notes: ["beside a.ts -theta eight +theta  eight"],
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			const format = () => writeFileSync(a.path("a.ts"), a.text("a.ts").replace("theta eight", "theta  eight"));
			await a.call({ ...edit("a.ts", "beta two", "BETA"), afterwards: format });
			await a.edit("a.ts", "theta  eight", "THETA");
		},
	},
	{
		name: "a write, a formatter on save, the next write",
		notes: ["beside n.ts +// formatted"],
		play: async (a) => {
			const format = () => appendFileSync(a.path("n.ts"), "// formatted\n");
			await a.call({ tool: "write", input: { path: "n.ts", content: "first\nsecond\n" }, afterwards: format });
			await a.write("n.ts", "x\n");
		},
	},
	{
		name: "a code generator renews a known file",
		notes: ["maybe gen/api.ts -alpha one +alpha generated"],
		files: { "gen/api.ts": A },
		play: async (a) => {
			program(a, "make", "sed -i 's/alpha one/alpha generated/' gen/api.ts");
			await a.read("gen/api.ts");
			await a.bash(withBin("make generate"));
			await a.edit("gen/api.ts", "alpha generated", "x");
			await a.write("gen/api.ts", "x\n");
		},
	},
	{
		name: "snapshots are renewed by a test run",
		notes: ["maybe a.snap -alpha one +alpha 1"],
		files: { "a.snap": A },
		play: async (a) => {
			program(a, "npx", "sed -i 's/one/1/' a.snap");
			await a.read("a.snap");
			await a.bash(withBin("npx vitest -u"));
			await a.edit("a.snap", "alpha 1", "x");
		},
	},
	{
		name: "a package manager changes its files",
		isHeld: true,
		notes: ["own package.json", "own package-lock.json 116 lines", "unseen package.json"],
		without: {
			trait: "remembers texts",
			notes: ["own package-lock.json 20 lines", 'own package.json -  "version": "1.0.0" +  "version": "1.0.1"'],
		},
		files: { "package.json": '{\n  "name": "x",\n  "version": "1.0.0"\n}\n', "package-lock.json": LONG },
		play: async (a) => {
			program(a, "npm", `sed -i 's/1.0.0/1.0.1/' package.json; seq 1 900 > package-lock.json`);
			await a.read("package.json");
			await a.read("package-lock.json", { limit: 10 });
			await a.bash(withBin("npm install left-pad"));
			await a.edit("package.json", '"1.0.1"', '"2.0.0"');
			await a.write("package.json", "{}\n");
		},
	},
	{
		name: "npm init, then a write of package.json",
		isHeld: true,
		play: async (a) => {
			program(a, "npm", "printf '{\\n}\\n' > package.json");
			await a.bash(withBin("npm init -y"));
			await a.write("package.json", "{}\n");
		},
	},
	{
		name: "a generator makes a project, its files are written",
		play: async (a) => {
			program(a, "cargo", 'mkdir -p "$2/src"; printf "fn main() {}\\n" > "$2/src/main.rs"');
			await a.bash(withBin("cargo new app"));
			await a.write("app/src/main.rs", "fn main() { run() }\n");
		},
	},
	{
		name: "a notebook is run, then a cell is edited",
		notes: ['maybe n.ipynb -  {"source": ["1 + 1"], "outputs": []} +  {"source": ["1 + 1"], "outputs": [2]}'],
		files: { "n.ipynb": '{\n "cells": [\n  {"source": ["1 + 1"], "outputs": []}\n ]\n}\n' },
		play: async (a) => {
			program(a, "jupyter", `sed -i 's/"outputs": \\[\\]/"outputs": [2]/' n.ipynb`);
			await a.read("n.ipynb");
			await a.bash(withBin("jupyter nbconvert --execute --inplace n.ipynb"));
			await a.edit("n.ipynb", '"1 + 1"', '"1 + 2"');
		},
	},
	{
		name: "a build that writes elsewhere",
		files: { "a.ts": A },
		play: async (a) => {
			program(a, "make", "mkdir -p dist; cp a.ts dist/a.js");
			await a.read("a.ts");
			await a.bash(withBin("make"));
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "a program that nobody knows changes the file that it is given",
		notes: ["own a.ts -beta two +BETA two"],
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.call({
				tool: "refactor",
				input: { target: "a.ts" },
				during: () => a.put("a.ts", A.replace("beta", "BETA")),
			});
			await a.edit("a.ts", "BETA two", "b");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "a subagent changes a file",
		notes: ["maybe a.ts -beta two +BETA two"],
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.call({ tool: "task", input: { prompt: "x" }, during: () => a.put("a.ts", A.replace("beta", "BETA")) });
			await a.edit("a.ts", "BETA two", "b");
		},
	},
];

const GIT: Ordinary[] = [
	{
		name: "another branch and back",
		notes: ["own a.ts +side", "own a.ts -side"],
		files: { "a.ts": A },
		git: true,
		play: async (a) => {
			await a.bash("git checkout -q -b side; echo side >> a.ts; git commit -qam side; git checkout -q -");
			await a.read("a.ts");
			await a.bash("git checkout -q side");
			await a.bash("git checkout -q -");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "another branch, then an edit that fits there",
		notes: ["own a.ts +side"],
		files: { "a.ts": A },
		git: true,
		play: async (a) => {
			await a.bash("git checkout -q -b side; echo side >> a.ts; git commit -qam side; git checkout -q -");
			await a.read("a.ts");
			await a.bash("git checkout -q side");
			await a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "a file that another branch does not have comes back",
		notes: ["own a.ts (deleted)"],
		files: { "a.ts": A, "b.ts": "b\n" },
		git: true,
		play: async (a) => {
			await a.bash("git checkout -q -b side; git rm -q a.ts; git commit -qm gone; git checkout -q -");
			await a.read("a.ts");
			await a.bash("git checkout -q side");
			await a.bash("git checkout -q -");
			await a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "stash and pop",
		files: { "a.ts": A },
		git: true,
		play: async (a) => {
			await a.read("a.ts");
			await a.edit("a.ts", "beta two", "BETA");
			await a.bash("git stash -q && git stash pop -q");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "own changes are taken back by git, then edit and write",
		notes: ["own a.ts -BETA +beta two", "own a.ts -b +beta two"],
		files: { "a.ts": A },
		git: true,
		play: async (a) => {
			await a.read("a.ts");
			await a.edit("a.ts", "beta two", "BETA");
			await a.bash("git checkout -- a.ts");
			await a.edit("a.ts", "beta two", "b");
			await a.bash("git restore a.ts");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "a commit, a tag and a log",
		files: { "a.ts": A },
		git: true,
		play: async (a) => {
			await a.read("a.ts");
			await a.edit("a.ts", "beta two", "BETA");
			await a.bash("git add -A && git commit -qm work && git tag t && git log --oneline");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "a merge that adds lines elsewhere",
		notes: ["own a.ts +side"],
		files: { "a.ts": A },
		git: true,
		play: async (a) => {
			await a.bash("git checkout -q -b side; echo side >> a.ts; git commit -qam side; git checkout -q -");
			await a.read("a.ts");
			await a.bash("git merge -q side");
			await a.edit("a.ts", "beta two", "BETA");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "a patch in the line is applied",
		notes: ["own a.ts -alpha one +ALPHA"],
		files: { "a.ts": A },
		git: true,
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("git apply <<'E'\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n-alpha one\n+ALPHA\n beta two\nE");
			await a.edit("a.ts", "ALPHA", "alpha");
			await a.write("a.ts", "x\n");
		},
	},
];

const DISK: Ordinary[] = [
	{
		name: "a watcher rewrites the file, the host asks before the request, an edit follows",
		without: { trait: "looks before requests", notes: ["since a.ts -alpha one +alpha generated"] },
		notes: ["unseen a.ts"],
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			a.put("a.ts", A.replace("alpha one", "alpha generated"));
			await a.request();
			await a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "a touch, a save without a change, a file renamed into place",
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			utimesSync(a.path("a.ts"), new Date(), new Date());
			await a.edit("a.ts", "beta two", "BETA");
			a.put("a.ts", a.text("a.ts"));
			await a.write("a.ts", A);
			a.put("a.ts.tmp", A);
			renameSync(a.path("a.ts.tmp"), a.path("a.ts"));
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "somebody changes lines that were never shown, an edit elsewhere follows",
		isHeld: true,
		without: { trait: "remembers texts", notes: ["since a.ts"] },
		files: { "a.ts": LONG },
		play: async (a) => {
			await a.read("a.ts", { limit: 20 });
			a.put("a.ts", LONG.replace("value250 = 250", "value250 = 0"));
			await a.edit("a.ts", "const value5 = 5;", "x");
		},
	},
	{
		name: "a file with CRLF, read and edited",
		files: { "a.ts": A.replaceAll("\n", "\r\n") },
		play: async (a) => {
			await a.read("a.ts");
			await a.edit("a.ts", "beta two", "BETA");
			await a.bash("cat a.ts");
			await a.write("a.ts", "x\r\n");
		},
	},
	{
		name: "line ends become CRLF",
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			a.put("a.ts", A.replaceAll("\n", "\r\n"));
			await a.edit("a.ts", "beta two", "BETA");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "a CRLF file that only cat has shown",
		files: { "a.ts": A.replaceAll("\n", "\r\n") },
		play: async (a) => {
			await a.bash("cat a.ts");
			await a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "read by a symlink, edited by its real name, written by the shell through the link",
		isHeld: true,
		notes: ["own real/a.ts +more"],
		without: { trait: "remembers texts", waits: true },
		files: { "real/a.ts": A },
		play: async (a) => {
			symlinkSync("real/a.ts", a.path("link.ts"));
			await a.read("link.ts");
			await a.edit("real/a.ts", "beta two", "BETA");
			await a.bash("echo more >> link.ts");
			await a.edit("real/a.ts", "gamma three", "GAMMA");
			await a.write("link.ts", "x\n");
		},
	},
	{
		name: "two files whose names differ in case",
		files: { "Readme.md": A, "README.md": "other text\n" },
		play: async (a) => {
			await a.read("Readme.md");
			await a.read("README.md");
			await a.edit("Readme.md", "beta two", "BETA");
			await a.write("README.md", "x\n");
		},
	},
	{
		name: "a monorepo: from one package into another",
		notes: ["own packages/shared/util.ts -gamma three +GAMMA three"],
		files: { "packages/a/index.ts": A, "packages/shared/util.ts": A.replace("alpha", "util") },
		cwd: "packages/a",
		play: async (a) => {
			await a.read("../shared/util.ts");
			await a.edit(a.path("../shared/util.ts"), "beta two", "BETA");
			await a.bash("cd ../shared && sed -i s/gamma/GAMMA/ util.ts");
			await a.write("../shared/util.ts", "x\n");
			await a.bash("cat index.ts");
			await a.edit("./index.ts", "beta two", "BETA");
		},
	},
	{
		name: "a name with spaces and other letters",
		notes: ["own my docs/名前 one.md -beta two +BETA two"],
		files: { "my docs/名前 one.md": A },
		play: async (a) => {
			await a.read("my docs/名前 one.md");
			await a.bash("sed -i s/beta/BETA/ 'my docs/名前 one.md'");
			await a.write("my docs/名前 one.md", "x\n");
		},
	},
	{
		name: "three hours later, with the text still in the context",
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			a.ahead += 3 * 3_600_000;
			await a.edit("a.ts", "beta two", "BETA");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "the host is started again",
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.edit("a.ts", "beta two", "BETA");
			await a.bash("cat > b.ts <<'EOF'\nfirst line\nEOF");
			await a.restart();
			await a.write("a.ts", "x\n");
			await a.edit("b.ts", "first", "1st");
		},
	},
];

const BATCHES: Ordinary[] = [
	{
		name: "cat and edit in one batch",
		files: { "a.ts": A },
		play: (a) => a.batch([bash("cat a.ts"), edit("a.ts", "beta two", "BETA")]),
	},
	{
		name: "grep and edit in one batch",
		files: { "a.ts": A },
		play: (a) =>
			a.batch([{ tool: "grep", input: { pattern: "beta", path: "a.ts" } }, edit("a.ts", "beta two", "BETA")]),
	},
	{
		name: "read and edit in one batch",
		files: { "a.ts": A },
		play: (a) => a.batch([read("a.ts"), edit("a.ts", "beta two", "BETA")]),
	},
	{
		name: "read and edit in one batch, the edit is done first; another edit follows",
		files: { "a.ts": A },
		play: async (a) => {
			await a.batch([read("a.ts"), edit("a.ts", "beta two", "BETA")], [1, 0]);
			await a.edit("a.ts", "gamma three", "GAMMA");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "two edits of one file in one batch, and a write after them",
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.batch([edit("a.ts", "beta two", "BETA"), edit("a.ts", "gamma three", "GAMMA")]);
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "an edit beside a command that takes longer",
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.batch([bash("true"), edit("a.ts", "beta two", "BETA")], [0, 1]);
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "two commands in one batch, one of them writes",
		notes: ["own a.ts -beta two +BETA two"],
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.batch([bash("ls"), bash("sed -i s/beta/BETA/ a.ts")], [0, 1]);
			await a.edit("a.ts", "BETA two", "b");
		},
	},
	{
		name: "many reads in one batch, then edits in one batch",
		files: { "a.ts": A, "b.ts": LONG },
		play: async (a) => {
			await a.batch([read("a.ts"), read("b.ts")]);
			await a.batch([edit("a.ts", "beta two", "BETA"), edit("b.ts", "value7 = 7", "value7 = 0")]);
		},
	},
];

export const ORDINARY: readonly Ordinary[] = [...OWN, ...SHOWN, ...PROGRAMS, ...GIT, ...DISK, ...BATCHES];
