import assert from "node:assert/strict";
import { test } from "node:test";
import { EngineError } from "../../base/error/engine-error.ts";
import { compilePattern, windows } from "./pattern.ts";

async function matches(pattern: string, text: string, ignoreCase = false): Promise<readonly string[] | undefined> {
	const steps = (await compilePattern(pattern, { ignoreCase })).match(text);
	let step = steps.next();
	while (!step.done) step = steps.next();
	return step.value?.map(({ start, end }) => text.slice(start, end));
}

async function complaintOf(pattern: string): Promise<string> {
	const error = await compilePattern(pattern, { ignoreCase: false }).catch((reason: unknown) => reason);
	assert.ok(error instanceof EngineError && error.code === "bad-pattern", `${pattern}: ${error}`);
	return error.message;
}

test("anchors hold at lines, case counts unless it is ignored", async () => {
	assert.deepEqual(await matches("^b+$", "a\nbb\nc"), ["bb"]);
	assert.equal(await matches("B", "b"), undefined);
	assert.deepEqual(await matches("B", "b", true), ["b"]);
});

test("case 17: an invalid pattern is a typed error that says what is wrong", async () => {
	assert.match(await complaintOf("(foo"), /missing closing \): `\(foo`/);
	assert.match(await complaintOf("a**"), /\*\*/);
	assert.match(await complaintOf("a{2000}"), /repeat count/);
});

test("says which feature is not supported", async () => {
	for (const pattern of ["a(?=b)", "a(?!b)", "(?<=a)b", "(?<!a)b"])
		assert.match(await complaintOf(pattern), /Lookahead and lookbehind/);
	for (const pattern of ["(a)\\1", "(?<n>a)\\k<n>", "(?P<n>a)(?P=n)"])
		assert.match(await complaintOf(pattern), /Back-references/);
	for (const pattern of ["(?>a)", "a++"]) assert.match(await complaintOf(pattern), /possessive/);
});

test("case 20: a pattern of more than 500 characters is refused with the reason", async () => {
	assert.match(await complaintOf("a".repeat(501)), /501 characters; at most 500/);
	assert.deepEqual(await matches("a".repeat(500), "a".repeat(600)), ["a".repeat(500)]);
});

test("case 21: harmless groups with quantifiers are allowed", async () => {
	assert.deepEqual(await matches("(foo|bar)+", "x foobar"), ["foobar"]);
	assert.deepEqual(await matches("(error|warn)?ing", "warning"), ["warning"]);
	assert.deepEqual(await matches("([A-Z]\\w+)*Error", "a TypeError"), ["TypeError"]);
	assert.deepEqual(await matches("(\\d{1,3}\\.){3}\\d{1,3}", "at 10.0.0.1:80"), ["10.0.0.1"]);
	assert.deepEqual(await matches("(\\w+/)+\\w+\\.ts", "see src/log/log.ts"), ["src/log/log.ts"]);
});

test("windows cover the text, overlap, and begin and end with lines where they can", () => {
	const lines = Array.from({ length: 2_000 }, (_, n) => `line ${n}\n`).join("");
	const parts = [...windows(lines, 1_000)];
	assert.equal(parts[0]!.start, 0);
	assert.equal(parts.at(-1)!.end, lines.length);
	for (const [index, { start, end }] of parts.entries()) {
		assert.ok(end - start <= 1_000);
		assert.ok(start === 0 || lines[start - 1] === "\n");
		assert.ok(end === lines.length || lines[end - 1] === "\n");
		if (index > 0) assert.ok(start < parts[index - 1]!.end && start > parts[index - 1]!.start);
	}
	const oneLine = [...windows("x".repeat(5_000), 1_000)];
	assert.deepEqual(oneLine[1], { start: 750, end: 1_750 });
	assert.equal(oneLine.at(-1)!.end, 5_000);
});

test("finds what lies far inside a text of megabytes, in lines and in one line", async () => {
	const needle = "needle=42";
	const lines = `${"some line of text\n".repeat(100_000)}${needle}\n${"more\n".repeat(100_000)}`;
	assert.deepEqual(await matches("^needle=(\\d+)$", lines), [needle]);
	const oneLine = "x".repeat(1_000_000) + needle + "y".repeat(1_000_000);
	assert.deepEqual(await matches("needle=\\d+", oneLine), [needle]);
});

test("the edge of a window is no beginning and no end", async () => {
	const text = "x".repeat(2_000_000);
	assert.equal(await matches("\\Ay|x\\b.y", text), undefined);
	assert.equal(await matches("^$", `${"a\n".repeat(1_000_000)}a`), undefined);
	assert.equal(await matches("\\Ab", `a\n${"b\n".repeat(1_000_000)}`), undefined);
	assert.deepEqual((await matches("x$", text))?.length, 1);
});

test("marks a few lines of a long text with a costly pattern, without the slow engine on all of it", async () => {
	const text = `${"some words here\n".repeat(10_000)}aXa\n${"some words here\n".repeat(10_000)}`;
	assert.deepEqual(await matches("(a|X){1,300}X(a?){300}a", text), ["aXa"]);
});
