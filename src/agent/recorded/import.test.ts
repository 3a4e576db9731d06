import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { EngineError } from "../../base/error/engine-error.ts";
import { Log } from "../../log/log.ts";
import { READERS } from "../agents.ts";
import { type ImportOptions, type ImportReport, importFile } from "./import.ts";

const folder = mkdtempSync(join(tmpdir(), "weft-import-"));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

const AT = (second: number) => new Date(Date.UTC(2026, 1, 1, 10, 0, second)).toISOString();
const json = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");

/** Four turns in Pi's format 3: read, failed edit, edit, command; then a branch, a compaction and a label. */
const PI = (() => {
	const entries: object[] = [{ type: "session", version: 3, id: "pi-1", timestamp: AT(0), cwd: "/home/dev/app" }];
	let last: string | null = null;
	const add = (type: string, more: object, parentId = last) => {
		const id = `e${entries.length}`;
		entries.push({ type, id, parentId, timestamp: AT(entries.length), ...more });
		last = id;
		return id;
	};
	const turn = (name: string, args: object, text: string, more: object = {}) => {
		const id = `call${entries.length}`;
		const content = [{ type: "toolCall", id, name, arguments: args }];
		add("message", { message: { role: "assistant", content } });
		const result = {
			role: "toolResult",
			toolCallId: id,
			toolName: name,
			content: [{ type: "text", text }],
			isError: false,
		};
		add("message", { message: { ...result, ...more } });
	};
	add("model_change", { provider: "p", modelId: "m" });
	const fork = add("message", { message: { role: "user", content: "Repair the sluice" } });
	turn("read", { path: "sluice.ts" }, "open\nshut\n");
	turn("edit", { path: "sluice.ts", oldText: "ajar", newText: "shut" }, "not found", { isError: true });
	turn("edit", { path: "sluice.ts", oldText: "open", newText: "ajar" }, "ok");
	turn("bash", { command: "npm test" }, "boom\n\nCommand exited with code 1", { isError: true });
	add("branch_summary", { fromId: last, summary: "tried" }, fork);
	add("message", { message: { role: "user", content: "Begin again" } });
	add("compaction", { summary: "short", firstKeptEntryId: last, tokensBefore: 9 });
	add("context_edit", { targetId: fork, replacement: null });
	add("label", { targetId: fork, label: "start" });
	return entries;
})();

const CLAUDE = (() => {
	const line = (type: string, uuid: string, parentUuid: string | null, more: object) => ({
		...{ type, uuid, parentUuid, sessionId: "cc-1", cwd: "/home/dev/app", timestamp: AT(1), isSidechain: false },
		...more,
	});
	const task = { type: "tool_use", id: "t1", name: "Task", input: { prompt: "Look around" } };
	return [
		{ type: "file-history-snapshot", messageId: "u1", snapshot: {} },
		line("user", "u1", null, { message: { role: "user", content: "Repair the sluice" } }),
		line("assistant", "a1", "u1", {
			message: { id: "m", role: "assistant", content: [{ type: "thinking", thinking: "hm" }] },
		}),
		line("assistant", "a2", "a1", { message: { id: "m", role: "assistant", content: [task] } }),
		line("user", "x1", null, { isSidechain: true, message: { role: "user", content: "Look around" } }),
		line("assistant", "x2", "x1", { isSidechain: true, message: { role: "assistant", content: "I see" } }),
		line("user", "r1", "a2", {
			message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }] },
		}),
		{ type: "summary", summary: "Sluice", leafUuid: "r1" },
		{ type: "summary", summary: "Sluice", leafUuid: "r1" },
	];
})();

