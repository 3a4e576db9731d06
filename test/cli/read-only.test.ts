/** A log that may be read but not written: another user's, or one on a read-only disk. */
import assert from "node:assert/strict";
import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openEngine } from "../../src/engine.ts";
import { type Ended, Place } from "./place.ts";
import { SESSION, session } from "./session.ts";

/** Root may write anywhere, so commands run as the user nobody. */
const NOBODY = 65_534;
const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

let place: Place;
before(async () => {
	place = new Place();
	await place.weft("import", place.file("session.jsonl", session(place.project)));
	const engine = openEngine({ cwd: place.project, home: place.home, host: "pi", session: SESSION, env: {} });
	engine.record([{ type: "Custom", payload: { name: "late" } }]);
	engine.close();
	chmodSync(place.folder, 0o755);
	freeze(place.home);
});
after(() => {
	thaw(place.home);
	place.remove();
});

async function weft(...args: string[]): Promise<Ended> {
	return place.weftAs(asNobody, ...args);
}

test("status, log, show, grep, stats, verify and export work where nothing can be written", async () => {
	const status = await weft("status", "--json");
	assert.deepEqual([status.code, status.err], [0, ""]);
	const { log } = JSON.parse(status.out) as {
		log: { events: number; sessions: { session: string; events: number }[] };
	};
	assert.equal(log.events, 20);
	// The last event came after the tables were filled: it is folded in memory.
	assert.deepEqual(
		log.sessions.map((row) => [row.session, row.events]),
		[[SESSION, 20]],
	);
	const lines = await weft("log", "--session", SESSION, "--limit", "0", "--json");
	assert.equal(lines.out.split("\n").length - 1, 20);
	assert.match((await weft("show", "2")).out, /parseHeader/);
	assert.equal(JSON.parse((await weft("grep", "parseHeader", "--json")).out).hits.length, 2);
	assert.equal(JSON.parse((await weft("grep", "--regex", "parse[A-Z]", "--json")).out).hits.length, 2);
	for (const command of ["stats", "verify", "export", "memory"]) {
		const ended = await weft(command);
		assert.deepEqual([ended.code, ended.err], [0, ""], command);
	}
});

test("what has to write says that it cannot, and where", async () => {
	for (const args of [["log", "add", "note"], ["rebuild"], ["import", join(place.folder, "session.jsonl")]]) {
		const { code, err } = await weft(...args);
		assert.equal(code, 1, args.join(" "));
		assert.match(err, /weft: .*home.* cannot be .*Check the folder's permissions/, args.join(" "));
	}
});

function freeze(folder: string): void {
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		if (entry.isDirectory()) freeze(join(folder, entry.name));
		else chmodSync(join(folder, entry.name), 0o444);
	}
	chmodSync(folder, 0o555);
}

function thaw(folder: string): void {
	chmodSync(folder, 0o755);
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		if (entry.isDirectory()) thaw(join(folder, entry.name));
	}
}
