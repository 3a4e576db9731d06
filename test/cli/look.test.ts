import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { EventRecord } from "../../src/log/event/types.ts";
import { handleOf } from "../../src/log/handle.ts";
import { ended, Place } from "./place.ts";
import { SESSION, session } from "./session.ts";

const place = new Place();
const entries = session(place.project);
before(async () => {
	await place.weft("import", place.file("session.jsonl", entries));
});
after(() => place.remove());

test("bare weft is the status: where the data is, which sessions, how fresh", async () => {
	const { code, out, err } = await place.weft();
	assert.deepEqual([code, err], [0, ""]);
	const lines = out
		.replaceAll(place.folder, "")
		.replace(/\(\d+ kB\)/, "(SIZE)")
		.split("\n");
	assert.deepEqual(
		lines.map((line) =>
			line
				.replace(/─+/g, "─")
				.replace(/[0-9a-f]{16}/, "KEY")
				.replace(/ghp_\w+/, "TOKEN")
				.trimEnd(),
		),
		[
			"project  /project",
			"data     /home/projects/KEY  (SIZE)",
			"events   19 in 1 session",
			"fresh    just now: event 19, Message, by pi",
			"",
			"title                                                                     session   agent  last active       messages",
			"─  ─  ─  ─  ─",
			"Make parseHeader accept tabs. The token is TOKEN…  0199c0de  pi     2026-01-05 10:00         8",
			"",
		],
	);
	const { log } = await place.json<{
		log: { events: number; sessions: { session: string; host: string; messages: number }[] };
	}>("status");
	assert.equal(log.events, 19);
	assert.deepEqual(
		log.sessions.map((row) => [row.session, row.host, row.messages]),
		[[SESSION, "pi", 8]],
	);
});

test("the timeline shows the newest events in order, one line each", async () => {
	const { code, out } = await place.weft("log", "--limit", "4");
	assert.equal(code, 0);
	assert.deepEqual(
		out.split("\n").map((line) => line.replace(/─+/g, "─")),
		[
			"seq  time                 type        what",
			"─  ─  ─  ─",
			" 16  2026-01-05 10:00:07  Message     toolResult bash: error: 1 failing Command exited with code 1",
			" 17  2026-01-05 10:00:07  ToolResult  bash: error, 3 lines",
			" 18  2026-01-05 10:00:07  CommandRun  npm test → exit 1, 3 lines",
			" 19  2026-01-05 10:00:08  Message     assistant: ヘッダーの解析を直しました。テストは一つ失敗しています。",
			"",
		],
	);
});

test("the timeline leaves out an agent's bookkeeping unless entries are asked for", async () => {
	const other = new Place();
	try {
		const base = { sessionId: "5ca1ab1e-0000-4000-8000-000000000001", cwd: other.project, version: "2.1.0" };
		const at = (seconds: number) => ({ timestamp: `2026-01-05T10:00:0${seconds}.000Z`, ...base });
		const lines = [
			{ type: "user", uuid: "u1", parentUuid: null, ...at(1), message: { role: "user", content: "Rename the flag." } },
			{ type: "progress", uuid: "p1", parentUuid: "u1", ...at(2), data: { type: "hook_progress" } },
			{ type: "progress", uuid: "p2", parentUuid: "p1", ...at(3), data: { type: "hook_progress" } },
			{
				type: "assistant",
				uuid: "a1",
				parentUuid: "p2",
				...at(4),
				message: {
					id: "msg1",
					role: "assistant",
					model: "claude-opus-4-5",
					content: [{ type: "text", text: "Done." }],
				},
			},
			{ type: "pr-link", uuid: "l1", parentUuid: "a1", ...at(5), prUrl: "https://example.test/pull/7" },
		];
		await other.weft("import", other.file("claude.jsonl", lines));
		const shown = async (...args: string[]) => {
			const { out } = await other.weft("log", "--all", ...args);
			return out.split("\n").filter((line) => /\bEntry\b/.test(line));
		};
		assert.deepEqual(
			(await shown("--limit", "3")).map((line) => line.replace(/.*Entry +/, "").slice(0, 7)),
			["pr-link"],
		);
		assert.equal((await shown("--type", "Entry")).length, 3);
		const json = await other.weft("log", "--all", "--json");
		assert.equal(json.out.match(/"type":"Entry"/g)?.length, 3);
	} finally {
		other.remove();
	}
});

test("the timeline's filters narrow it down", async () => {
	const seqs = async (...args: string[]): Promise<number[]> => {
		const { out } = await place.weft("log", "--json", ...args);
		return out
			.split("\n")
			.filter((line) => line !== "")
			.map((line) => (JSON.parse(line) as EventRecord).seq);
	};
	const cases: [string[], number[]][] = [
		[
			["--type", "fileread,FileChanged"],
			[8, 13],
		],
		[["--file", "src/header.ts", "--type", "FileChanged"], [13]],
		[["--file", "src/", "--type", "FileRead"], [8]],
		[["--tool", "bash", "--type", "ToolCalled"], [15]],
		[
			["--since", "2026-01-05T10:00:07Z", "--until", "2026-01-05T10:00:08Z"],
			[16, 17, 18],
		],
		[
			["--after", "3", "--limit", "2"],
			[4, 5],
		],
		[["--session", "0199", "--limit", "1"], [19]],
		[["--since", "1d"], []],
	];
	const found = await Promise.all(cases.map(([args]) => seqs(...args)));
	assert.deepEqual(
		found,
		cases.map(([, expected]) => expected),
	);
	const none = await place.weft("log", "--since", "1d");
	assert.deepEqual(none, { code: 0, out: "", err: "No events match.\n" });
	assert.equal((await place.weft("log", "--session", "nobody")).code, 3);
});

