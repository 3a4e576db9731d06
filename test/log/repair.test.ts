/** Damage costs what lies in it and nothing else; a copy brings it back by its hash; what nobody has is put aside. */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { offerFile } from "../../src/agent/recorded/repair-source.ts";
import { type Engine, openEngine } from "../../src/engine.ts";
import { databaseOf } from "../../src/log/database.ts";
import { Repair } from "../../src/log/repair/repair.ts";
import { verify } from "../../src/log/repair/verify.ts";
import { archiveLines, writeArchive } from "../../src/log/retention/archive.ts";
import { blobData, flipped, packs, setBlob, setPack } from "../rig/damage.ts";
import { askEverything } from "../rig/every-reader.ts";

const OF = { session: "0199-repair", host: "pi" };

/** A log with a recorded session, its file, and an export of the log. */
async function recorded(t: TestContext) {
	const root = mkdtempSync(join(tmpdir(), "weft-repair-test-"));
	const warnings: string[] = [];
	const engine = openEngine({
		cwd: root,
		home: join(root, "home"),
		host: "test",
		env: {},
		warn: (message) => warnings.push(message),
	});
	t.after(() => {
		engine.close();
		rmSync(root, { recursive: true, force: true });
	});
	const file = join(root, `2026_${OF.session}.jsonl`);
	writeFileSync(file, sessionLines(root).join("\n"));
	const { log } = engine;
	await importFile(file, {
		readers: READERS,
		logFor: () => ({ append: (events) => log.append(events, { packed: true }), read: (query) => log.read(query) }),
	});
	const blob = log.putBlob(Buffer.from("a long output, whole\n".repeat(2_000)));
	log.append([{ type: "Custom", session: "s", host: "test", ts: 1, payload: { name: "kept", blob } }]);
	const copy = join(root, "export.jsonl");
	await writeArchive(copy, archiveLines(log, log.readStored()), { gzip: false });
	return { engine, log, file, copy, blob, warnings };
}

function sessionLines(cwd: string): string[] {
	const header = { type: "session", version: 3, id: OF.session, timestamp: "2026-01-05T10:00:00.000Z", cwd };
	const lines: object[] = [header];
	for (let n = 0; n < 60; n++) {
		const text = `message number ${n} about the word and the file src/part${n}.ts`.repeat(8);
		const message = { role: n % 2 === 0 ? "user" : "assistant", content: [{ type: "text", text }], timestamp: n };
		const parentId = n === 0 ? null : `e${n - 1}`;
		lines.push({ type: "message", id: `e${n}`, parentId, timestamp: "2026-01-05T10:00:01.000Z", message });
	}
	return lines.map((line) => JSON.stringify(line));
}

const texts = (engine: Engine) => [...engine.log.readStored()].map(({ text }) => text);

test("one flipped bit in a pack or a blob never gives wrong bytes, and costs nothing that is not in it", async (t) => {
	const { engine, log, blob } = await recorded(t);
	const whole = texts(engine);
	const [first] = packs(log);
	for (let at = 0; at < first!.data.length; at += 397) {
		setPack(log, first!.first, flipped(first!.data, at, at));
		for (const { seq, text, lost } of log.readStored()) {
			assert.ok(lost !== undefined || text === whole[seq - 1], `byte ${at}: event ${seq} has wrong bytes`);
			assert.ok(lost === undefined || seq <= first!.last, `byte ${at}: event ${seq} is in another pack`);
		}
		for (const record of log.read()) assert.deepEqual(record.payload, JSON.parse(whole[record.seq - 1]!), `byte ${at}`);
	}
	setPack(log, first!.first, first!.data);
	const data = blobData(log, blob);
	for (let at = 0; at < data.length; at += 3) {
		setBlob(log, blob, flipped(data, at, at));
		const bytes = log.getBlob(blob);
		assert.ok(bytes === undefined || bytes.toString() === "a long output, whole\n".repeat(2_000), `byte ${at}`);
	}
	assert.ok(log.losses().some((loss) => loss.blob === blob));
});

test("with a pack gone everybody goes on, and is told what is lost and where a copy may be", async (t) => {
	const { engine, log, warnings } = await recorded(t);
	const [first] = packs(log);
	setPack(log, first!.first, Buffer.from("not zstd"));
	const { problems } = await askEverything(engine, OF);
	assert.match(problems[0]!, /^event 1 cannot be read: the pack of events 1 to \d+ is damaged$/);
	assert.ok(
		problems.every((problem) => /^event \d+ cannot be read|search index|state differs/.test(problem)),
		problems.join("\n"),
	);
	engine.close();
	assert.equal(warnings.length, 1);
	assert.match(
		warnings[0]!,
		/^\d+ events \(1, 2, 3, 4, 5 and \d+ more\) cannot be read\. .* session files of pi, .*'weft repair' looks for it\.$/,
	);
});

