/** The status of a running session: mode, context, seals, history, guard, log. For an agent's screen and its commands. */
import { existsSync } from "node:fs";
import { asText } from "../base/json/read.ts";
import { formatBytes, formatCount, formatDollars, formatKilo, plural } from "../base/text/bytes.ts";
import { shortAge } from "../base/text/time.ts";
import { readPriceList } from "../base/tokens/price-file.ts";
import type { RequestInput } from "../context/request.ts";
import { POLICY_WORDS, type SealPolicy } from "../context/seal/policy.ts";
import type { RewriteForecast } from "../context/seal/rewrite-forecast.ts";
import { renderSealReason } from "../context/seal/rule.ts";
import { type CostSums, costOfSession } from "../context/session-cost.ts";
import { inRealTokens } from "../context/sizes.ts";
import type { Engine } from "../engine.ts";
import { type EventRecord, isA } from "../log/event/types.ts";
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../log/session-ref.ts";
import type { Settings } from "../settings/keys.ts";
import type { HistoryStats } from "../state/history/history.ts";
import { formatCost } from "./cost.ts";
import { configuredFleet, type FleetState, fleetSentence, fleetWarning } from "./fleet-state.ts";
import { renderHistoryLine } from "./history.ts";
import { renderRewriteShort } from "./rewrite-notice.ts";
import { renderPairs, type TextStyle } from "./text-style.ts";

/** Facts that only the running agent knows. */
interface LiveInput {
	readonly engine: Engine;
	readonly session: SessionRef;
	readonly mode: Settings["mode"];
	readonly lastRequest: LastRequest | undefined;
	/** What the next request writes to the provider's cache again. */
	readonly rewrite?: RewriteForecast | undefined;
	/** The next request as the agent describes it. */
	readonly request?: Omit<RequestInput, "session" | "host" | "mode"> | undefined;
}

export interface LastRequest {
	readonly tokens: number;
	/** The most that a request may hold. */
	readonly ceiling: number;
	readonly messages: number;
}

interface LiveStatus {
	readonly mode: Settings["mode"];
	readonly session: string;
	readonly messages: number;
	readonly summaries: number;
	/** Of the deepest summary; 0: there is none. */
	readonly depth: number;
	/** null: no request has left yet. */
	readonly lastRequest: LastRequest | null;
	/** null: nothing has been sealed yet. */
	readonly lastSeal: LastSeal | null;
	/** What the session cost so far, as `weft sessions` has it. */
	readonly cost: Pick<CostSums, "dollars" | "estimated" | "assumed">;
	/** Of the database, without its write-ahead log. */
	readonly bytes: number;
	/** undefined: little or nothing. */
	readonly rewrite?: RewriteForecast | undefined;
	/** undefined: no fleet is configured. */
	readonly fleet?: FleetState | undefined;
}

interface LastSeal {
	readonly ts: number;
	readonly tokensBefore: number;
	readonly tokensAfter: number;
	readonly why: string;
}

/** Cheap enough to be asked after every turn. */
export function viewLive({ engine, session, mode, lastRequest, rewrite }: LiveInput): LiveStatus {
	const { messages, nodes, depth } = historyWithParents(engine, session);
	const { dollars, estimated, assumed } = costOfSession(engine.log, session, readPriceList(engine.settings.prices));
	return {
		mode,
		session: session.session,
		messages,
		summaries: nodes,
		depth,
		lastRequest: lastRequest ?? null,
		lastSeal: newestSeal(engine, session),
		cost: { dollars, estimated, assumed },
		bytes: logBytes(engine.log),
		...(rewrite && { rewrite }),
		fleet: configuredFleet(engine.log, engine.settings),
	};
}

/**
 * In `lossless` as pi-lcm has it; else `weft woven · 41k/100k tokens · cost $1.20 · saved $0.12 · sealed 5m ago · 847 msgs · 23 nodes (depth 3) · 2.1 MB`.
 * A narrow screen cuts it at its end, so the parts that change most come first.
 */
