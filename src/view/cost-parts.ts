/**
 * Where the money of sessions went. Each request's price is divided among what was new, what was read from the cache, what was
 * paid again because the cache did not hold, and the output. The parts add up to the cost that every other view shows.
 */
import { partitionPoint } from "../base/collection/sorted.ts";
import { formatCount, formatPercent, plural } from "../base/text/bytes.ts";
import { cutToWidth } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatDay } from "../base/text/time.ts";
import { costUnits, dollarsOf, type PriceList } from "../base/tokens/prices.ts";
import type { MissState } from "../context/cache/ledger.ts";
import type { Engine } from "../engine.ts";
import { isA } from "../log/event/types.ts";
import type { SessionState } from "../state/session/session-state.ts";
import { formatCost, renderAssumedNote } from "./cost.ts";
import { CAUSES, dearNames, PART_WORDS } from "./cost-words.ts";
import { type RequestRow, SessionRequests } from "./requests.ts";
import { hostHeadTokens } from "./sent-request.ts";
import { sessionTitle, shortSession } from "./short-session.ts";
import { renderRuled, type TextStyle } from "./text-style.ts";

export type PartName = "output" | "new" | "history" | "head" | MissState;

export interface CostPart {
	readonly name: PartName;
	readonly dollars: number;
	readonly tokens: number;
	readonly requests: number;
}

/** A file or a command whose output the model was sent. */
export interface DearItem {
	readonly kind: "file" | "command";
	readonly name: string;
	/** The project's folder: two projects may have a file of the same name. */
	readonly project: string;
	readonly times: number;
	/** Of all times together. */
	readonly tokens: number;
	/** Estimated: written once, and read again with each request until it left. */
	readonly dollars: number;
}

export interface CostOfSession {
	readonly session: string;
	readonly agent: string;
	readonly title: string | null;
	readonly project: string;
	readonly last: number;
	readonly requests: number;
	readonly dollars: number;
	readonly estimated: boolean;
	/** True: no list has the price of a model in it. */
	readonly assumed: boolean;
	/** True: weft built at least one of the requests. */
	readonly ranWithWeft: boolean;
	readonly parts: readonly CostPart[];
	readonly dearest: readonly DearItem[];
	/** By day, local time, oldest first. */
	readonly days: readonly CostDay[];
}

export interface CostDay {
	/** `2026-11-15` */
	readonly day: string;
	readonly dollars: number;
	/** The part of it that was paid again. */
	readonly again: number;
	readonly assumed: boolean;
}

export interface CostWhy {
	readonly dollars: number;
	readonly estimated: boolean;
	readonly assumed: boolean;
	readonly requests: number;
	/** Paid again because the cache did not hold, seals aside: they are a price that saves more. */
	readonly again: number;
	readonly sentence: string;
	/** The dearest first. Their sum is `dollars`. */
	readonly parts: readonly CostPart[];
	readonly dearest: readonly DearItem[];
	/** The dearest first; sub-agents are in their parent, and named by `subagents`. */
	readonly sessions: readonly (Omit<CostOfSession, "parts" | "dearest" | "days"> & {
		readonly subagents: number;
		readonly again: number;
	})[];
	/** Oldest first. */
	readonly days: readonly CostDay[];
}

interface CostRange {
	/** ms since the epoch. */
	readonly since?: number | undefined;
	readonly until?: number | undefined;
}

/** The cost of one session's own requests, with its parts. */
export function costOfRequests(
	engine: Engine,
	of: SessionState,
	prices: PriceList,
	{ since = 0, until = Number.POSITIVE_INFINITY }: CostRange = {},
): CostOfSession {
	const session = { session: of.session, host: of.host };
	const requests = new SessionRequests(engine.history, session, prices);
	const rows = requests.countedRows().filter(({ ts, dollars }) => ts >= since && ts < until && dollars !== null);
	const head = rows.some(({ mode }) => mode === null) ? hostHeadTokens(engine, requests, session) : 0;
	const parts = new PartSums();
	const days = rows.map((row) => {
		const again = splitRow(row, head, requests, parts);
		const isAgain = row.miss !== null && AGAIN.has(row.miss.state);
		return {
			day: formatDay(row.ts),
			dollars: row.dollars ?? 0,
			again: isAgain ? again : 0,
			assumed: row.isAssumed,
		};
	});
	return {
		session: of.session,
		agent: of.host,
		title: of.title,
		project: engine.project.root,
		last: of.last_ts,
		requests: rows.length,
		dollars: rows.reduce((sum, { dollars }) => sum + (dollars ?? 0), 0),
		estimated: rows.some(({ isEstimated }) => isEstimated),
		assumed: rows.some(({ isAssumed }) => isAssumed),
		ranWithWeft: rows.some(({ mode }) => mode !== null && mode !== "host"),
		parts: parts.list(),
		dearest: rows.length === 0 ? [] : dearestOf(engine, session, requests, { since, until }),
		days: sumDays(days),
	};
}

