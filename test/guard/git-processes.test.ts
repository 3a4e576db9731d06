/** How often does the guard start git? Each start takes time before every command of an agent. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { EngineAgent, EngineProject } from "../rig/engine-agent.ts";

let project: EngineProject;
let agent: EngineAgent;
let folder = "";
let list = "";
const path = process.env["PATH"] ?? "";

before(() => {
	project = new EngineProject();
	folder = project.folder();
	const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
	git("init", "-q");
	for (const name of ["a.ts", "src/b.ts", "notes.txt"]) put(name, `${name}\n`);
	git("add", "a.ts", "src/b.ts");
	git("-c", "user.name=t", "-c", "user.email=t", "commit", "-qm", "one");
	const bin = join(project.root, "bin");
	list = join(project.root, "started.txt");
	mkdirSync(bin);
	const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
	writeFileSync(join(bin, "git"), `#!/bin/sh\nprintf '%s\\n' "$*" >> '${list}'\nexec '${real}' "$@"\n`);
	chmodSync(join(bin, "git"), 0o755);
	process.env["PATH"] = `${bin}${delimiter}${path}`;
	agent = new EngineAgent(project, folder);
});

after(() => {
	process.env["PATH"] = path;
	project[Symbol.dispose]();
});

function put(name: string, text: string): void {
	mkdirSync(join(folder, "src"), { recursive: true });
	writeFileSync(join(folder, name), text);
}

/** The verbs that git was started with for a call of the agent, before it and after it. */
function startsOf(act: () => unknown): string[] {
	rmSync(list, { force: true });
	act();
	const lines = existsSync(list) ? readFileSync(list, "utf8").trim().split("\n") : [];
	return lines.flatMap((line) => /\b(?:config|status|ls-files|cat-file|ls-tree|reflog|diff)\b/.exec(line)?.[0] ?? line);
}

const LOOK = ["config", "status"];

test("the first look at a folder reads its index once", () => {
	assert.deepEqual(
		startsOf(() => agent.bash("make || true")),
		[...LOOK, "ls-files"],
	);
});

for (const line of ["ls -la", "cat a.ts", "grep -rn one .", "sed -n 1,9p a.ts", "cat a.ts | head -3 && pwd"]) {
	test(`none for a line that leaves files alone: ${line}`, () => {
		assert.deepEqual(
			startsOf(() => agent.bash(line)),
			[],
		);
	});
}

test("none for a line that names what it writes, for a read and for an edit", () => {
	assert.deepEqual(
		startsOf(() => agent.bash("echo x > notes.txt")),
		[],
	);
	assert.deepEqual(
		startsOf(() => agent.read("a.ts")),
		[],
	);
	assert.deepEqual(
		startsOf(() => agent.edit("a.ts", "a.ts", "a.ts, changed")),
		[],
	);
});

const RISKY = [
	"make || true",
	"./build.sh || true",
	"cd src && make || true",
	"rm -f gone.txt; make || true",
	"for f in *.none; do rm -f $f; done",
];
for (const line of RISKY) {
	test(`one look, whatever the line has in it: ${line}`, () => {
		assert.deepEqual(
			startsOf(() => agent.bash(line)),
			LOOK,
		);
	});
}
