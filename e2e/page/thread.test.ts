/** The page Thread in a real browser: the same items as the command, with the user's marks, in light and dark. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { projectKey, projectRoot } from "../../src/log/home.ts";
import type { ThreadView } from "../../src/view/thread.ts";
import { RULE, THREAD_SESSION, threadSession } from "../../test/cli/thread-session.ts";
import { layoutFaults } from "./layout-faults.ts";
import { BROWSER, inspect, launch, readPageData, Window, weft } from "./rig.ts";

const skip = BROWSER === undefined ? "no Chromium was found: .ci/run installs one" : false;

test("Thread shows the same as the command, with marks, sources and the commands to mark", { skip }, async (t) => {
	const folder = mkdtempSync(join(realpathSync(tmpdir()), "weft-thread-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const place = { home: join(folder, "home"), root: join(folder, "project") };
	mkdirSync(join(place.root, ".git"), { recursive: true });
	const file = join(folder, "claude.jsonl");
	writeFileSync(
		file,
		threadSession(place.root)
			.map((line) => `${JSON.stringify(line)}\n`)
			.join(""),
	);
	await weft(place, "import", file);
	const items = (view: ThreadView) => view.sections.flatMap((section) => section.items);
	const before = await weft<ThreadView>(place, "thread", "--all");
	const idOf = (text: string) => items(before).find((item) => item.text === text && item.kind !== "order")?.id ?? "";
	const [rule, next] = [idOf(RULE), idOf("Write tides.json")];
	await weft(place, "thread", "pin", rule);
	await weft(place, "thread", "strike", next);

	const inspector = await inspect(place);
	t.after(() => inspector.close());
	const browser = await launch();
	t.after(() => browser.close());
	const command = await weft<ThreadView>(place, "thread", "--all");
	const base = `/p/${projectKey(projectRoot(place.root))}/s/${THREAD_SESSION}`;
	assert.deepEqual(await readPageData(inspector, `${base}/thread.json?all=1`), command);
	for (const dark of [false, true]) {
		const window = await Window.open(browser, inspector.address, { dark });
		await window.go("thread");
		const shown = await window.text("main");
		for (const { text, handle } of items(command)) assert.ok(shown.includes(text) && shown.includes(handle), text);
		const kinds = await window.page
			.locator("main [data-section]")
			.evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset["section"]));
		assert.deepEqual(kinds.toSorted(), command.sections.map(({ name }) => name as string).toSorted());
		assert.match(await window.text(`[data-item="${rule}"]`), /pinned/);
		assert.match(await window.text(`[data-section="struck"] [data-item="${next}"]`), /struck out/);
		assert.match(await window.text("[data-section=plan]"), /proof: \[main 4be1c0f\]/);
		await window.page.locator(`[data-item="${rule}"] button`, { hasText: "clear" }).click();
		const copied = await window.page.evaluate(() => navigator.clipboard.readText());
		assert.equal(copied, `weft thread clear ${rule} --session ${THREAD_SESSION.slice(0, 13)}`);
		assert.deepEqual(await layoutFaults(window.page), []);
		assert.deepEqual(window.problems, []);
		await window.shot(`thread-${dark ? "dark" : "light"}`);
		// A handle opens its source beside the page.
		await window.page.locator(`[data-item="${rule}"] a.hd`).first().click();
		await window.page.waitForURL("**peek=m-*");
		await window.close();
	}
});
