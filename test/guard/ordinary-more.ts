/** More ordinary work: changes by others that an edit still fits, calls of one batch, moved files, downloads, encodings. */
import { appendFileSync, chmodSync, writeFileSync } from "node:fs";
import { A, bash, edit, LONG, type Ordinary, program, read, withBin } from "./ordinary.ts";

const TWELVE = Array.from({ length: 12 }, (_, n) => `line number ${n + 1}\n`).join("");
const latin1 = (text: string) => Buffer.from(text, "latin1");

/** Somebody else changes the file, and the text that the edit names is still there once. */
const STILL_FITS: Ordinary[] = [
	{
		name: "a formatter runs on save between two edits",
		files: { "a.ts": A },
		notes: ["since a.ts -theta eight +theta  eight"],
		play: async (a) => {
			await a.read("a.ts");
			await a.edit("a.ts", "beta two", "BETA");
			a.put("a.ts", a.text("a.ts").replace("theta eight", "theta  eight"));
			await a.edit("a.ts", "gamma three", "GAMMA");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "another agent appends to the file before an edit",
		files: { "a.ts": A },
		notes: ["since a.ts +iota nine"],
		play: async (a) => {
			await a.read("a.ts");
			const other = await a.another();
			await other.read("a.ts");
			await other.edit("a.ts", "theta eight\n", "theta eight\niota nine\n");
			await a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "the user saves while the model thinks, and the edit is elsewhere",
		files: { "a.ts": A },
		notes: ["since a.ts -zeta six +zeta 6"],
		play: async (a) => {
			await a.read("a.ts");
			a.put("a.ts", A.replace("zeta six", "zeta 6"));
			await a.edit("a.ts", "beta two", "BETA");
			await a.edit("a.ts", "zeta 6", "ZETA");
		},
	},
	{
		name: "the user saves the edited line, and the old text is still in it",
		without: { trait: "edits pieces", waits: true },
		files: { "a.ts": A },
		notes: ["since a.ts -beta two +beta two, really"],
		play: async (a) => {
			await a.read("a.ts");
			a.put("a.ts", A.replace("beta two", "beta two, really"));
			await a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "an edit with two replacements that both still fit",
		files: { "a.ts": A },
		notes: ["since a.ts +iota nine"],
		play: async (a) => {
			await a.read("a.ts");
			appendFileSync(a.path("a.ts"), "iota nine\n");
			const edits = [
				{ oldText: "beta two", newText: "BETA" },
				{ oldText: "zeta six", newText: "ZETA" },
			];
			await a.call({ tool: "edit", input: { path: "a.ts", edits } });
		},
	},
	{
		name: "a patch whose lines are all still there",
		files: { "a.ts": A },
		notes: ["since a.ts +iota nine"],
		play: async (a) => {
			await a.read("a.ts");
			appendFileSync(a.path("a.ts"), "iota nine\n");
			const input = "*** Begin Patch\n*** Update File: a.ts\n@@\n alpha one\n-beta two\n+BETA\n*** End Patch";
			await a.call({ tool: "apply_patch", input: { input } });
		},
	},
	{
		name: "the user saves twice between two edits",
		files: { "a.ts": A },
		notes: ["since a.ts -eta seven +eta 7", "since a.ts +iota nine"],
		play: async (a) => {
			await a.read("a.ts");
			a.put("a.ts", A.replace("\neta seven", "\neta 7"));
			await a.edit("a.ts", "beta two", "BETA");
			appendFileSync(a.path("a.ts"), "iota nine\n");
			await a.edit("a.ts", "gamma three", "GAMMA");
		},
	},
	{
		name: "the user saves more than a note can show, an edit still fits",
		files: { "a.ts": `${A}${LONG}` },
		notes: ["since a.ts 113 lines"],
		play: async (a) => {
			await a.read("a.ts");
			a.put("a.ts", `${A}${LONG.replaceAll(" = ", "=")}`);
			await a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "the user puts the lines of a file in another order",
		files: { "a.ts": A },
		notes: ["since a.ts -alpha one +alpha one"],
		play: async (a) => {
			await a.read("a.ts");
			a.put("a.ts", `${A.replace("alpha one\n", "")}alpha one\n`);
			await a.edit("a.ts", "delta four", "DELTA");
		},
	},
	{
		name: "the other agent only reads, then both edit different files",
		files: { "a.ts": A, "b.ts": A.replace("alpha", "b-alpha") },
		play: async (a) => {
			const other = await a.another();
			await a.read("a.ts");
			await other.read("a.ts");
			await other.read("b.ts");
			await other.edit("b.ts", "beta two", "BETA");
			await a.edit("a.ts", "beta two", "BETA");
		},
	},
	{
		name: "another agent appends, this one reads it again and writes",
		without: { trait: "reads by a tool", notes: ["other a.ts +iota nine"] },
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			appendFileSync(a.path("a.ts"), "iota nine\n");
			await a.read("a.ts");
			await a.write("a.ts", "x\n");
		},
	},
];

const BATCHES: Ordinary[] = [
	{
		name: "a read beside an edit finds the file empty: the note has the text",
		without: { trait: "reads by a tool" },
		files: { "a.ts": "one\ntwo\n" },
		notes: ["filled a.ts"],
		play: async (a) => {
			await a.batch([{ ...read("a.ts"), says: "" }, edit("a.ts", "two", "2")]);
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "a read beside an edit finds the file empty, and the edit ends first",
		without: { trait: "reads by a tool" },
		files: { "a.ts": "one\ntwo\n" },
		notes: ["filled a.ts"],
		play: (a) => a.batch([{ ...read("a.ts"), says: "" }, edit("a.ts", "two", "2")], [1, 0]),
	},
	{
		name: "a known file is read and edited in one batch",
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.batch([read("a.ts"), edit("a.ts", "beta two", "BETA")]);
			await a.batch([edit("a.ts", "gamma three", "GAMMA"), read("a.ts")]);
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "three edits of one file end in the other order",
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			const calls = [edit("a.ts", "beta two", "B"), edit("a.ts", "zeta six", "Z"), edit("a.ts", "theta eight", "T")];
			await a.batch(calls, [2, 1, 0]);
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "an edit beside cat, which ends last",
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.batch([bash("cat a.ts"), edit("a.ts", "beta two", "BETA")], [1, 0]);
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "edits of two files beside the tests",
		files: { "a.ts": A, "b.ts": LONG },
		play: async (a) => {
			await a.batch([read("a.ts"), read("b.ts")]);
			await a.batch([edit("a.ts", "beta two", "B"), edit("b.ts", "value7 = 7", "value7 = 0"), bash("true")], [2, 0, 1]);
		},
	},
	{
		name: "sed -i and an edit of another file in one batch",
		files: { "a.ts": A, "b.ts": A.replace("alpha", "b-alpha") },
		notes: ["own b.ts -beta two +BETA two"],
		play: async (a) => {
			await a.batch([read("a.ts"), read("b.ts")]);
			await a.batch([bash("sed -i s/beta/BETA/ b.ts"), edit("a.ts", "beta two", "B")]);
			await a.edit("b.ts", "BETA two", "x");
		},
	},
	{
		name: "many greps of one file beside its edit",
		files: { "a.ts": A },
		play: async (a) => {
			const grep = (pattern: string) => ({ tool: "grep", input: { pattern, path: "a.ts" } });
			await a.batch([grep("alpha"), grep("gamma"), edit("a.ts", "gamma three", "G")]);
		},
	},
	{
		name: "a write of a new file beside a read of another",
		files: { "a.ts": A },
		play: (a) => a.batch([read("a.ts"), { tool: "write", input: { path: "n.ts", content: "new\n" } }]),
	},
];

const MOVED: Ordinary[] = [
	{
		name: "git mv of a file that was read whole, an edit, a write",
		files: { "a.ts": TWELVE },
		git: true,
		notes: ["own a.ts (deleted)"],
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("git mv a.ts b.ts");
			await a.edit("b.ts", "line number 3\n", "third\n");
			await a.write("b.ts", "x\n");
		},
	},
	{
		name: "git mv into a folder, an edit there",
		files: { "a.ts": TWELVE, "lib/x.ts": "x\n" },
		git: true,
		notes: ["own a.ts (deleted)"],
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("git mv a.ts lib/");
			await a.edit("lib/a.ts", "line number 9\n", "ninth\n");
		},
	},
	{
		name: "git mv of a folder, an edit in it",
		files: { "src/a.ts": TWELVE },
		git: true,
		notes: ["own src/a.ts (deleted)"],
		play: async (a) => {
			await a.read("src/a.ts");
			await a.bash("git mv src lib");
			await a.edit("lib/a.ts", "line number 9\n", "ninth\n");
			await a.write("lib/a.ts", "x\n");
		},
	},
	{
		name: "a file goes to another name and back",
		files: { "a.ts": A },
		notes: ["own a.ts (deleted)", "own b.ts (deleted)"],
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("mv a.ts b.ts");
			await a.bash("mv b.ts a.ts");
			await a.edit("a.ts", "beta two", "BETA");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "a copy is edited, and the original too",
		files: { "a.ts": TWELVE },
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("cp a.ts a.ts.bak");
			await a.edit("a.ts", "line number 3\n", "third\n");
			await a.edit("a.ts.bak", "line number 9\n", "ninth\n");
			await a.write("a.ts.bak", "x\n");
		},
	},
	{
		name: "a program writes a temporary file that takes the known one's place",
		files: { "a.ts": A },
		notes: ["own a.ts"],
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("sed s/beta/BETA/ a.ts > tmp && mv tmp a.ts");
			await a.edit("a.ts", "gamma three", "GAMMA");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "a program's output takes its place by mv, then a write",
		play: async (a) => {
			await a.bash("seq 1 50 > tmp && mv tmp out.txt");
			await a.write("out.txt", "x\n");
		},
	},
	{
		name: "a link is made, the file is edited through it",
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("ln -s a.ts link.ts");
			await a.edit("link.ts", "beta two", "BETA");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "ln -sf turns a link to another file, both were read",
		files: { "a.ts": A, "b.ts": A.replace("beta two", "beta 2") },
		notes: ["own now.ts -beta two +beta 2"],
		play: async (a) => {
			await a.bash("ln -s a.ts now.ts");
			await a.read("now.ts");
			await a.read("b.ts");
			await a.bash("ln -sf b.ts now.ts");
			await a.edit("now.ts", "beta 2", "BETA");
		},
	},
	{
		name: "ln -sf turns a link to a file that nobody has read, which is read then",
		files: { "a.ts": A, "b.ts": A.replace("beta two", "beta 2") },
		notes: ["own now.ts -beta two +beta 2"],
		play: async (a) => {
			await a.bash("ln -s a.ts now.ts");
			await a.read("now.ts");
			await a.bash("ln -sf b.ts now.ts");
			await a.read("now.ts");
			await a.edit("now.ts", "beta 2", "BETA");
			await a.write("now.ts", "x\n");
		},
	},
	{
		name: "two files are joined into one",
		files: { "a.ts": A, "b.ts": "b\n" },
		play: async (a) => {
			await a.bash("cat a.ts b.ts > c.ts");
			await a.write("c.ts", "x\n");
		},
	},
	{
		name: "a folder is renamed, the tests run, an edit",
		files: { "src/a.ts": TWELVE, "src/b.ts": "b\n" },
		notes: ["own src/a.ts (deleted)"],
		play: async (a) => {
			await a.read("src/a.ts");
			await a.bash("mv src lib; true");
			await a.bash("ls lib");
			await a.edit("lib/a.ts", "line number 9\n", "ninth\n");
		},
	},
];

const FETCHES: readonly [line: string, path: string][] = [
	["curl -o data.json https://example.org/x", "data.json"],
	["curl -sSLo data.json https://example.org/x", "data.json"],
	["curl --output=data.json https://example.org/x", "data.json"],
	["curl -fsSLO https://example.org/data.json?v=2", "data.json"],
	["wget -qO data.json https://example.org/x", "data.json"],
	["wget -q https://example.org/data.json", "data.json"],
];
/** Writes a file as the program would, without a network. */
const FETCH = "printf 'one\\ntwo\\nthree\\n' > data.json";

const FETCHED: Ordinary[] = FETCHES.flatMap(([line, path]): Ordinary[] => [
	{
		name: `${line.split(" https")[0]} makes a file, a write follows`,
		play: async (a) => {
			program(a, line.split(" ")[0] ?? "", FETCH);
			await a.bash(withBin(line));
			await a.edit(path, "two", "2");
			await a.write(path, "x\n");
		},
	},
]);

const TEXTS: Ordinary[] = [
	{
		name: "a Latin-1 file is read, changed by sed, and read",
		notes: ["own a.txt -tea +milk"],
		play: async (a) => {
			writeFileSync(a.path("a.txt"), latin1("café\ntea\nend\n"));
			await a.read("a.txt");
			await a.bash("LC_ALL=C sed -i s/tea/milk/ a.txt");
			await a.read("a.txt");
		},
	},
	{
		name: "a Latin-1 file is converted, then edited",
		notes: ["own a.txt"],
		play: async (a) => {
			writeFileSync(a.path("a.txt"), latin1("café\ntea\nend\n"));
			await a.read("a.txt");
			await a.bash("iconv -f latin1 -t utf-8 a.txt > b && mv b a.txt");
			await a.edit("a.txt", "café", "thé");
		},
	},
	{
		name: "a Latin-1 file is written whole as UTF-8",
		play: async (a) => {
			writeFileSync(a.path("a.txt"), latin1("café\ntea\nend\n"));
			await a.read("a.txt");
			await a.write("a.txt", "thé\n");
		},
	},
	{
		name: "a file with a byte order mark is read and edited",
		files: { "a.ts": `\uFEFF${A}` },
		play: async (a) => {
			await a.read("a.ts");
			await a.edit("a.ts", "beta two", "BETA");
			await a.edit("a.ts", "gamma three", "GAMMA");
		},
	},
	{
		name: "a file without a line break at its end is edited there",
		files: { "a.ts": "one\ntwo\nthree" },
		play: async (a) => {
			await a.read("a.ts");
			await a.edit("a.ts", "three", "3");
			await a.write("a.ts", "x");
		},
	},
	{
		name: "a CRLF file is changed by sed",
		files: { "a.ts": A.replaceAll("\n", "\r\n") },
		notes: ["own a.ts -beta two +BETA two"],
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("sed -i s/beta/BETA/ a.ts");
			await a.write("a.ts", "x\r\n");
		},
	},
	{
		name: "a file with mixed line ends is written whole",
		files: { "a.ts": "one\r\ntwo\nthree\r\n" },
		play: async (a) => {
			await a.read("a.ts");
			await a.write("a.ts", "one\ntwo\nthree\n");
		},
	},
	{
		name: "a file of one very long line is edited",
		files: { "a.json": `{"a": "${"x".repeat(20_000)}", "beta": 2}\n` },
		play: async (a) => {
			await a.read("a.json");
			await a.edit("a.json", '"beta": 2', '"beta": 3');
		},
	},
	{
		name: "a file with emoji and other letters is edited",
		files: { "a.md": "# 名前 🚀\nbeta two\n" },
		play: async (a) => {
			await a.read("a.md");
			await a.edit("a.md", "🚀", "✅");
			await a.edit("a.md", "beta two", "BETA");
		},
	},
];

