import assert from "node:assert/strict";
import { test } from "node:test";
import { fileRiskOf } from "./file-risk.ts";

const NONE = [
	"ls -la && cat a.ts | head -5",
	"cd src && git status && git diff HEAD~1 -- a.ts",
	"git -C ../other log --oneline -3",
	"rg -n 'foo' src 2>/dev/null | sort | uniq -c",
	"find . -name '*.ts' -not -path './node_modules/*'",
	"sed -n '1,40p' a.ts",
	"echo done; sleep 1; export A=1",
	"mkdir -p a/b && touch a/b/c",
	"curl -s http://127.0.0.1:1/health",
];
const NAMED = ["echo hi > out.txt", "cat >> notes.md <<'E'\nx\nE", "git diff > a.patch", "ls 2> err.log"];
const ANY = [
	"git add -A",
	"rm a.ts",
	"make test",
	"npm test",
	"sh reset.sh",
	"./run",
	"source env.sh",
	"find . -delete",
	"find . -exec rm {} ;",
	"sed -i s/a/b/ a.ts",
	"sed 's/a/b/w out' a.ts",
	"awk '{print > \"x\"}' a",
	"curl -o a.ts http://127.0.0.1:1/",
	"ls | xargs rm",
	"echo $(rm -rf x)",
	"echo x > $f",
	"git commit -m x",
	"git stash",
	"git -c a=b checkout .",
	"docker run -v $PWD:/w image",
	"bash -c 'rm x'",
	"if true; then rm x; fi",
	"unparsable ((( line",
	"env rm x",
	"cat a | tee b",
];

test("a line leaves files alone only where each of its commands is known to", () => {
	for (const line of NONE) assert.equal(fileRiskOf(line), "none", line);
	for (const line of NAMED) assert.equal(fileRiskOf(line), "named", line);
	for (const line of ANY) assert.equal(fileRiskOf(line), "any", line);
});
