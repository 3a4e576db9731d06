/** Every page of the inspector as JSON, by its address. The data comes from `view/`; nothing is computed here. */

import { ownValue } from "../../../base/collection/own-value.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import { readWholeNumber } from "../../../base/text/whole-number.ts";
import { readPriceList } from "../../../base/tokens/price-file.ts";
import { MIN_WINDOW_TOKENS } from "../../../base/tokens/prices.ts";
import { MODES } from "../../../context/moment.ts";
import type { FleetPage } from "../../../fleet/view/fleet-view.ts";
import { countByType, countTypesOf } from "../../../log/counts.ts";
import type { SessionRef } from "../../../log/session-ref.ts";
import { agentSessions } from "../../../state/session/find-session.ts";
import type { SessionState } from "../../../state/session/session-state.ts";
import { viewTree } from "../../../view/history.ts";
import { viewMemoryPage } from "../../../view/memory.ts";
import { viewNode } from "../../../view/node.ts";
import { compactionsOf } from "../../../view/now-page.ts";
import { viewPeek } from "../../../view/peek.ts";
import { exportRequest, requestMarkdown, viewRequest } from "../../../view/request.ts";
import { type SearchHit, type SearchView, viewSearch } from "../../../view/search-hits.ts";
import { viewSessionDiff } from "../../../view/session-diff.ts";
import { SESSION_ORDERS, type SessionOrder } from "../../../view/session-orders.ts";
import { FACETS, viewSessionPage } from "../../../view/session-page.ts";
import { viewThread } from "../../../view/thread.ts";
import { viewEvents } from "../../../view/timeline.ts";
import { viewVitals } from "../../../view/vitals.ts";
import type { Project, Projects } from "./projects.ts";

export interface PageDataOptions {
	readonly projects: Projects;
	readonly now: () => number;
	/** Show secrets unmasked. */
	readonly unmasked: boolean;
	/** The model's window, unless the address names one. */
	readonly window?: number | undefined;
}

const PAGE_EVENTS = 200;
const PAGE_SESSIONS = 100;
const FIRST_TEXT_CHARS = 4_096;
const MORE_TEXT_CHARS = 65_536;
const WHOLE_TEXT_CHARS = 64 * 1024 * 1024;

/** A parsed address. */
interface PageQuery {
	readonly options: PageDataOptions;
	readonly project: Project;
	readonly session: SessionState;
	readonly query: URLSearchParams;
	readonly rest: readonly string[];
}

/** Undefined: there is no such page. */
export async function readPageData(path: string, query: URLSearchParams, options: PageDataOptions): Promise<unknown> {
	const parts = path
		.split("/")
		.filter((part) => part !== "")
		.map(decodePart);
	if (parts.length === 1 && parts[0] === "projects") return { projects: options.projects.list() };
	const [p, key = "", ...rest] = parts;
	if (p !== "p") return undefined;
	if (rest[0] === "sessions" && rest.length === 1) return sessionsPage(key, query, options);
	if (rest[0] === "fleet" && rest.length === 1) return fleetPage(key, options);
	const [s, session = "-", page = "", ...inner] = rest;
	if (s !== "s") return undefined;
	const project = options.projects.require(key);
	return ownValue(PAGES, page)?.({ options, project, session: project.session(session), query, rest: inner });
}

export function decodePart(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch (cause) {
		throw new EngineError("not-found", "There is no such address: a % in it begins no escape.", { cause });
	}
}

/** Loads the PostgreSQL driver only where a fleet is configured. */
async function fleetPage(key: string, { projects }: PageDataOptions): Promise<FleetPage> {
	const project = projects.get(key);
	if (!project || project.engine.settings["fleet.url"] === null) return { state: null, overview: null, problem: null };
	const { readFleetPage } = await import("../../../fleet/overview.ts");
	return readFleetPage(project.engine, process.env);
}

