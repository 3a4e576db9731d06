/** Damage, targeted and random: no wrong bytes, no error but a sentence, and nothing lost that does not lie in it. */

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { READERS } from "../../src/agent/agents.ts";
import { offerFile } from "../../src/agent/recorded/repair-source.ts";
import { EngineError } from "../../src/base/error/engine-error.ts";
import { translateSqliteError } from "../../src/base/sqlite/sqlite-error.ts";
import { type Engine, openEngine } from "../../src/engine.ts";
import { Log } from "../../src/log/log.ts";
import { Repair } from "../../src/log/repair/repair.ts";
import { verify } from "../../src/log/repair/verify.ts";
import { archiveLines, writeArchive } from "../../src/log/retention/archive.ts";
import { messageReader } from "../../src/state/work/translate-message.ts";
import { worked } from "../openclaw/rig.ts";
import { blobData, flipped, packs, setBlob, setPack } from "../rig/damage.ts";
import { askEverything } from "../rig/every-reader.ts";
import { randomFrom, tellCount } from "./count.ts";
import { rounds } from "./time.ts";

const OF = { session: "s1", host: "test" };
const root = mkdtempSync(join(tmpdir(), "weft-attack-damage-"));
after(() => rmSync(root, { recursive: true, force: true }));

const draw = randomFrom(1);
const below = (n: number): number => Math.floor(draw() * n);

test("flipped bits in blobs and packs", () => {
	using log = new Log({ folder: join(root, "targeted"), origin: "here" });
	const bytes = Array.from({ length: 30 }, (_, n) => Buffer.from(textOf(n, 3_000)));
	const names = bytes.map((each) => log.putBlob(each));
	const events = Array.from({ length: 1_500 }, (_, n) => ({
		...{ type: "Custom" as const, session: "s", host: "h", ts: n, payload: { name: textOf(n, 300) } },
	}));
	log.append(events, { packed: true });
	const told = { blobs: 0, blobsLost: 0, packs: 0, eventsLost: 0, wrong: 0 };
	for (let n = 0; n < rounds(300); n++) {
		const at = below(names.length);
		const data = blobData(log, names[at]!);
		setBlob(log, names[at]!, flipped(data, below(data.length), below(8)));
		const got = log.getBlob(names[at]!);
		told.blobs++;
		if (!got) told.blobsLost++;
		else if (!got.equals(bytes[at]!)) told.wrong++;
		setBlob(log, names[at]!, data);
	}
	const all = packs(log);
	for (let n = 0; n < rounds(300); n++) {
		const { first, last, data } = all[below(all.length)]!;
		setPack(log, first, flipped(data, below(data.length), below(8)));
		told.packs++;
		for (const { seq, payload, wrong } of log.read({ after: first - 1, upTo: last, everything: true })) {
			if (wrong !== undefined) told.eventsLost++;
			else if (payload["name"] !== events[seq - 1]!.payload.name) told.wrong++;
		}
		setPack(log, first, data);
	}
	const { blobs, blobsLost, packs: damaged, eventsLost, wrong } = told;
	const counts = { "blobs damaged": blobs, "of them lost": blobsLost, "packs damaged": damaged };
	tellCount("flipped bits", { ...counts, "events lost": eventsLost, "wrong bytes": wrong });
	assert.equal(wrong, 0);
	assert.deepEqual(verify(log).problems, []);
});

test("random bytes anywhere in the file", async () => {
	const place = await recorded(join(root, "random"));
	const told = { rounds: 0, refused: 0, answered: 0, lost: 0, whole: 0, repaired: 0 };
	for (let n = 0; n < rounds(20); n++) {
		damage(place.log, 1 + below(n % 3 === 0 ? 40 : 3));
		told.rounds++;
		const outcome = await visit(place);
		told[outcome.kind]++;
		told.lost += outcome.lost;
		if (outcome.repaired) told.repaired++;
	}
	const { whole, answered, refused, lost, repaired } = told;
	const counts = {
		"logs damaged": told.rounds,
		"no worse": whole,
		"went on": answered,
		"refused in a sentence": refused,
	};
	tellCount("random bytes", { ...counts, "events lost": lost, repaired });
	assert.ok(told.answered + told.whole > 0);
});

interface Place {
	readonly cwd: string;
	readonly home: string;
	/** The log's file, and a copy of it as it was. */
	readonly log: string;
	readonly healthy: string;
	readonly copy: string;
	readonly texts: readonly string[];
}

const open = (cwd: string, home: string): Engine => openEngine({ cwd, home, host: "test", session: "s1", env: {} });

async function recorded(cwd: string): Promise<Place> {
	mkdirSync(cwd, { recursive: true });
	const home = join(cwd, "home");
	const engine = open(cwd, home);
	const read = messageReader({ ...OF, cwd });
	engine.record(worked(40, 900).flatMap((message, at) => read(message as never, `m${at}`)));
	const blob = engine.log.putBlob(Buffer.from(textOf(1, 60_000)));
	engine.record([{ type: "Custom", payload: { name: "kept", blob } }]);
	engine.log.settle({ all: true });
	engine.record([{ type: "Custom", payload: { name: "fresh" } }]);
	const texts = [...engine.log.readStored()].map(({ text }) => text);
	const copy = join(cwd, "export.jsonl");
	await writeArchive(copy, archiveLines(engine.log, engine.log.readStored()), { gzip: false });
	engine.log.search.catchUp();
	engine.log.catchUp();
	const log = engine.log.path;
	engine.close();
	const healthy = join(cwd, "healthy.db");
	copyFileSync(log, healthy);
	return { cwd, home, log, healthy, copy, texts };
}

function damage(path: string, bytes: number): void {
	const content = readFileSync(path);
	for (let n = 0; n < bytes; n++) content[100 + below(content.length - 100)] = below(256);
	writeFileSync(path, content);
}

/** Asks everything of the damaged log, then repairs it, then puts the healthy one back. */
async function visit(
	place: Place,
): Promise<{ kind: "refused" | "answered" | "whole"; lost: number; repaired: boolean }> {
	let engine: Engine | undefined;
	try {
		engine = open(place.cwd, place.home);
		const { log } = engine;
		const { problems } = await askEverything(engine, OF);
		let lost = 0;
		for (const { seq, text, lost: isLost } of log.readStored({ upTo: place.texts.length })) {
			if (isLost !== undefined) lost++;
			else assert.equal(text, place.texts[seq - 1], `event ${seq} has wrong bytes`);
		}
		if (problems.length === 0) return { kind: "whole", lost, repaired: false };
		const repair = new Repair(log);
		await offerFile(repair, place.copy, READERS);
		repair.isolate();
		log.rebuild();
		return { kind: "answered", lost, repaired: verify(log).problems.length === 0 };
	} catch (error) {
		const told = translateSqliteError(error, "log.db");
		if (!(told instanceof EngineError)) throw error;
		return { kind: "refused", lost: 0, repaired: false };
	} finally {
		try {
			engine?.close();
		} catch (error) {
			assert.ok(translateSqliteError(error, "log.db") instanceof EngineError, String(error));
		}
		putBack(place);
	}
}

function putBack({ log, healthy }: Place): void {
	const folder = join(log, "..");
	for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
	copyFileSync(healthy, log);
}

function textOf(seed: number, length: number): string {
	const next = randomFrom(seed + 7);
	const words: string[] = [];
	for (let size = 0; size < length; size += words.at(-1)!.length + 1) words.push(Math.floor(next() * 1e6).toString(36));
	return words.join(" ");
}
