import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openEngine } from "../../engine.ts";
import { writeCheckpoint, writeFailure } from "../../log/shipping-checkpoint.ts";
import { readAddress, targetKey } from "../../settings/fleet-address.ts";
import { configuredFleet, fleetSentence, fleetWarning } from "../../view/fleet-state.ts";
import { FleetShipping } from "./fleet-shipping.ts";

const folder = mkdtempSync(join(tmpdir(), "weft-ship-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const URL = "postgres://ann:hunter2@127.0.0.1:1/fleet";
const TARGET = targetKey(readAddress(URL, {}));
const MINUTE_MS = 60_000;

test("after a turn a process is started, one at a time, and a server that is away is left alone for a while", () => {
	const env = { WEFT_FLEET_URL: URL, HOME: folder };
	const engine = openEngine({ cwd: folder, host: "pi", session: "s", home: join(folder, "home"), env });
	const note = () => engine.record([{ type: "Custom", payload: { name: "n" } }]);
	let now = 1_000_000;
	let started: EventEmitter[] = [];
	const start = () => {
		const child = new EventEmitter();
		started.push(child);
		return child as ChildProcess;
	};
	const shipping = FleetShipping.of(engine, { env, now: () => now, start })!;
	shipping.turnEnded();
	assert.equal(started.length, 0, "nothing is new");
	note();
	shipping.turnEnded();
	shipping.turnEnded({ isLast: true });
	assert.equal(started.length, 1, "one at a time");
	started[0]!.emit("exit");
	shipping.turnEnded();
	assert.equal(started.length, 1, "not for every turn of a quick agent");
	shipping.turnEnded({ isLast: true });
	assert.equal(started.length, 2, "the end of a session does not wait");
	started[1]!.emit("exit");
	now += MINUTE_MS;
	for (let times = 0; times < 8; times++) writeFailure(engine.log, TARGET, "It does not answer.", now);
	started = [];
	now += MINUTE_MS;
	shipping.turnEnded({ isLast: true });
	assert.equal(started.length, 0, "it was tried a minute ago");
	now += 5 * MINUTE_MS;
	shipping.turnEnded();
	assert.equal(started.length, 1);
	const state = configuredFleet(engine.log, engine.settings, env)!;
	assert.equal(fleetWarning(state, now), "fleet away since 6m, 1 wait");
	assert.match(
		fleetSentence(state, now),
		/^ann@127\.0\.0\.1:1\/fleet: away since .*, 1 event waits\. It does not answer\.$/,
	);
	assert.doesNotMatch(fleetSentence(state, now), /hunter2/);
	writeCheckpoint(engine.log, TARGET, { seq: 1, n: 1, at: now });
	assert.equal(fleetWarning(configuredFleet(engine.log, engine.settings, env)!, now), undefined);
	engine.close();
	shipping.turnEnded();
	assert.equal(FleetShipping.of({ ...engine, settings: { ...engine.settings, "fleet.url": null } }), undefined);
});
