/**
 * `npm run bench -- history`: does planning and assembling stay cheap as a session grows? Two sessions of very different
 * length, cut so that equally many nodes are uncovered and equally many messages are verbatim. Nothing here is a test.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewEvent } from "../src/log/event/types.ts";
import { TableFolds } from "../src/log/fold/table-folds.ts";
import { Log } from "../src/log/log.ts";
import { assembleHistory } from "../src/state/history/assemble.ts";
import { compact } from "../src/state/history/compact.ts";
import { Facts } from "../src/state/history/deterministic/facts.ts";
import { renderFacts } from "../src/state/history/deterministic/render.ts";
import { History } from "../src/state/history/history.ts";
import { nodeFold } from "../src/state/history/node-fold.ts";
import { planCondensation, planLeaves } from "../src/state/history/plan.ts";
import { stretchRecords } from "../src/state/history/stretch-records.ts";
import { HISTORY_DEFAULTS } from "../src/state/history/types.ts";
import { treeFold } from "../src/state/session/tree-fold.ts";
import { MessageSource } from "./corpus.ts";
import { median, medianRatio, micros, type Ratio, timed } from "./measure.ts";

const SMALL_MESSAGES = 1_000;
const LARGE_MESSAGES = 100_000;
const BATCH = 1_000;
const MESSAGES_PER_LEAF = 24;
const MAX_LEAVES_MORE = 250;
/** Enough for both sessions to reach it. */
const MIN_UNCOVERED = 12;
const PER_ROUND = 20;
const GROWTH_BOUND = 3;
const SUMMARISE_BOUND = 40;
const SUMMARISED_MESSAGES = 2_000;
const ROUNDS = 5;
const SESSION = { session: "bench", host: "pi" } as const;

export interface HistoryBenchReport {
	readonly ratios: readonly Ratio[];
	/** Messages and uncovered nodes of both sessions. */
	readonly sessions: readonly { readonly messages: number; readonly uncovered: number; readonly nodes: number }[];
}

export async function runHistoryBench(
	options: { readonly messages?: number; readonly onProgress?: (what: string) => void } = {},
): Promise<HistoryBenchReport> {
	const folder = mkdtempSync(join(tmpdir(), "weft-bench-"));
	const say = options.onProgress ?? (() => {});
	try {
		using small = await LongSession.of(join(folder, "small"), SMALL_MESSAGES);
		await small.growUntil((uncovered) => uncovered >= MIN_UNCOVERED);
		say(`a session of ${options.messages ?? LARGE_MESSAGES} messages`);
		using large = await LongSession.of(join(folder, "large"), options.messages ?? LARGE_MESSAGES);
		await large.growUntil((uncovered) => uncovered === small.uncovered());
		say("plan and assemble, in turns");
		const growth = planAndAssemble(small, large);
		say("the deterministic summariser beside JSON.parse");
		return { ratios: [growth, summarise(large)], sessions: [small.shape(), large.shape()] };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function planAndAssemble(small: LongSession, large: LongSession): Ratio {
	const { ratio, oursMs, otherMs } = medianRatio(
		PER_ROUND,
		() => large.step(),
		() => small.step(),
	);
	return {
		name: "plan and assemble",
		beside: `at ${small.shape().messages} messages`,
		ratio,
		bound: GROWTH_BOUND,
		detail: `${micros(oursMs)} at ${large.shape().messages}, ${micros(otherMs)} at ${small.shape().messages}`,
	};
}

/** Of a stretch of messages with their events, which both arms get from memory. */
function summarise({ log }: LongSession): Ratio {
	const seqs = [...log.read({ types: ["Message"], limit: SUMMARISED_MESSAGES })].map(({ seq }) => seq);
	const records = [...stretchRecords(log, SESSION, seqs)];
	const texts = records.map(({ payload }) => JSON.stringify(payload));
	const rounds = Array.from({ length: ROUNDS + 1 }, () => {
		const parse = timed(() => texts.map((text) => JSON.parse(text) as unknown));
		const ours = timed(() => renderFacts(Facts.of(records), 600));
		return { ratio: ours / parse, ours, parse };
	}).slice(1);
	return {
		name: "deterministic summary",
		beside: "JSON.parse of the same events",
		ratio: median(rounds.map(({ ratio }) => ratio)),
		bound: SUMMARISE_BOUND,
		detail: `${micros(median(rounds.map(({ ours }) => ours)))} for ${records.length} events`,
	};
}

class LongSession {
	readonly log: Log;
	readonly history: History;
	readonly #source = new MessageSource(7);
	#written = 0;

	constructor(folder: string) {
		this.log = new Log({ folder, origin: "bench", projection: () => new TableFolds([treeFold, nodeFold]) });
		this.history = new History(this.log);
	}

	static async of(folder: string, messages: number): Promise<LongSession> {
		const session = new LongSession(folder);
		while (session.#written < messages) {
			session.#write(Math.min(BATCH, messages - session.#written));
			await session.#compact();
		}
		return session;
	}

	/** A leaf at a time. */
	async growUntil(enough: (uncovered: number) => boolean): Promise<void> {
		for (let n = 0; n < MAX_LEAVES_MORE && !enough(this.uncovered()); n++) {
			this.#write(MESSAGES_PER_LEAF);
			await this.#compact();
		}
		this.log.settle({ all: true });
	}

	/** One plan and one assembly, as a host asks for them before a request. */
	step(): number {
		const { nodes, runs } = this.history.path(SESSION);
		const leaves = planLeaves(runs, HISTORY_DEFAULTS);
		const condensed = planCondensation(nodes, HISTORY_DEFAULTS);
		const assembled = assembleHistory(this.history, nodes, { maxTokens: HISTORY_DEFAULTS.maxSummaryTokens });
		return leaves.length + (condensed?.length ?? 0) + (assembled?.tokens ?? 0);
	}

	uncovered(): number {
		return this.history.path(SESSION).nodes.length;
	}

	shape(): HistoryBenchReport["sessions"][number] {
		const { messages, nodes } = this.history.stats(SESSION);
		return { messages, nodes, uncovered: this.uncovered() };
	}

	[Symbol.dispose](): void {
		this.log.close();
	}

	#write(count: number): void {
		const events: NewEvent[] = [];
		for (let n = 0; n < count; n++) events.push({ ...this.#source.event(this.#written++), ...SESSION });
		this.log.append(events, { packed: true });
	}

	async #compact(): Promise<void> {
		await compact(this.history, { session: SESSION, now: () => 0 });
	}
}