function sumDays(days: readonly CostDay[]): CostDay[] {
	return [...Map.groupBy(days, ({ day }) => day)]
		.map(([day, all]) => ({
			day,
			dollars: all.reduce((sum, each) => sum + each.dollars, 0),
			again: all.reduce((sum, each) => sum + each.again, 0),
			assumed: all.some(({ assumed }) => assumed),
		}))
		.sort((one, other) => (one.day < other.day ? -1 : 1));
}

class PartSums {
	readonly #sums = new Map<PartName, { dollars: number; tokens: number; requests: number }>();

	add(name: PartName, dollars: number, tokens: number, requests = 1): void {
		if (dollars === 0 && tokens === 0) return;
		const sum = this.#sums.get(name) ?? { dollars: 0, tokens: 0, requests: 0 };
		this.#sums.set(name, {
			dollars: sum.dollars + dollars,
			tokens: sum.tokens + tokens,
			requests: sum.requests + requests,
		});
	}

	/** The dearest first. */
	list(): CostPart[] {
		return [...this.#sums]
			.map(([name, sum]) => ({ name, ...sum }))
			.sort((one, other) => other.dollars - one.dollars || (one.name < other.name ? -1 : 1));
	}
}

/** By the list's shares, scaled to the price that the request really had. Returns the dollars that were paid again. */
function splitRow(row: RequestRow, head: number, requests: SessionRequests, parts: PartSums): number {
	const { reported, dollars, miss, segments, mode } = row;
	if (!reported || dollars === null) return 0;
	const prices = requests.pricesAt(row.model, row.ts);
	const { read, write, writeLong, input, output } = reported;
	const prompt = read + write + input;
	const units = (tokens: Parameters<typeof costUnits>[0]) => costUnits(tokens, prices, prompt);
	const fresh = units({ write, writeLong, input });
	const scale = scaleTo(dollars, units({ output }) + units({ read }) + fresh);
	const own = mode === null ? head : segments.reduce((sum, { name, tokens }) => sum + (HEAD.has(name) ? tokens : 0), 0);
	const headRead = Math.min(own, read);
	// Beyond what reading would have cost, which belongs to the history.
	const lost = Math.min(miss?.tokens ?? 0, write + input);
	const kept = units({ read: lost });
	const again = Math.max(0, lost === 0 ? 0 : (fresh * lost) / (write + input) - kept);
	parts.add("output", units({ output }) * scale, output);
	parts.add("head", units({ read: headRead }) * scale, headRead);
	parts.add("history", (units({ read: read - headRead }) + kept) * scale, read - headRead);
	parts.add("new", (fresh - again - kept) * scale, write + input - lost);
	if (miss) parts.add(miss.state, again * scale, lost);
	return again * scale;
}

/** A price of nothing, or one for tokens that are not known, has nothing to divide. */
function scaleTo(dollars: number, units: number): number {
	return units === 0 ? 0 : dollars / units;
}

const HEAD: ReadonlySet<string> = new Set(["tools", "system", "options"]);
const MAX_DEAREST = 10;
/** More than the list has: one that many sessions read is dear in their sum. */
const MAX_SESSION_DEAREST = 50;