export function renderStatusLine(
	status: LiveStatus,
	{ dollars, isAssumed = false, now }: { dollars: number; isAssumed?: boolean; now: number },
): string {
	const { mode, messages, summaries, depth, bytes, lastRequest: last, lastSeal: seal } = status;
	if (mode === "lossless") return renderHistoryLine({ messages, nodes: summaries, depth }, bytes);
	const parts = [`weft ${mode}`];
	const away = status.fleet && fleetWarning(status.fleet, now);
	if (away !== undefined) parts.push(away);
	if (last) parts.push(`${formatKilo(last.tokens)}/${formatKilo(last.ceiling)} tokens`);
	if (status.rewrite) parts.push(renderRewriteShort(status.rewrite));
	if (status.cost.dollars >= 0.005) parts.push(`cost ${formatCost(status.cost)}`);
	if (Math.abs(dollars) >= 0.005) parts.push(renderSavings(dollars, status, isAssumed));
	if (seal) parts.push(`sealed ${shortAge(seal.ts, now)}`);
	parts.push(`${formatCount(messages)} msgs`, `${plural(summaries, "node")} (depth ${depth})`, formatBytes(bytes));
	return parts.join(" · ");
}

/** Says why when weft cost more than it saved. */
function renderSavings(
	dollars: number,
	{ mode, lastSeal }: Pick<LiveStatus, "mode" | "lastSeal">,
	isAssumed: boolean,
): string {
	const about = isAssumed ? "~" : "";
	if (dollars > 0) return `saved ${about}${formatDollars(dollars)}`;
	const why =
		mode === "warp"
			? "each run begins with a new context"
			: lastSeal
				? "the last seal has yet to pay off"
				: "the cache was written again";
	return `${about}${formatDollars(-dollars)} more so far: ${why}`;
}

/** The whole status, with the log's counts. */
export interface LiveReport extends LiveStatus {
	readonly seals: number;
	/** undefined: in this mode weft seals nothing by itself. */
	readonly policy?: SealPolicy | undefined;
	/** Calls of this session that the guard blocked lately. */
	readonly blocked: number;
	readonly log: LogPlace;
}

export function viewLiveReport(input: LiveInput): LiveReport {
	const { engine, session } = input;
	const { log } = engine;
	const { verdicts } = engine.stateFor(session).state;
	const live = viewLive(input);
	const hasPolicy = live.mode === "woven" || live.mode === "lossless";
	const seals = viewSeals(engine, session);
	return {
		...live,
		lastSeal: seals.at(-1) ?? null,
		seals: seals.length,
		...(hasPolicy && { policy: engine.requests.policy({ ...input.request, ...session, mode: live.mode }).policy }),
		blocked: verdicts.recent.filter((each) => each.session === session.session && each.verdict === "block").length,
		log: logPlace(log),
	};
}

export function renderLiveReport(report: LiveReport, style: TextStyle): string[] {
	const { mode, lastRequest: last, lastSeal: seal } = report;
	return renderPairs(style, [
		["mode", `${mode}: ${MODE_MEANINGS[mode]}`],
		["session", `${report.session}, ${plural(report.messages, "message")}`],
		[
			"context",
			last
				? `${formatCount(last.tokens)} of at most ${formatCount(last.ceiling)} tokens in ${plural(last.messages, "message")}`
				: report.messages > 0
					? "known with the next request"
					: "no request yet",
		],
		[
			"seals",
			seal
				? `${report.seals}, the last from ${formatCount(seal.tokensBefore)} to ${formatCount(seal.tokensAfter)} tokens (${renderSealReason(seal.why)})`
				: "none yet",
		],
		["cost", `${formatCost(report.cost)}, output included`],
		...(report.policy ? [["sealing", `${report.policy}: ${POLICY_WORDS[report.policy]}`] as const] : []),
		["history", `${plural(report.summaries, "summary", "summaries")}, depth ${report.depth}`],
		["guard", report.blocked === 0 ? "nothing blocked lately" : `${plural(report.blocked, "call")} blocked lately`],
		["log", renderLogPlace(report.log, report.bytes)],
		...(report.fleet ? [["fleet", fleetSentence(report.fleet, Date.now())] as const] : []),
	]);
}

