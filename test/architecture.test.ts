import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";

const SRC = join(import.meta.dirname, "..", "src");

/** A floor imports only floors before it in this list. */
const FLOORS = [
	"base",
	"log",
	"message",
	"state",
	"guard",
	"context",
	"settings",
	"ask",
	"tool",
	"engine.ts",
	"view",
	"agent",
	"fleet",
	"replay",
	"show",
	"index.ts",
];

/** Rooms of a floor, in the order in which they may import each other. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
	state: ["session", "work", "thread", "history", "memory"],
	show: ["inspector", "cli"],
};

/** Rooms of `agent/` that belong to no agent. */
const SHARED = new Set(["live", "recorded", "resident", "setup", "proxy", "mcp"]);

/** They ask for a person at the machine, or keep the state itself. */
const UNSCOPED_READERS = new Set([
	"agent/live/recall-block.ts",
	"context/project-state.ts",
	"context/prune-log.ts",
	"context/walk.ts",
]);

const ENGINE_LINES = 250;

interface Import {
	readonly from: string;
	readonly to: string;
	readonly typeOnly: boolean;
	/** Loaded when it is needed. */
	readonly isLazy: boolean;
}

const files = globSync("**/*.{ts,tsx}", { cwd: SRC }).filter((file) => !file.endsWith(".test.ts"));
const imports = files.flatMap(importsOf);

function importsOf(file: string): Import[] {
	const source = readFileSync(join(SRC, file), "utf8");
	const pattern =
		/(?:^|\n)\s*(import|export)(\s+type)?[^;"']*?from\s*["'](\.[^"']+)["']|import\(\s*["'](\.[^"']+)["']\s*\)/g;
	return [...source.matchAll(pattern)].map((match) => ({
		from: file,
		to: relative(SRC, join(SRC, dirname(file), (match[3] ?? match[4])!)),
		typeOnly: match[2] !== undefined,
		isLazy: match[4] !== undefined,
	}));
}

function floorOf(file: string): string {
	return file.split("/")[0]!;
}

/** The folder inside the floor; undefined for a file at the floor's own root. */
function roomOf(file: string): string | undefined {
	const [, room, rest] = file.split("/");
	return rest === undefined ? undefined : room;
}

test("every file is on a floor of the list, and in a room of its floor", () => {
	const isKnown = (file: string) => {
		const rooms = ROOMS[floorOf(file)];
		return FLOORS.includes(floorOf(file)) && (!rooms || rooms.includes(roomOf(file) ?? ""));
	};
	assert.deepEqual(
		files.filter((file) => !isKnown(file)),
		[],
	);
	assert.ok(imports.length > 100, "the imports were read");
});

test("only the log's own floor has its database", () => {
	const reached = imports.filter(({ from, to }) => to === "log/database.ts" && floorOf(from) !== "log");
	assert.deepEqual(reached, []);
});

