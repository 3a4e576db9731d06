/** The inspector in hard cases: an empty log, damage, hostile text, secrets, sessions without weft, a hundred thousand events. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, suite, test } from "node:test";
import type { Browser } from "playwright-core";
import { openEngine } from "../../src/engine.ts";
import type { Inspector } from "../../src/show/inspector/server/serve.ts";
import { makeLargeLog } from "../../test/rig/large-log.ts";
import { layoutFaults } from "./layout-faults.ts";
import { longestTask } from "./longest-task.ts";
import {
	ARTEFACTS,
	BROWSER,
	type InspectedProject,
	inspect,
	launch,
	PAGES,
	PATIENCE_MS,
	ROOT,
	readPageData,
	Window,
	weft,
} from "./rig.ts";

const skip = BROWSER === undefined ? "no Chromium was found: .ci/run installs one" : false;
const SESSIONS = 1_000;
const SESSION_EVENTS = 105;
const MAX_TASK_MS = 200;
const MAX_FIRST_VIEW_MS = 1_000;
const RUNS = 5;

suite("the inspector in hard cases", { skip }, () => {
	let browser: Browser;
	let folder: string;
	const inspectors: Inspector[] = [];

	before(async () => {
		folder = mkdtempSync(join(realpathSync(tmpdir()), "weft-page-"));
		browser = await launch();
	});
	after(async () => {
		await browser?.close();
		for (const each of inspectors) await each.close();
		rmSync(folder, { recursive: true, force: true });
	});

	const newPlace = (name: string): InspectedProject => {
		const place = { home: join(folder, name, "home"), root: join(folder, name, "project") };
		mkdirSync(place.root, { recursive: true });
		return place;
	};
	const start = async (place: InspectedProject, options = {}) => {
		const made = await inspect(place, options);
		inspectors.push(made);
		return made;
	};

	test("every page of an empty log says what to do", async () => {
		const inspector = await start(newPlace("empty"));
		for (const width of [1440, 390]) {
			const window = await Window.open(browser, inspector.address, { width });
			for (const page of PAGES) {
				await window.go(page);
				if (page !== "replay" && page !== "sessions")
					assert.match(await window.text("main"), /Nothing has been recorded here yet/, page);
				assert.deepEqual(await layoutFaults(window.page), [], `${page} at ${width}`);
			}
			await window.shot(`empty-${width}`);
			assert.deepEqual(window.problems, []);
			await window.close();
		}
	});

	test("a damaged log is reported, and the undamaged events are shown", async () => {
		const place = newPlace("damaged");
		await weft(place, "import", join(ROOT, "demo", "session.jsonl"));
		const [key = ""] = readdirSync(join(place.home, "projects"));
		const path = join(place.home, "projects", key, "log.db");
		rmSync(join(place.home, "projects", key, "snapshots"), { recursive: true, force: true });
		const db = new DatabaseSync(path);
		const packs = db.prepare("SELECT count(*) AS n FROM pack").get() as { n: number };
		assert.ok(packs.n > 0);
		db.exec("UPDATE pack SET data = zeroblob(length(data)) WHERE first = (SELECT max(first) FROM pack)");
		db.close();
		const inspector = await start(place);
		const window = await Window.open(browser, inspector.address);
		assert.match(await window.text("[role=alert]"), /cannot be read/);
		assert.match(await window.text("[data-vital=wrong]"), /damaged/);
		await window.go("timeline");
		assert.ok((await window.page.locator("main tr[data-row]").count()) > 0);
		assert.ok((await window.page.locator("main .st.blocked", { hasText: "wrong" }).count()) > 0);
		await window.shot("damaged-1440");
		assert.deepEqual(window.problems, []);
		await window.close();
		// The file is no database.
		const broken = newPlace("broken");
		await weft(broken, "import", join(ROOT, "demo", "session.jsonl"));
		const [other = ""] = readdirSync(join(broken.home, "projects"));
		for (const end of ["", "-wal", "-shm"])
			rmSync(join(broken.home, "projects", other, `log.db${end}`), { force: true });
		writeFileSync(join(broken.home, "projects", other, "log.db"), "this is not a database".repeat(400));
		const second = await start(broken);
		const page = await Window.open(browser, second.address);
		assert.match(await page.text("[role=alert]"), /damaged|could not be shown/);
		await page.close();
	});

	test("hostile text has no effect, and secrets are masked on the page and in its JSON", async () => {
		const place = newPlace("hostile");
		const secret = `sk-ant-api03-${"A1b2C3d4".repeat(11)}AA`;
		const texts = [
			"<script>document.title='owned';fetch('http://example.com/')</script><img src=x onerror=\"document.title='owned'\">",
			`the key is ANTHROPIC_API_KEY=${secret} and DB_PASSWORD=hunter2hunter2`,
			"open \u202etxt.exe\u202c now, \u2066inside\u2069 and \u001b[31mred\u001b[0m \u001b]0;title\u0007 end",
			`${"x".repeat(5_000_000)} the end`,
			"</script><script>document.title='owned'</script>\u2028\u2029",
		];
		const engine = openEngine({ cwd: place.root, home: place.home, host: "pi", session: "hostile", env: {} });
		engine.record([{ type: "SessionStarted", payload: { cwd: place.root } }]);
		let parent: string | null = null;
		for (const [at, text] of texts.entries()) {
			const id = `0000000${at}`;
			const message = { role: at % 2 === 0 ? "user" : "assistant", content: [{ type: "text", text }], timestamp: 1 };
			const raw = { type: "message", id, parentId: parent, timestamp: "2026-01-01T00:00:00.000Z", message };
			engine.record([
				{
					type: "Message",
					entry: id,
					payload: { role: message.role, form: "pi", ...(parent === null ? {} : { parent }), raw },
				},
			]);
			parent = id;
		}
		engine.record([
			{ type: "UserIntent", payload: { text: texts[0]!.slice(0, 300) } },
			{ type: "Decision", payload: { text: texts[4]!, rationale: texts[1]! } },
			{ type: "Custom", payload: { name: "<b>bold</b>", data: { password: "hunter2hunter2" } } },
		]);
		await engine.endSession();
		const inspector = await start(place);
		const window = await Window.open(browser, inspector.address);
		for (const page of PAGES) {
			await window.go(page);
			assert.notEqual(await window.page.title(), "owned");
			assert.deepEqual(await layoutFaults(window.page), [], page);
			const html = await window.page.content();
			assert.ok(!html.includes(secret) && !html.includes("hunter2"), page);
		}
		assert.equal(await window.page.locator("main script, main img").count(), 0);
		const base = `/p/${readdirSync(join(place.home, "projects"))[0]}/s/hostile`;
		const { rows } = await readPageData<{ rows: { handle: string; type: string; what: string }[] }>(
			inspector,
			`${base}/timeline.json`,
		);
		const messages = rows.filter(({ type }) => type === "Message").reverse();
		await window.go("timeline", `?peek=${messages[2]!.handle}`);
		await window.page.waitForSelector("dialog.peek .txt");
		const shown = await window.text("dialog.peek .txt");
		assert.match(shown, /⟨RLO⟩txt\.exe⟨PDF⟩/);
		// biome-ignore lint/suspicious/noControlCharactersInRegex: none may remain
		assert.doesNotMatch(shown, /[\u001b\u202e\u0007]/);
		await window.shot("hostile-1440");
		await window.go("timeline", `?peek=${messages[3]!.handle}`);
		await window.page.waitForSelector("dialog.peek .txt");
		assert.match(await window.text("dialog.peek"), /4,096 of 5,000,008 characters/);
		await window.page.getByRole("button", { name: /kB more/ }).click();
		await window.page.waitForSelector("text=69,632 of");
		await window.go("timeline", `?peek=${messages[1]!.handle}`);
		await window.page.waitForSelector("dialog.peek .masked");
		await window.page.keyboard.press("Escape");
		await window.page.keyboard.press("/");
		await window.page.keyboard.type("sk-ant");
		await window.page.waitForSelector(".pal h3:has-text('In the log'), .pal :text('No match for')");
		assert.ok(!(await window.page.content()).includes(secret.slice(20, 60)));
		assert.deepEqual(window.problems, []);
		assert.deepEqual(
			window.requests.filter((url) => !url.startsWith(inspector.origin) && !url.startsWith("data:")),
			[],
		);
		await window.close();
		for (const path of [
			"now",
			"requests",
			"request/1",
			"timeline",
			"history",
			"thread",
			"work",
			"search",
			"vitals",
			`peek/${messages[1]!.handle}`,
			"request/1.export",
		]) {
			const value = JSON.stringify(await readPageData(inspector, `${base}/${path}.json?q=key`).catch(() => ""));
			assert.ok(!value.includes(secret) && !value.includes("hunter2hunter2"), path);
		}
		const token = inspector.token;
		const html = await (
			await fetch(`${inspector.origin}${base}/export.html`, { headers: { authorization: `Bearer ${token}` } })
		).text();
		assert.ok(!html.includes(secret) && !html.includes("hunter2hunter2"));
		const file = join(folder, "hostile.html");
		writeFileSync(file, html);
		const saved = await Window.open(browser, `file://${file}`);
		assert.notEqual(await saved.page.title(), "owned");
		assert.deepEqual(saved.problems, []);
		await saved.close();
		// `unmasked` shows secrets.
		const open = await start(place, { unmasked: true });
		assert.ok(JSON.stringify(await readPageData(open, `${base}/peek/${messages[1]!.handle}.json`)).includes(secret));
		const bare = await Window.open(browser, open.address);
		assert.match(await bare.text("header.top"), /unmasked/);
		await bare.close();
	});

	test("sessions that ran without weft are shown", async () => {
		const place = newPlace("imported");
		await weft(place, "import", join(ROOT, "demo", "session.jsonl"));
		const inspector = await start(place);
		for (const width of [1440, 1024, 390]) {
			const window = await Window.open(browser, inspector.address, { width });
			for (const page of PAGES) {
				await window.go(page);
				assert.deepEqual(await layoutFaults(window.page), [], `${page} at ${width}`);
			}
			await window.go("now");
			assert.match(await window.text("main"), /as the agent sent it.*What weft would send/s);
			await window.shot(`imported-${width}`);
			assert.deepEqual(window.problems, []);
			await window.close();
		}
	});

	test("a hundred thousand events and a thousand sessions do not block the page", async () => {
		const place = newPlace("large");
		await makeLargeLog({ ...place, sessions: SESSIONS, events: SESSION_EVENTS });
		const inspector = await start(place);
		const longest: number[] = [];
		const first: number[] = [];
		for (let run = 0; run < RUNS; run++) {
			const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
			const page = await context.newPage();
			page.setDefaultTimeout(PATIENCE_MS);
			const protocol = await context.newCDPSession(page);
			await protocol.send("Performance.enable", { timeDomain: "threadTicks" });
			const busy = async () =>
				(await protocol.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration")!.value *
				1_000;
			const look = async () => {
				await page.goto(inspector.address);
				await page.waitForSelector("main tr[data-row]");
				first.push(await busy());
				const here = new URL(page.url()).pathname.replace(/\/[^/]*$/, "");
				// Scroll from the newest events of all sessions down to older ones.
				await page.goto(`${inspector.origin}${here}/timeline?all=1`);
				await page.waitForSelector("main tr[data-row]");
				await page.mouse.move(700, 600);
				for (let rows = 0; rows <= 1_000; ) {
					await page.mouse.wheel(0, 4_000);
					await page.waitForTimeout(60);
					rows = await page.evaluate(() => Number(document.querySelector("main table")?.getAttribute("aria-rowcount")));
				}
				assert.ok((await page.locator("main tr").count()) < 200, "only the rows on the screen are rendered");
				await page.goto(`${inspector.origin}${here}/sessions`);
				await page.waitForSelector("main tr[data-row]");
				for (let step = 0; step < 8; step++) {
					await page.mouse.wheel(0, 3_000);
					await page.waitForTimeout(60);
				}
				await page.keyboard.press("/");
				await page.keyboard.type("billing", { delay: 20 });
				await page.waitForSelector(".pal h3:has-text('In the log')");
				await page.screenshot({ path: join(ARTEFACTS, "large-search.png") });
			};
			longest.push(await longestTask(browser, page, look));
			await context.close();
		}
		const median = (values: readonly number[]) =>
			values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;
		const worst = median(longest);
		assert.ok(worst <= MAX_TASK_MS, `the longest task takes ${Math.round(worst)} ms of CPU`);
		assert.ok(median(first) <= MAX_FIRST_VIEW_MS, `the first view takes ${Math.round(median(first))} ms of CPU`);
		console.log(
			`longest task ${Math.round(worst)} ms, first view ${Math.round(median(first))} ms of CPU (medians of ${RUNS})`,
		);
	});
});
