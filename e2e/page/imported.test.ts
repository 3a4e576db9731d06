/** A session that ran without weft, in a real browser: what its agent had, what it paid again, and nothing of weft's own. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { projectKey, projectRoot } from "../../src/log/home.ts";
import type { NowView } from "../../src/view/now-page.ts";
import type { HomeReport } from "../../src/view/report.ts";
import type { RequestView } from "../../src/view/request.ts";
import type { Vitals } from "../../src/view/vitals.ts";
import { IMPORTED_SESSION, importedSession } from "../../test/cli/imported-session.ts";
import { layoutFaults } from "./layout-faults.ts";
import { BROWSER, inspect, launch, PAGES, readPageData, readWholeReport, Window, weft } from "./rig.ts";

const skip = BROWSER === undefined ? "no Chromium was found: .ci/run installs one" : false;

test("an imported session is shown as it was, with what it paid again, and weft is one switch away", {
	skip,
}, async (t) => {
	const folder = mkdtempSync(join(realpathSync(tmpdir()), "weft-imported-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const place = { home: join(folder, "home"), root: join(folder, "project") };
	mkdirSync(join(place.root, ".git"), { recursive: true });
	const file = join(folder, "claude.jsonl");
	const lines = importedSession(place.root).map((line) => `${JSON.stringify(line)}\n`);
	writeFileSync(file, lines.join(""));
	await weft(place, "import", file);
	const inspector = await inspect(place);
	t.after(() => inspector.close());
	const browser = await launch();
	t.after(() => browser.close());
	const base = `/p/${projectKey(projectRoot(place.root))}/s/${IMPORTED_SESSION}`;
	const command = await weft<RequestView>(place, "request", "3");
	assert.deepEqual(await readPageData(inspector, `${base}/request/3.json`), command);
	for (const page of PAGES) await readPageData(inspector, `${base}/${page}.json`);
	const window = await Window.open(browser, inspector.addressOf(`${base}/now`));

	assert.match(await window.text(".live"), /^imported, 2026-02-03$/);
	assert.match(await window.text("[data-vital=full]"), /14,404 of 200,000 tokens, 7 % of the window/);
	const cost = await weft<{ dollars: number; lostDollars: number }>(place, "cache");
	const paid = `~$${cost.dollars.toFixed(2)} at list prices`;
	assert.ok((await window.text("[data-vital=cost]")).includes(paid), paid);
	assert.ok((await window.text("[data-vital=cost]")).includes(`~$${cost.lostDollars.toFixed(2)} paid again, 2 misses`));
	const { misses } = await readPageData<Vitals>(inspector, `${base}/vitals.json`);
	assert.ok(Math.abs(misses.dollars - cost.lostDollars) < 1e-9, `${misses.dollars} and ${cost.lostDollars}`);
	const main = await window.text("main");
	for (const words of ["System and tools ~", "The agent's summary", "1 compaction by the agent", "Left out ~"])
		assert.ok(main.includes(words), words);
	// The same messages have another size on History: each page says what its numbers are.
	assert.match(main, /sizes are shares of the reported total.*sizes are estimated from the text/);
	assert.deepEqual(await layoutFaults(window.page), []);

	// A number is whole where there is least room for it.
	const narrow = await Window.open(browser, inspector.addressOf(`${base}/now`), { width: 390 });
	assert.match(await narrow.text("main table"), /System prompt and tools ~\d\d,\d{3}/);
	for (const page of ["now", "request/3", "history", "work"]) {
		await narrow.go(page);
		assert.deepEqual(await layoutFaults(narrow.page), [], `${page} on a narrow screen`);
	}
	await narrow.close();

	await window.go("request/3");
	assert.match(await window.text("[data-miss=cold]"), /The cache was cold after 19m .*21,500 tokens paid again/);
	assert.doesNotMatch(await window.text("main"), /Nothing that was sent before has changed/);
	// What the agent wrote in place of its history is no seed.
	const compacted = await readPageData<NowView>(inspector, `${base}/now.json`);
	const after = await readPageData<RequestView>(inspector, `${base}/request/${compacted.compactions[0]?.n}.json`);
	const gone = after.left.reduce((sum, { tokens }) => sum + tokens, 0);
	const had = after.request.compaction?.tokensBefore ?? 0;
	assert.ok(gone > 0 && gone < had, `${gone} tokens left of ${had}`);
	await window.go(`request/${after.request.n}`);
	assert.match(await window.text("main"), /summary This session is being continued/);
	assert.doesNotMatch(await window.text("main"), /\bseed\b/);
	await window.go("timeline");
	assert.equal(await window.page.locator("[data-mark=compaction]").count(), 1);
	assert.ok((await window.page.locator("[data-mark=miss]").count()) >= 1);
	assert.equal(await window.page.locator("[data-axis=time]").count(), 2);
	await window.page.locator("[data-pointer] rect").hover();
	const pointed = await window.page.locator("[data-pointer] text").textContent();
	assert.match(pointed ?? "", /^request \d: [\d,]+ tokens$/);
	await window.page.getByRole("button", { name: "By request" }).click();
	await window.page.waitForURL("**x=request**");
	assert.equal(await window.page.locator("[data-axis=time]").count(), 0);
	await window.go("history");
	assert.match(await window.text("main"), /Compactions by the agent 1/);
	assert.match(await window.text("main"), /verbatim, ~[\d,]+ tokens by their text.*estimated from its text/);

	const report = await weft<HomeReport>(place, "report");
	const shown = await readWholeReport(inspector);
	assert.deepEqual(
		{ ...shown, keys: undefined, unreplayed: undefined },
		{ ...report, keys: undefined, unreplayed: undefined },
	);
	await window.go("report");
	assert.equal(await window.text("[data-sentence]"), report.sentence);
	assert.equal(await window.text("[data-saving]"), report.saving?.sentence);
	assert.deepEqual(await layoutFaults(window.page), []);
	// The address opens one project: the pages say so, and name the command that prints the same.
	assert.equal(await window.text(".twin code"), "weft cost --why");
	await window.go("sessions");
	assert.match(await window.text(".ph"), /this address opens one project/);
	assert.equal(await window.page.getByRole("button", { name: "All projects" }).count(), 0);
	const whole = await Window.open(browser, inspector.address);
	await whole.go("report");
	assert.equal(await whole.text(".twin code"), "weft report");
	await whole.go("sessions", "?scope=all&sort=cost");
	assert.equal(await whole.text(".twin code"), "weft sessions --all --sort cost");
	await whole.close();

	await window.go("now");
	await window.page.getByRole("button", { name: "What weft would send" }).click();
	await window.page.waitForURL("**as=weft**");
	await window.ready();
	assert.match(await window.text("main"), /shown as if weft had been there/);
	const would = await readPageData<NowView>(inspector, `${base}/now.json?as=weft`);
	assert.equal(would.as, "weft");
	assert.deepEqual(window.problems, []);
	await window.close();
});