/** A stub of a program changes a known file as the real one would. */
function stub(line: string, files: Ordinary["files"], script: string, notes: readonly string[]): Ordinary {
	const name = /\S+/.exec(line.replace(/^npx /, ""))?.[0] ?? "";
	const [path = ""] = Object.keys(files ?? {});
	return {
		name: `${line}, then an edit`,
		files: files ?? {},
		notes,
		play: async (a) => {
			program(a, name, script);
			if (line.startsWith("npx ")) program(a, "npx", `${script}`);
			await a.read(path);
			await a.bash(withBin(line));
			await a.edit(path, "gamma three", "GAMMA");
		},
	};
}

const IN_PLACE = "sed -i s/beta/BETA/ a.ts";
const CHANGED = "a.ts -beta two +BETA two";
const PROGRAMS: Ordinary[] = [
	stub(
		"npm pkg set type=module",
		{ "package.json": `{\n"name": "x",\n"beta": "gamma three"\n}\n` },
		"sed -i s/beta/BETA/ package.json",
		['own package.json -"beta": "gamma three" +"BETA": "gamma three"'],
	),
	stub("npx prettier --write .", { "a.ts": A }, IN_PLACE, [`own ${CHANGED}`]),
	stub("biome check --write a.ts", { "a.ts": A }, IN_PLACE, [`own ${CHANGED}`]),
	stub("gofmt -w a.ts", { "a.ts": A }, IN_PLACE, [`own ${CHANGED}`]),
	stub("ruff format .", { "a.ts": A }, IN_PLACE, [`own ${CHANGED}`]),
	stub("black a.ts", { "a.ts": A }, IN_PLACE, [`own ${CHANGED}`]),
	stub("eslint --fix a.ts", { "a.ts": A }, IN_PLACE, [`own ${CHANGED}`]),
	stub("cargo fmt", { "a.ts": A }, IN_PLACE, [`maybe ${CHANGED}`]),
	stub("make format", { "a.ts": A }, IN_PLACE, [`maybe ${CHANGED}`]),
	stub("npm test -- -u", { "a.ts": A }, IN_PLACE, [`maybe ${CHANGED}`]),
	stub("pytest --snapshot-update", { "a.ts": A }, IN_PLACE, [`maybe ${CHANGED}`]),
	{
		name: "a script in a here-document writes a file that it names",
		files: { "a.ts": A },
		notes: [`own ${CHANGED}`],
		play: async (a) => {
			await a.read("a.ts");
			const body = "p = 'a.ts'\ns = open(p).read()\nopen(p, 'w').write(s.replace('beta', 'BETA'))";
			await a.bash(`python3 - <<'EOF'\n${body}\nEOF`);
			await a.edit("a.ts", "BETA two", "b");
			await a.write("a.ts", "x\n");
		},
	},
	{
		name: "a patch file is applied",
		files: {
			"a.ts": A,
			"fix.patch": "--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,3 @@\n alpha one\n-beta two\n+BETA two\n gamma three\n",
		},
		notes: [`maybe ${CHANGED}`],
		play: async (a) => {
			await a.read("a.ts");
			await a.bash("patch -s -p1 < fix.patch");
			await a.edit("a.ts", "BETA two", "b");
		},
	},
	{
		name: "a file is sorted in place",
		files: { "a.txt": "c three\nb two\na one\n" },
		notes: ["own a.txt -c three -b two +b two +c three"],
		play: async (a) => {
			await a.read("a.txt");
			await a.bash("sort -o a.txt a.txt");
			await a.edit("a.txt", "a one", "A");
		},
	},
	{
		name: "chmod and touch, then edit and write",
		files: { "a.sh": "#!/bin/sh\necho one\n" },
		play: async (a) => {
			await a.read("a.sh");
			await a.bash("chmod +x a.sh; touch a.sh");
			await a.edit("a.sh", "echo one", "echo two");
			await a.write("a.sh", "x\n");
		},
	},
	{
		name: "the tests write a report that was read before",
		files: { "coverage.txt": "lines 80\n" },
		notes: ["maybe coverage.txt -lines 80 +lines 90"],
		play: async (a) => {
			program(a, "npm", "echo 'lines 90' > coverage.txt");
			await a.read("coverage.txt");
			await a.bash(withBin("npm test"));
			await a.edit("coverage.txt", "lines 90", "lines 91");
		},
	},
	{
		name: "a read-only file is made writable and edited",
		files: { "a.ts": A },
		play: async (a) => {
			chmodSync(a.path("a.ts"), 0o444);
			await a.read("a.ts");
			await a.bash("chmod u+w a.ts");
			await a.edit("a.ts", "beta two", "BETA");
		},
	},
];