/** The same session as Pi wrote it before entries had ids, and as Pi rewrites it. */
const OLD = [
	{ type: "session", id: "old-1", timestamp: AT(0), cwd: "/home/dev/app", provider: "p", modelId: "m" },
	{ type: "message", timestamp: AT(1), message: { role: "user", content: "Repair the sluice", timestamp: 1 } },
	{ type: "thinking_level_change", timestamp: AT(2), thinkingLevel: "low" },
	{ type: "thinking_level_change", timestamp: AT(2), thinkingLevel: "low" },
	{ type: "message", timestamp: AT(3), message: { role: "hookMessage", customType: "t", content: "x", timestamp: 2 } },
	{
		type: "message",
		timestamp: AT(4),
		message: {
			role: "assistant",
			content: [{ type: "toolCall", id: "c1", name: "bash", arguments: { command: "ls" } }],
		},
	},
	{
		type: "message",
		timestamp: AT(5),
		message: { role: "toolResult", toolCallId: "c1", toolName: "bash", content: "a" },
	},
	{ type: "compaction", timestamp: AT(6), summary: "s", firstKeptEntryIndex: 2, tokensBefore: 5 },
];
const migrated = (ids: string) => {
	let parentId: string | null = null;
	return OLD.map((entry, at) => {
		if (at === 0) return { ...entry, version: 3 };
		const { firstKeptEntryIndex, ...rest } = entry as { firstKeptEntryIndex?: number };
		const message = (rest as { message?: { role: string } }).message;
		const renamed = message?.role === "hookMessage" ? { message: { ...message, role: "custom" } } : {};
		const kept = firstKeptEntryIndex === undefined ? {} : { firstKeptEntryId: `${ids}${firstKeptEntryIndex}` };
		const id = `${ids}${at}`;
		const moved = { ...rest, ...renamed, id, parentId, ...kept };
		parentId = id;
		return moved;
	});
};

function openLog(): Log {
	return new Log({ folder: mkdtempSync(join(folder, "log-")), origin: "test" });
}

async function take(log: Log, content: string | Uint8Array, options: Partial<ImportOptions> & { name?: string } = {}) {
	const { name = `file-${files++}.jsonl`, ...rest } = options;
	const path = join(folder, name);
	writeFileSync(path, content);
	return await importFile(path, { readers: READERS, logFor: () => log, ...rest });
}

/** Everything but ids and times of writing. */
function contents(log: Log) {
	const entries = new Map<number, string | null>();
	return [...log.read()].map(({ seq, session, host, ts, type, entry, cause, payload }) => {
		entries.set(seq, entry);
		return { session, host, ts, type, entry, cause: cause === null ? null : entries.get(cause), payload };
	});
}

const sum = (report: ImportReport) => report.sessions.reduce((all, session) => all + session.events, 0);

