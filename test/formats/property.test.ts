import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import fc from "fast-check";
import { READERS } from "../../src/agent/agents.ts";
import { detectKind } from "../../src/agent/recorded/file-kind.ts";
import { openStore } from "../../src/agent/recorded/session-store.ts";
import type { JsonObject } from "../../src/base/json/read.ts";
import type { NewEvent } from "../../src/log/event/types.ts";
import { viewMessage } from "../../src/message/view.ts";
import { FORMATS, type Format, writeFormat } from "./formats.ts";
import { happened, type Script, scripts, sums } from "./script.ts";

const home = mkdtempSync(join(tmpdir(), "weft-formats-"));
after(() => rmSync(home, { recursive: true, force: true }));
const NO_LOG = { read: () => [] };

/** Through the reader, without a log. */
function translate(format: Format, lines: readonly unknown[]): NewEvent[] {
	const values = lines.map((line) => (line === null || typeof line !== "object" ? undefined : (line as JsonObject)));
	const kind = detectKind(
		READERS,
		values.slice(0, 200),
		{ path: join(home, format.path), name: basename(format.path) },
		true,
	);
	assert.ok(kind && "found" in kind);
	assert.equal(kind.kind, format.agent);
	const read = kind.found.open(NO_LOG, () => {});
	return values.flatMap((value, at) => (value ? read(value, JSON.stringify(value), at + 1) : []));
}

function translateFile(format: Format, script: Script, run: number): NewEvent[] {
	const path = writeFormat(format, join(home, `run-${run}`), script);
	const cut = openStore(path, READERS);
	assert.equal(cut?.kind, format.agent);
	try {
		return [...cut!.sessions()].flatMap((session) => {
			const read = session.open(NO_LOG, () => {});
			return [...session.records()].flatMap(({ text }, at) => read(JSON.parse(text) as JsonObject, text, at + 1));
		});
	} finally {
		cut?.close();
	}
}

const counted = (events: readonly NewEvent[]) => {
	const used = { input: 0, read: 0, output: 0 };
	const answers = new Set<string>();
	for (const event of events) {
		if (event.type !== "Message") continue;
		const { usage, raw } = viewMessage({ ...event.payload, raw: JSON.parse(event.raw!) });
		const answer = String(raw["id"] ?? event.entry);
		if (!usage || answers.has(answer)) continue;
		answers.add(answer);
		used.input += usage.input;
		used.read += usage.cacheRead;
		used.output += usage.output;
	}
	return used;
};

const exits = (events: readonly NewEvent[]) =>
	events.flatMap(({ type, payload }) => {
		const { command, exit } = payload as { command?: string; exit?: number };
		return type === "CommandRun" && !/^cat loom/.test(command!) ? [`ran ${command} ${exit}`] : [];
	});

/** Every event under a name of its own, every made message from a record that is there. */
function assertSound(events: readonly NewEvent[]): void {
	const names = events.map(({ type, session, entry }) => `${type} ${session} ${entry}`);
	const records = new Set(events.flatMap(({ type, entry }) => (type === "Entry" ? [entry] : [])));
	for (const { type, payload } of events) {
		const { from } = payload as { from?: string };
		if (type === "Message" && from !== undefined) assert.ok(records.has(from), from);
	}
	const messages = names.filter((name) => name.startsWith("Message "));
	assert.equal(new Set(messages).size, messages.length);
}

/** What files hold that no program wrote, or that a newer one did. */
const noise = fc.constantFrom<unknown>(
	{ type: "of-tomorrow", payload: { deep: [[[]]] }, uuid: "n1", parentUuid: null },
	{ type: "event_msg", payload: null },
	{ type: "response_item", payload: { type: "message", role: "assistant", content: 7 } },
	{ id: 9, type: "gemini", toolCalls: [null, { result: "x" }], content: [null] },
	{ $set: { messages: [null, 3] } },
	{ type: "assistant", message: { parts: [null, { functionCall: null }] } },
	{ type: "tool.execution_complete", data: { result: [] } },
	{ huge: "x".repeat(300_000) },
	undefined,
);

