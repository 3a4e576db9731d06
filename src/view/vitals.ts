/** Four vitals of a session for the head of every page: how full, how fresh, the cost, and problems. */

import { DEFAULT_WINDOW_TOKENS } from "../base/tokens/prices.ts";
import { knownPrices } from "../context/cache/reported-fold.ts";
import { policyAt } from "../context/moment.ts";
import type { SealPolicy } from "../context/seal/policy.ts";
import type { CostSums } from "../context/session-cost.ts";
import { ceilingHere } from "../context/sizes.ts";
import type { Engine } from "../engine.ts";
import type { Log } from "../log/log.ts";
import { countPruned } from "../log/retention/prune-history.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { listSessions } from "../state/session/find-session.ts";
import { viewFile } from "../state/work/excerpt.ts";
import { failureFold } from "../state/work/failure-fold.ts";
import { diskFiles } from "../state/work/file-source.ts";
import { scoreFiles, WORKING_SET_FILES } from "../state/work/working-set.ts";
import { isHostsOwn, windowOfRows } from "./host-now.ts";
import { lookOptions } from "./look-options.ts";
import type { RequestRow, SessionRequests } from "./requests.ts";
import { type HostShare, hostShare, sendAgain } from "./sent-request.ts";
import { workOf } from "./state.ts";
import { writtenAt } from "./status.ts";

export interface Vitals {
	readonly session: string;
	readonly host: string;
	readonly mode: string;
	readonly profile: string;
	/** When weft seals by itself. */
	readonly seal: SealPolicy;
	/** True: the agent sent its own history in every request. */
	readonly isHosts: boolean;
	/** When the agent or the user last did something. */
	readonly lastActive: number;
	/** True: it entered the log long after it happened. */
	readonly isImported: boolean;
	/** The newest event of the project's log, and when it was written. */
	readonly newest: { readonly seq: number; readonly ts: number | null };
	/** The newest request, estimated by part; as reported for a session without weft. */
	readonly full: {
		readonly tokens: number;
		/** Of a session without weft that reported no usage of it; "messages": what is not messages is not known. */
		readonly guess: "all" | "messages" | null;
		readonly ceiling: number;
		readonly window: number;
		/** No list has the model's window, or weft ran and nothing says which it had. */
		readonly isWindowAssumed: boolean;
		readonly segments: readonly { readonly name: string; readonly tokens: number }[];
	};
	readonly fresh: {
		readonly fresh: number;
		readonly files: number;
		readonly stale: readonly string[];
		readonly onDisk: boolean;
	};
	readonly cache: { readonly warm: boolean; readonly coldAt: number | null };
	readonly cost: {
		readonly requests: number;
		/** How many of them have a cost, as `weft sessions` counts: others came without usage, or a fork copied them. */
		readonly counted: number;
		/** As `weft sessions` has it. */
		readonly dollars: number;
		/** Some of it is at list prices. */
		readonly estimated: boolean;
		/** Some of it is a guess: no list has the model. */
		readonly assumed: boolean;
		/** Share saved against the agent alone; null: weft made no request. */
		readonly saved: number | null;
		readonly savedDollars: number | null;
		readonly hit: number | null;
	};
	/** Requests that paid again for what the cache had held. */
	readonly misses: { readonly count: number; readonly tokens: number; readonly dollars: number };
	/** The worst first. */
	readonly wrong: {
		readonly unexplained: number;
		readonly faults: number;
		readonly failures: number;
		readonly blocks: number;
		readonly stale: number;
		/** Events that cannot be read. */
		readonly damaged: number;
	};
}

export interface VitalsOptions {
	readonly now: number;
	/** By default the model's own. */
	readonly window?: number | undefined;
	/** Of the session, where it is known already. */
	readonly openFailures?: number | undefined;
}

