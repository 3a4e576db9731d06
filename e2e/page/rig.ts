/** A real Chromium on a real inspector, and what its tests share. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { openEngine } from "../../src/engine.ts";
import { projectRoot } from "../../src/log/home.ts";
import { type Inspector, serve } from "../../src/show/inspector/server/serve.ts";

export const ROOT = join(import.meta.dirname, "..", "..");
/** Screenshots of the run. */
export const ARTEFACTS = join(ROOT, "node_modules", ".cache", "page");
mkdirSync(ARTEFACTS, { recursive: true });

const CLI = join(ROOT, "src", "show", "cli", "main.ts");
const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/snap/bin/chromium"];

/** Undefined: there is no browser on this machine. */
export const BROWSER = [process.env["WEFT_TEST_BROWSER"] ?? "", ...PLACES].find(
	(path) => path !== "" && existsSync(path),
);

/** What is awaited comes sooner or later; a slow machine is no fault. */
export const PATIENCE_MS = 180_000;

export const PAGES = ["now", "request", "timeline", "history", "work", "memory", "replay", "sessions"] as const;

export async function launch(): Promise<Browser> {
	const args = [
		"--no-sandbox",
		"--disable-gpu",
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-sync",
		"--no-first-run",
	];
	return chromium.launch({ executablePath: BROWSER!, args, timeout: PATIENCE_MS });
}

export interface Place {
	readonly home: string;
	/** The project's folder. */
	readonly root: string;
}

export interface InspectOptions {
	readonly unmasked?: boolean;
	readonly window?: number;
}

export async function inspect(
	{ home, root }: Place,
	{ unmasked = false, window }: InspectOptions = {},
): Promise<Inspector> {
	const open = (each: string) => openEngine({ cwd: each, home, host: "inspector", env: {} });
	return serve({ home, root: projectRoot(root), open, port: 0, unmasked, window, version: "test", now: Date.now });
}

/** A person's window: everything that it asks for is written down, and what goes wrong in it is an error. */
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

	/** The page is drawn and nothing is on its way. */
	async ready(): Promise<void> {
		await this.page.waitForSelector("h1");
		await this.page.waitForFunction(() => document.querySelectorAll("[aria-busy=true]").length === 0);
		await this.quiet();
	}

	/** No answer is awaited, but for the live one, which never ends. */
	async quiet(): Promise<void> {
		let last = -1;
		for (let calm = 0; calm < 3; ) {
			const count = await this.page.evaluate(() => performance.getEntriesByType("resource").length);
			calm = count === last ? calm + 1 : 0;
			last = count;
			await this.page.waitForTimeout(60);
		}
	}

	/** A page of the session at hand. */
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

/** The JSON twin of a page, as a program asks for it. */
export async function twin<T = Record<string, unknown>>(inspector: Inspector, path: string): Promise<T> {
	const token = new URL(inspector.address).searchParams.get("token");
	const response = await fetch(`${inspector.origin}${path}`, { headers: { authorization: `Bearer ${token}` } });
	if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
	return (await response.json()) as T;
}

export async function weft<T = Record<string, unknown>>({ home, root }: Place, ...args: string[]): Promise<T> {
	const { stdout } = await promisify(execFile)(
		process.execPath,
		[CLI, ...args, "--json", "--home", home, "--project", root],
		{ maxBuffer: 1 << 28 },
	);
	return JSON.parse(stdout) as T;
}

export async function weftLines({ home, root }: Place, ...args: string[]): Promise<Record<string, unknown>[]> {
	const { stdout } = await promisify(execFile)(
		process.execPath,
		[CLI, ...args, "--json", "--home", home, "--project", root],
		{ maxBuffer: 1 << 28 },
	);
	return stdout
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line) as Record<string, unknown>);
}
