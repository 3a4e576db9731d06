import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openEngine } from "../engine.ts";
import { readFleetPage } from "./overview.ts";
import { fleetPlace } from "./place.ts";
import { syncProject } from "./sync.ts";

const folder = mkdtempSync(join(tmpdir(), "weft-fleet-page-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("a server that is away is a part of the page, with since when and why, and costs the log nothing", async () => {
	const env = { HOME: folder, WEFT_FLEET_URL: "postgres://ann:hunter2@127.0.0.1:1/x", WEFT_FLEET_PROJECT: "p" };
	const engine = openEngine({ cwd: folder, host: "cli", session: "s", home: join(folder, "home"), env });
	engine.record([{ type: "Custom", payload: { name: "n" } }]);
	// As one that was fetched: it never ships, and does not wait.
	engine.log.append([
		{ type: "Custom", session: "f", host: "pi", ts: 1, origin: "elsewhere", id: randomUUID(), payload: { name: "n" } },
	]);
	const before = [...engine.log.readStored()];
	const place = { ...fleetPlace(engine, env), home: join(folder, "home") };
	await assert.rejects(syncProject(engine, place, { now: () => 5_000 }), {
		code: "io-error",
		message: /cannot be reached/,
	});
	await assert.rejects(syncProject(engine, place, { now: () => 9_000 }), { code: "io-error" });
	const page = await readFleetPage(engine, env);
	assert.deepEqual([page.overview, page.state?.behind, page.state?.failing?.since], [null, 1, 5_000]);
	assert.match(page.problem!, /ann@127\.0\.0\.1:1\/x cannot be reached/);
	assert.equal(JSON.stringify(page).includes("hunter2"), false);
	assert.deepEqual([...engine.log.readStored()], before);
	engine.close();
	const none = openEngine({ cwd: folder, host: "cli", home: join(folder, "home"), env: { HOME: folder } });
	assert.deepEqual(await readFleetPage(none, {}), { state: null, overview: null, problem: null });
	assert.throws(() => fleetPlace(none, {}), { code: "bad-config", message: /No fleet is configured/ });
	none.close();
});