export function viewVitals(
	engine: Engine,
	requests: SessionRequests,
	session: SessionRef,
	{ now, window: given, openFailures = countOpenFailures(engine, session) }: VitalsOptions,
): Vitals {
	const { log, project, settings } = engine;
	const seq = log.newestSeq();
	const rows = requests.rows();
	const last = rows.at(-1);
	const isHosts = isHostsOwn(rows);
	const known = windowOfRows(rows);
	const window = given ?? (isHosts ? known.tokens : DEFAULT_WINDOW_TOKENS);
	const { state, malformed } = engine.state();
	const options = lookOptions(engine, session, { window });
	const share =
		last && isHosts ? hostShare(engine, requests, session, last, sendAgain(engine, session, last)) : undefined;
	const segments = share ? hostSegments(share) : (last?.segments ?? []);
	const fixed = segments.reduce((sum, { name, tokens }) => sum + (FIXED_SEGMENTS.has(name) ? tokens : 0), 0);
	const model = last?.model ?? undefined;
	const prices = knownPrices(state.reported, session.host, model, options.listed);
	const sized = { path: { session }, state: () => state, model, prices };
	const fresh = freshness(scoreFiles(state, session.session), project.root);
	const lifetime = requests.cacheLifetime();
	const isBlock = (each: (typeof state.verdicts.recent)[number]) =>
		each.session === session.session && each.verdict === "block";
	const missed = rows.flatMap(({ miss }) => miss ?? []);
	return {
		...session,
		isHosts,
		...activityOf(log, session),
		mode: rows.findLast((row) => row.mode !== null)?.mode ?? options.settings.mode,
		profile: settings.profile,
		seal: policyAt(sized, options.settings),
		newest: { seq, ts: log.get(seq)?.ts ?? null },
		full: {
			tokens: share?.tokens ?? last?.tokens ?? 0,
			guess: !share || share.isReported ? null : share.head > 0 ? "all" : "messages",
			ceiling: isHosts ? window : fixed + ceilingHere(sized, { ...options.settings, mode: options.settings.mode }),
			window,
			isWindowAssumed: given === undefined && (!isHosts || known.isAssumed),
			segments: segments.map(({ name, tokens }) => ({ name, tokens })),
		},
		fresh,
		cache: { warm: last !== undefined && now - last.ts <= lifetime, coldAt: last ? last.ts + lifetime : null },
		cost: costOf(rows, {
			...requests.cost(),
			counted: requests.countedRows().filter((row) => row.dollars !== null).length,
		}),
		misses: {
			count: missed.length,
			tokens: missed.reduce((sum, { tokens }) => sum + tokens, 0),
			dollars: missed.reduce((sum, { dollars }) => sum + dollars, 0),
		},
		wrong: {
			unexplained: rows.filter(({ broke, reasons }) => broke !== null && reasons.length === 0).length,
			faults: [...log.read({ ...session, types: ["Fault"], limit: 1_000 })].length,
			failures: openFailures,
			blocks: state.verdicts.recent.filter(isBlock).length,
			stale: fresh.stale.length,
			damaged: malformed,
		},
	};
}

function countOpenFailures(engine: Engine, session: SessionRef): number {
	const steps = foldOpenFailures(engine, session);
	for (;;) {
		const step = steps.next();
		if (step.done) return step.value;
	}
}

/**
 * As many as Work shows of a session, without folding the rest of its state: that reads every message. In steps, so that a
 * long session need not be read at once.
 */
export function* foldOpenFailures(engine: Engine, { session, host }: SessionRef): Generator<undefined, number> {
	const { log } = engine;
	if (countPruned(log) > 0) return workOf(engine, session).failures.failures.open.length;
	const state = failureFold.initial();
	let count = 0;
	for (const record of log.read({ session, host, types: ["SessionStarted", "CommandRun", "FileChanged"] })) {
		if (++count % STEP_EVENTS === 0) yield;
		// The output is in the message before.
		const message = record.type === "CommandRun" && record.cause !== null ? log.get(record.cause) : undefined;
		if (message) failureFold.step(state, message);
		failureFold.step(state, record);
	}
	return state.failures.open.length;
}

const STEP_EVENTS = 100;

function hostSegments({ head, tokens }: HostShare) {
	return [
		{ name: "system", tokens: head },
		{ name: "tail", tokens: tokens - head },
	];
}

const IMPORTED_MS = 600_000;

/** An event's id says when it entered the log. */
function activityOf(log: Log, { session, host }: SessionRef): Pick<Vitals, "lastActive" | "isImported"> {
	const state = listSessions(log).find((each) => each.session === session && each.host === host);
	const newest = state && log.get(state.last_seq);
	const isImported = newest !== undefined && writtenAt(newest.id) - newest.ts > IMPORTED_MS;
	return { lastActive: state?.last_ts ?? 0, isImported };
}

/** Segments that every request of the agent has. */
const FIXED_SEGMENTS: ReadonlySet<string> = new Set(["tools", "system", "options"]);

function freshness(scored: ReturnType<typeof scoreFiles>, root: string): Vitals["fresh"] {
	const disk = diskFiles(root);
	const looked = scored.slice(0, WORKING_SET_FILES).map(({ file }) => viewFile(file, disk));
	return {
		fresh: looked.filter(({ status }) => status === "fresh").length,
		files: looked.length,
		stale: looked.filter(({ status }) => status === "stale").map(({ path }) => path),
		onDisk: looked.some(({ status }) => status === "fresh" || status === "stale"),
	};
}

function costOf(
	rows: readonly RequestRow[],
	{ dollars, estimated, assumed, counted }: CostSums & { readonly counted: number },
): Vitals["cost"] {
	const made = rows.flatMap(({ host, estimated }) => (host ? [{ host: host.dollars, ours: estimated ?? 0 }] : []));
	const host = made.reduce((sum, row) => sum + row.host, 0);
	const ours = made.reduce((sum, row) => sum + row.ours, 0);
	const reported = rows.flatMap((row) => row.reported ?? []);
	const prompt = reported.reduce((sum, { read, write, input }) => sum + read + write + input, 0);
	return {
		requests: rows.length,
		counted,
		dollars,
		estimated,
		assumed,
		saved: host > 0 ? 1 - ours / host : null,
		savedDollars: made.length > 0 ? host - ours : null,
		hit: prompt > 0 ? reported.reduce((sum, { read }) => sum + read, 0) / prompt : null,
	};
}