function dearestOf(
	{ log, history: { tree }, project: { root: project } }: Engine,
	session: { readonly session: string; readonly host: string },
	requests: SessionRequests,
	{ since, until }: { readonly since: number; readonly until: number },
): DearItem[] {
	const rows = requests.rows();
	const ends = rows.flatMap((row, at) => (row.compaction || row.seal ? [at] : []));
	const items: DearItem[] = [];
	for (const record of log.read({ ...session, types: ["FileRead", "CommandRun"], since })) {
		const entry = record.cause === null ? undefined : tree.get(record.cause);
		if (!entry || record.ts >= until) continue;
		const isFile = isA(record, "FileRead");
		const name = isFile ? record.payload.path : isA(record, "CommandRun") ? record.payload.command : undefined;
		if (name === undefined) continue;
		const tokens = Math.round(entry.tokens / Math.max(1, entry.results.length));
		const from = partitionPoint(rows, ({ seq }) => seq <= entry.seq);
		const row = rows[from];
		if (!row) continue;
		const end = ends.find((at) => at > from) ?? rows.length;
		const prices = requests.pricesAt(row.model, row.ts);
		const dollars = dollarsOf(costUnits({ write: tokens, read: tokens * (end - from - 1) }, prices, 1), prices);
		const kind = isFile ? "file" : "command";
		items.push({ kind, name, project, times: 1, tokens, dollars });
	}
	return joinItems(items).slice(0, MAX_SESSION_DEAREST);
}

/** Each file and command of a project once, the dearest first. */
function joinItems(items: readonly DearItem[]): DearItem[] {
	const sums = new Map<string, { -readonly [Key in keyof DearItem]: DearItem[Key] }>();
	for (const each of items) {
		const key = `${each.kind} ${each.project} ${each.name}`;
		const sum = sums.get(key);
		if (!sum) sums.set(key, { ...each });
		else {
			sum.times += each.times;
			sum.tokens += each.tokens;
			sum.dollars += each.dollars;
		}
	}
	return [...sums.values()].sort((one, other) => other.dollars - one.dollars);
}

/** Sums sessions up, sub-agents under their parent. */
export function sumCosts(costs: readonly CostOfSession[], subject: string): CostWhy {
	const parts = new PartSums();
	for (const { name, dollars, tokens, requests } of costs.flatMap((cost) => cost.parts))
		parts.add(name, dollars, tokens, requests);
	const list = parts.list();
	const families = Map.groupBy(costs, ({ session, project }) => `${project} ${parentOf(session)}`);
	const sessions = [...families.values()].map((family) => {
		const own = family.find(({ session }) => session === parentOf(session)) ?? family[0];
		const { parts: _, dearest: __, days: ___, ...rest } = own ?? NO_SESSION;
		return {
			...rest,
			requests: family.reduce((sum, { requests }) => sum + requests, 0),
			dollars: family.reduce((sum, { dollars }) => sum + dollars, 0),
			estimated: family.some(({ estimated }) => estimated),
			assumed: family.some(({ assumed }) => assumed),
			subagents: family.length - 1,
			again: againOf(family.flatMap(({ parts }) => parts)),
		};
	});
	const dollars = costs.reduce((sum, cost) => sum + cost.dollars, 0);
	const estimated = costs.some((cost) => cost.estimated);
	const assumed = costs.some((cost) => cost.assumed);
	const requests = costs.reduce((sum, each) => sum + each.requests, 0);
	const missed = list.filter(({ name }) => AGAIN.has(name));
	const again = againOf(list);
	return {
		dollars,
		estimated,
		assumed,
		requests,
		again,
		sentence:
			requests > 0
				? sentenceOf(subject, { dollars, estimated, assumed, again, missed })
				: costs.length > 0
					? `${subject}: no request with its usage was found, so no cost is known.`
					: NOTHING_RECORDED,
		parts: list,
		dearest: joinItems(costs.flatMap(({ dearest }) => dearest)).slice(0, MAX_DEAREST),
		days: sumDays(costs.flatMap(({ days }) => days)),
		sessions: sessions.filter((each) => each.requests > 0).sort((one, other) => other.dollars - one.dollars),
	};
}

function againOf(parts: readonly CostPart[]): number {
	return parts.reduce((sum, { name, dollars }) => sum + (AGAIN.has(name) ? dollars : 0), 0);
}

const NO_SESSION: CostOfSession = {
	session: "",
	agent: "",
	title: null,
	project: "",
	last: 0,
	requests: 0,
	dollars: 0,
	estimated: false,
	assumed: false,
	ranWithWeft: false,
	parts: [],
	dearest: [],
	days: [],
};