for (const format of FORMATS) {
	describe(`${format.agent} ${basename(format.path).slice(0, 30)}`, () => {
		const fit = (script: Script) => (format.compacts ? script : script.filter((step) => !("compacted" in step)));

		test("any session: the commands and the tokens of the file, and nothing twice", () => {
			let run = 0;
			fc.assert(
				fc.property(scripts, (given) => {
					const script = fit(given);
					const events = format.lines ? translate(format, format.lines(script)) : translateFile(format, script, ++run);
					assertSound(events);
					assert.deepEqual(counted(events), sums(script));
					assert.deepEqual(
						exits(events).sort(),
						happened(script)
							.filter((line) => line.startsWith("ran "))
							.sort(),
					);
				}),
				{ numRuns: format.lines ? 15 : 3 },
			);
		});

		const { lines: linesOf } = format;
		if (!linesOf) return;
		test("lines that stand there twice, that nobody knows, that are cut off: the rest is the same", () => {
			fc.assert(
				fc.property(scripts, fc.infiniteStream(fc.tuple(fc.nat(9), noise)), (given, stream) => {
					const script = fit(given);
					const lines = linesOf(script);
					const noisy = lines.flatMap((line, at) => {
						const [dice, odd] = stream.next().value as [number, unknown];
						if (at === 0 || dice > 2) return [line];
						return dice === 0 ? [line, line] : [line, odd];
					});
					const events = translate(format, noisy);
					const plain = translate(format, lines);
					const commands = (of: readonly NewEvent[]) => [...new Set(exits(of))].sort();
					assert.deepEqual(commands(events), commands(plain));
					assert.deepEqual(counted(events), sums(script));
					// What the beginning of a file says does not depend on its end.
					const some = translate(format, noisy.slice(0, Math.ceil(noisy.length / 2)));
					assert.deepEqual(events.slice(0, some.length), some);
				}),
				{ numRuns: 12 },
			);
		});
	});
}

describe("sub-agents", () => {
	const formatOf = (agent: string) => FORMATS.find((format) => format.agent === agent)!;
	const commandsIn = (script: Script) =>
		happened(script)
			.filter((line) => line.startsWith("ran "))
			.sort();

	test("Copilot: in the same file and in any order, with the same call ids, each is a session of its own", () => {
		const format = formatOf("copilot-cli");
		const main = "cccccccc-1111-2222-3333-444444444444";
		fc.assert(
			fc.property(scripts, scripts, fc.infiniteStream(fc.boolean()), (own, others, turns) => {
				const [first, ...mine] = format.lines!(own) as JsonObject[];
				const theirs = (format.lines!(others) as JsonObject[])
					.slice(1)
					.map((line) => ({ ...line, id: `sub-${String(line["id"])}`, agentId: "helper" }));
				const merged: JsonObject[] = [first!];
				while (mine.length + theirs.length > 0) {
					const isMine = theirs.length === 0 || (mine.length > 0 && (turns.next().value as boolean));
					merged.push((isMine ? mine : theirs).shift()!);
				}
				const events = translate(format, merged);
				assertSound(events);
				for (const [session, script] of [
					[main, own],
					[`${main}/helper`, others],
				] as const) {
					const of = events.filter((event) => event.session === session);
					assert.deepEqual(counted(of), sums(script));
					assert.deepEqual(exits(of).sort(), commandsIn(script));
				}
				assert.ok(events.every(({ session }) => session === main || session === `${main}/helper`));
				assert.ok(!events.some(({ type, session }) => type === "UserIntent" && session !== main));
			}),
			{ numRuns: 12 },
		);
	});

	test("Cline: its file is a session under the one that it works for", () => {
		const { whole, path } = formatOf("cline");
		const parent = "1770000000000_loom";
		const place = join(home, "sub-agents", dirname(path), "agent_1.messages.json");
		mkdirSync(dirname(place), { recursive: true });
		fc.assert(
			fc.property(scripts, (given) => {
				const script = given.filter((step) => !("compacted" in step));
				const origin = { parentThreadId: parent, subagent: "agent_1", version: "3.0.65" };
				writeFileSync(place, JSON.stringify({ ...whole!(script), sessionId: "agent_1", origin }));
				const cut = openStore(place, READERS)!;
				const [only, ...more] = [...cut.sessions()];
				assert.deepEqual([only!.session, more], [`${parent}/agent_1`, []]);
				const read = only!.open(NO_LOG, () => {});
				const all = [...only!.records()].flatMap(({ text }, n) => read(JSON.parse(text) as JsonObject, text, n + 1));
				cut.close();
				const events = all.filter(({ session }) => session === `${parent}/agent_1`);
				assertSound(events);
				assert.deepEqual(counted(events), sums(script));
				assert.deepEqual(exits(events).sort(), commandsIn(script));
				assert.ok(
					!all.some(({ type, session }) => type === "UserIntent" || (type === "Message" && session === parent)),
				);
			}),
			{ numRuns: 5 },
		);
	});
});
