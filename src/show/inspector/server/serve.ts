/**
 * `weft inspect`: a page on 127.0.0.1 that shows the logs of this machine and changes nothing. The access gate checks every
 * request; every page is also available as JSON; secrets are masked in both unless the command says otherwise.
 */

import { createHmac, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { EngineError } from "../../../base/error/engine-error.ts";
import { errorText } from "../../../base/error/error-text.ts";
import { isSameText } from "../../../base/hash/same-text.ts";
import { writeJson } from "../../../base/json/write.ts";
import { http } from "../../../base/net/http.ts";
import { OwnAccountServer } from "../../../base/net/own-account-server.ts";
import { translateSqliteError } from "../../../base/sqlite/sqlite-error.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import { maskStrings } from "../../../base/text/mask-strings.ts";
import { parseTime } from "../../../base/text/time.ts";
import { readImage } from "../../../view/conversation.ts";
import { type Assets, CONTENT_POLICY, document, readAssets } from "./assets.ts";
import { exportSession } from "./export-session.ts";
import { HomeReports } from "./home-reports.ts";
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
	/** For the header of a request. */
	readonly token: string;
	/** The address of one page, with a token after its `#` that opens the project of the page and no other. */
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
	const server = http.createServer();
	const connections = new Set<Socket>();
	// Others can read the arguments of a browser, and with them an address that was opened.
	const door = new OwnAccountServer((socket) => {
		connections.add(socket);
		socket.once("close", () => connections.delete(socket));
		server.emit("connection", socket);
		socket.resume();
	});
	const port = await listen(door, options.port);
	const gate = new AccessGate(port);
	const projects = new Projects(options);
	const logWatch = new LogWatch();
	const shared = { ...options, logWatch, assets, gate };
	const router = new RequestRouter({ ...shared, projects, replays: new ReplayJobs(options.now) });
	// What one project's token opens has that project alone in reach, its replays included.
	const scoped = new Map<string, RequestRouter>();
	const routerOf = (key: string | undefined): RequestRouter => {
		if (key === undefined) return router;
		const known = scoped.get(key);
		if (known) return known;
		const only = { projects: projects.only(key), replays: new ReplayJobs(options.now) };
		const made = new RequestRouter({ ...shared, ...only });
		scoped.set(key, made);
		return made;
	};
	server.on("request", (request, response) => {
		void routerOf(gate.projectOf(request.headers)).handle(request, response);
	});
	const origin = `http://127.0.0.1:${port}`;
	const addressOf = (page: string) => {
		const key = /^\/p\/([0-9a-f]{16})\//.exec(page)?.[1];
		return `${origin}${page}#token=${key === undefined ? gate.token : gate.tokenOf(key)}`;
	};
	return {
		origin,
		token: gate.token,
		address: addressOf("/"),
		addressOf,
		close: async () => {
			logWatch.close();
			for (const each of [router, ...scoped.values()]) each.close();
			door.close();
			for (const socket of connections) socket.destroy();
			projects.close();
		},
	};
}