const PAGES: Readonly<Record<string, (query: PageQuery) => unknown>> = {
	vitals: async ({ project, session, query, options }) => {
		const requests = project.requestsOf(session);
		const openFailures = await project.openFailuresOf(session);
		await project.advanceState();
		const window = givenWindow(query, options);
		return viewVitals(project.engine, requests, refOf(session), { now: options.now(), window, openFailures });
	},
	now: async ({ project, session, query, options, rest }) => {
		const mode = MODES.find((each) => each === query.get("mode"));
		const as = query.get("as") === "weft" || mode !== undefined ? "weft" : undefined;
		const taken = await project.look(session, { mode, window: givenWindow(query, options), as });
		if ("progress" in taken) return taken;
		if (rest[0] !== "text") return taken.view;
		const whole = taken.text(query.get("item") ?? "");
		if (whole === undefined)
			throw new EngineError("not-found", "The host sets this item: the log does not have its text.");
		return textPage(whole, query);
	},
	requests: ({ project, session }) => ({ ...refOf(session), requests: project.requestsOf(session).rows() }),
	request: ({ project, session, rest }) => {
		const [number = "", form] = (rest[0] ?? "").split(/\.(?=export$|md$)/);
		const requests = project.requestsOf(session);
		const given = number === "" || number === "newest" ? undefined : number;
		const n = readWholeNumber("request", given, 1) ?? requests.rows().length;
		if (form === "export") return exportRequest(project.engine, requests, refOf(session), n);
		if (form === "md") return requestMarkdown(project.engine, requests, refOf(session), n);
		return viewRequest(project.engine, requests, refOf(session), n);
	},
	timeline: ({ project, session, query }) => {
		const { log } = project.engine;
		const all = query.get("all") === "1";
		const of = all ? undefined : session.session;
		const type = query.get("type");
		const page = viewEvents(log, {
			session: of,
			types: type ? [type] : undefined,
			tool: query.get("tool") ?? undefined,
			file: query.get("file") ?? undefined,
			text: query.get("q") ?? undefined,
			before: numberIn(query, "before"),
			limit: Math.min(1_000, numberIn(query, "limit") ?? PAGE_EVENTS),
		});
		const counts =
			of === undefined ? countByType(log).map(({ type, events }) => ({ type, events })) : countTypesOf(log, of);
		return { ...page, counts, newest: log.newestSeq() };
	},
	conversation: ({ project, session, rest: [part = ""] }) => {
		const conversation = project.conversationOf(session);
		if (part === "") return conversation.outline(session);
		return /^[em]-/.test(part) ? conversation.place(part) : conversation.chunk(readWholeNumber("part", part) ?? 0);
	},
	history: ({ project, session, rest }) => {
		const { history } = project.engine;
		if (rest[0] !== undefined && rest[0] !== "") return viewNode(history, rest[0]);
		const tree = viewTree(history, refOf(session), { levels: Number.POSITIVE_INFINITY });
		return { ...tree, compactions: compactionsOf(project.requestsOf(session).rows()) };
	},
	thread: ({ project, session, query }) =>
		viewThread(project.engine, refOf(session), { all: query.get("all") === "1" }),
	work: async ({ project, session, query }) => {
		await project.advanceState();
		return project.work(query.get("all") === "1" ? undefined : session);
	},
	changes: ({ project, session, query }) =>
		viewSessionDiff(project.engine, project.requestsOf(session), refOf(session), {
			run: numberIn(query, "run"),
			from: numberIn(query, "from"),
			to: numberIn(query, "to"),
			file: query.get("file") ?? undefined,
		}),
	memory: ({ project, session }) => viewMemoryPage(project.engine, refOf(session)),
	peek: ({ project, query, rest }) => {
		const offset = numberIn(query, "offset") ?? 0;
		const limit = query.get("whole") === "1" ? WHOLE_TEXT_CHARS : offset > 0 ? MORE_TEXT_CHARS : FIRST_TEXT_CHARS;
		return viewPeek(project.engine, rest[0] ?? "", { offset, limit, requestsOf: (of) => project.requestsOf(of) });
	},
	search: ({ project, session, query, options }) =>
		query.get("scope") === "all"
			? searchAll(query.get("q") ?? "", options, project.key)
			: searchIn(project, query.get("q") ?? "", options, {
					session: query.get("all") === "1" ? undefined : session.session,
					offset: numberIn(query, "offset") ?? 0,
				}),
};

/** A hit, and the project that it is in. */
export interface ProjectHit extends SearchHit {
	readonly project: string;
	readonly projectName: string;
}

export interface ProjectSearch extends Omit<SearchView, "hits"> {
	readonly hits: readonly ProjectHit[];
}

