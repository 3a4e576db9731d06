import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { READERS } from "../../src/agent/agents.ts";
import { hashOf } from "../../src/agent/claude-code/requests.ts";
import { FileFollower } from "../../src/agent/recorded/file-follower.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { hostMessages } from "../../src/context/envelope/envelope.ts";
import { TableFolds } from "../../src/log/fold/table-folds.ts";
import { Log } from "../../src/log/log.ts";
import { openRecording } from "../../src/replay/recording.ts";
import { readUsage, usageFold } from "../../src/state/session/usage-fold.ts";
import { replayAll } from "../replay/rig.ts";
import { FORMATS, writeFormat } from "./formats.ts";
import { at, CWD, SCRIPT, START, sums } from "./script.ts";

const home = mkdtempSync(join(tmpdir(), "weft-agents-"));
after(() => rmSync(home, { recursive: true, force: true }));
let folders = 0;
const newLog = () =>
	new Log({ folder: join(home, `log-${++folders}`), origin: "test", projection: () => new TableFolds([usageFold]) });
const formatOf = (agent: string) => FORMATS.find((format) => format.agent === agent)!;
const json = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");
const used = (log: Log) => {
	const all = { input: 0, read: 0, output: 0 };
	for (const { input, cache_read, output } of readUsage(log)) {
		all.input += input;
		all.read += cache_read;
		all.output += output;
	}
	return all;
};

test("a fork of Codex's goes on from its parent, and what it took over counts once", async () => {
	const path = writeFormat(formatOf("codex"), home, SCRIPT);
	const parent = "11111111-2222-3333-4444-555555555555";
	const fork = "22222222-2222-3333-4444-555555555555";
	const until = readFileSync(path, "utf8").trimEnd().split("\n").length;
	const payload = {
		id: fork,
		session_id: fork,
		cwd: CWD,
		forked_from_id: parent,
		history_base: { thread_id: parent, end_ordinal_exclusive: until },
	};
	const line = (ordinal: number, type: string, of: object) => ({ timestamp: at(99), ordinal, type, payload: of });
	const forked = join(dirname(path), `rollout-2026-04-01T10-00-00-${fork}.jsonl`);
	const usage = { input_tokens: 7, cached_input_tokens: 0, output_tokens: 5 };
	writeFileSync(
		forked,
		json([
			line(until, "session_meta", payload),
			line(until + 1, "response_item", {
				type: "message",
				id: "f1",
				role: "user",
				content: [{ type: "input_text", text: "Another way" }],
			}),
			line(until + 2, "response_item", {
				type: "message",
				id: "f2",
				role: "assistant",
				content: [{ type: "output_text", text: "So be it." }],
			}),
			line(until + 3, "token_usage_record", { response_id: "r", usage }),
		]),
	);
	using log = newLog();
	for (const file of [path, forked]) await importFile(file, { readers: READERS, logFor: () => log });
	const { input, read, output } = sums(SCRIPT);
	assert.deepEqual(used(log), { input: input + 7, read, output: output + 5 });
	const recording = await openRecording(forked);
	try {
		const { requests } = await replayAll(recording, "host");
		assert.equal(requests.length, 1);
		const sent = JSON.stringify(requests[0]!.envelope.messages);
		assert.ok(sent.includes("Mend the selvage") && sent.includes("Another way"));
	} finally {
		recording.close();
	}
});

test("a sub-agent is a session under the one that it works for", async () => {
	const root = "11111111-2222-3333-4444-555555555555";
	const child = "33333333-2222-3333-4444-555555555555";
	const path = join(home, `rollout-2026-04-01T09-30-00-${child}.jsonl`);
	writeFileSync(
		path,
		json([
			{
				timestamp: at(1),
				ordinal: 0,
				type: "session_meta",
				payload: { id: child, session_id: root, parent_thread_id: root, cwd: CWD },
			},
		]),
	);
	using log = newLog();
	const { sessions } = await importFile(path, { readers: READERS, logFor: () => log });
	assert.deepEqual(
		sessions.map(({ session }) => session),
		[`${root}/${child}`],
	);
});

