/** The inspector in a real browser, on the log of the demonstration, which the real Pi with weft has just written. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { Browser } from "playwright-core";
import { perform, WINDOW_TOKENS } from "../../scripts/demo/perform.ts";
import type { EventRecord } from "../../src/log/event/types.ts";
import { projectKey, projectRoot } from "../../src/log/home.ts";
import type { Inspector } from "../../src/show/inspector/server/serve.ts";
import type { NowView } from "../../src/view/now-page.ts";
import type { RequestView } from "../../src/view/request.ts";
import type { WorkView } from "../../src/view/state.ts";
import { isBookkeeping, type TimelineRow } from "../../src/view/timeline.ts";
import { seriousFaults } from "./access-faults.ts";
import { layoutFaults } from "./layout-faults.ts";
import {
	ARTEFACTS,
	BROWSER,
	type InspectedProject,
	inspect,
	launch,
	PAGES,
	ROOT,
	readPageData,
	Window,
	weft,
	weftLines,
} from "./rig.ts";

const WIDTHS = [1440, 1024, 390];
const skip = BROWSER === undefined ? "no Chromium was found: .ci/run installs one" : false;

suite("the inspector in a browser", { skip }, () => {
	let browser: Browser;
	let place: InspectedProject;
	let inspector: Inspector;
	let session: string;
	let base: string;
	const count = (x: number) => Math.round(x).toLocaleString("en-US");

	before(async () => {
		const { workspace } = await perform(() => {});
		place = { home: workspace.home, root: workspace.project };
		inspector = await inspect(place, { window: WINDOW_TOKENS });
		browser = await launch();
		const sessions = await weft<{ sessions: { session: string }[] }>(place, "sessions");
		session = sessions.sessions[0]!.session;
		base = `/p/${projectKey(projectRoot(place.root))}/s/${session}`;
	});
	after(async () => {
		await browser?.close();
		await inspector?.close();
	});

	const open = (options: { width?: number; dark?: boolean } = {}) => Window.open(browser, inspector.address, options);

	test("Now shows the same as its JSON and the command", async () => {
		const window = await open();
		const view = await readPageData<NowView>(inspector, `${base}/now.json`);
		const command = await weft<NowView>(place, "context", "--why", "--window", String(WINDOW_TOKENS));
		const plain = ({ items, tokens, ceiling, leftOut, decision }: NowView) => ({
			tokens,
			ceiling,
			leftOut,
			decision,
			items: items.map(({ cached: _, ...item }) => item),
		});
		assert.deepEqual(plain(view), plain(command));
		assert.equal(
			await window.page.locator("main tr[data-row]").count(),
			view.items.length + view.leftOut.nodes.length + view.items.filter(({ left }) => left > 0).length,
		);
		// weft's own count, not a reported one.
		assert.match(await window.text("[data-vital=full]"), /^Full ~[\d,]+ of [\d,]+ tokens, \d+ % · window/);
		assert.match(await window.text(".live"), /^active \d+ (s|min) ago$/);
		const legend = await window.text("[data-legend]");
		for (const group of ["tools", "system", "seed", "tail"]) {
			const tokens = view.items.reduce((sum, item) => sum + (item.group === group ? item.tokens : 0), 0);
			assert.ok(legend.includes(count(tokens)), `${group} ${tokens} in: ${legend}`);
		}
		assert.ok(legend.includes(count(view.leftOut.tokens)));
		assert.equal(
			view.items.reduce((sum, { tokens }) => sum + tokens, 0),
			view.tokens,
		);
		// The text of a message loads when its row is opened.
		const message = view.items.find(({ group }) => group === "tail")!;
		await window.page.locator(`tr[data-row*="${encodeURIComponent(message.id)}"]`).click();
		await window.page.waitForSelector(".side .txt");
		await window.shot("now-1440");
		assert.deepEqual(window.problems, []);
		await window.close();
	});

	test("a request shows the same difference, break and price as its JSON and the command", async () => {
		const window = await open();
		const { requests } = await readPageData<{ requests: { n: number; broke: unknown; tokens: number }[] }>(
			inspector,
			`${base}/requests.json`,
		);
		const broken = requests.find(({ broke }) => broke)!.n;
		const view = await readPageData<RequestView>(inspector, `${base}/request/${broken}.json`);
		assert.deepEqual(await weft<RequestView>(place, "request", String(broken)), view);
		assert.equal(view.proven, true);
		await window.go(`request/${broken}`);
		const side = await window.text(".side");
		assert.match(side, new RegExp(`broke at byte ${count(view.break!.byte)}, in the ${view.break!.segment}`));
		assert.ok(side.includes(`${view.left.length} items`), side.slice(0, 400));
		assert.ok(side.includes(view.left.find(({ toldBy }) => toldBy)!.toldBy!));
		// Shortcuts step through the requests and hide unchanged items; the address keeps the state.
		await window.page.keyboard.press("]");
		await window.page.waitForURL(`**/request/${broken + 1}`);
		await window.page.keyboard.press("[");
		await window.page.waitForURL(`**/request/${broken}`);
		await window.page.keyboard.press("d");
		await window.page.waitForURL("**?same=0");
		await window.page.reload();
		await window.ready();
		assert.doesNotMatch(await window.text(".side"), /byte for byte/);
		assert.equal(await window.page.locator("tr[aria-current] td").first().innerText(), String(broken));
		await window.shot("request-1440");
		assert.deepEqual(window.problems, []);
		await window.close();
	});

	test("the timeline lists the events of the log, newest first, and filters them by the address", async () => {
		const window = await open();
		const events = (await weftLines(place, "log", "--limit", "0", "--session", session)) as unknown as EventRecord[];
		const rows = events
			.filter((event) => !isBookkeeping(event))
			.map(({ seq }) => seq)
			.reverse();
		assert.ok(rows.length < events.length);
		const page = await readPageData<{ rows: TimelineRow[]; counts: { type: string; events: number }[] }>(
			inspector,
			`${base}/timeline.json?limit=1000`,
		);
		assert.deepEqual(
			page.rows.map(({ seq }) => seq),
			rows,
		);
		await window.go("timeline", "?type=Seal");
		const seals = page.rows.filter(({ type }) => type === "Seal");
		assert.equal(await window.page.locator("main tr[data-row]").count(), seals.length);
		assert.ok((await window.text("main table")).includes(seals[0]!.handle));
		await window.page.getByLabel("Filter events").fill("kilogram");
		await window.page.waitForURL("**q=kilogram**");
		await window.go("timeline", "?q=kilogram");
		const hits = (await readPageData<{ rows: TimelineRow[] }>(inspector, `${base}/timeline.json?q=kilogram`)).rows;
		assert.ok(hits.length > 0);
		assert.equal(await window.page.locator("main tr[data-row]").count(), hits.length);
		await window.go("timeline", "?q=nothing-holds-this-word");
		assert.match(await window.text("main"), /No event matches/);
		await window.go("timeline");
		assert.equal(
			await window.page.locator("svg[aria-label='Tokens per request'] a").count(),
			(await readPageData<{ requests: [] }>(inspector, `${base}/requests.json`)).requests.length,
		);
		await window.shot("timeline-1440");
		assert.deepEqual(window.problems, []);
		await window.close();
	});

	test("a changed file and a moment give the command that rewinds to before them", async () => {
		const window = await open();
		const copied = async (start: string) => {
			await window.page.getByRole("button", { name: "weft rewind" }).click();
			const isThere = async (text: string) => (await navigator.clipboard.readText()).startsWith(text);
			await window.page.waitForFunction(isThere, start);
			return window.page.evaluate(() => navigator.clipboard.readText());
		};
		await window.go("changes");
		const file = await window.text("main .side h2");
		const command = await copied(`weft rewind ${file} --to `);
		const { files } = await weft<{ files: { path: string; rewind: string }[] }>(place, "diff", session);
		assert.equal(command, files.find(({ path }) => path === file)?.rewind);
		await window.go("timeline", "?type=FilesKept");
		await window.page.locator("main tr[data-row]").first().click();
		const { moments } = await weft<{ moments: { seq: number }[] }>(place, "rewind");
		const [, moment] = /^weft rewind --to (\d+)$/.exec(await copied("weft rewind --to ")) ?? [];
		assert.ok(moments.some(({ seq }) => seq === Number(moment)));
		assert.deepEqual(window.problems, []);
		await window.close();
	});

	test("History, Work and Sessions show the same as the commands", async () => {
		const window = await open();
		const tree = await readPageData<{ nodes: { id: string }[] }>(inspector, `${base}/history.json`);
		assert.deepEqual(await weft(place, "tree", "--session", session), tree);
		await window.go(`history/${tree.nodes[0]!.id}`);
		assert.ok((await window.text(".side h2")).includes(tree.nodes[0]!.id));
		await window.shot("history-1440");
		const work = await readPageData<WorkView>(inspector, `${base}/work.json`);
		assert.deepEqual(await weft(place, "state", "--session", session), work);
		await window.go("work");
		const shown = await window.text("main");
		const named = await window.page.locator("main .path").allTextContents();
		for (const { path } of work.workingSet) assert.ok(named.includes(path), path);
		assert.ok(work.blocks.length > 0 && shown.includes(work.blocks[0]!.handle));
		for (const { name } of work.failures.resolved) assert.ok(shown.includes(name!), name!);
		await window.shot("work-1440");
		const list = await readPageData<{ sessions: { session: string; requests: number; dollars: number }[] }>(
			inspector,
			`/p/${base.split("/")[2]}/sessions.json`,
		);
		const listed = await weft<{ sessions: { session: string; requests: number; dollars: number }[] }>(
			place,
			"sessions",
		);
		const facts = (lines: { session: string; requests: number; dollars: number }[]) =>
			lines.map(({ session, requests, dollars }) => ({ session, requests, dollars }));
		assert.deepEqual(facts(list.sessions), facts(listed.sessions));
		await window.go("sessions");
		assert.equal(await window.page.locator("main tr[data-row]").count(), listed.sessions.length);
		await window.shot("sessions-1440");
		assert.deepEqual(window.problems, []);
		await window.close();
	});

	test("a page shows events of another process without a reload", async () => {
		const window = await open();
		await window.go("timeline");
		await window.page.evaluate(() => document.body.setAttribute("data-mark", "same page"));
		const first = await window.text("main tr[data-row] td");
		const script = `const { openEngine } = await import(${JSON.stringify(join(ROOT, "src", "engine.ts"))});
			const engine = openEngine({ cwd: ${JSON.stringify(place.root)}, home: ${JSON.stringify(place.home)}, host: "pi", session: ${JSON.stringify(session)}, env: {} });
			engine.record([{ type: "Custom", payload: { name: "written by somebody else" } }]); engine.close();`;
		const { status } = spawnSync(process.execPath, ["--input-type=module", "-e", script]);
		assert.equal(status, 0);
		await window.page.waitForFunction(
			(before) => document.querySelector("main tr[data-row] td")?.textContent?.trim() !== before,
			first,
		);
		assert.match(await window.text("main tr[data-row]"), /written by somebody else/);
		assert.equal(await window.page.getAttribute("body", "data-mark"), "same page");
		await window.close();
	});

	test("everything can be reached with the keyboard", async () => {
		const window = await open();
		const { keyboard } = window.page;
		await keyboard.press("g");
		await keyboard.press("t");
		await window.page.waitForURL("**/timeline");
		await window.ready();
		await keyboard.press("j");
		await keyboard.press("j");
		await keyboard.press("Enter");
		await window.page.waitForURL("**peek=**");
		await window.page.waitForSelector("dialog.peek .txt");
		await keyboard.press("Escape");
		await window.page.waitForFunction(() => !location.search.includes("peek") && !document.querySelector("dialog"));
		await keyboard.press("/");
		await window.page.keyboard.type("quote");
		await window.page.waitForSelector(".pal a:has-text('src/quote.js')");
		await window.shot("palette-1440");
		await keyboard.press("Enter");
		await window.page.waitForURL("**/work?file=src%2Fquote.js");
		await keyboard.press("?");
		await window.page.waitForSelector("dialog.keys");
		await keyboard.press("Escape");
		await keyboard.press("t");
		await window.page.waitForFunction(() => document.documentElement.dataset["theme"] === "dark");
		await keyboard.press("y");
		assert.equal(await window.page.evaluate(() => navigator.clipboard.readText()), window.page.url());
		assert.deepEqual(window.problems, []);
		await window.close();
	});

	test("search finds words and handles, and says when nothing matches", async () => {
		const window = await open();
		await window.page.keyboard.press("Control+k");
		await window.page.keyboard.type("790 !== 940");
		await window.page.waitForSelector(".pal a .hit mark");
		await window.page.getByRole("combobox", { name: "Search" }).fill("no-such-word-anywhere");
		await window.page.waitForSelector("text=No match for");
		const { rows } = await readPageData<{ rows: TimelineRow[] }>(inspector, `${base}/timeline.json?type=Message`);
		await window.page.getByRole("combobox", { name: "Search" }).fill(rows[3]!.handle);
		await window.page.waitForSelector(`.pal a:has-text("${rows[3]!.handle}")`);
		await window.page.keyboard.press("Enter");
		await window.page.waitForSelector("dialog.peek .txt");
		assert.ok((await window.text("dialog.peek")).includes(rows[3]!.handle));
		await window.shot("peek-1440");
		await window.close();
	});

	for (const width of WIDTHS) {
		test(`no text overlaps or is cut off at ${width} pixels, and axe finds nothing serious`, async () => {
			const faults: string[] = [];
			for (const dark of [false, true]) {
				const window = await open({ width, dark });
				const ground = await window.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
				assert.equal(ground, dark ? "rgb(18, 20, 23)" : "rgb(255, 255, 255)");
				for (const page of PAGES) {
					await window.go(page);
					const boxes = await layoutFaults(window.page);
					faults.push(...boxes.map((each) => `${page} at ${width}: ${each}`));
					await window.shot(`${page}-${width}-${dark ? "dark" : "light"}`);
					// A middle-sized screen has the same elements and colours as a large one: skip axe there.
					const serious = width === 1024 ? [] : await seriousFaults(window.page);
					faults.push(...serious.map((each) => `${page} at ${width}${dark ? ", dark" : ""}: ${each}`));
				}
				assert.deepEqual(window.problems, []);
				await window.close();
			}
			assert.deepEqual([...new Set(faults)], []);
		});
	}

	test("the page sends requests only to the inspector, and none of them has the token in its address or a cookie", async () => {
		const window = await open();
		for (const page of PAGES) await window.go(page);
		const token = inspector.token;
		// Chromium reports the first address with what follows its #, which it does not send.
		const rest = window.requests.map((url) => url.replace(/#.*/, ""));
		assert.deepEqual(
			rest.filter((url) => !url.startsWith(inspector.origin) && !url.startsWith("data:")),
			[],
		);
		assert.deepEqual(
			rest.filter((url) => url.includes(token)),
			[],
		);
		assert.ok(!window.page.url().includes(token));
		assert.equal(await window.page.evaluate(() => document.referrer), "");
		assert.deepEqual(await window.context.cookies(), []);
		await window.close();
	});

	test("a request without the token, from another origin or under a foreign name is refused", async () => {
		const token = inspector.token;
		const good = { authorization: `Bearer ${token}` };
		const status = async (headers: Record<string, string>, path = `${base}/now.json`, method = "GET") =>
			(await fetch(`${inspector.origin}${path}`, { headers, method, redirect: "manual" })).status;
		assert.equal(await status(good), 200);
		for (const path of [`${base}/now.json`, "/launch.json", `/p/${base.split("/")[2]}/live`, `${base}/export.html`]) {
			assert.equal(await status({}, path), 401, path);
			assert.equal(await status({ authorization: "Bearer wrong" }, path), 401, path);
			assert.equal(await status({ cookie: "weft-1=x" }, path), 401, path);
			assert.equal(await status({ ...good, origin: "http://example.com" }, path), 403, path);
			assert.equal(await status({ ...good, origin: "http://127.0.0.1:1" }, path), 403, path);
		}
		assert.equal(await status({ ...good, origin: "null" }, "/replay", "POST"), 403);
		// fetch cannot set another host name; node:http can.
		const { request } = await import("node:http");
		const foreign = await new Promise<number | undefined>((done) => {
			const { port } = new URL(inspector.origin);
			request(
				{ host: "127.0.0.1", port, path: `${base}/now.json`, headers: { ...good, host: `attacker.example:${port}` } },
				(response) => done(response.resume().statusCode),
			).end();
		});
		assert.equal(foreign, 403);
		const page = await fetch(`${inspector.origin}${base}/now`, { headers: good });
		assert.match(
			page.headers.get("content-security-policy")!,
			/default-src 'none'; script-src 'self'; style-src 'self'/,
		);
		assert.equal(page.headers.get("referrer-policy"), "no-referrer");
	});

	test("viewing pages writes no event", async () => {
		const before = await weft<{ log: { events: number; lastWrite: object } }>(place, "status");
		const window = await open();
		for (const page of PAGES) await window.go(page);
		await window.close();
		const after = await weft<{ log: { events: number; lastWrite: object } }>(place, "status");
		assert.equal(after.log.events, before.log.events);
		assert.deepEqual(after.log.lastWrite, before.log.lastWrite);
	});

	test("a saved session opens without a server; a request is exported as JSON and Markdown", async () => {
		const token = inspector.token;
		const headers = { authorization: `Bearer ${token}` };
		const html = await (await fetch(`${inspector.origin}${base}/export.html`, { headers })).text();
		const folder = mkdtempSync(join(tmpdir(), "weft-export-"));
		const file = join(folder, "session.html");
		writeFileSync(file, html);
		const window = await Window.open(browser, `file://${file}`);
		assert.match(await window.text("main"), /Item, in prompt order/i);
		for (const page of ["Request", "Timeline", "Thread", "History", "Work"]) {
			await window.page.locator("nav.rail a", { hasText: page }).click();
			await window.page.waitForSelector(`h1:has-text("${page}")`);
			await window.page.waitForFunction(() => document.querySelectorAll("[aria-busy=true]").length === 0);
		}
		await window.page.goBack();
		await window.page.waitForSelector("h1:has-text('History')");
		assert.deepEqual(
			window.requests.filter((url) => !url.startsWith("file:") && !url.startsWith("data:")),
			[],
		);
		assert.deepEqual(window.problems, []);
		await window.close();
		rmSync(folder, { recursive: true });
		const whole = (await (await fetch(`${inspector.origin}${base}/request/3.export.json`, { headers })).json()) as {
			messages: unknown[];
			request: { n: number };
		};
		assert.equal(whole.request.n, 3);
		assert.ok(whole.messages.length > 0);
		const markdown = await (await fetch(`${inspector.origin}${base}/request/3.md`, { headers })).text();
		assert.match(markdown, /^# Request 3 of /);
	});

	test("a dropped session file is replayed in each mode, and nothing of it is kept", async () => {
		const window = await open();
		await window.go("replay");
		await window.page.getByLabel("Session file").setInputFiles(join(ROOT, "demo", "session.jsonl"));
		await window.page.waitForURL("**/replay/*");
		for (const mode of ["woven", "lossless", "host", "warp"])
			await window.page.waitForSelector(`tr[data-mode=${mode}]`);
		await window.page.waitForSelector("text=recovered byte for byte");
		const report = await weft<{ modes: Record<string, { costDollars: number }> }>(
			place,
			"replay",
			join(ROOT, "demo", "session.jsonl"),
			"--mode",
			"woven,host",
		);
		for (const mode of ["woven", "host"]) {
			assert.ok(
				(await window.text(`tr[data-mode=${mode}]`)).includes(`$${report.modes[mode]!.costDollars.toFixed(2)}`),
				mode,
			);
		}
		for (const width of WIDTHS) {
			await window.page.setViewportSize({ width, height: 900 });
			await window.ready();
			assert.deepEqual(await layoutFaults(window.page), [], `replay at ${width}`);
			await window.shot(`replayed-${width}`);
		}
		const sessions = await weft<{ sessions: unknown[] }>(place, "sessions");
		assert.equal(sessions.sessions.length, 1);
		assert.deepEqual(window.problems, []);
		await window.close();
	});

	test("takes the screenshots for the README and the docs", async () => {
		const folder = process.env["WEFT_PICTURES"] === "1" ? join(ROOT, "docs", "pictures") : ARTEFACTS;
		for (const dark of [false, true]) {
			const window = await open({ dark });
			await window.go("now");
			await window.page.screenshot({ path: join(folder, `inspector-${dark ? "dark" : "light"}.png`) });
			if (!dark) {
				for (const page of ["report", "conversation"]) {
					await window.go(page);
					await window.page.screenshot({ path: join(folder, `${page}.png`) });
				}
			}
			await window.close();
		}
	});
});
