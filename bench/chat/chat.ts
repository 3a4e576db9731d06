/**
 * A month of talk in OpenClaw: what weft sends, costs, keeps in view and stores, beside the host's own engine. weft runs as it is, an
 * engine for every turn, in the host of the conformance suite; the host's own engine is simulated by its rule.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderTable } from "../../src/base/text/table.ts";
import { CACHE_TTL_MS } from "../../src/base/tokens/prices.ts";
import type { BenchResult } from "../bench-result.ts";
import { type Arm, LegacyArm, OVERHEAD_TOKENS, type SentTurn, tokensOf, WeftArm } from "./arms.ts";
import { type Age, FACTS, month, type PlantedFact, type TalkTurn } from "./month.ts";
import { SPOKEN_FACTS } from "./spoken-facts.ts";
import { UNFITTED_FACTS } from "./unfitted-facts.ts";

const TURNS = 1_500;
/** Prices of a token, in tokens of plain input. */
const [READ, WRITE] = [0.1, 1.25];
/**
 * Turns of talk whose processor time is compared, the first of them when the window has been full once, as it is in all later ones. The
 * very first turns have nothing to seal, to recall or to search, so they are told beside and not compared.
 */
const TIMED_TURNS = 100;
const MIN_TURNS = 2 * TIMED_TURNS;
/** Bytes on disk for a byte of the host's transcript, and processor time of a late turn for that of an early one. */
const [MAX_DISK_RATIO, MAX_TIME_RATIO] = [2, 1.5];
const AGES: readonly Age[] = ["60", "390", "end"];
const MANNERS = {
	plain: "one clean sentence each",
	spoken: "as people talk",
	unfitted: "as people talk, never fitted to",
} as const;
type Manner = keyof typeof MANNERS;
const MANNER_NAMES = Object.keys(MANNERS) as Manner[];

interface Found {
	asked: number;
	/** In the request before the question. */
	inView: number;
	/** In the request with the question. */
	whenAsked: number;
	/** A replaced value is in the request with the question, and the one that holds is not. */
	stale: number;
}