describe("an import", () => {
	test("reports what it added, by session, and goes to the log of the session's folder", async () => {
		const log = openLog();
		const asked: (string | undefined)[] = [];
		const logFor = (cwd: string | undefined) => {
			asked.push(cwd);
			return log;
		};
		const progress: number[] = [];
		const onProgress = (done: number, total: number) => progress.push(done / total);
		const pi = await take(log, json(PI), { logFor, onProgress, name: "pi.jsonl" });
		assert.deepEqual(pi, {
			file: join(folder, "pi.jsonl"),
			kind: "pi",
			sessions: [{ session: "pi-1", cwd: "/home/dev/app", events: log.count(), messages: 10, duplicates: 0 }],
			malformed: [],
			malformedCount: 0,
			lost: 0,
		});
		const claude = await take(log, json(CLAUDE), { logFor });
		assert.deepEqual(
			claude.sessions.map(({ session, messages }) => ({ session, messages })),
			[
				{ session: "cc-1", messages: 4 },
				{ session: "cc-1/x1", messages: 2 },
			],
		);
		assert.deepEqual(asked, ["/home/dev/app", "/home/dev/app"]);
		assert.equal(progress.at(-1), 1);
		log.close();
	});

	test("gives back every line byte for byte", async () => {
		const odd =
			'{"type":"message", "id":"e1","parentId":null,"timestamp":"","message":{"role":"user","content":"\\ud800 \\u0000","__proto__":{"x":1.0e2}}}';
		const log = openLog();
		await take(log, `\ufeff${JSON.stringify(PI[0])}\r\n\r\n${odd}\r\n`);
		const [message] = log.read({ types: ["Message"] });
		assert.equal(log.rawText(message!.seq), odd);
		log.close();
	});

	test("of the same file again adds nothing (case 31)", async () => {
		for (const session of [PI, CLAUDE, OLD]) {
			const log = openLog();
			const first = await take(log, json(session), { name: "same.jsonl" });
			const again = await take(log, json(session), { name: "same.jsonl" });
			assert.equal(sum(again), 0);
			assert.equal(
				again.sessions.reduce((all, one) => all + one.duplicates, 0),
				sum(first),
			);
			log.close();
		}
	});

	test("of any beginning of a file and then of the whole is the import of the whole, in batches of any size (case 35)", async () => {
		for (const [name, session] of [
			["pi-1.jsonl", PI],
			["cc-1.jsonl", CLAUDE],
			["old-1.jsonl", OLD],
		] as const) {
			const bytes = Buffer.from(json(session));
			const whole = openLog();
			await take(whole, bytes, { name });
			const expected = contents(whole);
			whole.close();
			const firstLine = bytes.indexOf(10) + 1;
			await fc.assert(
				fc.asyncProperty(
					fc.integer({ min: firstLine, max: bytes.length }),
					fc.integer({ min: 1, max: 40 }),
					async (cut, batch) => {
						const log = openLog();
						await take(log, bytes.subarray(0, cut), { name, batch });
						await take(log, bytes, { name, batch });
						assert.deepEqual(contents(log), expected);
						log.close();
					},
				),
				{ numRuns: 12 },
			);
		}
	});

	test("keeps two messages that differ only at their end, or only in their time and id (cases 32 and 33)", async () => {
		const log = openLog();
		const said = (id: string, second: number, content: string) => ({
			...{ type: "message", id, parentId: null, timestamp: AT(second) },
			message: { role: "user", content },
		});
		const long = "x".repeat(300);
		await take(
			log,
			json([PI[0], said("a", 1, `${long}1`), said("b", 1, `${long}2`), said("c", 2, "y"), said("d", 3, "y")]),
		);
		assert.equal([...log.read({ types: ["Message"] })].length, 4);
		log.close();
	});

	test("keeps white space and text that resembles a host's own as they are (cases 38 and 39)", async () => {
		const log = openLog();
		const content = "<system-reminder>mine</system-reminder>\t\ttwo  spaces\n\n\nthree lines  ";
		await take(log, json([PI[0], { type: "message", id: "a", timestamp: AT(1), message: { role: "user", content } }]));
		const [message] = log.read({ types: ["Message"] });
		assert.equal((message!.payload["raw"] as { message: { content: string } }).message.content, content);
		log.close();
	});

	test("keeps forks apart that share the ids of their entries", async () => {
		const log = openLog();
		await take(log, json(PI));
		const before = log.count();
		const fork = await take(log, json([{ ...PI[0], id: "pi-2", parentSession: "pi-1.jsonl" }, ...PI.slice(1)]));
		assert.deepEqual(fork.sessions, [
			{ session: "pi-2", cwd: "/home/dev/app", events: before, messages: 10, duplicates: 0 },
		]);
		log.close();
	});

	test("takes two sessions that were put into one file", async () => {
		const log = openLog();
		const report = await take(log, json([...PI, { ...PI[0], id: "pi-2" }, ...PI.slice(1)]));
		assert.deepEqual(
			report.sessions.map(({ session, messages }) => [session, messages]),
			[
				["pi-1", 10],
				["pi-2", 10],
			],
		);
		log.close();
	});
});