/** A sub-agent's session is named after its parent's. */
function parentOf(session: string): string {
	return session.split(/\/|--/)[0] ?? session;
}

const NOTHING_RECORDED =
	"Nothing has been recorded here yet. 'weft import' takes over the sessions that your agents have.";
const AGAIN: ReadonlySet<PartName> = new Set(["cold", "compaction", "model", "broken", "lost"]);

function sentenceOf(
	subject: string,
	{
		dollars,
		estimated,
		assumed,
		again,
		missed,
	}: { dollars: number; estimated: boolean; assumed: boolean; again: number; missed: readonly CostPart[] },
): string {
	const cost = `${subject} cost ${formatCost({ dollars, estimated })}${assumed ? ", in part at an assumed price" : ""}.`;
	const [worst] = missed;
	if (!worst || dollars === 0 || again / dollars < MIN_TOLD_SHARE) {
		const times = missed.reduce((sum, { requests }) => sum + requests, 0);
		if (times === 0) return `${cost} The cache held: nothing was paid again.`;
		const tokens = missed.reduce((sum, part) => sum + part.tokens, 0);
		return `${cost} Nearly none of it was paid again, but the cache did not hold ${plural(times, "time")}: ${plural(tokens, "token")} were written again.`;
	}
	const share = worst.dollars / again;
	const most = share > 0.99 ? "all" : share > 0.85 ? "nearly all" : share > 0.5 ? "most" : "the largest part";
	return `${cost} ${formatCost({ dollars: again, estimated: true })} of it (${formatPercent(again / dollars)}) was paid again, ${most} because ${CAUSES[worst.name]} (${plural(worst.requests, "time")}).`;
}

const MIN_TOLD_SHARE = 0.005;

const MAX_SESSIONS = 10;
const MAX_NAME_COLUMNS = 60;

export function* renderCostWhy(view: CostWhy, style: TextStyle): Generator<string> {
	yield view.sentence;
	if (view.requests === 0) return;
	const { estimated, assumed } = view;
	const price = (dollars: number) => formatCost({ dollars, estimated, assumed });
	yield "";
	yield* renderRuled(
		style,
		[
			{ title: "part", shrink: true },
			{ title: "tokens", align: "right" },
			{ title: "requests", align: "right" },
			{ title: "cost", align: "right" },
			{ title: "share", align: "right" },
		],
		[
			...view.parts.map(({ name, tokens, requests, dollars }) => [
				PART_WORDS[name],
				formatCount(tokens),
				formatCount(requests),
				price(dollars),
				formatPercent(view.dollars === 0 ? 0 : dollars / view.dollars),
			]),
			["all", "", formatCount(view.requests), price(view.dollars), ""],
		],
	);
	if (view.dearest.length > 0) {
		const names = dearNames(view.dearest);
		yield "";
		yield* renderRuled(
			style,
			[
				{ title: "dearest files and commands", shrink: true },
				{ title: "times", align: "right" },
				{ title: "tokens", align: "right" },
				{ title: "cost", align: "right" },
			],
			view.dearest.map(({ times, tokens, dollars }, at) => [
				cutToWidth(oneLine(names[at] ?? ""), MAX_NAME_COLUMNS),
				formatCount(times),
				`~${formatCount(tokens)}`,
				formatCost({ dollars, estimated: true, assumed }),
			]),
		);
		yield style.paint("dim", "cost: written once, then read with every request until it left the context");
	}
	if (view.sessions.length > 1) {
		yield "";
		yield* renderRuled(
			style,
			[
				{ title: "dearest sessions", shrink: true },
				{ title: "id" },
				{ title: "agent" },
				{ title: "sub-agents", align: "right" },
				{ title: "cost", align: "right" },
			],
			view.sessions
				.slice(0, MAX_SESSIONS)
				.map((each) => [
					cutToWidth(oneLine(sessionTitle(each)), MAX_NAME_COLUMNS),
					oneLine(shortSession(each.session)),
					oneLine(each.agent),
					each.subagents === 0 ? "" : formatCount(each.subagents),
					formatCost(each),
				]),
		);
	}
	if (assumed) yield* renderAssumedNote(style);
}
