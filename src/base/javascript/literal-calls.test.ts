import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { literalCalls } from "./literal-calls.ts";

const calls = (script: string) => literalCalls(script, "tools").map(({ name, argument }) => [name, argument]);

describe("literalCalls", () => {
	const cases: readonly (readonly [script: string, ...calls: readonly [string, unknown][]])[] = [
		[
			'const r = await tools.run({cmd: "ls -l", "workdir": \'/a\', wait: 1_000,}); text(r)',
			["run", { cmd: "ls -l", workdir: "/a", wait: 1000 }],
		],
		["text(await tools.patch(`a\\n\\`b\\``));", ["patch", "a\n`b`"]],
		['const p = "x\\ty"; await tools.patch(p)', ["patch", "x\ty"]],
		['const cmd = "ls";\nawait tools.run({cmd})', ["run", { cmd: "ls" }]],
		['await tools.patch(["a", "b"].join("\\n") + "\\n")', ["patch", "a\nb\n"]],
		["const lines = ['a', 'b'];\nawait tools.patch(lines.join('\\n'))", ["patch", "a\nb"]],
		["await tools.patch(String.raw`a\\n`)", ["patch", "a\\n"]],
		[
			'const [a, b] = await Promise.all([tools.run({cmd: "a"}), tools.run({cmd: "b"})])',
			["run", { cmd: "a" }],
			["run", { cmd: "b" }],
		],
		["tools.run({a: [1, -2], b: {c: true, d: null}})", ["run", { a: [1, -2], b: { c: true, d: null } }]],
		["tools.say('\\u00e9\\x41\\u{1F600}')", ["say", "éA😀"]],
		["// tools.run('a')\n/* tools.run('b') */ text(\"tools.run('c')\")"],
		["tools.run(`${a}`); tools.run(a + 'b'); tools.run({cmd: f()}); tools.run(...x)"],
		["let cmd = 'a'; cmd = 'b'; tools.run(cmd)"],
		["const a = f('x');\ntools.run(a)"],
		["const a = 'x'.trim();\ntools.run(a)"],
		["const r = await tools.run({cmd: 'a'}).then((x) => x)", ["run", { cmd: "a" }]],
		["tools.run('never closed"],
		["mytools.run('a')"],
	];
	for (const [script, ...expected] of cases) {
		it(`reads ${script.slice(0, 70)}`, () => assert.deepEqual(calls(script), expected));
	}

	it("never throws, and reads what JSON.stringify wrote", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), fc.string(), (text, noise) => {
				literalCalls(`tools.${noise}`, "tools");
				literalCalls(`tools.a(${noise}`, "tools");
				assert.deepEqual(calls(`await tools.run({cmd: ${JSON.stringify(text)}})`), [["run", { cmd: text }]]);
			}),
		);
	});

	it("takes linear time", { timeout: 20_000 }, () => {
		for (const piece of ["tools.a(", "const a = ", "[", "{a:", "'", "`", "/*", "a+", "tools."]) {
			literalCalls(`tools.x;${piece.repeat(380_000 / piece.length)}`, "tools");
		}
	});
});