test("what --follow prints stands under what was there before", async () => {
	const other = new Place();
	try {
		await other.weft("import", other.file("session.jsonl", session(other.project)));
		const child = other.start(["log", "--follow", "--limit", "3"]);
		const result = ended(child);
		await new Promise<void>((resolve) =>
			child.stderr?.on("data", (text) => String(text).includes("Waiting") && resolve()),
		);
		const seen = new Promise<void>((resolve) =>
			child.stdout?.on("data", (text) => String(text).includes("late") && resolve()),
		);
		await other.weft("log", "add", "late");
		await seen;
		child.kill("SIGINT");
		const lines = (await result).out.trimEnd().split("\n");
		assert.equal(lines.length, 6);
		const [head, last] = [lines[0]!, lines.at(-1)!];
		assert.equal(last.indexOf("Custom"), head.indexOf("type"));
		assert.equal(last.indexOf("cli"), head.indexOf("session"));
		assert.equal(last.indexOf("late"), head.indexOf("what"));
	} finally {
		other.remove();
	}
});

test("--follow prints what another process writes, and Ctrl-C ends it well", async () => {
	const other = new Place();
	try {
		await other.weft("log", "add", "first");
		const child = other.start(["log", "--follow", "--json"]);
		const result = ended(child);
		await new Promise<void>((resolve) =>
			child.stderr?.on("data", (text) => String(text).includes("Waiting") && resolve()),
		);
		const seen = new Promise<void>((resolve) => {
			let out = "";
			child.stdout?.on("data", (text) => {
				out += text;
				if (out.includes('"second"')) resolve();
			});
		});
		assert.deepEqual(Object.keys(await other.json("log", "add", "second", "--data", '{"n":1}')), ["seq", "id"]);
		await seen;
		child.kill("SIGINT");
		const { code, out } = await result;
		assert.equal(code, 0);
		const events = out
			.trim()
			.split("\n")
			.map((line) => (JSON.parse(line) as EventRecord).payload);
		assert.deepEqual(events, [{ name: "first" }, { name: "second", data: { n: 1 } }]);
	} finally {
		other.remove();
	}
});

test("log add takes its data from standard input too", async () => {
	const other = new Place();
	try {
		const child = other.start(["log", "add", "note", "--data", "-", "--session", "s1"]);
		child.stdin?.end('{"text":"日本"}');
		assert.deepEqual(await ended(child), { code: 0, out: "Event 1: note\n", err: "" });
		const { type, session: id, host, payload } = await other.json<EventRecord>("show", "1");
		assert.deepEqual([type, id, host, payload], ["Custom", "s1", "cli", { name: "note", data: { text: "日本" } }]);
	} finally {
		other.remove();
	}
});

test("show prints an event whole, by seq, handle or id", async () => {
	const { out } = await place.weft("show", "6");
	const [head, body] = out.split("\n\n");
	assert.match(
		head ?? "",
		/^event {4}6 {2}Message\ntime {5}2026-01-05 10:00:03\nsession {2}0199c0de-0000-7000-8000-00000000abcd\nhost {5}pi\n/,
	);
	assert.equal(body, "export function parseHeader(line: string) {\n\treturn line.split(' ');\n}\n");
	const record = await place.json<EventRecord>("show", "18");
	assert.deepEqual([record.seq, record.type, record.payload["command"]], [18, "CommandRun", "npm test"]);
	assert.equal((await place.json<EventRecord>("show", record.id)).seq, 18);
	assert.equal((await place.weft("show", handleOf(record).replace("e-", "m-"))).code, 3);
});

test("show --raw prints the host's entry byte for byte, and pages of it add up to the whole", async () => {
	const raw = await place.weft("show", "19", "--raw");
	assert.equal(raw.out, `${JSON.stringify(entries[8])}\n`);
	let whole = "";
	let pages = 0;
	for (let offset: number | null = 0; offset !== null; pages++) {
		const page: { text: string; next: number | null } = await place.json(
			"show",
			"19",
			"--raw",
			"--offset",
			String(offset),
			"--limit",
			"100",
		);
		whole += page.text;
		offset = page.next;
	}
	assert.equal(whole, JSON.stringify(entries[8]));
	assert.equal(pages, Math.ceil(whole.length / 100));
	const page = await place.weft("show", "19", "--limit", "5");
	assert.match(page.err, /^Characters 0 to 5 of 28\. Continue with: weft show 19 --offset 5 --limit 5\n$/);
	const end = await place.weft("show", "19", "--offset", "9999");
	assert.deepEqual([end.code, end.err], [0, "This is the end: 28 characters in all.\n"]);
});

test("stats count events and weigh the disk", async () => {
	const { out } = await place.weft("stats");
	assert.match(out, /^events +19\nsessions +1\nmessages +8\ntokens, about +\d+\n\ntype +events +JSON\n/);
	assert.match(out, /\nFileChanged +1 +\d+ B\n/);
	assert.match(out, /\non disk +\d+ kB\n\n[\d.]+ bytes on disk for each byte of transcript/);
	const stats = await place.json<{ events: number; disk: Record<string, number>; bytesPerTranscriptByte: number }>(
		"stats",
	);
	assert.equal(stats.events, 19);
	const { total, ...parts } = stats.disk;
	assert.equal(
		Object.values(parts).reduce((sum, bytes) => sum + bytes, 0),
		total,
	);
});