export async function runChatBench(options: {
	readonly turns: number | undefined;
	readonly onProgress: (what: string) => void;
}): Promise<BenchResult> {
	const turns = Math.max(MIN_TURNS, options.turns ?? TURNS);
	const root = mkdtempSync(join(tmpdir(), "weft-chat-"));
	try {
		const weft = new WeftArm(root);
		const arms = [weft, new LegacyArm()].map((arm) => ({ arm, account: new Account() }));
		const times: number[] = [];
		const facts = UNFITTED_FACTS.flatMap((fact, nth) => [
			...FACTS.slice(nth, nth + 1),
			...SPOKEN_FACTS.slice(nth, nth + 1),
			fact,
		]);
		for (const turn of month(turns, { facts })) {
			const before = weft.cpu;
			for (const { arm, account } of arms) account.take(turn, await arm.take(turn));
			times.push(weft.cpu - before);
			if (times.length % 100 === 0) options.onProgress(`turn ${times.length}`);
		}
		const transcript = weft.host.rows.reduce((sum, { message }) => sum + JSON.stringify(message).length, 0);
		const disk = bytesIn(join(root, "home")) / transcript;
		const [first, early] = [0, TIMED_TURNS].map((from) => mean(times.slice(from, from + TIMED_TURNS))) as [
			number,
			number,
		];
		// After the last turn of the month come the questions at its end.
		const late = mean(times.slice(Math.max(0, turns - TIMED_TURNS), turns));
		return toResult(arms, { turns, transcript, disk, first, early, late });
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}

/** Counts what one engine sends, what it costs, and which facts it has in view. */
class Account {
	tokens = 0;
	requests = 0;
	cost = 0;
	aside = 0;
	readonly found: Record<Manner, Record<Age, Found>> = {
		plain: atEachAge(),
		spoken: atEachAge(),
		unfitted: atEachAge(),
	};
	#last: readonly string[] = [];

	take({ asks, pauseMs }: TalkTurn, { messages, aside }: SentTurn): void {
		const same = messages.findIndex((message, at) => message !== this.#last[at]);
		const known =
			pauseMs > CACHE_TTL_MS ? 0 : OVERHEAD_TOKENS + tokensOf(messages.slice(0, same < 0 ? undefined : same));
		const whole = OVERHEAD_TOKENS + tokensOf(messages);
		this.requests++;
		this.tokens += whole;
		this.aside += aside;
		this.cost += known * READ + (whole - known) * WRITE + aside;
		if (asks) {
			const found = this.found[mannerOf(asks.fact)][asks.after];
			const holds = (texts: readonly string[], words: string) => texts.some((text) => text.includes(words));
			found.asked++;
			found.inView += Number(holds(this.#last, asks.value));
			found.whenAsked += Number(holds(messages, asks.value));
			const isStale = asks.stale !== undefined && holds(messages, asks.stale) && !holds(messages, asks.value);
			found.stale += Number(isStale);
		}
		this.#last = messages;
	}
}

interface Growth {
	readonly turns: number;
	readonly transcript: number;
	readonly disk: number;
	readonly first: number;
	readonly early: number;
	readonly late: number;
}

function toResult(
	arms: readonly { readonly arm: Arm; readonly account: Account }[],
	{ turns, transcript, disk, first, early, late }: Growth,
): BenchResult {
	const time = late / early;
	const engines = arms.map(({ arm: { name }, account }) => ({
		name,
		cost: Math.round(account.cost),
		aside: account.aside,
		meanTokens: Math.round(account.tokens / account.requests),
		facts: account.found,
	}));
	return {
		report: {
			within: disk <= MAX_DISK_RATIO && time <= MAX_TIME_RATIO,
			turns,
			transcript,
			disk,
			first,
			early,
			late,
			engines,
		},
		*lines({ dim }) {
			const table = (columns: readonly string[], rows: readonly (readonly string[])[]) =>
				renderTable(
					columns.map((title, at) => ({ title, align: at === 0 ? "left" : "right" }) as const),
					rows,
					{ style: "ruled", paintHead: dim },
				);
			yield* table(
				["", "cost", "mean request", "side calls"],
				engines.map(({ name, cost, meanTokens, aside }) => [
					name,
					thousands(cost),
					thousands(meanTokens),
					thousands(aside),
				]),
			);
			for (const manner of MANNER_NAMES) {
				yield "";
				yield* table(
					[`facts, ${MANNERS[manner]}`, "after 60 turns", "after 390", "at the end", "stale"],
					engines.map(({ name, facts: { [manner]: found } }) => [
						name,
						...AGES.map((age) => `${found[age].inView}, ${found[age].whenAsked} of ${found[age].asked}`),
						String(AGES.reduce((sum, age) => sum + found[age].stale, 0)),
					]),
				);
			}
			yield "";
			yield `${disk <= MAX_DISK_RATIO ? "✓" : "✗"} disk ${disk.toFixed(2)} bytes a byte of transcript (bound ${MAX_DISK_RATIO})`;
			yield `${time <= MAX_TIME_RATIO ? "✓" : "✗"} processor time of a turn ${early.toFixed(0)} ms when the window was full once, ${late.toFixed(0)} ms at last (bound ${MAX_TIME_RATIO} times; ${first.toFixed(0)} ms before)`;
		},
		remark:
			"Cost in thousands of tokens of plain input. Facts: in view before the question, with the question. Stale: a replaced value without the one that holds. The host's own engine is simulated by its rule, and its summaries hold no fact.",
	};
}

function mannerOf(fact: PlantedFact): Manner {
	if (UNFITTED_FACTS.includes(fact)) return "unfitted";
	return SPOKEN_FACTS.includes(fact) ? "spoken" : "plain";
}

const nothing = (): Found => ({ asked: 0, inView: 0, whenAsked: 0, stale: 0 });
const atEachAge = (): Record<Age, Found> => ({ "60": nothing(), "390": nothing(), end: nothing() });
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const thousands = (tokens: number) => `${Math.round(tokens / 1_000)}k`;

function bytesIn(folder: string): number {
	return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce(
		(sum, entry) => sum + (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0),
		0,
	);
}
