/** Imported sessions of five agents in a real browser: no page breaks, every number is the command's, facets follow the filter. */
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { projectKey, projectRoot } from "../../src/log/home.ts";
import { markCost } from "../../src/view/cost-words.ts";
import type { SessionList } from "../../src/view/session-list.ts";
import type { SessionPage } from "../../src/view/session-page.ts";
import { FORMATS, writeFormat } from "../../test/formats/formats.ts";
import { COMPACTED } from "../../test/formats/script.ts";
import { layoutFaults } from "./layout-faults.ts";
import { BROWSER, inspect, launch, readPageData, Window, weft } from "./rig.ts";

const skip = BROWSER === undefined ? "no Chromium was found: .ci/run installs one" : false;
const AGENTS = ["claude-code", "codex", "pi", "opencode", "copilot-cli"];
const PAGES = ["now", "conversation", "request", "timeline", "work"];
const SCREENS = [{ width: 1440 }, { width: 1024, dark: true }, { width: 390 }];

test("imported sessions of five agents are shown without faults, with the commands' numbers and facets", {
	skip,
}, async (t) => {
	const folder = mkdtempSync(join(realpathSync(tmpdir()), "weft-five-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const place = { home: join(folder, "home"), root: folder };
	const files = AGENTS.map((agent) =>
		writeFormat(FORMATS.find((format) => format.agent === agent && !format.isOld)!, folder, COMPACTED),
	);
	await weft(place, "import", ...files);
	const list = await weft<SessionList>(place, "sessions");
	assert.deepEqual(new Set(list.sessions.map(({ agent }) => agent)), new Set(AGENTS));
	assert.ok(list.sessions.some(({ assumed }) => assumed));
	const inspector = await inspect(place);
	t.after(() => inspector.close());
	const browser = await launch();
	t.after(() => browser.close());
	const base = `/p/${projectKey(projectRoot(folder))}`;

	for (const [at, { session, agent, dollars, estimated, assumed }] of list.sessions.entries()) {
		const address = inspector.addressOf(`${base}/s/${encodeURIComponent(session)}/now`);
		const window = await Window.open(browser, address, SCREENS[at % SCREENS.length]);
		for (const page of PAGES) {
			if (page !== "now") await window.go(page);
			assert.deepEqual(await layoutFaults(window.page), [], `${agent} ${page}`);
			const cost = `; ${markCost(`$${dollars.toFixed(2)}`, { estimated, assumed })}`;
			if (page === "timeline") assert.ok((await window.text("main")).includes(cost), `${agent}: ${cost}`);
		}
		assert.deepEqual(window.problems, [], agent);
		await window.close();
	}

	const page = await readPageData<SessionPage>(inspector, `${base}/sessions.json`);
	assert.deepEqual(page.total, list.total);
	const window = await Window.open(browser, inspector.addressOf(`${base}/s/-/sessions`));
	// By keyboard alone.
	await window.page.locator("[data-facet=agent] button", { hasText: "codex" }).focus();
	await window.page.keyboard.press("Enter");
	await window.page.waitForURL("**agent=codex**");
	await window.ready();
	const codex = await readPageData<SessionPage>(inspector, `${base}/sessions.json?agent=codex`);
	assert.match(await window.text("main"), new RegExp(`Sessions ${codex.count} session`));
	const day = codex.days[0]!;
	const column = window.page.locator(`[data-day="${day.name}"]`);
	assert.equal(
		await column.getAttribute("aria-label"),
		`${day.name}: ${markCost(`$${day.dollars.toFixed(2)}`, { estimated: day.estimated, assumed: day.assumed })}`,
	);
	await column.focus();
	await window.page.keyboard.press("Enter");
	await window.page.waitForURL(`**day=${day.name}**`);
	assert.deepEqual(await layoutFaults(window.page), []);
	assert.deepEqual(window.problems, []);
	await window.close();
});