async function listen(door: OwnAccountServer, port: number): Promise<number> {
	try {
		return await door.listen(port);
	} catch (cause) {
		if (!(cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE")) throw cause;
		throw new EngineError("refused", `Port ${port} is in use. Omit --port to use a free one.`, { cause });
	}
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
	readonly #reports: HomeReports;

	constructor(options: RouterOptions) {
		this.#options = options;
		const { projects, replays, home } = options;
		this.#reports = new HomeReports(home, projects, (task) => replays.saving({ kind: "saving", home, ...task }));
	}

	close(): void {
		this.#reports.close();
		this.#options.replays.close();
	}

	async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
		try {
			const url = requestedUrl(request.url ?? "/");
			const method = request.method ?? "GET";
			const { gate } = this.#options;
			const stranger = gate.refuseStranger(request.headers);
			if (stranger) return refuse(request, response, stranger);
			// The page itself holds no data, and gets the token only once its script runs.
			if ((method === "GET" || method === "HEAD") && this.#showPage(url.pathname, response)) return;
			const refusal = gate.refuseWithoutToken(request.headers);
			if (refusal) return refuse(request, response, refusal);
			if (method === "POST") return await this.#act(url, request, response);
			if (method !== "GET" && method !== "HEAD") return send(response, 405, "text/plain", "Only GET.");
			return await this.#show(url, response);
		} catch (thrown) {
			fail(response, thrown);
		}
	}

	/** False: the address is none of the page's own files. */
	#showPage(path: string, response: ServerResponse): boolean {
		const { assets } = this.#options;
		if (path === "/page.js") send(response, 200, "text/javascript", assets.script);
		else if (path === "/page.css") send(response, 200, "text/css", assets.style);
		else if (PAGE_PATH.test(path) && !DATA_PATH.test(path)) {
			decodePart(path);
			send(response, 200, "text/html", document("weft inspector"));
		} else return false;
		return true;
	}

	async #show(url: URL, response: ServerResponse): Promise<void> {
		const { projects, replays, logWatch, gate, version, unmasked, window, now } = this.#options;
		const path = dataPathOf(url.pathname);
		if (path === "/launch.json") {
			const [own, ...others] = projects.list();
			const sessions = own ? sessionsOf(projects, own.key) : [];
			return json(response, {
				version,
				unmasked,
				window,
				projects: [own, ...others].flatMap((each) => (each ? [{ ...each, token: gate.tokenOf(each.key) }] : [])),
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
		if (path === "/report.json") {
			const since = url.searchParams.get("since");
			const from = since ? startOfDay(parseTime(since, now())) : undefined;
			return json(
				response,
				await this.#mask(await this.#reports.read(from, { replay: url.searchParams.get("replay") === "1" })),
			);
		}
		if (path === "/replay.json") return json(response, { replays: replays.list() });
		const replay = /^\/replay\/([0-9a-f]{16})\.json$/.exec(path)?.[1];
		if (replay !== undefined) return json(response, await this.#mask(replays.get(replay)));
		// Masking would look for words in the bytes of a picture.
		const image = /^\/p\/([0-9a-f]{16})\/image\/(m-[0-9a-f]{12})\/(\d{1,4})\.json$/.exec(path);
		if (image)
			return json(response, readImage(projects.require(image[1] ?? "").engine, image[2] ?? "", Number(image[3])));
		const saved = /^\/p\/([0-9a-f]{16})\/s\/([^/]+)\/export\.html$/.exec(path);
		if (saved) return await this.#export(saved[1] ?? "", decodePart(saved[2] ?? ""), response);
		const [, page = "", form] = /^(.*)\.(json|md)$/.exec(path) ?? [];
		if (form === undefined)
			return json(response, { error: { code: "not-found", message: "There is no such address." } }, 404);
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

/** Of this server alone: `//evil.com` is a path that does not exist here. */
function requestedUrl(target: string): URL {
	const url = target.startsWith("/") ? URL.parse(`http://127.0.0.1${target}`) : null;
	if (!url) throw new EngineError("not-found", "There is no such address.");
	return url;
}

/** The data of a page is at the page's own path, with `.json`. Three pages are of no session. */
function dataPathOf(path: string): string {
	const [, project = "", page = ""] =
		/^(\/p\/[0-9a-f]{16})\/s\/[^/]+\/((?:sessions|report|replay(?:\/[0-9a-f]{16})?)\.json)$/.exec(path) ?? [];
	if (page === "") return path;
	return page === "sessions.json" ? `${project}/${page}` : `/${page}`;
}

/** Asked again a moment later, the same span back from now is the same report. */
function startOfDay(ms: number): number {
	return new Date(ms).setHours(0, 0, 0, 0);
}

const MENU_SESSIONS = 30;

/** Addresses that the page's own script reads. */
const PAGE_PATH = /^\/(?:p\/[0-9a-f]{16}\/(?:s\/[^/]+(?:\/.*)?|sessions)\/?)?$/;
const DATA_PATH = /\.(?:json|md|html)$/;

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

function refuse(request: IncomingMessage, response: ServerResponse, { status, why }: Refusal): void {
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

interface Refusal {
	readonly status: 401 | 403;
	readonly why: string;
}

/**
 * Admits only requests that carry the token of this launch in a header, from this machine and under a host name that we listen
 * on. The token reaches the browser after the `#` of an address, so no server, log or referrer gets it. It is no cookie: a
 * browser sends a cookie of 127.0.0.1 to every port.
 */
export class AccessGate {
	/** Opens all projects. */
	readonly token = randomBytes(24).toString("base64url");
	readonly #key = randomBytes(32);
	readonly #port: number;

	constructor(port: number) {
		this.#port = port;
	}

	/** Undefined: the request may come from our own page. */
	refuseStranger({ host, origin, ...headers }: IncomingHttpHeaders): Refusal | undefined {
		const names = [`127.0.0.1:${this.#port}`, `localhost:${this.#port}`];
		// A foreign name that resolves to this machine would share our origin (DNS rebinding).
		if (!names.includes(host ?? "")) return { status: 403, why: "This server answers only to 127.0.0.1." };
		const site = headers["sec-fetch-site"];
		// Another port of this machine is the same site, and not the same origin.
		const isForeign = site !== undefined && site !== "same-origin" && site !== "none";
		if (
			(origin !== undefined && !names.some((name) => origin === `http://${name}`)) ||
			(isForeign && headers["sec-fetch-mode"] !== "navigate")
		) {
			return { status: 403, why: "This server answers only to its own pages." };
		}
		return undefined;
	}

	/** The token of one project. Its address is shown in an agent's terminal, and its `curl` is pasted elsewhere. */
	tokenOf(project: string): string {
		return `${project}-${createHmac("sha256", this.#key).update(project).digest("base64url").slice(0, 32)}`;
	}

	/** The project whose token the request has. */
	projectOf({ authorization = "" }: IncomingHttpHeaders): string | undefined {
		const project = /^Bearer ([0-9a-f]{16})-[\w-]{32}$/.exec(authorization)?.[1];
		return project !== undefined && isSameText(authorization, `Bearer ${this.tokenOf(project)}`) ? project : undefined;
	}

	/** Undefined: the request has the token of this launch, or of a project. */
	refuseWithoutToken(headers: IncomingHttpHeaders): Refusal | undefined {
		const { authorization } = headers;
		if (authorization !== undefined && isSameText(authorization, `Bearer ${this.token}`)) return undefined;
		if (this.projectOf(headers) !== undefined) return undefined;
		return { status: 401, why: "The access token is missing. Open the address that 'weft inspect' printed." };
	}
}
