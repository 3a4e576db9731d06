/** The inspector's panel of a fleet, in a real browser, with a real PostgreSQL. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openEngine } from "../../src/engine.ts";
import { fleetPlace } from "../../src/fleet/place.ts";
import { syncProject } from "../../src/fleet/sync.ts";
import { projectRoot } from "../../src/log/home.ts";
import { serve } from "../../src/show/inspector/server/serve.ts";
import { TestServer } from "../fleet/server.ts";
import { BROWSER, launch, Window } from "./rig.ts";

const skip = BROWSER === undefined ? "no Chromium was found: .ci/run installs one" : false;

test("the inspector shows the fleet's machines, and a server that is away as such", { skip }, async () => {
	const server = await TestServer.start();
	const folder = mkdtempSync(join(tmpdir(), "weft-page-fleet-"));
	const [root, home] = [join(folder, "project"), join(folder, "home")];
	mkdirSync(root);
	await server.fleet("team", { ann: "red" });
	const open = (url: string) => (cwd: string) => {
		const env = { HOME: folder, WEFT_FLEET_URL: url, WEFT_FLEET_PROJECT: "acme/gannet" };
		return openEngine({ cwd, host: "cli", session: "s", home, env });
	};
	const url = server.url("ann", "team");
	const engine = open(url)(root);
	engine.record([{ type: "Custom", payload: { name: "n" } }]);
	await syncProject(engine, { ...fleetPlace(engine, {}), home });
	engine.close();
	const browser = await launch();
	try {
		for (const [name, address, seen] of [
			["there", url, /Fleet[\s\S]*team red[\s\S]*acme\/gannet/],
			["away", "postgres://ann@127.0.0.1:1/team", /Fleet[\s\S]*cannot be reached/],
		] as const) {
			const options = { home, root: projectRoot(root), port: 0, unmasked: false, version: "test", now: Date.now };
			const inspector = await serve({ ...options, open: open(address) });
			const window = await Window.open(browser, inspector.address);
			await window.go("sessions");
			await window.page.waitForFunction((pattern) => new RegExp(pattern).test(document.body.innerText), seen.source);
			assert.deepEqual(window.problems, []);
			await window.shot(`fleet-${name}`);
			await window.close();
			await inspector.close();
		}
	} finally {
		await browser.close();
		server.stop();
		rmSync(folder, { recursive: true, force: true });
	}
});