describe("what Claude Code wrote down of its requests", () => {
	const session = "44444444-2222-3333-4444-555555555555";
	const shape = {
		system: [{ type: "text", text: "You weave." }],
		tools: [{ name: "Bash", description: "runs", input_schema: {} }],
	};
	const shapeHash = hashOf(shape);
	const opening = {
		role: "user",
		content: [
			{ type: "text", text: "<system-reminder>clean tree</system-reminder>" },
			{ type: "text", text: "Mend it" },
		],
	};
	const listing = { role: "system", content: [{ type: "text", text: "tools: Bash" }] };
	const call = { type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } };
	const results = { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "loom.txt" }] };
	const answer = { role: "assistant", content: [{ type: "text", text: "I look." }, call] };
	const usage = { input_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 9, output_tokens: 3 };
	let last: string | null = null;
	const line = (type: string, uuid: string, more: object) => {
		const made = {
			parentUuid: last,
			isSidechain: false,
			type,
			uuid,
			sessionId: session,
			cwd: CWD,
			version: "2.1.325",
			timestamp: at(1),
			...more,
		};
		last = uuid;
		return made;
	};
	const said = (uuid: string, id: string, requestRef: string, block: object) =>
		line("assistant", uuid, {
			requestRef,
			message: { id, role: "assistant", model: "claude-opus-5-5", content: [block], usage },
		});
	const request = (id: string, more: object) => ({
		type: "api-request",
		sessionId: session,
		id,
		timestamp: at(1),
		shapeHash,
		params: { model: "claude-opus-5-5" },
		...more,
	});
	const blob = (message: object) => ({
		type: "api-request-blob",
		sessionId: session,
		hash: hashOf(message as never),
		message,
	});
	const lines = [
		line("user", "u1", { message: { role: "user", content: "Mend it" } }),
		{ type: "api-request-shape", sessionId: session, shapeHash, shape },
		blob(opening),
		blob(listing),
		request("r1", { keep: 0, tail: [hashOf(opening), hashOf(listing)] }),
		said("a1", "msg_1", "r1", answer.content[0]!),
		said("a2", "msg_1", "r1", call),
		line("user", "u2", { message: results }),
		request("r2", { base: "r1", keep: 2, tail: [hashOf(answer), hashOf(results)] }),
		said("a3", "msg_2", "r2", { type: "text", text: "Mended." }),
	];
	const path = join(home, `${session}.jsonl`);
	writeFileSync(path, json(lines));

	test("is replayed as it was sent, with its system prompt and tools", async () => {
		const recording = await openRecording(path);
		try {
			const { requests } = await replayAll(recording, "host");
			assert.deepEqual(
				requests.map(({ envelope }) => hostMessages(envelope)),
				[
					[opening, listing],
					[opening, listing, answer, results],
				],
			);
			assert.deepEqual(
				requests.map(({ envelope }) => [envelope.system.compiled, envelope.tools.map(({ name }) => name)]),
				[
					["You weave.", ["Bash"]],
					["You weave.", ["Bash"]],
				],
			);
		} finally {
			recording.close();
		}
	});

	test("is in the log as a manifest of each request", async () => {
		using log = newLog();
		await importFile(path, { readers: READERS, logFor: () => log });
		const manifests = [...log.read({ types: ["Request"] })].map(({ payload }) => payload as Record<string, unknown>);
		assert.deepEqual(
			manifests.map(({ request, mode, kept, items, difference }) => [
				request,
				mode,
				kept,
				(items as { hash: string }[]).map(({ hash }) => hash),
				difference,
			]),
			[
				["r1", "host", 0, [opening, listing].map((message) => hashOf(message).slice(0, 16)), null],
				["r2", "host", 2, [answer, results].map((message) => hashOf(message).slice(0, 16)), null],
			],
		);
	});

	test("what a fork copied counts once", async () => {
		const copy = join(home, "55555555-2222-3333-4444-555555555555.jsonl");
		writeFileSync(copy, json(lines).replaceAll(session, "55555555-2222-3333-4444-555555555555"));
		using log = newLog();
		for (const file of [path, copy]) await importFile(file, { readers: READERS, logFor: () => log });
		assert.deepEqual(used(log), { input: 10, read: 0, output: 6 });
	});
});

test("an older session of Qwen Code's that begins with a line of the program's own is not taken for Claude Code's", async () => {
	const path = join(home, "older-qwen.jsonl");
	const [first, ...others] = formatOf("qwen-code").lines!(SCRIPT) as { provenance?: string; message?: unknown }[];
	const bare = [first!, ...others].map(({ provenance: _, ...line }) => line);
	const { message: _, ...own } = bare[0]!;
	const start = { ...own, uuid: "start", type: "system", subtype: "custom_title", systemPayload: { customTitle: "x" } };
	writeFileSync(path, json([start, ...bare]));
	using log = newLog();
	assert.equal((await importFile(path, { readers: READERS, logFor: () => log })).kind, "qwen-code");
});

