import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";

const SRC = join(import.meta.dirname, "..", "src");

/** A room imports only rooms above it in this list, and leaves. */
const ROOMS = [
	"event",
	"log",
	"fold",
	"message",
	"session",
	"work",
	"guard",
	"sidecar",
	"history",
	"memory",
	"skill",
	"context",
	"tool",
	"settings",
	"engine.ts",
	"view",
	"hosts",
	"fleet",
	"replay",
	"inspector",
	"cli",
	"index.ts",
];

/** These know none of our words and import only each other. */
const LEAVES = ["error", "json", "file", "hash", "diff", "text", "sqlite", "tokens", "git", "shell"];

const ENGINE_LINES = 250;

interface Import {
	readonly from: string;
	readonly to: string;
	readonly typeOnly: boolean;
}

const files = globSync("**/*.ts", { cwd: SRC }).filter((file) => !file.endsWith(".test.ts"));
const imports = files.flatMap(importsOf);

function importsOf(file: string): Import[] {
	const source = readFileSync(join(SRC, file), "utf8");
	const pattern =
		/(?:^|\n)\s*(import|export)(\s+type)?[^;"']*?from\s*["'](\.[^"']+)["']|import\(\s*["'](\.[^"']+)["']\s*\)/g;
	return [...source.matchAll(pattern)].map((match) => ({
		from: file,
		to: relative(SRC, join(SRC, dirname(file), (match[3] ?? match[4])!)),
		typeOnly: match[2] !== undefined,
	}));
}

function roomOf(file: string): string {
	return file.split("/")[0]!;
}

function hostOf(file: string): string | undefined {
	const [room, host, rest] = file.split("/");
	return room === "hosts" && rest !== undefined ? host : undefined;
}

test("every file is in a room of the list", () => {
	const known = new Set([...ROOMS, ...LEAVES]);
	assert.deepEqual(
		files.filter((file) => !known.has(roomOf(file))),
		[],
	);
	assert.ok(imports.length > 100, "the imports were read");
});

test("only the log's own room has its database", () => {
	const reached = imports.filter(({ from, to }) => to === "log/database.ts" && roomOf(from) !== "log");
	assert.deepEqual(reached, []);
});

test("a room imports only rooms above it, and leaves", () => {
	const wrong = imports.filter(({ from, to }) => {
		const [room, other] = [roomOf(from), roomOf(to)];
		if (room === other || LEAVES.includes(other)) return false;
		return LEAVES.includes(room) || ROOMS.indexOf(other) > ROOMS.indexOf(room);
	});
	assert.deepEqual(wrong, []);
});

test("no host imports another", () => {
	const wrong = imports.filter(({ from, to }) => {
		const [host, other] = [hostOf(from), hostOf(to)];
		return host !== undefined && other !== undefined && host !== other;
	});
	assert.deepEqual(wrong, []);
});

test("no file imports itself by a detour; imports of types alone do not count", () => {
	const edges = Map.groupBy(
		imports.filter((each) => !each.typeOnly),
		(each) => each.from,
	);
	const done = new Set<string>();
	const path: string[] = [];
	const walk = (file: string): void => {
		if (path.includes(file)) assert.fail(`a cycle: ${[...path.slice(path.indexOf(file)), file].join(" → ")}`);
		if (done.has(file)) return;
		path.push(file);
		for (const { to } of edges.get(file) ?? []) walk(to);
		path.pop();
		done.add(file);
	};
	for (const file of files) walk(file);
});

test("engine.ts stays thin", () => {
	const lines = readFileSync(join(SRC, "engine.ts"), "utf8").split("\n").length;
	assert.ok(lines <= ENGINE_LINES, `engine.ts has ${lines} lines; new behaviour gets a file of its own`);
});
