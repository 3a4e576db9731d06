/**
 * Sessions with weft's shortening beside sessions without it: the runs of `weft trial`, or a user's own sessions with the setting
 * `controlShare`. Both cost money as recorded, so nothing here is a replay.
 */
import { formatCount, formatPercent, plural } from "../base/text/bytes.ts";
import { wrapWords } from "../base/text/wrap.ts";
import { readPriceList } from "../base/tokens/price-file.ts";
import type { PriceList } from "../base/tokens/prices.ts";
import { wasControl } from "../context/control-share.ts";
import type { Engine } from "../engine.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { listSessions } from "../state/session/find-session.ts";
import { formatCost } from "./cost.ts";
import { costOfRequests } from "./cost-parts.ts";
import { renderRuled, type TextStyle } from "./text-style.ts";

export interface ArmSession {
	readonly session: string;
	readonly agent: string;
	/** True: weft did not shorten its prompts. */
	readonly isControl: boolean;
	readonly requests: number;
	readonly dollars: number;
	readonly estimated: boolean;
	readonly assumed: boolean;
	/** Reads of the same lines of a file that had not changed since the session read them before. */
	readonly rereads: number;
	/** Of a trial: the task was done, by its check or else by the agent's exit status. */
	readonly isPassed?: boolean | undefined;
}

/** A share with the bounds between which nineteen of twenty repetitions would lie. */
interface Interval {
	readonly value: number;
	readonly low: number;
	readonly high: number;
}

interface ArmSum {
	readonly sessions: number;
	readonly requests: number;
	readonly dollars: number;
	readonly estimated: boolean;
	readonly assumed: boolean;
	readonly rereads: number;
	readonly passed: number | null;
}

export interface ArmComparison {
	/** `run`: all did the same task, so whole sessions are compared; `request`: they did different work. */
	readonly per: "run" | "request";
	readonly control: ArmSum;
	readonly weft: ArmSum;
	/** The cost with weft as a share of the cost without it; null: too few sessions. */
	readonly cost: Interval | null;
}

/** Fewer in an arm say nothing. */
const MIN_SESSIONS = 2;
/** Fewer than these in an arm, and the bounds are a guess: the text says so. */
const FEW_SESSIONS = 8;
const RESAMPLES = 2_000;
const TAIL = 0.025;

export function compareArms(sessions: readonly ArmSession[], per: ArmComparison["per"]): ArmComparison {
	const used = sessions.filter(({ requests }) => requests > 0);
	const arms = [used.filter(({ isControl }) => isControl), used.filter(({ isControl }) => !isControl)] as const;
	return { per, control: sumArm(arms[0]), weft: sumArm(arms[1]), cost: costShare(arms[0], arms[1], per) };
}

function sumArm(all: readonly ArmSession[]): ArmSum {
	const sum = (of: (session: ArmSession) => number) => all.reduce((total, each) => total + of(each), 0);
	return {
		sessions: all.length,
		requests: sum(({ requests }) => requests),
		dollars: sum(({ dollars }) => dollars),
		estimated: all.some(({ estimated }) => estimated),
		assumed: all.some(({ assumed }) => assumed),
		rereads: sum(({ rereads }) => rereads),
		passed: all.some(({ isPassed }) => isPassed !== undefined) ? sum(({ isPassed }) => (isPassed ? 1 : 0)) : null,
	};
}