describe("a session that Pi has migrated from format 1", () => {
	const extra = {
		type: "message",
		id: "z9",
		parentId: "m7",
		timestamp: AT(9),
		message: { role: "user", content: "On" },
	};

	test("adds only what is new after its old copy, under the parents that are there", async () => {
		const log = openLog();
		await take(log, json(OLD));
		const before = contents(log);
		for (const expected of [2, 0]) {
			const report = await take(log, json([...migrated("m"), extra]));
			assert.equal(sum(report), expected);
		}
		const after = contents(log);
		assert.deepEqual(after.slice(0, before.length), before);
		assert.equal((after[before.length]!.payload as { parent: string }).parent, "v1:8");
		log.close();
	});

	test("is known again when the old copy comes second, and when it was migrated twice", async () => {
		const log = openLog();
		await take(log, json(migrated("m")));
		assert.equal(sum(await take(log, json(OLD))), 0);
		assert.equal(sum(await take(log, json(migrated("n")))), 0);
		const longer = { type: "message", timestamp: AT(8), message: { role: "user", content: "More" } };
		assert.equal(sum(await take(log, json([...OLD, longer]))), 2);
		assert.equal(sum(await take(log, json([...OLD, longer]))), 0);
		log.close();
	});

	test("is not asked for when the session is new or never was of format 1", async () => {
		const log = openLog();
		const asked: string[] = [];
		const spy = {
			append: (events: Parameters<Log["append"]>[0]) => log.append(events),
			read: (query?: Parameters<Log["read"]>[0]) => {
				asked.push(query?.types?.join() ?? "all");
				return log.read(query);
			},
		};
		await take(log, json(PI), { logFor: () => spy });
		await take(log, json(PI), { logFor: () => spy });
		assert.deepEqual(asked, ["SessionStarted", "SessionStarted"]);
		log.close();
	});
});

describe("what is wrong with a file", () => {
	test("a malformed line is reported with its number, and the rest goes in", async () => {
		const log = openLog();
		const lines = json(PI).split("\n");
		lines.splice(3, 0, "{not json", "[1]", "null", '"text"', "");
		const report = await take(log, lines.join("\n"), { name: "bad.jsonl" });
		assert.deepEqual(
			report.malformed.map(({ file, line }) => [file, line]),
			[4, 5, 6, 7].map((line) => [join(folder, "bad.jsonl"), line]),
		);
		assert.equal(report.sessions[0]!.messages, 10);
		log.close();
	});

	test("a last line that is cut off is said to be so", async () => {
		const log = openLog();
		const report = await take(log, json(PI).slice(0, -30));
		assert.equal(report.malformedCount, 1);
		assert.match(report.malformed[0]!.message, /^cut off: the last line is not complete/);
		log.close();
	});

	test("a line beyond the bound is reported", async () => {
		const log = openLog();
		const report = await take(log, `${json(PI)}{"type":"custom","data":"${"x".repeat(2_000_000)}"}\n`, {
			maxLineBytes: 1_048_576,
		});
		assert.deepEqual(
			report.malformed.map((one) => one.message),
			["longer than 1 MB, or zeros"],
		);
		log.close();
	});

	test("bytes that are no UTF-8 are reported, and the line is imported with their stand-ins", async () => {
		const log = openLog();
		const bad = Buffer.from(
			json([{ type: "message", id: "b", timestamp: AT(1), message: { role: "user", content: "a#b" } }]),
		);
		bad[bad.indexOf("#")] = 0xff;
		const report = await take(log, Buffer.concat([Buffer.from(json(PI.slice(0, 1))), bad]));
		assert.match(report.malformed[0]!.message, /not UTF-8/);
		assert.equal(report.sessions[0]!.messages, 1);
		log.close();
	});

	test("the list of bad lines is bounded, their number is not", async () => {
		const log = openLog();
		const report = await take(log, json(PI) + "{\n".repeat(1_000));
		assert.deepEqual([report.malformed.length, report.malformedCount], [100, 1_000]);
		log.close();
	});

	test("a damaged header is reported; the session goes by the file's name", async () => {
		const log = openLog();
		const report = await take(log, `{"type":"sess\n${json(PI.slice(1))}`, { name: "2026-02-01T10-00-00_pi-9.jsonl" });
		assert.deepEqual(
			report.sessions.map(({ session, messages }) => [session, messages]),
			[["pi-9", 10]],
		);
		assert.equal(report.malformedCount, 1);
		log.close();
	});

	test("a file of an unknown kind is refused, and nothing is written", async () => {
		const log = openLog();
		for (const content of [
			"",
			"\n\n",
			"hello\n",
			'{"type":"event","sessionId":"x"}\n',
			"[]\n",
			'{"a":1}\n'.repeat(500),
			"\0\x01",
		]) {
			await assert.rejects(
				take(log, content),
				(error) => error instanceof EngineError && error.code === "unknown-format",
			);
		}
		assert.equal(log.count(), 0);
		await assert.rejects(
			importFile(join(folder, "nowhere.jsonl"), { readers: READERS, logFor: () => log }),
			(error) => error instanceof EngineError && error.code === "not-found",
		);
		mkdirSync(join(folder, "a-folder.jsonl"));
		await assert.rejects(
			importFile(join(folder, "a-folder.jsonl"), { readers: READERS, logFor: () => log }),
			(error) => error instanceof EngineError,
		);
		log.close();
	});

	test("an archive of our own is left to whoever restores it", async () => {
		const log = openLog();
		const archive = json([{ type: "weft-archive", version: 1 }]);
		for (const content of [archive, gzipSync(archive.padEnd(4_000, "x"))]) {
			const restored: string[] = [];
			const report = await take(log, content, { restore: (path) => void restored.push(path) });
			assert.deepEqual([report.kind, restored], ["weft", [report.file]]);
		}
		log.close();
	});

	test("lines of megabytes and of ten thousand levels go in", async () => {
		const log = openLog();
		const call = { type: "toolCall", id: "c", name: "t", arguments: "HERE" };
		const text = json([
			PI[0],
			{ type: "message", id: "d", timestamp: AT(1), message: { role: "assistant", content: [call] } },
		]);
		const deep = text.replace('"HERE"', "[".repeat(10_000) + "]".repeat(10_000));
		const big = json([
			{ type: "message", id: "b", timestamp: AT(2), message: { role: "user", content: "x".repeat(5_000_000) } },
		]);
		const report = await take(log, deep + big);
		assert.deepEqual([report.sessions[0]!.messages, report.malformedCount], [2, 0]);
		log.close();
	});
});