test("the beginning of a first line is a file that is being written, not one of no known kind", async () => {
	const path = join(home, "begun.jsonl");
	writeFileSync(path, JSON.stringify(formatOf("codex").lines!(SCRIPT)[0]).slice(0, 40));
	using log = newLog();
	await assert.rejects(
		importFile(path, { readers: READERS, logFor: () => log }),
		/begun\.jsonl is not complete JSON: its program may be/,
	);
});

describe("following", () => {
	test("reads on in a file that grows, with half a line at its end, and sees a rewritten one", async () => {
		const format = formatOf("codex");
		const path = join(home, "grown.jsonl");
		const lines = format.lines!(SCRIPT);
		const cut = Math.floor(lines.length / 2);
		writeFileSync(path, json(lines.slice(0, cut)) + JSON.stringify(lines[cut]).slice(0, 30));
		using log = newLog();
		using whole = newLog();
		const follower = new FileFollower({ readers: READERS, files: () => [path], logFor: () => log });
		assert.ok((await follower.look())[0]!.sessions[0]!.events > 0);
		assert.deepEqual(await follower.look(), []);
		appendFileSync(path, `${JSON.stringify(lines[cut]).slice(30)}\n${json(lines.slice(cut + 1))}`);
		const [report] = await follower.look();
		// Only what is new was read.
		assert.equal(report!.sessions[0]!.duplicates, 0);
		await importFile(path, { readers: READERS, logFor: () => whole });
		const of = (each: Log) => [...each.read()].map(({ type, entry, payload }) => ({ type, entry, payload }));
		assert.deepEqual(of(log), of(whole));
		writeFileSync(path, json(lines.slice(0, 4)));
		const [again] = await follower.look();
		assert.equal(again!.sessions[0]!.events, 0);
	});

	test("a file that was written anew, and is longer now, is read from its beginning", async () => {
		const path = join(home, "anew.jsonl");
		const lines = formatOf("codex").lines!(SCRIPT);
		writeFileSync(path, json(lines.slice(0, 5)));
		using log = newLog();
		const follower = new FileFollower({ readers: READERS, files: () => [path], logFor: () => log });
		await follower.look();
		const [first, ...others] = lines;
		const added = { timestamp: at(1), type: "event_msg", payload: { type: "stands second now" } };
		writeFileSync(path, json([first!, added, ...others]));
		const [report] = await follower.look();
		assert.equal(report!.malformedCount, 0);
		const kept = new Set([...log.read({ types: ["Entry"] })].map(({ payload }) => JSON.stringify(payload["raw"])));
		for (const line of [added, ...lines]) assert.ok(kept.has(JSON.stringify(line)), JSON.stringify(line));
	});

	test("of a database reads only the sessions with something new, and its writer never waits", async () => {
		const path = writeFormat(formatOf("opencode"), home, SCRIPT);
		const writer = new DatabaseSync(path, { timeout: 0 });
		writer.exec("PRAGMA journal_mode = WAL");
		using log = newLog();
		const add = (id: string, role: string, text: string) => {
			const data = JSON.stringify({
				role,
				modelID: "m",
				providerID: "p",
				time: { created: START + 99_000, completed: START + 99_000 },
			});
			writer.prepare("INSERT INTO message VALUES (?, 'ses_1', ?, ?, ?)").run(id, START + 99_000, START + 99_000, data);
			writer
				.prepare("INSERT INTO part VALUES (?, ?, 'ses_1', ?, ?, ?)")
				.run(`p${id}`, id, START + 99_000, START + 99_000, JSON.stringify({ type: "text", text }));
		};
		let writes = 0;
		const follower = new FileFollower({
			readers: READERS,
			files: () => [path],
			// While a session is read, its owner writes.
			logFor: () => {
				add(`msg_8${++writes}`, "user", `more ${writes}`);
				return log;
			},
		});
		await follower.look();
		add("msg_900000", "user", "One more thing");
		const [report] = await follower.look();
		assert.ok(report!.sessions[0]!.messages >= 1);
		assert.ok([...log.read({ types: ["UserIntent"] })].some(({ payload }) => payload["text"] === "One more thing"));
		writer.close();
	});
});