/** By resampling whole sessions: requests of one session are not independent. The same sessions give the same bounds. */
function costShare(
	control: readonly ArmSession[],
	weft: readonly ArmSession[],
	per: ArmComparison["per"],
): Interval | null {
	if (control.length < MIN_SESSIONS || weft.length < MIN_SESSIONS) return null;
	const mean = (all: readonly ArmSession[]) => {
		const { dollars, requests, sessions } = sumArm(all);
		return dollars / (per === "run" ? sessions : requests);
	};
	const value = mean(weft) / mean(control);
	if (!Number.isFinite(value)) return null;
	const next = pseudoRandom(1);
	const draw = (all: readonly ArmSession[]) => all.map(() => all[Math.floor(next() * all.length)] as ArmSession);
	const shares = Array.from({ length: RESAMPLES }, () => mean(draw(weft)) / mean(draw(control)))
		.filter(Number.isFinite)
		.sort((one, other) => one - other);
	const at = (share: number) => shares[Math.min(shares.length - 1, Math.floor(share * shares.length))] ?? value;
	return { value, low: at(TAIL), high: at(1 - TAIL) };
}

/** A generator of Lehmer's, from 0 to 1. */
function pseudoRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 48_271) % 2_147_483_647;
		return state / 2_147_483_647;
	};
}

/** The sessions of a project that the setting `controlShare` has put into one of the two halves. */
export function armSessions(engine: Engine, { since = 0 }: { readonly since?: number | undefined } = {}): ArmSession[] {
	const prices = readPriceList(engine.settings.prices);
	return listSessions(engine.log).flatMap((of) => {
		const isControl = of.last_ts >= since ? wasControl(engine.log, of) : undefined;
		return isControl === undefined ? [] : [armSession(engine, of, prices, isControl)];
	});
}

export function armSession(
	engine: Engine,
	of: ReturnType<typeof listSessions>[number],
	prices: PriceList,
	isControl: boolean,
): ArmSession {
	const { requests, dollars, estimated, assumed } = costOfRequests(engine, of, prices);
	const { session, host: agent } = of;
	return { session, agent, isControl, requests, dollars, estimated, assumed, rereads: countRereads(engine, of) };
}

function countRereads({ log }: Engine, { session, host }: SessionRef): number {
	const seen = new Set<string>();
	let rereads = 0;
	for (const { payload } of log.read({ session, host, types: ["FileRead"] })) {
		const key = JSON.stringify([payload["path"], payload["from"], payload["to"], payload["sliceHash"]]);
		if (seen.has(key)) rereads++;
		seen.add(key);
	}
	return rereads;
}

export function* renderArms(view: ArmComparison, style: TextStyle): Generator<string> {
	const { control, weft, per } = view;
	const row = (name: string, { sessions, requests, passed, rereads, ...money }: ArmSum) => [
		name,
		formatCount(sessions),
		...(passed === null ? [] : [`${passed} of ${sessions}`]),
		formatCount(requests),
		formatCost(money),
		requests === 0 ? "–" : ((100 * rereads) / requests).toFixed(1),
	];
	const right = (title: string) => ({ title, align: "right" }) as const;
	yield* renderRuled(
		style,
		[
			{ title: "" },
			right(per === "run" ? "runs" : "sessions"),
			...(control.passed === null && weft.passed === null ? [] : [right("task done")]),
			right("requests"),
			right("cost"),
			right("re-reads in 100 requests"),
		],
		[row("without shortening", control), row("with weft", weft)],
	);
	yield "";
	yield* wrapWords(renderVerdict(view), style.columns, "");
}

function renderVerdict({ cost, control, weft, per }: ArmComparison): string {
	const unit = per === "run" ? "run" : "request";
	if (!cost) {
		const least = plural(MIN_SESSIONS, "session");
		return `Too few to compare: each row needs ${least} or more.`;
	}
	const range = `${formatPercent(cost.low)} to ${formatPercent(cost.high)}`;
	const sentence = `A ${unit} with weft cost ${formatPercent(cost.value)} of one without it (95 % interval: ${range}).`;
	const isFew = Math.min(control.sessions, weft.sessions) < FEW_SESSIONS;
	const open = cost.low <= 1 && cost.high >= 1 ? " The interval includes 100 %, so this shows no difference yet." : "";
	const few = isFew ? ` Fewer than ${FEW_SESSIONS} in a row: take the interval as a hint.` : "";
	return sentence + open + few;
}