const SIDE = "git checkout -q -b side; echo side >> a.ts; git commit -qam side; git checkout -q -";
const GIT: Ordinary[] = [
	...(
		[
			["git cherry-pick side", ["own a.ts +side"]],
			["git rebase -q side", ["own a.ts +side"]],
			["git switch -q side", ["own a.ts +side"]],
			["git checkout -q side -- a.ts", ["own a.ts +side"]],
			["git restore -s side a.ts", ["own a.ts +side"]],
			["git reset -q --hard side", ["own a.ts +side"]],
			["git diff HEAD side | git apply", ["own a.ts +side"]],
			["git show side:a.ts > a.ts", ["own a.ts"]],
		] as const
	).map(
		([line, notes]): Ordinary => ({
			name: `${line}, then an edit`,
			files: { "a.ts": A },
			git: true,
			notes,
			play: async (a) => {
				await a.bash(SIDE);
				await a.read("a.ts");
				await a.bash(line);
				await a.edit("a.ts", "beta two", "BETA");
			},
		}),
	),
	{
		name: "git revert of the own commit, then an edit",
		files: { "a.ts": A },
		git: true,
		notes: ["own a.ts -BETA +beta two"],
		play: async (a) => {
			await a.read("a.ts");
			await a.edit("a.ts", "beta two", "BETA");
			await a.bash("git commit -qam work");
			await a.bash("git revert --no-edit HEAD");
			await a.edit("a.ts", "beta two", "b");
		},
	},
	{
		name: "git stash, work on the old text, git stash pop",
		files: { "a.ts": A, "b.ts": "b one\n" },
		git: true,
		notes: ["own a.ts -BETA +beta two", "own a.ts -beta two +BETA"],
		play: async (a) => {
			await a.read("a.ts");
			await a.read("b.ts");
			await a.edit("a.ts", "beta two", "BETA");
			await a.bash("git stash -q");
			await a.edit("b.ts", "b one", "b two");
			await a.bash("git stash pop -q");
			await a.write("a.ts", "x\n");
		},
	},
];

