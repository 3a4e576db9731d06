import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Place } from "./place.ts";
import { SESSION, session } from "./session.ts";

const place = new Place();
after(() => place.remove());

const HEADER = "export function parseHeader(line: string) {\n\treturn line.split(/[ \\t]/);\n}\n";

before(async () => {
	mkdirSync(join(place.project, "src"));
	writeFileSync(join(place.project, "src/header.ts"), HEADER);
	await place.json("import", place.file("session.jsonl", session(place.project)), "--project", place.project);
});

interface StateJson {
	readonly seq: number;
	readonly complete: boolean;
	readonly intent: { readonly current: { readonly text: string } } | null;
	readonly files: readonly { readonly path: string; readonly reads: number; readonly changes: number }[];
	readonly workingSet: readonly { readonly path: string }[];
	readonly failures: { readonly open: readonly { readonly id: string }[] };
	readonly progress: {
		readonly recentCommands: readonly { readonly command: string; readonly exit: number | null }[];
	} | null;
}

interface ContextJson {
	readonly text: string;
	readonly tokens: number;
	readonly budget: number;
	readonly items: readonly {
		readonly id: string;
		readonly included: boolean;
		readonly why: string;
		readonly handle?: string;
	}[];
}

describe("weft state", () => {
	test("says what is true, as text and as JSON", async () => {
		const { code, out } = await place.weft("state");
		assert.equal(code, 0);
		for (const part of [
			"Make parseHeader accept tabs.",
			"Working set (1 of 1 file)",
			"src/header.ts",
			"Open failures (1)",
			"1 failing",
			"bash:npm test — exit 1",
		]) {
			assert.ok(out.includes(part), `${part} in\n${out}`);
		}
		const state = await place.json<StateJson>("state");
		assert.equal(state.complete, true);
		assert.deepEqual(
			state.files.map(({ path, reads, changes }) => [path, reads, changes]),
			[["src/header.ts", 1, 1]],
		);
		assert.match(state.failures.open[0]!.id, /^bash:npm test:[0-9a-f]{8}$/);
		assert.deepEqual(
			state.progress!.recentCommands.map(({ command, exit }) => [command, exit]),
			[["npm test", 1]],
		);
	});

	test("at a past event it is what it was then", async () => {
		const events = await place.json<{ seq: number }>("log", "--type", "FileRead", "--limit", "1");
		const then = await place.json<StateJson>("state", "--at", String(events.seq));
		assert.deepEqual(
			then.files.map(({ reads, changes }) => [reads, changes]),
			[[1, 0]],
		);
		assert.deepEqual(then.failures.open, []);
		assert.equal((await place.weft("state", "--at", "999999")).code, 3);
		assert.equal((await place.weft("state", "--at", "soon")).code, 2);
	});
});

