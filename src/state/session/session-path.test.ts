import assert from "node:assert/strict";
import { test } from "node:test";
import { sessionPath } from "./session-path.ts";

const cases: readonly (readonly [path: string, cwd: string | undefined, expected: string])[] = [
	["src/a.ts", "/home/dev/app", "src/a.ts"],
	["./src//a.ts", "/home/dev/app", "src/a.ts"],
	["src/../b.ts", "/home/dev/app", "b.ts"],
	["/home/dev/app/src/a.ts", "/home/dev/app", "src/a.ts"],
	["/home/dev/app/src/a.ts", "/home/dev/app/", "src/a.ts"],
	["/home/dev/application/a.ts", "/home/dev/app", "/home/dev/application/a.ts"],
	["../other/a.ts", "/home/dev/app", "/home/dev/other/a.ts"],
	["/../../etc/hosts", "/home/dev/app", "/etc/hosts"],
	["/home/dev/app", "/home/dev/app", "."],
	["a.ts", "/", "a.ts"],
	["~/notes.md", "/home/dev/app", "~/notes.md"],
	["~", "/home/dev/app", "~"],
	["file:///home/dev/app/a.ts", "/home/dev/app", "a.ts"],
	["back\\slash.ts", "/home/dev/app", "back\\slash.ts"],
	["C:\\work\\app\\src\\a.ts", "C:\\work\\app", "src/a.ts"],
	["c:/Work/App/src/a.ts", "C:\\work\\app", "src/a.ts"],
	["src\\a.ts", "C:\\work\\app", "src/a.ts"],
	["D:\\other\\a.ts", "C:\\work\\app", "D:/other/a.ts"],
	["./a.ts", undefined, "a.ts"],
	["../a.ts", undefined, "../a.ts"],
	["Datei mit Leerzeichen.md", "/home/dev/app", "Datei mit Leerzeichen.md"],
];

for (const [path, cwd, expected] of cases) {
	test(`in ${cwd ?? "an unknown folder"}, ${path} is ${expected}`, () => {
		assert.equal(sessionPath(path, cwd), expected);
	});
}
