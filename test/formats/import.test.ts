import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, describe, test } from "node:test";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { discover, peekSessions } from "../../src/agent/recorded/session-files.ts";
import { readRecords } from "../../src/agent/recorded/session-store.ts";
import { EngineError } from "../../src/base/error/engine-error.ts";
import type { EventRecord } from "../../src/log/event/types.ts";
import { Log } from "../../src/log/log.ts";
import { viewMessage } from "../../src/message/view.ts";
import { recover } from "../../src/view/repair.ts";
import { FORMATS, type Format, writeFormat } from "./formats.ts";
import { CWD, happened, SCRIPT, sums } from "./script.ts";

const home = mkdtempSync(join(tmpdir(), "weft-formats-"));
after(() => rmSync(home, { recursive: true, force: true }));
let folders = 0;
const newLog = () => new Log({ folder: join(home, `log-${++folders}`), origin: "test" });
const written = new Map(FORMATS.map((format) => [format, writeFormat(format, home, SCRIPT)]));
const nameOf = ({ agent, path }: Format) => `${agent} ${basename(path).slice(0, 30)}`;

/** Without what every log has of its own. */
const brief = (log: Log) =>
	[...log.read()].map(({ type, session, host, entry, ts, payload }) => ({ type, session, host, entry, ts, payload }));

const messages = (log: Log) => brief(log).filter(({ type }) => type === "Message");

/** What happened, as one line an event, in the order of the events. */
function told(records: Iterable<EventRecord>): string[] {
	const lines: string[] = [];
	for (const { type, payload } of records) {
		if (type === "UserIntent") lines.push(`asked ${payload["text"]}`);
		// Codex has no tool to read with: it runs a command for it.
		if (type === "CommandRun" && !/^cat /.test(String(payload["command"])))
			lines.push(`ran ${payload["command"]} ${payload["exit"]}`);
		if (type === "FileRead") lines.push(`read ${payload["path"]}`);
		if (type !== "FileChanged") continue;
		const [, removed] = /\n-([^-\n].*)/.exec(String(payload["diff"])) ?? [];
		const [, added] = /\n\+([^+\n].*)/.exec(String(payload["diff"])) ?? [];
		lines.push(
			removed === undefined
				? `created ${payload["path"]} +${added}`
				: `changed ${payload["path"]} -${removed} +${added}`,
		);
	}
	return lines;
}

for (const format of FORMATS) {
	describe(nameOf(format), () => {
		const path = written.get(format)!;

		test("tells the same of the same session: requests, reads, commands with their exits, changes, tokens", async () => {
			using log = newLog();
			const report = await importFile(path, { readers: READERS, logFor: () => log });
			assert.deepEqual([report.kind, report.malformedCount, report.sessions[0]?.cwd], [format.agent, 0, CWD]);
			const records = [...log.read()];
			assert.deepEqual(told(records).sort(), happened(SCRIPT).sort());
			const used = { input: 0, read: 0, output: 0 };
			const answers = new Set<string>();
			for (const { type, payload } of records) {
				const { usage, raw } = viewMessage(type === "Message" ? payload : {});
				const answer = String(raw["id"] ?? answers.size);
				if (!usage || answers.has(answer)) continue;
				answers.add(answer);
				used.input += usage.input;
				used.read += usage.cacheRead;
				used.output += usage.output;
			}
			assert.deepEqual(used, sums(SCRIPT));
		});

		test("gives every record back as it was; a second import adds nothing", async () => {
			using log = newLog();
			await importFile(path, { readers: READERS, logFor: () => log });
			const again = await importFile(path, { readers: READERS, logFor: () => log });
			assert.deepEqual(
				again.sessions.map(({ events }) => events),
				again.sessions.map(() => 0),
			);
			const recovered = await recover(log, { lines: readRecords(path, READERS) });
			assert.deepEqual([recovered.missing, recovered.messages], [[], messages(log).length]);
		});

		test("is known for what it is, in the place where its program keeps it", async () => {
			const found = discover({ readers: READERS, env: { HOME: home } }).filter((file) => file.path === path);
			assert.deepEqual(
				found.map(({ agent }) => agent),
				format.isExport ? [] : [format.agent],
			);
			assert.deepEqual(
				(await peekSessions(path, READERS)).map(({ cwd }) => cwd),
				[CWD],
			);
		});

		if (!format.lines) {
			test("read while its program was still at it, and again at the end, is the whole", async () => {
				using whole = newLog();
				await importFile(path, { readers: READERS, logFor: () => whole });
				const place = mkdtempSync(join(home, "growing-"));
				using log = newLog();
				for (const steps of [2, 4, SCRIPT.length]) {
					rmSync(join(place, format.path), { force: true });
					await importFile(writeFormat(format, place, SCRIPT.slice(0, steps)), { readers: READERS, logFor: () => log });
				}
				assert.deepEqual(told(log.read()), told(whole.read()));
				assert.deepEqual(messages(log), messages(whole));
			});
			return;
		}

		test("half of it first, then the whole, is the whole", async () => {
			const lines = readFileSync(path, "utf8").trimEnd().split("\n");
			using whole = newLog();
			await importFile(path, { readers: READERS, logFor: () => whole });
			for (const share of [0.3, 0.7]) {
				// The last line is not complete.
				const cut = join(home, basename(path));
				const half = lines.slice(0, Math.ceil(lines.length * share));
				writeFileSync(cut, `${half.join("\n")}\n${lines[half.length]?.slice(0, 20) ?? ""}`);
				using log = newLog();
				await importFile(cut, { readers: READERS, logFor: () => log });
				await importFile(path, { readers: READERS, logFor: () => log });
				assert.deepEqual(brief(log), brief(whole));
				rmSync(cut);
			}
		});
	});
}

test("a file of no known kind is named, with what was looked for; the notes beside sub-agents are not sessions", async () => {
	using log = newLog();
	for (const [name, content] of [
		["notes.jsonl", '{"hello":1}\n'],
		["agent-1.meta.json", '{"agentId":"a","toolUseId":"t"}'],
		["sessions.json", '[{"sessionId":"x"}]'],
	] as const) {
		const path = join(home, name);
		writeFileSync(path, content);
		await assert.rejects(importFile(path, { readers: READERS, logFor: () => log }), (error: unknown) => {
			assert.ok(error instanceof EngineError && error.code === "unknown-format");
			for (const reader of READERS) assert.ok(error.message.includes(reader.looksFor), reader.kind);
			return error.message.includes(name);
		});
	}
	assert.equal(log.count(), 0);
});

test("a file that its program is writing is left for later", async () => {
	const path = written.get(FORMATS.find(({ agent }) => agent === "cline")!)!;
	const half = join(home, "half.messages.json");
	writeFileSync(half, readFileSync(path, "utf8").slice(0, 300));
	using log = newLog();
	await assert.rejects(
		importFile(half, { readers: READERS, logFor: () => log }),
		(error: unknown) => error instanceof EngineError && /import it again/.test(error.message),
	);
	assert.equal(log.count(), 0);
});
