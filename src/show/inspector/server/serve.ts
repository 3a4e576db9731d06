/**
 * `weft inspect`: a page on 127.0.0.1 that shows the logs of this machine and changes nothing. The access gate checks every
 * request; every page is also available as JSON; secrets are masked in both unless the command says otherwise.
 */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import {
	createServer,
	type IncomingHttpHeaders,
	type IncomingMessage,
	type Server,
	type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { EngineError } from "../../../base/error/engine-error.ts";
import { errorText } from "../../../base/error/error-text.ts";
import { writeJson } from "../../../base/json/write.ts";
import { translateSqliteError } from "../../../base/sqlite/sqlite-error.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import { maskStrings } from "../../../base/text/mask-strings.ts";
import { type Assets, CONTENT_POLICY, document, readAssets } from "./assets.ts";
import { exportSession } from "./export-session.ts";
import { LogWatch } from "./log-watch.ts";
import { decodePart, type MenuSession, menuSessions, type PageDataOptions, readPageData } from "./page-data.ts";
import { Projects, type ProjectsOptions } from "./projects.ts";
import { ReplayJobs } from "./replay-jobs.ts";

interface InspectorOptions extends ProjectsOptions {
	/** 0: any free port. */
	readonly port: number;
	readonly unmasked: boolean;
	/** The model's window, unless an address names one. */
	readonly window?: number | undefined;
	readonly version: string;
}

export interface Inspector {
	/** Contains the access token: only for the person who started the inspector. */
	readonly address: string;
	readonly origin: string;
	/** The address of one page, with the access token. */
	addressOf(page: string): string;
	close(): Promise<void>;
}

const HEADERS = {
	"content-security-policy": CONTENT_POLICY,
	"cross-origin-opener-policy": "same-origin",
	"cross-origin-resource-policy": "same-origin",
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
	"x-frame-options": "DENY",
	"cache-control": "no-store",
} as const;

export async function serve(options: InspectorOptions): Promise<Inspector> {
	const assets = await readAssets();
	const server = createServer();
	const port = await listen(server, options.port);
	const gate = new AccessGate(port);
	const projects = new Projects(options);
	const replays = new ReplayJobs(options.now);
	const logWatch = new LogWatch();
	const router = new RequestRouter({ ...options, projects, replays, logWatch, assets, gate });
	server.on("request", (request, response) => void router.handle(request, response));
	const origin = `http://127.0.0.1:${port}`;
	const addressOf = (page: string) => `${origin}${page}${page.includes("?") ? "&" : "?"}token=${gate.token}`;
	return {
		origin,
		address: addressOf("/"),
		addressOf,
		close: async () => {
			logWatch.close();
			replays.close();
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
			projects.close();
		},
	};
}

async function listen(server: Server, port: number): Promise<number> {
	await new Promise<void>((resolve, reject) => {
		server.once("error", (cause: NodeJS.ErrnoException) => {
			const taken = cause.code === "EADDRINUSE";
			reject(
				taken ? new EngineError("refused", `Port ${port} is in use. Omit --port to use a free one.`, { cause }) : cause,
			);
		});
		server.listen(port, "127.0.0.1", resolve);
	});
	return (server.address() as AddressInfo).port;
}

interface RouterOptions extends PageDataOptions {
	readonly version: string;
	readonly home: string;
	readonly replays: ReplayJobs;
	readonly logWatch: LogWatch;
	readonly assets: Assets;
	readonly gate: AccessGate;
}

class RequestRouter {
	readonly #options: RouterOptions;

	constructor(options: RouterOptions) {
		this.#options = options;
	}

	async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
		try {
			const url = URL.parse(request.url ?? "/", "http://127.0.0.1");
			if (!url) throw new EngineError("usage", "The address is malformed.");
			const method = request.method ?? "GET";
			const admission = this.#options.gate.admit(method, url, request.headers);
			if (admission.kind === "refused") return refuse(request, response, admission);
			if (admission.kind === "welcome") {
				response.writeHead(303, { location: admission.to, "set-cookie": admission.cookie }).end();
				return;
			}
			if (method === "POST") return await this.#act(url, request, response);
			if (method !== "GET" && method !== "HEAD") return send(response, 405, "text/plain", "Only GET.");
			return await this.#show(url, response);
		} catch (thrown) {
			fail(response, thrown);
		}
	}

	async #show(url: URL, response: ServerResponse): Promise<void> {
		const { projects, replays, logWatch, assets, version, unmasked, gate, window } = this.#options;
		const path = url.pathname;
		if (path === "/page.js") return send(response, 200, "text/javascript", assets.script);
		if (path === "/page.css") return send(response, 200, "text/css", assets.style);
		if (path === "/launch.json") {
			const [own, ...others] = projects.list();
			const sessions = own ? sessionsOf(projects, own.key) : [];
			// For the curl command that the page offers. Only a page that already has the token gets here.
			return json(response, {
				version,
				unmasked,
				window,
				token: gate.token,
				projects: [own, ...others],
				sessions: await this.#mask(sessions),
			});
		}
		const liveOf = /^\/p\/([0-9a-f]{16})\/live$/.exec(path)?.[1];
		if (liveOf !== undefined) {
			const project = projects.get(liveOf);
			if (!project) return json(response, { error: { code: "not-found", message: "no log yet" } }, 404);
			return logWatch.listen(project, response);
		}
		const menu = /^\/p\/([0-9a-f]{16})\/menu\.json$/.exec(path)?.[1];
		if (menu !== undefined) {
			return json(response, await this.#mask({ sessions: sessionsOf(projects, menu) }));
		}
		if (path === "/replay.json") return json(response, { replays: replays.list() });
		const replay = /^\/replay\/([0-9a-f]{16})\.json$/.exec(path)?.[1];
		if (replay !== undefined) return json(response, await this.#mask(replays.get(replay)));
		const saved = /^\/p\/([0-9a-f]{16})\/s\/([^/]+)\/export\.html$/.exec(path);
		if (saved) return await this.#export(saved[1] ?? "", decodePart(saved[2] ?? ""), response);
		const twin = /^(.*)\.(json|md)$/.exec(path);
		if (!twin) return send(response, 200, "text/html", document("weft inspector"));
		const [, page = "", form] = twin;
		const value = await readPageData(form === "md" ? `${page}.md` : page, url.searchParams, this.#options);
		if (value === undefined)
			return json(response, { error: { code: "not-found", message: `There is no page ${page}.` } }, 404);
		if (form === "md")
			return send(response, 200, "text/markdown", unmasked ? String(value) : await maskSecrets(String(value)));
		return json(response, await this.#mask(value));
	}

	async #export(key: string, session: string, response: ServerResponse): Promise<void> {
		const page = await exportSession({ ...this.#options, key, session, mask: (value) => this.#mask(value) });
		response.setHeader(
			"content-disposition",
			`attachment; filename="weft-${session.replace(/[^\w-]/g, "_").slice(0, 40)}.html"`,
		);
		send(response, 200, "text/html", page);
	}

	async #act(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { replays, projects, home } = this.#options;
		const stop = /^\/replay\/([0-9a-f]{16})\/stop$/.exec(url.pathname)?.[1];
		if (stop !== undefined) {
			replays.stop(stop);
			return json(response, { stopped: stop });
		}
		if (url.pathname !== "/replay")
			return json(response, { error: { code: "not-found", message: "There is no such action." } }, 404);
		const session = url.searchParams.get("session");
		if (session === null)
			return json(response, await replays.receive(request, url.searchParams.get("name") ?? "session.jsonl"));
		const project = projects.require(url.searchParams.get("project") ?? "");
		const found = project.session(session);
		const id = Buffer.from(`${project.key}${found.session}`).toString("hex").slice(-16);
		const task = { kind: "session", root: project.engine.project.root, home, session: found.session } as const;
		return json(response, replays.start(task, { id, name: found.title ?? found.session }));
	}

	async #mask(value: unknown): Promise<unknown> {
		return this.#options.unmasked ? value : maskStrings(value);
	}
}

/** Empty when the log cannot be opened: the pages report that, and the frame still works. */
function sessionsOf(projects: Projects, key: string): MenuSession[] {
	try {
		const project = projects.get(key);
		return project ? menuSessions(project, MENU_SESSIONS) : [];
	} catch {
		return [];
	}
}

const MENU_SESSIONS = 30;

function send(response: ServerResponse, status: number, type: string, text: string): void {
	response.writeHead(status, { "content-type": `${type}; charset=utf-8` });
	response.end(text);
}

function json(response: ServerResponse, value: unknown, status = 200): void {
	send(response, status, "application/json", `${writeJson(value)}\n`);
}

const STATUS: Readonly<Partial<Record<EngineError["code"], number>>> = { "not-found": 404, usage: 400, locked: 503 };

function fail(response: ServerResponse, thrown: unknown): void {
	const error = translateSqliteError(thrown, "The log's database");
	if (response.headersSent) {
		response.end();
		return;
	}
	const code = error instanceof EngineError ? error.code : "fault";
	const message = errorText(error);
	json(response, { error: { code, message } }, error instanceof EngineError ? (STATUS[error.code] ?? 500) : 500);
}

function refuse(
	request: IncomingMessage,
	response: ServerResponse,
	{ status, why }: { readonly status: number; readonly why: string },
): void {
	const wantsPage = (request.headers.accept ?? "").includes("text/html");
	if (wantsPage)
		send(
			response,
			status,
			"text/html",
			`<!doctype html><html lang="en"><meta charset="utf-8"><title>weft</title><h1>Not shown</h1><p>${why}</p></html>`,
		);
	else json(response, { error: { code: "refused", message: why } }, status);
}

type Admission =
	| { readonly kind: "in" }
	/** The address had the token: set the cookie and redirect to the address without it. */
	| { readonly kind: "welcome"; readonly to: string; readonly cookie: string }
	| { readonly kind: "refused"; readonly status: 400 | 401 | 403; readonly why: string };

/**
 * Admits only requests that carry the token of this launch, from this machine and under a host name that we listen on. The
 * token arrives once in the address, is exchanged for a cookie and disappears from the address, so that no history entry,
 * log or referrer contains it.
 */
export class AccessGate {
	readonly token = randomBytes(24).toString("base64url");
	readonly #port: number;

	constructor(port: number) {
		this.#port = port;
	}

	admit(method: string, url: URL, headers: IncomingHttpHeaders): Admission {
		const names = [`127.0.0.1:${this.#port}`, `localhost:${this.#port}`];
		// A foreign name that resolves to this machine would share our origin (DNS rebinding).
		if (!names.includes(headers.host ?? "")) return refused(403, "This server answers only to 127.0.0.1.");
		const { origin } = headers;
		if (origin !== undefined && !names.some((name) => origin === `http://${name}`)) {
			return refused(403, "This server answers only to its own pages.");
		}
		const site = headers["sec-fetch-site"];
		if (site === "cross-site" && headers["sec-fetch-mode"] !== "navigate") {
			return refused(403, "This server answers only to its own pages.");
		}
		const given = url.searchParams.get("token");
		if (given !== null && method === "GET" && isSame(given, this.token)) {
			url.searchParams.delete("token");
			return {
				kind: "welcome",
				to: url.pathname + url.search,
				cookie: `${this.#cookie}=${this.token}; Path=/; HttpOnly; SameSite=Strict`,
			};
		}
		if (this.#hasToken(headers)) return { kind: "in" };
		return refused(401, "The access token is missing. Open the address that 'weft inspect' printed.");
	}

	get #cookie(): string {
		return `weft-${this.#port}`;
	}

	#hasToken({ cookie, authorization }: IncomingHttpHeaders): boolean {
		if (authorization !== undefined) return isSame(authorization, `Bearer ${this.token}`);
		const pairs = (cookie ?? "").split(/;\s*/);
		return pairs.some((pair) => isSame(pair, `${this.#cookie}=${this.token}`));
	}
}

function refused(status: 400 | 401 | 403, why: string): Admission {
	return { kind: "refused", status, why };
}

/** Compares in constant time, for any lengths. */
function isSame(one: string, other: string): boolean {
	const digest = (text: string) => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(one), digest(other));
}