/** Files that nobody has read, and that a command changes without taking a text of the user's. */
const UNREAD: Ordinary[] = [
	{
		name: "a generator of the agent's writes its output again",
		files: { "gen.sh": "F=made.txt\ndate +%N%s > $F\n" },
		git: true,
		play: async (a) => {
			await a.bash("sh gen.sh");
			await a.bash("sh ./gen.sh");
		},
	},
	{
		name: "a script appends to notes of the user's",
		files: { "log.sh": "F=$(echo notes.txt)\necho more >> $F\n" },
		git: true,
		play: async (a) => {
			a.put("notes.txt", "mine\n");
			await a.bash("sh log.sh");
		},
	},
	{
		name: "grep shows a line of a file of five megabytes, an edit there with its line break",
		files: { "a.ts": A },
		play: async (a) => {
			a.put("large.txt", Array.from({ length: 400_000 }, (_, n) => `line ${n}\n`).join(""));
			await a.bash("grep -n 'line 200000$' large.txt");
			await a.edit("large.txt", "line 200000\n", "line 200,000\n");
		},
	},
	{
		name: "sed -i changes a line of a file of five megabytes, grep shows it, an edit there",
		files: { "a.ts": A },
		notes: ["own large.txt."],
		play: async (a) => {
			await a.bash("seq -f 'line number %.0f' 300000 > large.txt");
			await a.bash("sed -i 's/number 500$/NUMBER 500/' large.txt");
			await a.bash("grep -n 'NUMBER 500$' large.txt");
			await a.edit("large.txt", "line NUMBER 500\n", "line 500\n");
		},
	},
	{
		name: "a server that was left running writes its log, which was read",
		files: { "a.ts": A, "server.log": "started\n" },
		notes: ["left server.log +request 1", "other a.ts -beta two +beta 2"],
		play: async (a) => {
			await a.read("a.ts");
			await a.read("server.log");
			await a.bash("(sleep 0 >> server.log) > /dev/null 2>&1 & echo started");
			await a.bash("ls", () => appendFileSync(a.path("server.log"), "request 1\n"));
			await a.bash("ls", () => a.put("a.ts", A.replace("beta two", "beta 2")));
		},
	},
	{
		name: "a script makes files, the agent looks at their names and removes them",
		files: { "build.sh": "mkdir gen; for i in 1 2 3; do echo text $i > gen/$i.txt; done\n" },
		git: true,
		play: async (a) => {
			await a.bash("sh build.sh");
			await a.bash("ls gen");
			await a.bash("rm -rf gen");
		},
	},
	{
		name: "a folder that nobody has read is packed, removed and unpacked in one line",
		files: { "src/s.ts": A },
		git: true,
		play: async (a) => {
			a.put("src/notes.txt", "of the user\n");
			await a.bash("tar cf b.tar src && rm -rf src && tar xf b.tar && rm b.tar");
		},
	},
	{
		name: "a work tree of the agent's own, changed by sed, committed and removed",
		files: { "a.ts": A },
		git: true,
		play: async (a) => {
			await a.bash("git worktree add -q ../tree -b side");
			await a.bash("cd ../tree && sed -i s/alpha/ALPHA/ a.ts && git commit -qam side");
			await a.bash("git worktree remove ../tree && git merge -q side");
		},
	},
	{
		name: "notes of the user's are moved, alone and with their folder",
		git: true,
		files: { "b.ts": "b\n" },
		play: async (a) => {
			a.put("notes.txt", "mine\n");
			a.put("draft/deep/one.txt", "first\n");
			await a.bash("mkdir -p old && mv notes.txt old/ && mv draft older");
			await a.bash("mv older ../elsewhere");
		},
	},
	{
		name: "sed -i on a file in a folder with brackets in its name, then an edit",
		notes: ["own app/[id]/page.tsx -beta two +BETA two"],
		files: { "app/[id]/page.tsx": A },
		play: async (a) => {
			await a.read("app/[id]/page.tsx");
			await a.bash("sed -i s/beta/BETA/ 'app/[id]/page.tsx'");
			await a.edit("app/[id]/page.tsx", "gamma three", "GAMMA three");
		},
	},
	{
		name: ">> after the user has appended too",
		notes: ["own a.ts +by hand +mine"],
		files: { "a.ts": A },
		play: async (a) => {
			await a.read("a.ts");
			a.put("a.ts", `${A}by hand\n`);
			await a.bash("echo mine >> a.ts");
		},
	},
	{
		name: "rm of all that is in a folder takes a known file deep in it",
		notes: ["own src/deep/a.ts (deleted)"],
		files: { "src/deep/a.ts": A },
		play: async (a) => {
			await a.read("src/deep/a.ts");
			await a.bash("rm -rf src/*");
		},
	},
	{
		name: "sed -i changes a line of notes of the user's",
		git: true,
		files: { "b.ts": "b\n" },
		play: async (a) => {
			a.put("notes.txt", "mine\nhere\n");
			await a.bash("sed -i s/here/there/ notes.txt");
		},
	},
];

export const ORDINARY_MORE: readonly Ordinary[] = [
	...UNREAD,
	...STILL_FITS,
	...BATCHES,
	...MOVED,
	...FETCHED,
	...TEXTS,
	...PROGRAMS,
	...GIT,
];