interface LogPlace {
	readonly path: string;
	readonly events: number;
	/** It was deleted while it was in use. */
	readonly isGone?: boolean | undefined;
}

export function logPlace(log: Log): LogPlace {
	return { path: log.path, events: log.count(), isGone: !existsSync(log.path) };
}

export function renderLogPlace({ path, events, isGone }: LogPlace, bytes: number): string {
	if (isGone) return `${path} was deleted: nothing is recorded any more. Start the session again`;
	return `${path} (${plural(events, "event")}, ${formatBytes(bytes)})`;
}

/** The size of the database with pending pages. The rest of the write-ahead log comes and goes, so it does not count. */
export function logBytes({ tables }: Log): number {
	const pages = "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()";
	return tables.one<{ bytes: number }>("event", pages)?.bytes ?? 0;
}

/** In real tokens, as far as the provider's reports say how many ours are. Oldest first, those that a fork took along included. */
export function viewSeals(engine: Engine, session: SessionRef): (LastSeal & { readonly handle: string })[] {
	const { reported } = engine.stateFor(session).state;
	const real = (tokens: number) => inRealTokens(reported, session, tokens);
	return sealsWithParents(engine, session).flatMap((record) => {
		if (!isA(record, "Seal")) return [];
		const { tokensBefore, tokensAfter, why } = record.payload;
		const [before, after] = [real(tokensBefore), real(tokensAfter)];
		return [{ ts: record.ts, tokensBefore: before, tokensAfter: after, why, handle: handleOf(record) }];
	});
}

function newestSeal(engine: Engine, session: SessionRef): LastSeal | null {
	const [own] = engine.log.read({ ...session, types: ["Seal"], order: "newest", limit: 1 });
	const record = own ?? sealsWithParents(engine, session).at(-1);
	if (!record || !isA(record, "Seal")) return null;
	const { tokensBefore, tokensAfter, why } = record.payload;
	return { ts: record.ts, tokensBefore, tokensAfter, why };
}

/** The seals of a session, oldest first. A fork has those that it took along: their events are in the session that it came from. */
function sealsWithParents({ log, history: { tree } }: Engine, session: SessionRef): EventRecord[] {
	const own = [...log.read({ ...session, types: ["Seal"] })];
	const [start] = log.read({ ...session, types: ["SessionStarted"], limit: 1 });
	if (start?.payload["parentSession"] === undefined) return own;
	const taken = [...log.read({ host: session.host, types: ["Seal"] })].filter((record) => {
		const [, compaction = ""] = (asText(record.payload["transform"]) ?? "").split(" ");
		return record.session !== session.session && tree.find(session, compaction) !== undefined;
	});
	return [...taken, ...own];
}

/** The counts of a session's history, with the summaries that a fork took along. */
export function historyWithParents(engine: Engine, session: SessionRef): HistoryStats {
	const own = engine.history.stats(session);
	const taken = sealsWithParents(engine, session).findLast((seal) => seal.session !== session.session);
	if (!taken) return own;
	const before = engine.history.stats({ session: taken.session, host: taken.host }, taken.seq);
	const depth = Math.max(own.depth, before.depth);
	return {
		messages: own.messages,
		nodes: own.nodes + before.nodes,
		depth,
		byDepth: Array.from({ length: depth }, (_, at) => (own.byDepth[at] ?? 0) + (before.byDepth[at] ?? 0)),
	};
}

/** The model's view in each mode. */
export const MODE_MEANINGS = {
	woven: "epochs: a frozen seed and the raw messages since",
	warp: "a context computed again for each run",
	lossless: "the agent's history, with our summaries as its compaction",
	off: "the agent's own history; weft only records",
} as const satisfies Readonly<Record<Settings["mode"], string>>;