test("lost events come back from the host's own session file, proved by the chain", async (t) => {
	const { engine, log, file } = await recorded(t);
	const whole = texts(engine);
	const [first] = packs(log);
	setPack(log, first!.first, Buffer.from("not zstd"));
	const repair = new Repair(log);
	assert.deepEqual(repair.sessions(), new Set([OF.session]));
	const taken = await offerFile(repair, file, READERS);
	const report = repair.isolate();
	assert.equal(report.lost, taken);
	assert.deepEqual({ left: report.left, isolated: report.isolated }, { left: [], isolated: 0 });
	assert.deepEqual(texts(engine), whole);
	assert.deepEqual(verify(log).problems, []);
});

test("a blob and an event come back from an export; a copy that is not theirs is not taken", async (t) => {
	const { engine, log, copy, blob } = await recorded(t);
	const whole = texts(engine);
	const newest = log.newestSeq();
	databaseOf(log).prepare('UPDATE event SET payload = \'{"name":"forged"}\' WHERE seq = ?').run(newest);
	setBlob(log, blob, flipped(blobData(log, blob), 12));
	const repair = new Repair(log);
	const { session, host, type, entry } = log.getStored(newest)!;
	assert.equal(repair.offer({ session, host, type, entry, text: '{"name":"also forged"}' }), false);
	assert.equal(repair.offerBlob(Buffer.from("something else")), false);
	assert.equal(await offerFile(repair, copy, READERS), 2);
	assert.deepEqual(repair.isolate().left, []);
	assert.deepEqual(texts(engine), whole);
	assert.deepEqual(verify(log).problems, []);
});

test("what nobody has is put aside: the rest is whole again, and a later copy still brings it back", async (t) => {
	const { engine, log, copy, blob } = await recorded(t);
	const whole = texts(engine);
	const [first] = packs(log);
	setPack(log, first!.first, flipped(first!.data, first!.data.length - 30));
	setBlob(log, blob, Buffer.from("x"));
	const lost = [...log.readStored()].filter((record) => record.lost !== undefined).length;
	assert.ok(lost > 0);
	const report = new Repair(log).isolate();
	assert.deepEqual({ isolated: report.isolated, restored: report.restored }, { isolated: lost + 1, restored: 0 });
	assert.ok(existsSync(join(log.folder, "damaged", `pack-${first!.first}-${first!.last}.zst`)));
	log.rebuild();
	const after = await askEverything(engine, OF);
	assert.deepEqual({ problems: after.problems, lost: after.lost }, { problems: [], lost: lost + 1 });
	assert.equal([...log.readStored()].filter((record) => record.lost !== undefined).length, lost);

	const again = new Repair(log);
	await offerFile(again, copy, READERS);
	assert.deepEqual(again.isolate().left, []);
	assert.deepEqual(texts(engine).slice(0, whole.length), whole);
	assert.deepEqual(verify(log).lost, 0);
});

test("a damaged hash is computed again from the event and proved by the next one", async (t) => {
	const { engine, log } = await recorded(t);
	const whole = texts(engine);
	databaseOf(log).exec("UPDATE event SET hash = zeroblob(32) WHERE seq IN (3, 9)");
	assert.deepEqual(texts(engine), whole);
	assert.equal(verify(log).problems.length, 4);
	assert.equal(new Repair(log).isolate().relinked, 2);
	assert.deepEqual(verify(log).problems, []);
});

test("packing and pruning never make damage look whole", async (t) => {
	const { log } = await recorded(t);
	log.append(
		Array.from({ length: 200 }, (_, n) => ({
			...{ type: "Custom" as const, session: "s", host: "h", ts: n, payload: { name: `note ${n}` } },
		})),
	);
	const seq = log.newestSeq() - 50;
	databaseOf(log).prepare('UPDATE event SET payload = \'{"name":"changed"}\' WHERE seq = ?').run(seq);
	log.settle({ all: true });
	log.forget();
	assert.match(log.get(seq)!.wrong!, /is not what was written/);
	assert.equal(log.get(seq + 1)!.payload["name"], "note 150");
});
