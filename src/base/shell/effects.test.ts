import assert from "node:assert/strict";
import { test } from "node:test";
import { effectsOf } from "./effects.ts";

const seen = (line: string) =>
	effectsOf(line).writes.map(({ how, path, under }) => `${how} ${path}${under ? "/…" : ""}`);

test("a function is a script of the line", () => {
	assert.deepEqual(effectsOf("fix() { sed -i s/a/b/ x.ts; }; fix && ls").scripts, ["fix() { sed -i s/a/b/ x.ts; }"]);
	assert.deepEqual(effectsOf("bash -c 'fix() { touch x; }; fix'").scripts, ["fix() { touch x; }"]);
});

test("what a line can be seen to write", () => {
	const cases: [line: string, ...writes: string[]][] = [
		["cat > a.ts <<'EOF'\nx > y\nEOF", "replace a.ts"],
		["cd pkg && echo x >> src/a.ts", "modify pkg/src/a.ts"],
		["make 2>&1 | tee build.log > /dev/null", "replace build.log"],
		["make | tee -a build.log", "modify build.log"],
		["{ echo a; echo b; } > c.txt 2> /dev/null", "replace c.txt"],
		["for i in 1 2; do echo $i; done > n.txt", "replace n.txt"],
		["sed -i.bak s/a/b/ x.ts y.ts", "modify s/a/b", "modify x.ts", "modify y.ts"],
		["cp a.ts b.ts", "replace b.ts", "replace b.ts/a.ts/…"],
		["git mv src/a.ts lib", "delete src/a.ts/…", "replace lib/…", "replace lib/a.ts/…"],
		["git checkout -- a.ts", "modify a.ts/…"],
		["git checkout main", "modify main/…"],
		["git checkout HEAD~1 src/a.ts", "modify HEAD~1/…", "modify src/a.ts/…"],
		["git checkout -b next main"],
		["git checkout -qf main", "modify ./…"],
		["git switch --discard-changes main", "modify ./…"],
		["git switch main"],
		["git restore --staged a.ts"],
		["git rm --cached a.ts"],
		["rm -rf old", "delete old/…"],
		["git worktree remove --force ../side", "delete ../side/…"],
		["bash -c 'echo x > in.txt'", "replace in.txt"],
		["bash -c 'ls' > out.txt", "replace out.txt"],
		["ls >& out.txt 2>&1 1>&-", "replace out.txt"],
		["npx prettier --write src", "modify src/…"],
		["npx prettier --check src"],
		["npm install left-pad", ...["package.json", "package-lock.json"].map((path) => `modify ${path}`)],
		["cargo new app", "modify app/…"],
		["grep -n x a.ts", ...[]],
	];
	for (const [line, ...writes] of cases)
		assert.deepEqual(seen(line).slice(0, Math.max(writes.length, 1)), writes, line);
});

test("what runs without being seen to write is told apart from what only looks", () => {
	for (const line of [
		"npm test",
		"npm run format",
		"git checkout main",
		"git stash",
		"./gen.sh",
		"make",
		"python gen.py",
	])
		assert.equal(effectsOf(line).isOpaque, true, line);
	for (const line of [
		"ls -la",
		"cat a.ts | head -5",
		"grep -rn x src",
		"git diff",
		"sleep 1",
		"echo x > a.ts",
		"git add .",
	])
		assert.equal(effectsOf(line).isOpaque, false, line);
});

test("a target that only the shell knows makes the line vague; scripts are for the caller to look into", () => {
	assert.equal(effectsOf("for f in *.ts; do echo x >> $f; done").isVague, true);
	assert.equal(effectsOf("rg -l x | xargs sed -i s/x/y/").isVague, true);
	assert.deepEqual(effectsOf("python3 - <<'E'\nopen('a.py','w')\nE").scripts, ["open('a.py','w')\n"]);
	assert.deepEqual(effectsOf("cd tools && node fix.mjs a").scriptFiles, ["tools/fix.mjs"]);
});

test("what a line may lose without naming it", () => {
	for (const line of [
		"git stash",
		"git stash push -m x",
		"git clean -fd",
		"find . -name '*.ts' -delete",
		"find . -exec rm {} +",
		"ls | xargs rm",
		"for f in *.ts; do rm $f; done",
		"tar xzf a.tgz",
		"unzip -o a.zip",
	])
		assert.equal(effectsOf(line).mayLose, true, line);
	for (const line of [
		"git stash pop",
		"git stash list",
		"git clean -n",
		"find . -name x",
		"tar czf a.tgz src",
		"ls | xargs cat",
	])
		assert.equal(effectsOf(line).mayLose, false, line);
});

test("what is lost by a line, what stands in it, and what runs after it", () => {
	const marked = (line: string) =>
		effectsOf(line).writes.map(({ path, loses, isLiteral, isLast }) => [
			path,
			...(loses ? ["loses"] : []),
			...(isLiteral ? ["literal"] : []),
			...(isLast ? [] : ["then more"]),
		]);
	const long = "x\n".repeat(20_000);
	assert.deepEqual(marked("echo x >> a; npm test"), [["a", "then more"]]);
	assert.deepEqual(marked("npm test > a; tail a"), [["a", "loses"]]);
	assert.deepEqual(marked("cat > a <<'E'\nx\nE\nnpm test"), [["a", "loses", "literal", "then more"]]);
	assert.deepEqual(marked(`cat > a <<'E'\n${long}E\necho done`), [["a", "loses", "literal"]]);
	assert.deepEqual(effectsOf(`cat > a <<'E'\n${long}E\necho done`).literals, [long]);
	assert.deepEqual(marked("cat <<E | tee a\nx\nE"), [["a", "loses", "literal"]]);
	assert.deepEqual(marked("tee -a a <<E\nx\nE"), [["a"]]);
	assert.deepEqual(marked("git reset --hard"), [[".", "loses"]]);
	assert.deepEqual(marked("mv a b")[0], ["a"]);
	assert.deepEqual(marked("rm a"), [["a", "loses"]]);
	assert.deepEqual(marked("sed -i s/x/y/ a").at(-1), ["a"]);
});

test("git clean -x and git stash --all take ignored files", () => {
	const lines = [
		"git clean -fdx",
		"git clean -fX",
		"git stash -a",
		"git stash push --all",
		"git clean -fd",
		"git stash -u",
	];
	const found = lines.filter((line) => effectsOf(line).takesIgnored);
	assert.deepEqual(found, lines.slice(0, 4));
});
