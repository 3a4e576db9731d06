import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import type { NewEvent } from "../log/event/types.ts";
import { TableFolds } from "../log/fold/table-folds.ts";
import { Log } from "../log/log.ts";
import { findSession } from "../state/session/find-session.ts";
import { sessionFold } from "../state/session/session-fold.ts";
import { diskUse } from "./disk-use.ts";
import { eventFile, findEvent } from "./event.ts";
import { sessionEntries, sessionMarkdown } from "./export.ts";
import { readStats } from "./stats.ts";
import { readStatus, writtenAt } from "./status.ts";

const folder = temporaryFolder();

const NOW = Date.UTC(2026, 10, 15);
let logs = 0;

function logOf(...events: NewEvent[]): Log {
	const log = new Log({
		folder: join(folder, String(++logs)),
		origin: "here",
		projection: () => new TableFolds([sessionFold]),
		now: () => NOW,
	});
	log.append(events);
	return log;
}

function said(entry: string, message: object, session = "0199-first"): NewEvent {
	const role = String((message as { role: string }).role);
	const raw = `{"type":"message", "id":"${entry}","parentId":null,"timestamp":"x","message":${JSON.stringify(message)}}`;
	return { type: "Message", session, host: "pi", ts: 5_000, entry, payload: { role, form: "pi" }, raw };
}

const started: NewEvent = {
	type: "SessionStarted",
	session: "0199-first",
	host: "pi",
	ts: 1_000,
	entry: "header",
	payload: { cwd: "/home/dev/app" },
	raw: '{"type":"session","version":3, "id":"0199-first","cwd":"/home/dev/app"}',
};
const intent: NewEvent = { type: "UserIntent", session: "0199-first", host: "pi", ts: 5_000, payload: { text: "hi" } };
const user = said("a", { role: "user", content: "hi" });

test("sessions stand in the order of their last activity, not of their arrival; what weft makes of one later is none", () => {
	const at = (ts: number, session: string): NewEvent => ({
		...said(session, { role: "user", content: "x" }, session),
		ts,
	});
	const payload = { where: "w", code: "c", message: "m" };
	const fault: NewEvent = { type: "Fault", session: "old", host: "pi", ts: 9_000, payload };
	using log = logOf(at(4_000, "new"), at(3_000, "old"), fault);
	assert.deepEqual(
		readStatus(log).sessions.map(({ session, last_ts }) => [session, last_ts]),
		[
			["new", 4_000],
			["old", 3_000],
		],
	);
});

test("status tells the freshest session, who wrote last and when", () => {
	using log = logOf(started, user, intent, said("b", { role: "user", content: "other" }, "0199-second"));
	const status = readStatus(log);
	assert.deepEqual(status.lastWrite, { seq: 4, type: "Message", host: "pi", session: "0199-second", at: NOW });
	assert.deepEqual(
		status.sessions.map((row) => [row.session, row.title, row.events, row.messages]),
		[
			["0199-second", null, 1, 1],
			["0199-first", "hi", 3, 1],
		],
	);
	assert.equal(status.events, 4);
	assert.ok(status.bytes > 0);
	using empty = logOf();
	assert.deepEqual([readStatus(empty).lastWrite, readStatus(empty).sessions], [null, []]);
	assert.equal(writtenAt("019a8510-0000-7000-8000-000000000000"), 0x019a85100000);
});

test("stats count by type and weigh the disk against the transcript", () => {
	using log = logOf(started, user, intent);
	const { types, disk, ...stats } = readStats(log);
	assert.deepEqual(
		types.map(({ type, events }) => [type, events]),
		[
			["Message", 1],
			["SessionStarted", 1],
			["UserIntent", 1],
		],
	);
	assert.deepEqual([stats.events, stats.sessions, stats.messages], [3, 1, 1]);
	assert.equal(stats.transcriptBytes, types[0]!.bytes + types[1]!.bytes);
	assert.equal(stats.bytesPerTranscriptByte, Number((disk.total / stats.transcriptBytes).toFixed(3)));
	assert.ok(disk.log > 0 && disk.wal > 0 && disk.other === 0);
	log.flush();
	const { total, ...parts } = diskUse(log);
	assert.equal(
		Object.values(parts).reduce((sum, bytes) => sum + bytes, 0),
		total,
	);
	assert.equal(parts.wal, 0);
});

test("an event is found by seq, handle, id and the beginning of its id", () => {
	using log = logOf(started, user);
	const { id } = log.get(2)!;
	for (const handle of ["2", "#2", ` ${log.handleAt(2)} `, " 2 ", id, id.slice(0, 24)])
		assert.equal(findEvent(log, handle).seq, 2, handle);
	const started1 = log.handleAt(1)!;
	assert.throws(() => findEvent(log, started1.replace("e-", "m-")), {
		code: "not-found",
		message: `${started1.replace("e-", "m-")} is not a message but a SessionStarted. Try ${started1}.`,
	});
	for (const handle of ["3", "e-99", "m-0123456789ab", "nonsense", "-1", "", "2; DROP TABLE event"]) {
		assert.throws(() => findEvent(log, handle), { code: "not-found" }, handle);
	}
});

test("a session is found by the beginning of its id if that names one only", () => {
	using log = logOf(started, said("b", { role: "user", content: "x" }, "0199-second"));
	assert.equal(findSession(log, "0199-f").session, "0199-first");
	assert.equal(findSession(log, "0199-second").session, "0199-second");
	assert.throws(() => findSession(log, "0199"), { code: "usage", message: /0199-second, 0199-first/ });
	assert.throws(() => findSession(log, "0200"), { code: "not-found" });
	assert.throws(() => findSession(log, ""), { code: "not-found" });
});

test("a session's entries come out byte for byte, the header first, and nothing that is not the host's", () => {
	using log = logOf(started, user, intent);
	assert.deepEqual([...sessionEntries(log, "0199-first")], [started.raw, user.raw]);
});

test("a session reads as Markdown, masked, whole, with fences that hold", async () => {
	const call = {
		role: "assistant",
		content: [{ type: "toolCall", id: "c", name: "read", arguments: { path: "a.md" } }],
	};
	const result = {
		role: "toolResult",
		toolCallId: "c",
		toolName: "read",
		content: [{ type: "text", text: `\`\`\`\`js\nSECRET\n${"x".repeat(5000)}` }],
	};
	using log = logOf(started, user, said("b", call), said("c", result));
	const lines: string[] = [];
	for await (const line of sessionMarkdown(log, findSession(log, "0199-first"), async (text) =>
		text.replaceAll("SECRET", "***"),
	)) {
		lines.push(line);
	}
	const page = lines.join("\n");
	assert.match(page, /^# Session 0199-first\n/);
	assert.match(page, /## user · [\d: -]+ · #2\n\nhi/);
	assert.match(page, /\*\*read\*\*\n\n```json\n\{\n {2}"path": "a.md"\n\}\n```/);
	assert.match(page, /\n`{5}\n`{4}js\n\*\*\*\nx{5000}\n`{5}$/);
});

test("a file is named as events name it", () => {
	assert.equal(eventFile("a.ts", "/p/src", "/p"), "src/a.ts");
	assert.equal(eventFile("./", "/p/src", "/p"), "src/");
	assert.equal(eventFile("/p/src/a.ts", "/elsewhere", "/p"), "src/a.ts");
	assert.equal(eventFile("/etc/hosts", "/p", "/p"), "/etc/hosts");
	assert.equal(eventFile("src/a.ts", "/elsewhere", "/p"), "src/a.ts");
});
