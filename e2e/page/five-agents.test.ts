/** Imported sessions of five agents in a real browser: no page breaks, every number is the command's, facets follow the filter. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { projectKey, projectRoot } from "../../src/log/home.ts";
import { markCost } from "../../src/view/cost-words.ts";
import type { SessionList } from "../../src/view/session-list.ts";
import type { SessionPage } from "../../src/view/session-page.ts";
import type { StateView } from "../../src/view/state.ts";
import type { Vitals } from "../../src/view/vitals.ts";
import { FORMATS, writeFormat } from "../../test/formats/formats.ts";
import { COMPACTED } from "../../test/formats/script.ts";
import { seriousFaults } from "./access-faults.ts";
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
	// Pi's session is two days younger, so that a span of days has two ends.
	const youngest = files[AGENTS.indexOf("pi")]!;
	writeFileSync(youngest, readFileSync(youngest, "utf8").replaceAll("2026-04-01T", "2026-04-03T"));
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
		// Of Pi's model here no list has the window. Wide and narrow screens mark it in their own ways.
		const full = await window.page.locator("[data-vital=full]").textContent();
		assert.equal(/tokens \(assumed\).*200k\?/.test(full ?? ""), agent === "pi", `${agent}: ${full}`);
		for (const page of PAGES) {
			if (page !== "now") await window.go(page);
			assert.deepEqual(await layoutFaults(window.page), [], `${agent} ${page}`);
			if (page === PAGES[at % PAGES.length]) assert.deepEqual(await seriousFaults(window.page), [], `${agent} ${page}`);
			const cost = `; ${markCost(`$${dollars.toFixed(2)}`, { estimated, assumed })}`;
			if (page === "timeline") assert.ok((await window.text("main")).includes(cost), `${agent}: ${cost}`);
		}
		assert.deepEqual(window.problems, [], agent);
		await window.close();
		const head = await readPageData<Vitals>(inspector, `${base}/s/${encodeURIComponent(session)}/vitals.json`);
		const state = await weft<StateView>(place, "state", "--session", session);
		assert.equal(head.wrong.failures, state.failures.open.length, `${agent}: open failures of the session`);
	}

	const page = await readPageData<SessionPage>(inspector, `${base}/sessions.json`);
	assert.deepEqual(page.total, list.total);
	const window = await Window.open(browser, inspector.addressOf(`${base}/s/-/sessions`));
	// By keyboard alone: past the head and the list of pages in three keys.
	for (const key of ["Tab", "Enter", "Tab"]) await window.page.keyboard.press(key);
	assert.ok(await window.page.evaluate(() => document.activeElement?.closest("main") !== null));
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
	// Back to all agents, then a drag over both days.
	await window.page.goto(inspector.addressOf(`${base}/s/-/sessions`));
	await window.ready();
	const [from, to] = [page.days[0]!.name, page.days.at(-1)!.name];
	assert.notEqual(from, to);
	await window.page.locator(`[data-day="${from}"]`).hover();
	await window.page.mouse.down();
	await window.page.locator(`[data-day="${to}"]`).hover();
	await window.page.mouse.up();
	await window.page.waitForURL(`**day=${from}..${to}**`);
	await window.ready();
	assert.match(await window.text("main"), new RegExp(`Sessions ${page.count} session`));

	// The switcher and the search know sessions by their titles.
	const [first, second] = list.sessions.filter(({ title }) => title !== null);
	assert.ok(first?.title && second?.title);
	await window.page.goto(inspector.addressOf(`${base}/s/${encodeURIComponent(first.session)}/now`));
	await window.ready();
	const options = await window.page.locator("select[aria-label=Session] option").allTextContents();
	assert.ok(options.includes(`${second.title} · ${second.agent}`), options.join("\n"));
	await window.page.keyboard.press("/");
	await window.page.keyboard.type(`· ${second.agent}`);
	await window.page.waitForSelector(`.pal a:has-text("${second.agent}")`);
	await window.page.keyboard.press("Enter");
	await window.page.waitForURL(`**/s/${encodeURIComponent(second.session)}/now`);
	assert.deepEqual(window.problems, []);
	// The beginning of an id, and the newest session, have their titles too.
	const [newest] = list.sessions;
	for (const given of [newest!.session.slice(0, 10), "-"]) {
		await window.page.goto(inspector.addressOf(`${base}/s/${given}/now`));
		await window.ready();
		await window.page.waitForFunction((id) => document.querySelector("select")?.value === id, newest!.session);
	}
	await window.close();

	// Started in a folder without sessions, it shows what the others cost.
	const root = join(folder, "elsewhere");
	mkdirSync(root);
	const elsewhere = await inspect({ home: place.home, root });
	t.after(() => elsewhere.close());
	const start = await Window.open(browser, elsewhere.address);
	await start.page.waitForURL(`**${base}/s/-/report`);
	assert.match(await start.text("h1"), /Report/);
	await start.close();
});
