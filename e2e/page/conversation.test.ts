/** The conversation page in a real browser: a session of 12,000 messages, its keys and links, sub-agents, pictures, a search. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { projectKey, projectRoot } from "../../src/log/home.ts";
import type { Inspector } from "../../src/show/inspector/server/serve.ts";
import { LONG_SESSION, longSession } from "../../test/rig/long-session.ts";
import { layoutFaults } from "./layout-faults.ts";
import { longestTask } from "./longest-task.ts";
import { BROWSER, type InspectedProject, inspect, launch, readPageData, Window, weft } from "./rig.ts";

const skip = BROWSER === undefined ? "no Chromium was found: .ci/run installs one" : false;
const REQUESTS = 4_000;
const MAX_SCRIPT_CHARS = 150_000;
const MAX_RENDERED = 300;
const MAX_TASK_MS = 200;
/** Of the server, in CPU time: other work on the machine does not count. */
const MAX_OPEN_CPU_MS = 2_500;
const SHORT_SESSION = "7d3b6a10-94c2-4f57-a1d8-3e5f60b7c912";
/** One red pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

suite("the conversation of a session", { skip }, () => {
	let browser: Browser;
	let inspector: Inspector;
	let folder: string;
	let base: string;
	let project: InspectedProject;

	before(async () => {
		folder = mkdtempSync(join(realpathSync(tmpdir()), "weft-conversation-"));
		const place = { home: join(folder, "home"), root: join(folder, "project") };
		mkdirSync(join(place.root, ".git"), { recursive: true });
		for (const [name, lines] of [
			["long.jsonl", longSession(place.root, REQUESTS)],
			["short.jsonl", shortSession(place.root)],
		] as const) {
			const file = join(folder, name);
			writeFileSync(file, [...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
			await weft(place, "import", file);
		}
		project = place;
		base = `/p/${projectKey(projectRoot(place.root))}/s`;
		inspector = await inspect(place);
		browser = await launch();
	});
	after(async () => {
		await browser?.close();
		await inspector?.close();
		rmSync(folder, { recursive: true, force: true });
	});

	test("12,000 messages open at once, and only what is near the screen is rendered", async () => {
		const script = await (await fetch(`${inspector.origin}/page.js`)).text();
		assert.ok(script.length <= MAX_SCRIPT_CHARS, `the page's script has ${script.length} characters`);
		const started = process.cpuUsage();
		for (const part of ["conversation", "conversation/0"])
			await readPageData(inspector, `${base}/${LONG_SESSION}/${part}.json`);
		const { user, system } = process.cpuUsage(started);
		const cpu = Math.round((user + system) / 1_000);
		console.log(
			`the first screen of ${REQUESTS} requests takes ${cpu} ms of CPU; the script has ${script.length} characters`,
		);
		const window = await Window.open(browser, inspector.addressOf(`${base}/${LONG_SESSION}/conversation`));
		const asked = window.requests.filter((url) => /\.json/.test(url)).map((url) => url.replace(/.*\//, ""));
		assert.ok(asked.indexOf("0.json") < asked.indexOf("vitals.json"), `first the messages: ${asked.join(" ")}`);
		assert.match(await window.text("h1 + .sub"), /500 prompts, 12,519 messages/);
		assert.match(await window.text("article.user"), /In context from request 1 to 200, then in the agent's summary/);
		const longest = await longestTask(browser, window.page, async () => {
			await window.page.mouse.move(900, 600);
			for (let step = 0; step < 12; step++) {
				await window.page.mouse.wheel(0, 9_000);
				await window.page.waitForTimeout(60);
			}
			await window.ready();
		});
		assert.ok(longest <= MAX_TASK_MS, `the longest task takes ${Math.round(longest)} ms`);
		assert.ok((await window.page.locator("article").count()) <= MAX_RENDERED);
		assert.ok(cpu <= MAX_OPEN_CPU_MS, `${cpu} ms of CPU`);
		assert.deepEqual(window.problems, []);
		await window.close();
	});

	test("keys go from prompt to prompt, every message has a link, and a link opens at its message", async () => {
		const window = await Window.open(browser, inspector.addressOf(`${base}/${LONG_SESSION}/conversation`));
		for (let step = 0; step < 7; step++) await window.page.keyboard.press("]");
		await window.page.waitForSelector("article.on:has-text('Paint section 8 ')");
		await window.page.keyboard.press("[");
		await window.page.waitForSelector("article.on:has-text('Paint section 7 ')");
		await window.page.waitForFunction(() => document.querySelector(".prompts tr.on td")?.textContent === "7");
		const outline = await readPageData<{ prompts: { handle: string }[] }>(
			inspector,
			`${base}/${LONG_SESSION}/conversation.json`,
		);
		await window.go(`conversation/${outline.prompts[320]?.handle}`);
		await window.page.waitForSelector("article.on:has-text('Paint section 321 ')");
		await window.page.waitForFunction(() => {
			const top = document.querySelector("article.on")?.getBoundingClientRect().top ?? -1;
			const box = document.querySelector(".talk")?.getBoundingClientRect().top ?? 0;
			return Math.abs(top - box) < 4;
		});
		// The link of another message, and back.
		await window.page.locator("article.assistant header a[title*='link to this message']").nth(3).click();
		await window.page.waitForSelector("article.assistant.on");
		await window.page.keyboard.press("b");
		await window.page.waitForSelector("article.on:has-text('Paint section 321 ')");
		// By keyboard: the next fold opens.
		await window.page.locator("article.on ~ article summary").first().focus();
		await window.page.keyboard.press("Enter");
		await window.page.waitForSelector("details[open] .in");
		assert.deepEqual(window.problems, []);
		await window.close();
	});

	test("a search hit names its session and project, and opens at its message with the match marked", async () => {
		const window = await Window.open(browser, inspector.addressOf(`${base}/${SHORT_SESSION}/conversation`));
		await window.page.keyboard.press("/");
		await window.page.keyboard.type("measure section 3002");
		await window.page.waitForSelector(".pal .hit mark");
		assert.match(await window.text(".pal .hit"), /^project Paint section 1 of .* claude-code, 2026-03-02/);
		await window.page.getByRole("button", { name: "All projects" }).click();
		await window.page.waitForSelector(".pal .hit mark");
		await window.shot("search-1440");
		await window.page.locator(".pal a:has(.hit)").first().click();
		await window.page.waitForURL(`**/${LONG_SESSION}/conversation/m-*`);
		await window.page.waitForSelector("article.on details[open]");
		assert.match(await window.text("article.on"), /section 3002/);
		await window.page.waitForFunction(() => (CSS.highlights.get("found")?.size ?? 0) > 0);
		assert.deepEqual(window.problems, []);
		await window.close();
	});

	test("diffs, sub-agents, pictures and compactions are in their place, on every screen", async () => {
		for (const [width, dark] of [
			[1440, false],
			[1024, true],
			[390, false],
		] as const) {
			const window = await Window.open(browser, inspector.addressOf(`${base}/${SHORT_SESSION}/conversation`), {
				width,
				dark,
			});
			assert.match(await window.text("[data-rule=compaction]"), /The agent compacted its history.*messages? left/);
			assert.deepEqual(await scrollsSideways(window.page), [], `folded, at ${width}`);
			assert.deepEqual(await layoutFaults(window.page), [], `folded, at ${width}`);
			await window.page.locator("summary:has-text('Edit')").click();
			assert.match(await window.text(".diff"), /-the lamp is dark.*\+the lamp is lit/);
			await window.page.waitForSelector("img.picture");
			await window.page.locator("summary:has-text('Task')").first().click();
			for (const name of ["Bash", "Write"]) await window.page.locator(`summary:has-text('${name}')`).click();
			await window.page.waitForSelector(".nested article:has-text('The stairs have 199 steps')");
			assert.deepEqual(await scrollsSideways(window.page), [], `unfolded, at ${width}`);
			assert.deepEqual(await layoutFaults(window.page), [], `${width}`);
			assert.deepEqual(window.problems, []);
			await window.shot(`conversation-${width}${dark ? "-dark" : ""}`);
			await window.go("changes");
			assert.match(await window.text(".diff"), /-the lamp is dark.*\+the lamp is lit/);
			await window.page.getByRole("button", { name: "Copy as a patch" }).click();
			const patch = await window.page.evaluate(() => navigator.clipboard.readText());
			const { patch: same } = await weft<{ patch: string }>(project, "diff", SHORT_SESSION);
			assert.equal(patch, same);
			assert.deepEqual(await layoutFaults(window.page), [], `changes at ${width}`);
			await window.shot(`changes-${width}${dark ? "-dark" : ""}`);
			await window.go("conversation");
			await window.page.getByRole("button", { name: "Go on from here" }).click();
			const copied = await window.page.evaluate(() => navigator.clipboard.readText());
			assert.match(copied, new RegExp(`claude --resume ${SHORT_SESSION}$`));
			await window.close();
		}
	});
});

/** Everything on the page that is wider than its place, except code and diffs, which have a scrollbar of their own. */
async function scrollsSideways(page: Page): Promise<string[]> {
	return page.evaluate(() => {
		const isWide = (element: Element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
		const boxes = [
			document.documentElement,
			document.body,
			...document.querySelectorAll("main, main .talk, main article"),
		];
		const lines = [...document.querySelectorAll("main .fold > summary")];
		return [...boxes, ...lines].filter(isWide).map(({ tagName, className, textContent }) => {
			return `${tagName}.${className}: ${(textContent ?? "").slice(0, 60)}`;
		});
	});
}

/** A picture, thinking, an edit, a sub-agent in the same file, and a compaction. */
function* shortSession(cwd: string): Generator<object> {
	let [parent, lines]: [string | null, number] = [null, 0];
	const line = (of: object, more: object = {}): object => {
		const uuid = `00000000-0000-4000-8000-${String(9_000 + lines).padStart(12, "0")}`;
		const timestamp = new Date(Date.parse("2026-04-01T10:00:00Z") + lines * 20_000).toISOString();
		const made = { parentUuid: parent, isSidechain: false, cwd, sessionId: SHORT_SESSION, version: "2.1.0" };
		[parent, lines] = [uuid, lines + 1];
		return { ...made, uuid, timestamp, ...of, ...more };
	};
	const user = (content: unknown, more: object = {}) =>
		line({ type: "user", message: { role: "user", content } }, more);
	let answers = 0;
	const agent = (content: readonly object[], more: object = {}) => {
		const usage = {
			input_tokens: 4,
			cache_creation_input_tokens: 900,
			cache_read_input_tokens: 9_000,
			output_tokens: 40,
		};
		const message = { id: `msg_s${answers++}`, type: "message", role: "assistant", model: "claude-opus-4-5-20251101" };
		return line({ type: "assistant", message: { ...message, content, usage } }, more);
	};
	const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } };
	yield user([{ type: "text", text: "Light the lamp as in the **picture**." }, image]);
	const edit = { file_path: `${cwd}/lamp.txt`, old_string: "the lamp is dark", new_string: "the lamp is lit" };
	yield agent([
		{ type: "thinking", thinking: "The picture shows a red lamp.", signature: "x" },
		{ type: "tool_use", id: "edit_1", name: "Edit", input: edit },
	]);
	const patch = {
		oldStart: 1,
		oldLines: 1,
		newStart: 1,
		newLines: 1,
		lines: [`-${edit.old_string}`, `+${edit.new_string}`],
	};
	yield user([{ type: "tool_result", tool_use_id: "edit_1", content: "The file has been updated." }], {
		toolUseResult: { filePath: edit.file_path, structuredPatch: [patch] },
	});
	const task = { description: "count the stairs", prompt: "Count the stairs of the lighthouse." };
	yield agent([{ type: "tool_use", id: "task_1", name: "Task", input: task }]);
	const main: string | null = parent;
	parent = null;
	yield user(task.prompt, { isSidechain: true });
	yield agent([{ type: "text", text: "The stairs have 199 steps." }], { isSidechain: true });
	parent = main;
	yield user([{ type: "tool_result", tool_use_id: "task_1", content: "199 steps" }]);
	// Wider than a narrow screen, in every place of a message.
	const wide = "measure-the-harbour-".repeat(20);
	yield agent([{ type: "tool_use", id: "bash_1", name: "Bash", input: { command: `node ${wide}` } }]);
	yield user([{ type: "tool_result", tool_use_id: "bash_1", content: wide, is_error: true }]);
	const write = { file_path: `${cwd}/harbour/${wide.slice(0, 160)}.txt`, content: `${wide}\n` };
	yield agent([{ type: "tool_use", id: "write_1", name: "Write", input: write }]);
	yield user([{ type: "tool_result", tool_use_id: "write_1", content: "The file was written." }]);
	const other = { description: `measure ${wide}`, prompt: "Measure the harbour." };
	yield agent([{ type: "tool_use", id: "task_2", name: "Task", input: other }]);
	yield user([{ type: "tool_result", tool_use_id: "task_2", content: wide }]);
	yield user(`Look at https://harbour.example/${wide}`);
	yield agent([{ type: "text", text: `${wide}\n\n| ${wide} | steps |\n|---|---|\n| lamp | 199 |\n\n- \`${wide}\`` }]);
	yield agent([{ type: "text", text: "The lamp is lit. There are 199 steps.\n\n```sh\nls -l lamp.txt\n```" }]);
	yield line({
		type: "system",
		subtype: "compact_boundary",
		content: "Conversation compacted",
		compactMetadata: { trigger: "auto" },
	});
	yield user("This session is being continued. Summary: the lamp is lit.", { isCompactSummary: true });
	yield user("Now paint the door.");
	yield agent([{ type: "text", text: "The door is painted." }]);
}
