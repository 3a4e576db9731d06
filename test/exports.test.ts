import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

/**
 * Finds functions, classes and constants in src/ that are exported for nothing. An export must be used by another file, or
 * by its own file and a test: what only a test uses is dead, and what only its own file uses needs no export.
 */

const ROOT = join(import.meta.dirname, "..");

/** Files whose exports are for others: the package, and what Pi and OpenClaw load. */
const ENTRY_POINTS = [
	"src/index.ts",
	"src/agent/pi/index.ts",
	"src/agent/pi/installed-entry.ts",
	"src/agent/openclaw/plugin.ts",
];

/** Exports that nothing uses yet, and why they stay. */
const EXCEPTIONS: Readonly<Record<string, string>> = {};

interface Source {
	readonly exports: readonly string[];
	/** Those that the file itself uses. */
	readonly usedHere: ReadonlySet<string>;
	readonly uses: readonly Use[];
}

interface Use {
	readonly file: string;
	readonly name: string;
}

const paths = globSync("{src,bench,scripts,examples,test,e2e/page,e2e/fleet}/**/*.{ts,tsx}", { cwd: ROOT });
const sources = new Map(paths.map((path) => [path, readSource(path)]));

test("every exported function, class and constant is used by another file, or by its own and a test", () => {
	const [tests, code] = [usesOf(isTest), usesOf((path) => !isTest(path))];
	const unused = [...sources]
		.filter(([file]) => file.startsWith("src/") && !isTest(file) && !ENTRY_POINTS.includes(file))
		.flatMap(([file, { exports, usedHere }]) =>
			exports
				.filter((name) => !code.has(`${file} ${name}`) && !(usedHere.has(name) && tests.has(`${file} ${name}`)))
				.map((name) => `${file} ${name}`),
		);
	const expected = Object.keys(EXCEPTIONS);
	assert.deepEqual(unused.toSorted(), expected.toSorted());
});

test("the imports and exports were read", () => {
	const count = (of: "exports" | "uses") =>
		[...sources.values()].flatMap((source): readonly unknown[] => source[of]).length;
	assert.ok(count("exports") > 500, `${count("exports")} exports`);
	assert.ok(count("uses") > 1_000, `${count("uses")} uses`);
});

function usesOf(kind: (path: string) => boolean): ReadonlySet<string> {
	const uses = [...sources].flatMap(([path, source]) => (kind(path) ? source.uses : []));
	return new Set(uses.map(({ file, name }) => `${file} ${name}`));
}

function isTest(path: string): boolean {
	return path.startsWith("test/") || path.endsWith(".test.ts");
}

/** The formatter puts every declaration at the start of a line. */
function readSource(file: string): Source {
	const text = readFileSync(join(ROOT, file), "utf8").replaceAll(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, "");
	const declared = text.matchAll(/^export (?:async )?(?:abstract )?(?:function\*?|class|const|let) ([\w$]+)/gm);
	const exports = [...declared].map((match) => match[1]!);
	if (/^export default /m.test(text)) exports.push("default");
	const uses: Use[] = [];
	for (const [, clause, path] of text.matchAll(/^(?:import|export)\s+([^;"']*?)\s+from\s+"(\.[^"]+)";/gm)) {
		const target = join(dirname(file), path!);
		uses.push(...namesIn(clause!, text).map((name) => ({ file: target, name })));
	}
	// The frame of the command line checks and runs what it loads.
	const loaded = [...wordsIn(text), ...(file.endsWith("command-modules.ts") ? ["check", "run"] : [])];
	for (const [, path] of text.matchAll(/\bimport\(\s*"(\.[^"]+)"\s*\)/g)) {
		const target = join(dirname(file), path!);
		uses.push(...loaded.map((name) => ({ file: target, name })));
	}
	const usedHere = new Set(
		exports.filter((name) => text.split(new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${name}(?![\\w$])`)).length > 2),
	);
	return { exports, usedHere, uses };
}

/** `{ a, type b as c }`, `* as all`, `one, { a }`. Of a namespace every word of the file may be a member. */
function namesIn(clause: string, text: string): string[] {
	const bare = clause.replace(/^type\s+/, "");
	if (bare.startsWith("*")) return wordsIn(text);
	const [, inside] = /\{([^}]*)\}/.exec(bare) ?? [];
	const names = (inside ?? "")
		.split(",")
		.map(
			(each) =>
				each
					.trim()
					.replace(/^type\s+/, "")
					.split(/\s+as\s+/)[0]!,
		)
		.filter((name) => name !== "");
	return bare.startsWith("{") ? names : ["default", ...names];
}

function wordsIn(text: string): string[] {
	return [...new Set(text.match(/[\w$]+/g))];
}