const MAX_HITS = 12;
/** Projects are searched one after the other until this time is over. */
const MAX_SEARCH_MS = 3_000;

async function searchIn(
	project: Project,
	text: string,
	{ unmasked, projects }: PageDataOptions,
	{ session, offset = 0 }: { readonly session?: string | undefined; readonly offset?: number } = {},
): Promise<ProjectSearch> {
	const mask = unmasked ? undefined : maskSecrets;
	const found = await viewSearch(project.engine, text, { session, offset, limit: MAX_HITS, mask });
	const projectName = projects.list().find(({ key }) => key === project.key)?.name ?? "";
	return { ...found, hits: found.hits.map((hit) => ({ ...hit, project: project.key, projectName })) };
}

/** The best hits of all projects; files of the own one. A log that cannot be opened is passed over. */
async function searchAll(text: string, options: PageDataOptions, own: string): Promise<ProjectSearch> {
	const started = performance.now();
	const hits: ProjectHit[] = [];
	let [files, searched, isComplete]: [SearchView["files"], number, boolean] = [[], 0, true];
	const keys = options.projects.list().map(({ key }) => key);
	for (const key of [own, ...keys.filter((each) => each !== own)]) {
		if (performance.now() - started > MAX_SEARCH_MS) {
			isComplete = false;
			break;
		}
		const found = await searchProject(key, text, options);
		if (!found) continue;
		hits.push(...found.hits);
		searched += found.searched;
		isComplete &&= found.complete;
		if (key === own) files = found.files;
	}
	hits.sort((one, other) => other.score - one.score);
	return { text, hits: hits.slice(0, MAX_HITS), searched, complete: isComplete, next: null, files };
}

async function searchProject(key: string, text: string, options: PageDataOptions): Promise<ProjectSearch | undefined> {
	try {
		const project = options.projects.get(key);
		return project && (await searchIn(project, text, options));
	} catch {
		return undefined;
	}
}

function sessionsPage(key: string, query: URLSearchParams, { projects }: PageDataOptions): unknown {
	const wanted = projects.list().filter((project) => query.get("scope") === "all" || project.key === key);
	const sources = wanted.flatMap(({ key, name }) => {
		const project = projects.get(key);
		if (!project) return [];
		return [
			{
				project: key,
				name,
				log: project.engine.log,
				saved: (of: SessionRef) => project.savedIn(of),
				prices: readPriceList(project.engine.settings.prices),
			},
		];
	});
	const order = SESSION_ORDERS.find((each) => each === query.get("sort")) ?? ("last" satisfies SessionOrder);
	const offset = numberIn(query, "offset") ?? 0;
	const limit = Math.min(500, numberIn(query, "limit") ?? PAGE_SESSIONS);
	const chosen = Object.fromEntries(FACETS.map((name) => [name, query.get(name) ?? undefined]));
	const page = viewSessionPage(sources, { order, offset, limit, text: query.get("q") ?? undefined, ...chosen });
	return { ...page, ...(projects.isOne && { isOneProject: true }) };
}

export interface MenuSession {
	readonly session: string;
	readonly host: string;
	readonly title: string | null;
	readonly last: number;
}

/** The sessions of a project that were active last. */
export function menuSessions(project: Project, limit: number): MenuSession[] {
	return agentSessions(project.engine.log)
		.slice(0, limit)
		.map(({ session, host, title, last_ts }) => ({ session, host, title, last: last_ts }));
}

function textPage(whole: string, query: URLSearchParams): object {
	const offset = numberIn(query, "offset") ?? 0;
	const text = whole.slice(offset, offset + (offset === 0 ? FIRST_TEXT_CHARS : MORE_TEXT_CHARS));
	const next = offset + text.length;
	return { text, offset, total: whole.length, next: next < whole.length ? next : null };
}

function refOf({ session, host }: SessionState): { readonly session: string; readonly host: string } {
	return { session, host };
}

function givenWindow(query: URLSearchParams, { window }: PageDataOptions): number | undefined {
	const given = query.get("window") || undefined;
	return readWholeNumber("window", given, MIN_WINDOW_TOKENS) ?? window;
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
	const text = query.get(name);
	if (text === null || !/^\d{1,15}$/.test(text)) return undefined;
	return Number(text);
}