test("what reaches a model is read within a scope: no tool, agent or context reads the whole log's search or state", () => {
	const around = /\bengine\.state\(\)|\bprojectState\(|\.search\s*\.find(?:Any|Regex)?\(/g;
	const found = files
		.filter((file) => ["ask", "tool", "agent", "context"].includes(floorOf(file)) || file.startsWith("state/memory/"))
		.filter((file) => !UNSCOPED_READERS.has(file))
		.flatMap((file) => {
			const text = readFileSync(join(SRC, file), "utf8");
			const calls = [...text.matchAll(around)].filter(({ index, 0: call }) => {
				// The search of a reader that names the sessions that it may read.
				const args = text.slice(index, index + 160);
				return !call.includes("find") || !/within|\.\.\.filters/.test(args);
			});
			return calls.map(([call]) => `${file}: ${call}`);
		});
	assert.deepEqual(found, []);
});

test("a floor imports only floors before it", () => {
	const wrong = imports.filter(({ from, to }) => FLOORS.indexOf(floorOf(to)) > FLOORS.indexOf(floorOf(from)));
	assert.deepEqual(wrong, []);
});

test("a room imports only rooms before it on its floor", () => {
	const wrong = imports.filter(({ from, to }) => {
		const rooms = ROOMS[floorOf(from)];
		if (!rooms || floorOf(from) !== floorOf(to)) return false;
		return rooms.indexOf(roomOf(to) ?? "") > rooms.indexOf(roomOf(from) ?? "");
	});
	assert.deepEqual(wrong, []);
});

test("inside state/ no room imports a sibling's fold", () => {
	const wrong = imports.filter(({ from, to }) => {
		if (floorOf(from) !== "state" || floorOf(to) !== "state") return false;
		return roomOf(from) !== roomOf(to) && to.endsWith("fold.ts");
	});
	assert.deepEqual(wrong, []);
});

/** Opens a new file to write it. */
const WRITERS = new Set(["agent/pi/commands/lcm.ts"]);

test("an agent's folder reads files through base/file only", () => {
	const readers =
		/^(?:access|createReadStream|open|openAsBlob|opendir|openSync|opendirSync|promises|read|readFile|readFileSync|readSync|readdir|readdirSync|readv|readvSync|default)$/;
	const wrong = files
		.filter((file) => floorOf(file) === "agent" && !WRITERS.has(file))
		.filter((file) => {
			const source = readFileSync(join(SRC, file), "utf8");
			const named = [...source.matchAll(/import\s*\{([^}]*)\}\s*from\s*"(?:node:)?fs"/g)].flatMap(([, names]) =>
				names!.split(",").map((name) => name.trim().split(/\s+as\s+/)[0]!),
			);
			const isWhole =
				/from\s*"(?:node:)?fs\/promises"|import\s+(?:\*|\w+)[^{};]*from\s*"(?:node:)?fs"|import\("(?:node:)?fs/.test(
					source,
				);
			const opensDatabase = /import\s*\{[^}]*\bDatabaseSync\b[^}]*\}\s*from\s*"node:sqlite"/.test(source);
			return isWhole || opensDatabase || named.some((name) => readers.test(name));
		});
	assert.deepEqual(wrong, []);
});

test("no agent imports another", () => {
	const wrong = imports.filter(({ from, to }) => {
		if (floorOf(from) !== "agent" || floorOf(to) !== "agent") return false;
		const [agent, other] = [roomOf(from), roomOf(to)];
		return agent !== undefined && other !== undefined && agent !== other && !SHARED.has(agent) && !SHARED.has(other);
	});
	assert.deepEqual(wrong, []);
});

test("rooms that all agents share import no agent, and no agent imports the list of agents", () => {
	const wrong = imports.filter(({ from, to }) => {
		if (floorOf(from) !== "agent" || floorOf(to) !== "agent") return false;
		const [room, other] = [roomOf(from), roomOf(to)];
		if (room === undefined) return false;
		return (
			["agent/agents.ts", "agent/agent-programs.ts"].includes(to) ||
			(SHARED.has(room) && other !== undefined && !SHARED.has(other))
		);
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

test("the page in the browser reaches no module of Node", () => {
	const reached = new Set(files.filter((file) => file.startsWith("show/inspector/page/")));
	for (const file of reached) {
		for (const { to, typeOnly } of importsOf(file)) if (!typeOnly) reached.add(to);
	}
	const inNode = [...reached].filter((file) => /from "node:/.test(readFileSync(join(SRC, file), "utf8")));
	assert.ok(reached.size > 20, `${reached.size} files were found`);
	assert.deepEqual(inNode, []);
});

test("Node's HTTP is loaded in one place only: an import of it loads Node's fetch too", () => {
	const importing = files.filter((file) =>
		/^import (?!type\b)[^;]*? from "node:https?"/m.test(readFileSync(join(SRC, file), "utf8")),
	);
	assert.deepEqual(importing, []);
});

test("what starts an agent, passes a hook or answers an MCP client's lists loads no log and no agent's reader", () => {
	const starters = ["show/cli/commands/run.ts", "show/cli/serve-mcp.ts", "show/cli/pass-to-resident.ts"];
	const reached = new Set(starters);
	for (const file of reached)
		for (const each of importsOf(file)) if (!each.typeOnly && !each.isLazy) reached.add(each.to);
	assert.ok(reached.size > 30, `${reached.size} files were found`);
	assert.deepEqual(
		[...reached].filter((file) => /^(engine\.ts|log\/log\.ts|state\/|agent\/[a-z-]+\/reader\.ts)/.test(file)),
		[],
	);
});

test("engine.ts stays thin", () => {
	const lines = readFileSync(join(SRC, "engine.ts"), "utf8").split("\n").length;
	assert.ok(lines <= ENGINE_LINES, `engine.ts has ${lines} lines; new behaviour gets a file of its own`);
});
