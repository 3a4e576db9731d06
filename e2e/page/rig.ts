/** Opens a real Chromium on a real inspector. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { openEngine } from "../../src/engine.ts";
import { projectRoot } from "../../src/log/home.ts";
import { type Inspector, serve } from "../../src/show/inspector/server/serve.ts";
import type { HomeReport } from "../../src/view/report.ts";

export const ROOT = join(import.meta.dirname, "..", "..");
/** The folder for screenshots. */
export const ARTEFACTS = join(ROOT, "node_modules", ".cache", "page");
mkdirSync(ARTEFACTS, { recursive: true });

const CLI = join(ROOT, "src", "show", "cli", "main.ts");
const BROWSER_PATHS = [
	"/usr/bin/chromium",
	"/usr/bin/chromium-browser",
	"/usr/bin/google-chrome",
	"/snap/bin/chromium",
];

/** Undefined: this machine has no browser. */
export const BROWSER = [process.env["WEFT_TEST_BROWSER"] ?? "", ...BROWSER_PATHS].find(
	(path) => path !== "" && existsSync(path),
);

/** Long, because a slow machine must not fail a test. */
export const PATIENCE_MS = 180_000;

export const PAGES = [
	"now",
	"conversation",
	"request",
	"timeline",
	"history",
	"thread",
	"work",
	"changes",
	"memory",
	"replay",
	"sessions",
	"report",
] as const;

export async function launch(): Promise<Browser> {
	const args = [
		"--no-sandbox",
		"--disable-gpu",
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-sync",
		"--no-first-run",
	];
	return chromium.launch({ executablePath: BROWSER ?? "", args, timeout: PATIENCE_MS });
}

export interface InspectedProject {
	readonly home: string;
	/** The project's folder. */
	readonly root: string;
}

export interface InspectOptions {
	readonly unmasked?: boolean;
	readonly window?: number;
}

export async function inspect(
	{ home, root }: InspectedProject,
	{ unmasked = false, window }: InspectOptions = {},
): Promise<Inspector> {
	const open = (each: string) => openEngine({ cwd: each, home, host: "inspector", env: {} });
	return serve({ home, root: projectRoot(root), open, port: 0, unmasked, window, version: "test", now: Date.now });
}

/** A browser window that records its requests and its errors. */
export class Window {
	readonly page: Page;
	readonly context: BrowserContext;
	readonly requests: string[] = [];
	readonly problems: string[] = [];

	private constructor(context: BrowserContext, page: Page) {
		this.context = context;
		this.page = page;
		page.on("request", (request) => this.requests.push(request.url()));
		page.on("pageerror", (error) => this.problems.push(error.message));
		page.on("console", (message) => {
			if (message.type() === "error" && !/Failed to load resource/.test(message.text()))
				this.problems.push(message.text());
		});
	}

	static async open(browser: Browser, address: string, { width = 1440, dark = false } = {}): Promise<Window> {
		const height = width < 500 ? 844 : 900;
		const context = await browser.newContext({
			viewport: { width, height },
			colorScheme: dark ? "dark" : "light",
			reducedMotion: "reduce",
		});
		await context.grantPermissions(["clipboard-read", "clipboard-write"]);
		context.setDefaultTimeout(PATIENCE_MS);
		const page = await context.newPage();
		const window = new Window(context, page);
		await page.goto(address);
		await window.ready();
		return window;
	}

	/** Waits until the page is drawn and has all its data. */
	async ready(): Promise<void> {
		await this.page.waitForSelector("h1");
		await this.page.waitForFunction(() => document.querySelectorAll("[aria-busy=true]").length === 0);
		await this.quiet();
	}

	/** Waits until no request is pending, except the live one, which never ends. */
	async quiet(): Promise<void> {
		let last = -1;
		for (let calm = 0; calm < 3; ) {
			const count = await this.page.evaluate(() => performance.getEntriesByType("resource").length);
			calm = count === last ? calm + 1 : 0;
			last = count;
			await this.page.waitForTimeout(60);
		}
	}

	/** Opens another page of the same session. */
	async go(page: string, query = ""): Promise<void> {
		const here = new URL(this.page.url());
		const [, p, key, s, session] = here.pathname.split("/");
		await this.page.goto(`${here.origin}/${p}/${key}/${s}/${session}/${page}${query}`);
		await this.ready();
	}

	async text(selector: string): Promise<string> {
		return (await this.page.locator(selector).first().innerText()).replace(/\s+/g, " ").trim();
	}

	async shot(name: string): Promise<void> {
		await this.page.screenshot({ path: join(ARTEFACTS, `${name}.png`) });
	}

	async close(): Promise<void> {
		await this.context.close();
	}
}

/** The JSON of a page, as a program would fetch it. */
export async function readPageData<T = Record<string, unknown>>(inspector: Inspector, path: string): Promise<T> {
	const token = inspector.token;
	const response = await fetch(`${inspector.origin}${path}`, { headers: { authorization: `Bearer ${token}` } });
	if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
	return (await response.json()) as T;
}

/** Asks until the report is complete, as the page does. */
export async function readWholeReport(inspector: Inspector): Promise<HomeReport> {
	for (;;) {
		const report = await readPageData<HomeReport & { progress?: object }>(inspector, "/report.json");
		if (!report.progress) return report;
	}
}

export async function weft<T = Record<string, unknown>>(project: InspectedProject, ...args: string[]): Promise<T> {
	return JSON.parse(await run(project, args)) as T;
}

export async function weftLines(project: InspectedProject, ...args: string[]): Promise<Record<string, unknown>[]> {
	const lines = (await run(project, args)).trim().split("\n");
	return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function run({ home, root }: InspectedProject, args: readonly string[]): Promise<string> {
	const all = [CLI, ...args, "--json", "--home", home, "--project", root];
	return (await promisify(execFile)(process.execPath, all, { maxBuffer: 1 << 28 })).stdout;
}