test("whatever is done to the bytes of a session, the import ends in a report or in a clear refusal", async () => {
	const bytes = Buffer.from(json(PI));
	const damage = fc.tuple(
		fc.nat(bytes.length - 1),
		fc.constantFrom("\n", '"', "{", "}", "\\", "\0", "[", "é", ",", "1"),
	);
	const log = openLog();
	await fc.assert(
		fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 40 }), async (damages) => {
			const copy = Buffer.from(bytes);
			for (const [at, text] of damages) copy.write(text, at);
			try {
				const report = await take(log, copy, { name: "fuzzed.jsonl" });
				assert.equal(report.kind, "pi");
			} catch (error) {
				assert.ok(error instanceof EngineError && error.code === "unknown-format", String(error));
			}
		}),
		{ numRuns: 60 },
	);
	log.close();
});

test("the session that the project ships holds a whole tree, and one of everything a demonstration shows", async () => {
	const log = openLog();
	const path = join(import.meta.dirname, "../../../demo/session.jsonl");
	const report = await importFile(path, { readers: READERS, logFor: () => log });
	assert.equal(report.malformedCount, 0);
	const entries = [...log.read({ types: ["Message", "Entry"] })];
	const ids = new Set(entries.map((record) => record.entry));
	const children = new Map<unknown, number>();
	for (const { payload } of entries) {
		const parent = payload["parent"];
		if (parent !== undefined) assert.ok(ids.has(parent as string));
		children.set(parent, (children.get(parent) ?? 0) + 1);
	}
	assert.equal(Math.max(...children.values()), 2);
	const kinds = new Set(entries.map((record) => record.payload["kind"] ?? record.payload["role"]));
	for (const kind of ["branch_summary", "compaction", "context_edit", "label", "custom", "bashExecution", "system"]) {
		assert.ok(kinds.has(kind), kind);
	}
	const text = entries.map((record) => JSON.stringify(record.payload)).join("\n");
	for (const part of ["満潮", '"type":"image"', '"thinkingSignature"', "Could not find the exact text"]) {
		assert.ok(text.includes(part), part);
	}
	const exits = [...log.read({ types: ["CommandRun"] })].map((record) => record.payload["exit"]);
	assert.deepEqual([exits.includes(1), exits.includes(0)], [true, true]);
	log.close();
});