describe("weft context", () => {
	test("shows the text that a model would get, with the file as the disk has it", async () => {
		const { code, out } = await place.weft("context", "--mode", "warp");
		assert.equal(code, 0);
		assert.ok(out.startsWith("[WARP ENGINE CONTEXT]\nRepository: project\n"), out);
		assert.ok(out.includes("|\treturn line.split(/[ \\t]/);"), out);
		assert.ok(!out.includes("STALE"), out);
		assert.match(out, /\[END WARP ENGINE CONTEXT;/);
	});

	test("a file that changed on the disk since is stale, with what changed", async () => {
		writeFileSync(join(place.project, "src/header.ts"), HEADER.replace("[ \\t]", "[ \\t;]"));
		try {
			const { out } = await place.weft("context", "--mode", "warp");
			assert.match(
				out,
				/src\/header\.ts \(read \d+d ago, changed \d+d ago, STALE — changed on disk: \+1\/-1 lines, in parseHeader\)/,
			);
			assert.ok(out.includes("|+\treturn line.split(/[ \\t;]/);"), out);
			assert.match((await place.weft("state")).out, /src\/header\.ts\n {4}read .*, the disk differs\n/);
		} finally {
			writeFileSync(join(place.project, "src/header.ts"), HEADER);
		}
	});

	test("at a past event the files come from the log", async () => {
		const events = await place.json<{ seq: number }>("log", "--type", "FileRead", "--limit", "1");
		const { out } = await place.weft("context", "--mode", "warp", "--at", String(events.seq));
		// In the middle of a run the file is in the result that showed it.
		assert.match(out, /toolResult, \d+ tokens: result read .*return line\.split\(' '\);/);
		assert.ok(out.includes("Open Failures (0): none"), out);
	});

	test("keeps to the budget and says why each item is in or out", async () => {
		const small = await place.json<ContextJson>("context", "--mode", "warp", "--budget", "250");
		assert.ok(small.tokens <= 250);
		assert.equal(small.budget, 250);
		const file = small.items.find(({ id }) => id === "file:src/header.ts")!;
		assert.match(file.why, /changed once, last at #\d+; read once/);
		assert.match(file.handle!, /^e-[0-9a-f]{12}$/);
		const { out } = await place.weft("context", "--mode", "warp", "--why");
		assert.match(out, /^✓ changed once, .*\n +[\d,]+ +e-[0-9a-f]{12} +file:src\/header\.ts$/m);
		assert.match(out, /The computed context may take [\d,]+ tokens\.\n/);
		assert.match(out, /Nothing was left out/);
		assert.equal((await place.weft("context", "--budget", "10")).code, 2);
		assert.equal((await place.weft("context", "--mode", "knitted")).code, 2);
	});
});

describe("weft why", () => {
	test("lists every read and change of a file", async () => {
		const { code, out } = await place.weft("why", "src/header.ts");
		assert.equal(code, 0);
		assert.match(out, /FileRead +lines 1-3, [0-9a-f]{8}, by read/);
		assert.match(out, /FileChanged +edit \+1\/-1, by agent edit/);
		const story = await place.json<{ events: readonly { type: string }[] }>(
			"why",
			join(place.project, "src/header.ts"),
		);
		assert.deepEqual(
			story.events.map(({ type }) => type),
			["FileRead", "FileChanged"],
		);
	});

	test("a file that nobody touched is not found, with a hint at one that was meant", async () => {
		const { code, err } = await place.weft("why", "lib/header.ts");
		assert.equal(code, 3);
		assert.match(err, /Did you mean 'src\/header\.ts'\?/);
	});
});

describe("weft snapshot and prune --snapshots", () => {
	test("writes the state down, and removes all but the newest on request", async () => {
		const first = await place.json<{ path: string; seq: number }>("snapshot");
		assert.ok(first.path.includes(place.home));
		await place.weft("log", "add", "note");
		await place.weft("snapshot");
		const files = (): number => readdirSync(join(first.path, "..")).length;
		assert.equal(files(), 2);
		const plan = await place.json<{ removed: number; kept: number }>("prune", "--snapshots", "1");
		assert.deepEqual([plan.removed, plan.kept, files()], [0, 1, 2]);
		const { out } = await place.weft("prune", "--snapshots", "1", "--yes");
		assert.match(out, /1 snapshot removed, 1 kept/);
		assert.equal(files(), 1);
	});

	test("the state is the same with snapshots, without, and with a damaged one", async () => {
		const { path } = await place.json<{ path: string }>("snapshot");
		const whole = await place.json("state");
		writeFileSync(path, "damaged");
		assert.deepEqual(await place.json("state"), whole);
		rmSync(join(path, ".."), { recursive: true });
		assert.deepEqual(await place.json("state"), whole);
	});
});

describe("weft repo", () => {
	test("maps the repository, and the context shows it", async () => {
		const missing = await place.weft("repo");
		assert.equal(missing.code, 3, "a folder with an empty .git is no repository");
		rmSync(join(place.project, ".git"), { recursive: true });
		execFileSync("git", ["init", "-q"], { cwd: place.project });
		execFileSync("git", ["add", "."], { cwd: place.project });
		const map = await place.json<{ head: null; files: number; folders: unknown }>("repo");
		assert.deepEqual([map.head, map.files, map.folders], [null, 1, [["src", 1]]]);
		const { out } = await place.weft("context", "--mode", "warp");
		assert.ok(out.includes("Repository: project (no commit, 1 file)"), out);
	});
});

test("files, failures, intent and progress are those of the session that was asked for", async () => {
	const other = "0199c0de-0000-7000-8000-00000000ffff";
	const lines = session(place.project, other).slice(0, 2);
	const text = JSON.stringify(lines).replace("Make parseHeader accept tabs.", "Look at the parser again.");
	await place.json("import", place.file("other.jsonl", JSON.parse(text) as object[]), "--project", place.project);
	const now = await place.json<StateJson>("state", "--all");
	assert.match(now.intent!.current.text, /^Look at the parser again\./);
	const first = await place.json<StateJson>("state", "--session", SESSION);
	assert.match(first.intent!.current.text, /^Make parseHeader accept tabs\./);
	assert.deepEqual(first.files, now.files);
	const second = await place.json<StateJson>("state", "--session", other);
	assert.deepEqual([second.files, second.failures.open], [[], []]);
});
